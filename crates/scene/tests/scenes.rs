//! What models look like: meshes are where their surfaces are, closed and with their normals outward; poses are those of the motion; files are
//! well-formed.

use crate::prelude::*;
use polhode_geometry::{Boundary, Curve, Surface};
use polhode_scene::{Film, Mesh, Placed, Role, Scene, View, gltf, picture, vector};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

type V = [f64; 3];

/// Frames of a film.
const FRAMES: usize = 60;

struct Seen {
    model: Model,
    compiled: Arc<Compiled>,
    film: Film,
    scene: Scene,
}

fn seen_until(name: &str, text: &str, end: Option<f64>) -> Seen {
    let (model, _) = Model::parse(name, text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    let compiled = system.compile_with(&CompileOptions { drawing: true, ..CompileOptions::default() }).unwrap();
    let end = end.unwrap_or(model.until());
    let motion = compiled.solve(&Run::until(end).rtol(1e-9)).unwrap();
    let film = Film::of(&compiled, &motion.sampled(FRAMES));
    let scene = Scene::of(&model, &compiled, &film);
    Seen { model, compiled, film, scene }
}

fn seen(name: &str) -> Seen {
    seen_until(name, builtin::find(name).unwrap().text, None)
}

fn dot(a: &V, b: &V) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &V) -> f64 {
    dot(a, a).sqrt()
}

fn minus(a: &V, b: &V) -> V {
    std::array::from_fn(|k| a[k] - b[k])
}

fn cross(a: &V, b: &V) -> V {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

fn size(mesh: &Mesh) -> f64 {
    let [low, high] = mesh.bounds();
    norm(&minus(&high, &low)) / 2.0
}

/// Every edge of the triangles is there once in each direction, for vertices by their places.
fn is_closed(mesh: &Mesh) -> bool {
    let size = size(mesh);
    let key = |k: u32| mesh.point(k).map(|x| (x / size * 1e5).round() as i64);
    let mut edges: HashMap<[[i64; 3]; 2], i32> = HashMap::new();
    for t in &mesh.triangles {
        let corners = t.map(key);
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            if a != b {
                *edges.entry([a, b]).or_default() += 1;
                *edges.entry([b, a]).or_default() -= 1;
            }
        }
    }
    edges.values().all(|n| *n == 0)
}

fn volume(mesh: &Mesh) -> f64 {
    mesh.triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|k| mesh.point(k));
            dot(&a, &cross(&b, &c)) / 6.0
        })
        .sum()
}

/// Normals are unit vectors on the side where the triangles are counterclockwise.
fn check_normals(name: &str, mesh: &Mesh) {
    let size = size(mesh);
    for n in &mesh.normals {
        let n = n.map(f64::from);
        assert!((norm(&n) - 1.0).abs() < 1e-6, "{name}: {n:?}");
    }
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|k| mesh.point(k));
        let area = cross(&minus(&b, &a), &minus(&c, &a));
        if norm(&area) > 1e-5 * size * size {
            let sum = t.map(|k| dot(&mesh.normal(k), &area)).iter().sum::<f64>();
            assert!(sum > 0.0, "{name}: a triangle at {a:?} faces away from its normals");
        }
    }
}

#[test]
fn every_builtin_model_has_a_scene() {
    for b in builtin::ALL {
        let Seen { scene, film, compiled, .. } = seen(b.name);
        assert_eq!(scene.empty_reason, None, "{}", b.name);
        assert!(scene.size > 0.0 && scene.extent > 0.0 && film.len() > 1, "{}", b.name);
        let width = compiled.program.report.outputs.len();
        for o in &scene.objects {
            let columns =
                o.rotation.iter().flatten().chain(o.position.iter().flatten()).chain(o.scale.iter().flatten());
            assert!(columns.into_iter().all(|c| *c < width));
            for frame in &film.frames {
                let placed = Placed::of(o, frame).unwrap_or_else(|| panic!("{}: {} is nowhere", b.name, o.name));
                let r = placed.rotation;
                let det = dot(&r[0], &cross(&r[1], &r[2]));
                assert!((det - 1.0).abs() < 1e-6, "{}: {} has {det}", b.name, o.name);
            }
        }
        for m in &scene.meshes {
            check_normals(b.name, m);
        }
        check_gltf(b.name, &gltf(&scene, &film));
        let svg = picture(&scene, &film, &View::strobe(&film, 3));
        assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"), "{}", b.name);
    }
}

/// A body with a surface on a plane.
fn on_plane(surface: &str, initial: &str) -> String {
    format!(
        "title = \"a body\"\n[parameters]\na = 1\n[gravity]\ng = 1\n[body.stone]\nmass = 1\ninertia = [1, 1.1, 1.2]\nsurface = {surface}\n\
         [ground]\nsurface = \"plane\"\n[initial.stone]\n{initial}\nOmega = [0.1, 0.2, 0.1]\n"
    )
}

const LOW: &str = "contact = { normal = [0.3, 0.2, -1] }\ntouching = [0, 0, 0]";

/// How far the vertices of a mesh are from its surface, where that has an equation.
fn distance_from_surface(model: &Model, surface: &Surface, mesh: &Mesh) -> f64 {
    let mut g = model.graph.clone();
    let at = ["test.x", "test.y", "test.z"].map(|n| g.symbol(n));
    let level = surface.level(&mut g, at).unwrap();
    let gradient = at.map(|s| g.derivative(level, s));
    let mut values = model.parameter_values().unwrap();
    let mut worst: f64 = 0.0;
    for t in mesh.triangles.iter().step_by(7) {
        let p = mesh.point(t[0]);
        values.extend(at.into_iter().zip(p));
        let slope: Vec<f64> = gradient.iter().map(|e| g.evaluate_f64(*e, &values).unwrap_or(f64::NAN)).collect();
        let slope = norm(&[slope[0], slope[1], slope[2]]);
        // at creases and poles of the equation there is none
        if slope.is_finite() && slope > 1e-6 {
            worst = worst.max((g.evaluate_f64(level, &values).unwrap() / slope).abs());
        }
    }
    worst
}

#[test]
fn bodies_are_closed_and_where_their_surfaces_are() {
    let cases = [
        ("{ sphere = \"a\" }", LOW, Some(4.0 / 3.0 * std::f64::consts::PI)),
        (
            "{ ellipsoid = [2, 1.5, 1], centre = [0.1, 0.2, 0.1], turned = \"Rx(0.3)\" }",
            LOW,
            Some(4.0 * std::f64::consts::PI),
        ),
        ("{ spheroid = [1, 1.5] }", LOW, Some(2.0 * std::f64::consts::PI)),
        ("{ torus = [1, 0.25] }", LOW, Some(2.0 * std::f64::consts::PI.powi(2) / 16.0)),
        ("{ superquadric = [0.3, 0.3, 0.4, 0.8, 1] }", LOW, None),
        ("{ superquadric = [1, 1, 1, 0.5, 0.5] }", LOW, None),
        (
            "{ implicit = \"x^2 + y^2 + z^2 - 1.6*x*y*z - 1\" }",
            "contact = { normal = [1, 0.2, 0.3] }\ntouching = [0, 0, 0]",
            None,
        ),
        (
            "{ revolution = { curve = [\"2 + cos(s)\", \"sin(s)/2\"] } }",
            "contact = { normal = [0.3, 0, -1] }\ntouching = [0, 0, 0]",
            Some(2.0 * std::f64::consts::PI.powi(2)),
        ),
        (
            "{ parametric = [\"2*sin(u)*cos(v)\", \"sin(u)*sin(v)\", \"cos(u)\"] }",
            LOW,
            Some(8.0 / 3.0 * std::f64::consts::PI),
        ),
        ("{ rim = \"a\" }", "touching = [0, 0, 0]\nrotation = \"Rx(1)\"", None),
        ("{ edge = [\"2*cos(s)\", \"sin(s)\", \"0\"] }", "touching = [0, 0, 0]\nrotation = \"Rx(1)\"", None),
    ];
    for (surface, initial, expected) in cases {
        let text = on_plane(surface, initial);
        let Seen { model, scene, .. } = seen_until("body.toml", &text, Some(0.1));
        let body = scene.objects.iter().find(|o| o.role == Role::Body).unwrap_or_else(|| panic!("{surface}: no body"));
        let mesh = &scene.meshes[body.mesh];
        assert!(is_closed(mesh), "{surface} has holes");
        check_normals(surface, mesh);
        let volume = volume(mesh);
        assert!(volume > 0.0, "{surface}: inside out, {volume}");
        if let Some(expected) = expected {
            // faces are inside of what is convex
            assert!((volume / expected - 1.0).abs() < 0.02, "{surface}: {volume}, not {expected}");
        }
        match model.contacts[..][0].sides[0].boundary {
            Boundary::Surface(s)
                if s.level(&mut model.graph.clone(), ["x", "y", "z"].map(|n| model.graph.clone().symbol(n)))
                    .is_ok() =>
            {
                let worst = distance_from_surface(&model, &s, mesh);
                assert!(worst < 1e-6 * size(mesh), "{surface}: {worst}");
            }
            Boundary::Edge(edge) => {
                assert!(!mesh.lines.is_empty());
                if let Curve::Circle { .. } = edge.curve {
                    let far = mesh.positions.iter().map(|p| norm(&p.map(f64::from))).fold(0.0, f64::max);
                    assert!((far - 1.0).abs() < 1e-6, "{far}");
                }
            }
            Boundary::Surface(_) => {}
        }
    }
}

#[test]
fn grids_follow_their_parameters() {
    let Seen { scene, compiled, .. } =
        seen_until("body.toml", &on_plane("{ ellipsoid = [\"2*a\", \"a\", \"a\"] }", LOW), Some(0.1));
    let mesh = &scene.meshes[scene.objects[0].mesh];
    let grid = mesh.grid.as_ref().unwrap();
    assert_eq!(grid.depends, ["a"]);
    let mut surface = polhode_tape::Interpreter::<f64>::new(&grid.tape);
    for (twice, times) in [(false, 1.0), (true, 2.0)] {
        for (i, j) in [(3, 5), (16, 0), (30, 63)] {
            let mut inputs = vec![grid.u.at(i), grid.v.at(j)];
            inputs.extend(
                compiled
                    .parameters
                    .iter()
                    .map(|(name, x)| if twice && name == "a" { 2.0 } else { polhode_tape::Scalar::to_f64(*x) }),
            );
            let mut x = [0.0; 3];
            surface.call(&inputs, &mut x);
            let vertex = mesh.point((i * grid.v.count + j) as u32);
            assert!(norm(&minus(&x, &vertex.map(|c| times * c))) < 1e-6);
        }
    }
}

/// A point of contact is in the same place seen from both sides.
#[test]
fn contacts_are_where_both_sides_touch() {
    for name in [
        "ellipsoid-on-plane",
        "ball-in-cylinder",
        "ball-on-ball",
        "wheel-in-shell",
        "coin-in-funnel",
        "superball",
        "ball-between-plates",
        "rattleback",
        "poinsot-on-sphere",
    ] {
        let Seen { scene, film, .. } = seen(name);
        assert!(!scene.contacts.is_empty(), "{name}");
        for c in &scene.contacts {
            for frame in &film.frames {
                let [a, b] = [(c.object, &c.on_body), (c.other, &c.on_other)]
                    .map(|(o, places)| Placed::of(&scene.objects[o], frame).unwrap().point(&vector(frame, places)));
                let closed = frame[c.normal_force] != 0.0;
                if closed {
                    assert!(norm(&minus(&a, &b)) < 1e-6 * scene.size.max(1.0), "{name} {}: {a:?} {b:?}", c.name);
                }
            }
        }
    }
}

/// Ground is drawn as far as the motion needs it.
#[test]
fn ground_reaches_as_far_as_contacts() {
    let cone = "title = \"a ball in a cone\"\n[gravity]\ng = 1\n[body.ball]\nmass = 1\ninertia = \"solid\"\nsurface = { sphere = 0.1 }\n\
        [ground]\nsurface = { cone = \"pi/6\", inside = true }\n[initial.ball]\ntouching = [\"sin(pi/6)\", 0, \"cos(pi/6)\"]\n\
        Omega = [0, 3, 1]\n";
    let builtin = ["ball-in-cylinder", "ball-in-paraboloid", "coin-in-funnel", "ball-on-torus", "ellipsoid-on-plane"];
    let all =
        builtin.map(|name| (name, seen(name))).into_iter().chain([("cone", seen_until("cone.toml", cone, Some(5.0)))]);
    for (name, Seen { scene, film, .. }) in all {
        for c in &scene.contacts {
            let mesh = &scene.meshes[scene.objects[c.other].mesh];
            check_normals(name, mesh);
            let [low, high] = mesh.bounds();
            let slack = 1e-5 * size(mesh);
            for frame in &film.frames {
                let p = vector(frame, &c.on_other);
                assert!(
                    (0..3).all(|k| p[k] > low[k] - slack && p[k] < high[k] + slack),
                    "{name}: {p:?} {low:?} {high:?}"
                );
            }
        }
    }
}

/// The lowest vertex of a body is on the ground, and where the trace is.
fn lowest(scene: &Scene, object: usize, frame: &[f64]) -> V {
    let o = &scene.objects[object];
    let placed = Placed::of(o, frame).unwrap();
    let points = scene.meshes[o.mesh].positions.iter().map(|p| placed.point(&p.map(f64::from)));
    points.min_by(|a, b| a[2].total_cmp(&b[2])).unwrap()
}

#[test]
fn wheels_touch_the_ground_at_their_traces() {
    for (name, wheels) in [("rolling-disk", 1), ("rolling-disk-centre", 1), ("vertical-penny", 1), ("bicycle", 2)] {
        let Seen { scene, film, .. } = seen(name);
        for (wheel, trace) in scene.traces.iter().enumerate().take(wheels) {
            for frame in &film.frames {
                let low = lowest(&scene, wheel, frame);
                assert!(low[2].abs() < 0.006 * scene.size, "{name}: {low:?}");
                // a vertex of 64 round the rim
                let away = norm(&minus(&low, &vector(frame, &trace.point)));
                assert!(away < 0.06 * scene.size, "{name}: {away}");
            }
        }
    }
}

/// Bodies that are drawn turn as they roll: the material at the point of contact has no velocity.
#[test]
fn what_is_drawn_does_not_slip() {
    for (name, object, at) in [
        ("rolling-disk", 0, ["x", "y"]),
        ("vertical-penny", 0, ["x", "y"]),
        ("bicycle", 0, ["x", "y"]),
        ("homogeneous-ball", 0, ["x", "y"]),
        ("chaplygin-ball", 0, ["x", "y"]),
        ("routh-ball", 0, ["x", "y"]),
    ] {
        let (model, _) = Model::parse(name, builtin::find(name).unwrap().text, &ParseOptions::default()).unwrap();
        let (mut system, _) = System::new(&model).unwrap();
        let compiled = system.compile_with(&CompileOptions { drawing: true, ..CompileOptions::default() }).unwrap();
        let motion = compiled.solve(&Run::until(2.0)).unwrap();
        let h = 1e-4;
        for t in [0.3, 0.9, 1.7] {
            let samples: Vec<Sample> = [t - h, t, t + h].iter().map(|t| motion.at(*t).unwrap()).collect();
            let film = Film::of(&compiled, &samples);
            let scene = Scene::of(&model, &compiled, &film);
            let placed = [0, 1, 2].map(|k| Placed::of(&scene.objects[object], &film.frames[k]).unwrap());
            let touch = [samples[1][at[0]], samples[1][at[1]], 0.0];
            // the material that is there now, before and after
            let out = minus(&touch, &placed[1].position);
            let own: V = std::array::from_fn(|k| {
                (0..3).map(|i| placed[1].rotation[i][k] * out[i]).sum::<f64>() / placed[1].scale[k]
            });
            let speed = norm(&minus(&placed[2].point(&own), &placed[0].point(&own))) / (2.0 * h);
            let centre = norm(&minus(&placed[2].position, &placed[0].position)) / (2.0 * h);
            assert!(speed < 1e-5 * centre.max(1.0), "{name} at {t}: {speed}, its centre {centre}");
        }
    }
}

/// A drawing adds numbers to samples, and no variables.
#[test]
fn drawings_are_no_variables() {
    for name in ["rolling-disk", "ball-on-ball", "ball-smooth-rough", "euler-disk"] {
        let (model, _) = Model::parse(name, builtin::find(name).unwrap().text, &ParseOptions::default()).unwrap();
        let compiled = [false, true].map(|drawing| {
            let (mut system, _) = System::new(&model).unwrap();
            system.compile_with(&CompileOptions { drawing, ..CompileOptions::default() }).unwrap()
        });
        assert_eq!(compiled[0].variables, compiled[1].variables, "{name}");
        assert!(compiled[0].drawn.is_empty() && !compiled[1].drawn.is_empty());
        let columns = compiled.each_ref().map(|c| c.program.report.outputs.len());
        assert!(columns[0] <= columns[1], "{name}: {columns:?}");
    }
}

#[test]
fn what_says_nothing_is_not_drawn() {
    let text = "title = \"a spring\"\n[coordinates]\nq = \"real\"\n[lagrangian]\nkinetic = \"q'^2/2\"\npotential = \"q^2/2\"\n[initial]\nq = 1\n";
    let Seen { scene, .. } = seen_until("spring.toml", text, Some(1.0));
    assert!(scene.empty_reason.is_some_and(|why| why.contains("[[draw]]")));
    let text = text
        .replace("q", "x")
        .replace("[lagrangian]", "y = \"real\"\n[lagrangian]")
        .replace("x'^2/2", "(x'^2 + y'^2)/2");
    let Seen { scene, .. } = seen_until("point.toml", &text, Some(1.0));
    assert_eq!((scene.traces.len(), scene.objects.len(), scene.empty_reason), (1, 2, None));
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Chunks, offsets, alignment, bounds of positions, times that grow, quaternions that keep their sign.
fn check_gltf(name: &str, file: &[u8]) {
    assert_eq!((&file[..4], word(file, 4), word(file, 8)), (b"glTF".as_slice(), 2, file.len()), "{name}");
    let length = word(file, 12);
    assert_eq!((&file[16..20], length % 4), (b"JSON".as_slice(), 0));
    let json: Value = serde_json::from_slice(&file[20..20 + length]).unwrap_or_else(|e| panic!("{name}: {e}"));
    let start = 20 + length;
    assert_eq!(&file[start + 4..start + 8], b"BIN\0");
    let bin = &file[start + 8..];
    assert_eq!((word(file, start), bin.len() % 4), (bin.len(), 0));
    assert_eq!(json["buffers"][0]["byteLength"].as_u64(), Some(bin.len() as u64));
    let list = |key: &str| json[key].as_array().cloned().unwrap_or_default();
    let whole = |v: &Value| v.as_u64().map(|x| x as usize);
    let floats = |accessor: &Value| -> Vec<f32> {
        let view = &json["bufferViews"][whole(&accessor["bufferView"]).unwrap()];
        let (from, length) = (whole(&view["byteOffset"]).unwrap(), whole(&view["byteLength"]).unwrap());
        assert!(from % 4 == 0 && from + length <= bin.len());
        bin[from..from + length].chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let width = |accessor: &Value| match accessor["type"].as_str() {
        Some("SCALAR") => 1,
        Some("VEC3") => 3,
        Some("VEC4") => 4,
        other => panic!("{name}: {other:?}"),
    };
    for accessor in list("accessors") {
        let (n, values) = (width(&accessor), floats(&accessor));
        assert_eq!(values.len(), n * whole(&accessor["count"]).unwrap());
        if accessor["componentType"] == 5126 {
            assert!(values.iter().all(|x| x.is_finite()), "{name}");
        }
        for (key, pick) in [("min", f32::min as fn(f32, f32) -> f32), ("max", f32::max)] {
            let Some(bound) = accessor[key].as_array() else { continue };
            for (k, b) in bound.iter().enumerate() {
                let found = values.iter().skip(k).step_by(n).copied().reduce(pick).unwrap();
                assert_eq!(b.to_string().parse::<f32>().unwrap(), found, "{name}");
            }
        }
    }
    let accessor = |k: &Value| json["accessors"][whole(k).unwrap()].clone();
    for mesh in list("meshes") {
        for part in mesh["primitives"].as_array().unwrap() {
            let positions = accessor(&part["attributes"]["POSITION"]);
            assert!(positions["min"].is_array() && positions["max"].is_array());
            if !part["indices"].is_null() {
                let indices = accessor(&part["indices"]);
                let most = floats(&indices).iter().map(|x| x.to_bits()).max().unwrap();
                assert!((most as usize) < whole(&positions["count"]).unwrap(), "{name}");
            }
            assert!(whole(&part["material"]).unwrap() < list("materials").len());
        }
    }
    for animation in list("animations") {
        for channel in animation["channels"].as_array().unwrap() {
            let sampler = &animation["samplers"][whole(&channel["sampler"]).unwrap()];
            let (times, output) = (floats(&accessor(&sampler["input"])), accessor(&sampler["output"]));
            assert!(times.windows(2).all(|w| w[0] < w[1]) && times[0] >= 0.0, "{name}");
            assert_eq!(whole(&output["count"]), Some(times.len()));
            if channel["target"]["path"] == "rotation" {
                let q = floats(&output);
                for pair in q.chunks(4).collect::<Vec<_>>().windows(2) {
                    let product: f32 = pair[0].iter().zip(pair[1]).map(|(a, b)| a * b).sum();
                    assert!(product >= 0.0, "{name}: a quaternion changes its sign");
                }
                let unit = |q: &[f32]| q.iter().map(|x| x * x).sum::<f32>();
                assert!(q.chunks(4).all(|q| (unit(q) - 1.0).abs() < 1e-5), "{name}");
            }
        }
    }
    for (k, node) in list("nodes").iter().enumerate() {
        for child in node["children"].as_array().unwrap_or(&Vec::new()) {
            assert!(whole(child).unwrap() != k && whole(child).unwrap() < list("nodes").len());
        }
    }
}

/// Khronos' own validator.
#[test]
fn the_validator_accepts_files() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/gltf-check");
    if !folder.join("node_modules").exists() {
        return polhode_testing::skip("the validator of glTF is not installed in tools/gltf-check");
    }
    for name in ["rolling-disk", "bicycle", "wheel-in-shell", "elliptope-on-plane", "superball"] {
        let Seen { scene, film, .. } = seen(name);
        let path = std::env::temp_dir().join(format!("polhode-{name}.glb"));
        std::fs::write(&path, gltf(&scene, &film)).unwrap();
        let script = "const v = require('gltf-validator'), fs = require('fs');\
             v.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1]))).then(r => console.log(JSON.stringify(r.issues)))";
        let out =
            std::process::Command::new("node").current_dir(&folder).args(["-e", script]).arg(&path).output().unwrap();
        let issues: Value = serde_json::from_slice(&out.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&out.stderr)));
        assert_eq!(
            (&issues["numErrors"], &issues["numWarnings"]),
            (&Value::from(0), &Value::from(0)),
            "{name}: {issues}"
        );
    }
}

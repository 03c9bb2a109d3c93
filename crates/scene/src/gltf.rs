//! Scenes as glTF 2.0 files in binary form (`.glb`), with the motion as an animation.
//!
//! ```text
//! file   = "glTF" 2 length · chunk "JSON" · chunk "BIN\0"        chunks begin and end at multiples of four bytes
//! node   = T R S of an object; its animation has translation, rotation (unit quaternions) and scale, each frame a key
//! ```
//!
//! glTF has y up: the node above all others turns the scene. Between keys quaternions are interpolated on the sphere, so each is the one of its
//! two signs that is nearer to the one before. Objects in two shades are two parts with a material each. Curves of contact and traces are
//! lines; those on a body belong to its node. An arrow is a node with a shaft and a head, which are turned and stretched as rods are; its scale is that of
//! pictures ([`crate::parts`]). Glass is blended. Specification: Khronos glTF 2.0 \[Khronos2021\].
//!
//! Not here: textures.

use crate::film::{Film, is_finite, vector};
use crate::mesh::Mesh;
use crate::parts::{Arrows, Stick};
use crate::pose::{Placed, Quaternion, between, nearer, product, quaternion};
use crate::scene::{COLOURS, Object, PALETTE, Scene};
use polhode_base::quoted;
use polhode_geometry::dense::{V, add_scaled, norm};
use polhode_model::Look;

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;

/// The colour of lines on bodies.
const INK: [f32; 4] = [0.02, 0.02, 0.02, 1.0];

/// How much white there is in the lighter of two shades.
const LIGHTER: f32 = 0.55;

/// The scene along a film as the bytes of a `.glb` file.
pub fn gltf(scene: &Scene, film: &Film) -> Vec<u8> {
    let mut file = Writer::default();
    let keys = Keys::of(film);
    let times = file.times(&keys);
    let mut meshes: Vec<Attributes> = scene.meshes.iter().map(|m| file.attributes(m)).collect();
    let mut children = Vec::new();
    let mut nodes = Vec::new();
    for object in &scene.objects {
        let mesh = file.object_mesh(&scene.meshes[object.mesh], object, &mut meshes[object.mesh]);
        let poses: Vec<Option<Placed>> = keys.frames.iter().map(|f| Placed::of(object, f)).collect();
        let node = file.node(&object.name, Some(mesh));
        file.moving(node, &keys, times, &track(&poses));
        children.push(node);
        nodes.push(node);
    }
    let arrows = Arrows::of(scene, film, true);
    let [mut straight, mut pointed] = [None, None];
    for rod in &scene.rods {
        let stick = |f: &&[f64]| Some(Stick { from: vector(f, &rod.from), to: vector(f, &rod.to), radius: rod.radius });
        let sticks: Vec<Option<Stick>> = keys.frames.iter().map(stick).collect();
        let node = file.stick("rod", &arrows.stick, &mut straight, rod.colour);
        file.moving(node, &keys, times, &stick_track(&sticks));
        children.push(node);
    }
    for arrow in &arrows.list {
        let sticks: Vec<Option<[Stick; 2]>> = keys.frames.iter().map(|f| arrow.sticks(scene, f)).collect();
        if sticks.iter().all(Option::is_none) {
            continue;
        }
        let shaft = file.stick("shaft", &arrows.stick, &mut straight, arrow.colour);
        let head = file.stick("head", &arrows.cone, &mut pointed, arrow.colour);
        for (k, node) in [shaft, head].into_iter().enumerate() {
            let part: Vec<Option<Stick>> = sticks.iter().map(|s| s.map(|s| s[k])).collect();
            file.moving(node, &keys, times, &stick_track(&part));
        }
        let whole = file.node(&arrow.name, None);
        file.nodes[whole].children = vec![shaft, head];
        children.push(whole);
    }
    for contact in &scene.contacts {
        let closed = |f: &&[f64]| f[contact.normal_force].abs() > 0.0;
        for (places, object, name) in
            [(&contact.on_body, contact.object, "polhode"), (&contact.on_other, contact.other, "herpolhode")]
        {
            let points: Vec<Option<V>> =
                keys.frames.iter().map(|f| closed(f).then(|| vector(f, places)).filter(is_finite)).collect();
            let colour = scene.objects[contact.object].colour;
            let Some(node) = file.curve(&format!("{name} {}", contact.name), &points, (colour + 1) % (COLOURS - 1))
            else {
                continue;
            };
            // the points are in the axes of the object, which has no scale
            file.nodes[nodes[object]].children.push(node);
        }
    }
    for trace in &scene.traces {
        let points: Vec<Option<V>> =
            keys.frames.iter().map(|f| Some(vector(f, &trace.point)).filter(is_finite)).collect();
        children.extend(file.curve(&trace.name, &points, trace.colour));
    }
    let root = file.node("scene", None);
    file.nodes[root].children = children;
    file.nodes[root].rotation = Some(between(&scene.up, &[0.0, 1.0, 0.0]));
    file.finish(root)
}

/// Frames with times that grow.
struct Keys<'a> {
    times: Vec<f32>,
    frames: Vec<&'a [f64]>,
}

impl Keys<'_> {
    /// From the first frame on; of frames at the same time the last one.
    fn of(film: &Film) -> Keys<'_> {
        let start = film.times.first().copied().unwrap_or(0.0);
        let mut keys = Keys { times: Vec::new(), frames: Vec::new() };
        for (t, frame) in film.times.iter().zip(&film.frames) {
            let t = (t - start) as f32;
            if keys.times.last().is_some_and(|last| *last >= t) {
                keys.times.pop();
                keys.frames.pop();
            }
            if keys.times.last().is_none_or(|last| *last < t) {
                keys.times.push(t);
                keys.frames.push(frame);
            }
        }
        keys
    }
}

/// Translation, rotation and scale at every key.
struct Track {
    translation: Vec<V>,
    rotation: Vec<Quaternion>,
    scale: Vec<V>,
}

/// Poses without a value are those before them.
fn track(poses: &[Option<Placed>]) -> Track {
    let mut out = Track { translation: Vec::new(), rotation: Vec::new(), scale: Vec::new() };
    let first = poses.iter().flatten().next();
    for pose in poses {
        let Some(pose) = pose.as_ref().or(first) else { break };
        let q = quaternion(&pose.rotation);
        let q = out.rotation.last().map_or(q, |before| nearer(q, before));
        out.rotation.push(q);
        out.translation.push(pose.position);
        out.scale.push(pose.scale);
    }
    out
}

/// A stick of radius 1 and length 1 between two points: turned from key to key by the shortest turns. Where there is none it has no size.
fn stick_track(sticks: &[Option<Stick>]) -> Track {
    let mut out = Track { translation: Vec::new(), rotation: Vec::new(), scale: Vec::new() };
    let (mut direction, mut rotation) = ([0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]);
    let (mut middle, first) = ([0.0; 3], sticks.iter().flatten().next().copied());
    for (k, stick) in sticks.iter().enumerate() {
        let Some(Stick { from, to, radius }) = stick.or(first.filter(|_| k == 0)) else {
            out.translation.push(middle);
            out.rotation.push(rotation);
            out.scale.push([0.0; 3]);
            continue;
        };
        let along = add_scaled(&to, -1.0, &from);
        if let Some(next) = crate::mesh::unit(&along) {
            rotation = crate::pose::normalised(&product(&between(&direction, &next), &rotation));
            direction = next;
        }
        middle = std::array::from_fn(|k| (from[k] + to[k]) / 2.0);
        out.translation.push(middle);
        out.rotation.push(rotation);
        out.scale.push(if stick.is_some() { [radius, radius, norm(&along)] } else { [0.0; 3] });
    }
    out
}

/// Accessors of a mesh; those of its parts are written when they are needed.
struct Attributes {
    position: usize,
    normal: usize,
    parts: [Option<usize>; 5],
}

/// What is drawn of a mesh.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// All triangles.
    All,
    /// Those of the lighter shade.
    Light,
    /// Those of the darker shade.
    Dark,
    /// Rims and spokes.
    Lines,
    /// The sides of all triangles.
    Wire,
}

#[derive(Default)]
struct Node {
    name: String,
    mesh: Option<usize>,
    children: Vec<usize>,
    translation: Option<V>,
    rotation: Option<Quaternion>,
    scale: Option<V>,
}

/// A file in the making: JSON objects as text, and the bytes that they refer to.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
    materials: Vec<String>,
    meshes: Vec<String>,
    nodes: Vec<Node>,
    samplers: Vec<String>,
    channels: Vec<String>,
}

impl Writer {
    fn view(&mut self, data: &[u8], target: Option<u32>) -> usize {
        let target = target.map_or(String::new(), |t| format!(",\"target\":{t}"));
        let (start, length) = (self.bytes.len(), data.len());
        self.views.push(format!("{{\"buffer\":0,\"byteOffset\":{start},\"byteLength\":{length}{target}}}"));
        self.bytes.extend_from_slice(data);
        self.views.len() - 1
    }

    /// Vectors of floats, with their smallest and largest components where these are asked for.
    fn floats<const N: usize>(&mut self, data: &[[f32; N]], target: Option<u32>, bounds: bool) -> usize {
        let bytes: Vec<u8> = data.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        let bounds = if bounds {
            let pick = |f: fn(f32, f32) -> f32| {
                let at = |k: usize| data.iter().map(|v| v[k]).reduce(f).unwrap_or(0.0);
                (0..N).map(|k| number(at(k))).collect::<Vec<_>>().join(",")
            };
            format!(",\"min\":[{}],\"max\":[{}]", pick(f32::min), pick(f32::max))
        } else {
            String::new()
        };
        let count = data.len();
        self.accessors.push(format!(
            "{{\"bufferView\":{view},\"componentType\":{FLOAT},\"count\":{count},\"type\":\"{kind}\"{bounds}}}"
        ));
        self.accessors.len() - 1
    }

    fn indices(&mut self, data: impl Iterator<Item = u32>) -> Option<usize> {
        let bytes: Vec<u8> = data.flat_map(u32::to_le_bytes).collect();
        let count = bytes.len() / 4;
        (count > 0).then(|| {
            let view = self.view(&bytes, Some(INDICES));
            self.accessors.push(format!(
                "{{\"bufferView\":{view},\"componentType\":{UNSIGNED_INT},\"count\":{count},\"type\":\"SCALAR\"}}"
            ));
            self.accessors.len() - 1
        })
    }

    fn times(&mut self, keys: &Keys) -> Option<usize> {
        let data: Vec<[f32; 1]> = keys.times.iter().map(|t| [*t]).collect();
        (data.len() > 1).then(|| self.floats(&data, None, true))
    }

    fn attributes(&mut self, mesh: &Mesh) -> Attributes {
        let position = self.floats(&mesh.positions, Some(VERTICES), true);
        Attributes { position, normal: self.floats(&mesh.normals, Some(VERTICES), false), parts: [None; 5] }
    }

    /// The indices of a part of a mesh, if it has any.
    fn part(&mut self, mesh: &Mesh, of: &mut Attributes, part: Part) -> Option<usize> {
        let known = &mut of.parts[part as usize];
        if known.is_none() {
            let shaded = |dark: bool| {
                let both = mesh.triangles.iter().zip(&mesh.dark);
                both.filter(move |(_, d)| **d == dark).flat_map(|(t, _)| *t).collect()
            };
            let indices: Vec<u32> = match part {
                Part::All => mesh.triangles.iter().flatten().copied().collect(),
                Part::Light => shaded(false),
                Part::Dark => shaded(true),
                Part::Lines => mesh.lines.iter().flatten().copied().collect(),
                Part::Wire => mesh.triangles.iter().flat_map(|t| [t[0], t[1], t[1], t[2], t[2], t[0]]).collect(),
            };
            *known = self.indices(indices.into_iter());
        }
        *known
    }

    fn primitive(&self, of: &Attributes, indices: Option<usize>, mode: u32, material: usize) -> String {
        let Attributes { position, normal, .. } = of;
        let indices = indices.map_or(String::new(), |k| format!(",\"indices\":{k}"));
        format!(
            "{{\"attributes\":{{\"POSITION\":{position},\"NORMAL\":{normal}}}{indices},\"mode\":{mode},\"material\":{material}}}"
        )
    }

    fn object_mesh(&mut self, mesh: &Mesh, object: &Object, of: &mut Attributes) -> usize {
        let look = object.look;
        let parts: &[Part] = match look {
            Look::Wire => &[Part::Wire],
            Look::Checker => &[Part::Light, Part::Dark, Part::Lines],
            Look::Solid | Look::Glass => &[Part::All, Part::Lines],
        };
        let mut primitives = Vec::new();
        for part in parts {
            let Some(indices) = self.part(mesh, of, *part) else { continue };
            let lines = matches!(part, Part::Lines | Part::Wire);
            let material = match lines {
                true => self.material(INK, Look::Solid),
                false => self.material(shade(object.colour, look, *part != Part::Light), look),
            };
            let mode = if lines { LINES } else { TRIANGLES };
            primitives.push(self.primitive(of, Some(indices), mode, material));
        }
        self.mesh(&object.name, &primitives)
    }

    /// A node with a stick of some colour, whose vertices are written once.
    fn stick(&mut self, name: &str, mesh: &Mesh, known: &mut Option<Attributes>, colour: usize) -> usize {
        let mut attributes = known.take().unwrap_or_else(|| self.attributes(mesh));
        let all = self.part(mesh, &mut attributes, Part::All);
        let material = self.material(shade(colour, Look::Solid, true), Look::Solid);
        let primitive = self.primitive(&attributes, all, TRIANGLES, material);
        *known = Some(attributes);
        let mesh = self.mesh(name, &[primitive]);
        self.node(name, Some(mesh))
    }

    fn mesh(&mut self, name: &str, parts: &[String]) -> usize {
        self.meshes.push(format!("{{\"name\":{},\"primitives\":[{}]}}", quoted(name), parts.join(",")));
        self.meshes.len() - 1
    }

    fn material(&mut self, colour: [f32; 4], look: Look) -> usize {
        let factor = colour.map(number).join(",");
        let blend = if look == Look::Glass { ",\"alphaMode\":\"BLEND\"" } else { "" };
        let json = format!(
            "{{\"pbrMetallicRoughness\":{{\"baseColorFactor\":[{factor}],\"metallicFactor\":0,\"roughnessFactor\":0.6}},\
             \"doubleSided\":true{blend}}}"
        );
        let known = self.materials.iter().position(|m| *m == json);
        known.unwrap_or_else(|| {
            self.materials.push(json);
            self.materials.len() - 1
        })
    }

    fn node(&mut self, name: &str, mesh: Option<usize>) -> usize {
        self.nodes.push(Node { name: name.to_owned(), mesh, ..Node::default() });
        self.nodes.len() - 1
    }

    /// Puts a node where its track begins, with channels for what changes.
    fn moving(&mut self, node: usize, keys: &Keys, times: Option<usize>, track: &Track) {
        let (Some(t), Some(q), Some(s)) = (track.translation.first(), track.rotation.first(), track.scale.first())
        else {
            return;
        };
        let into = &mut self.nodes[node];
        (into.translation, into.rotation, into.scale) = (Some(*t), Some(*q), Some(*s));
        let Some(times) = times.filter(|_| track.translation.len() == keys.times.len()) else { return };
        if track.translation.iter().any(|x| x != t) {
            self.channel(node, times, "translation", &track.translation);
        }
        if track.rotation.iter().any(|x| x != q) {
            self.channel(node, times, "rotation", &track.rotation);
        }
        if track.scale.iter().any(|x| x != s) {
            self.channel(node, times, "scale", &track.scale);
        }
    }

    fn channel<const N: usize>(&mut self, node: usize, times: usize, path: &str, values: &[[f64; N]]) {
        let values: Vec<[f32; N]> = values.iter().map(|v| v.map(|x| x as f32)).collect();
        let output = self.floats(&values, None, false);
        let sampler = self.samplers.len();
        self.samplers.push(format!("{{\"input\":{times},\"output\":{output},\"interpolation\":\"LINEAR\"}}"));
        self.channels.push(format!("{{\"sampler\":{sampler},\"target\":{{\"node\":{node},\"path\":\"{path}\"}}}}"));
    }

    /// Lines between neighbours that are both there.
    fn curve(&mut self, name: &str, points: &[Option<V>], colour: usize) -> Option<usize> {
        let narrow = |p: &V| p.map(|x| x as f32);
        let pairs = points.windows(2).filter_map(|w| Some([narrow(w[0].as_ref()?), narrow(w[1].as_ref()?)]));
        let ends: Vec<[f32; 3]> = pairs.filter(|[a, b]| a != b).flatten().collect();
        if ends.is_empty() {
            return None;
        }
        let position = self.floats(&ends, Some(VERTICES), true);
        let material = self.material(shade(colour, Look::Solid, true), Look::Solid);
        let part = format!("{{\"attributes\":{{\"POSITION\":{position}}},\"mode\":{LINES},\"material\":{material}}}");
        let mesh = self.mesh(name.trim(), &[part]);
        Some(self.node(name.trim(), Some(mesh)))
    }

    fn finish(self, root: usize) -> Vec<u8> {
        let list = |name: &str, items: &[String]| match items.is_empty() {
            true => String::new(),
            false => format!(",\"{name}\":[{}]", items.join(",")),
        };
        let nodes: Vec<String> = self.nodes.iter().map(Node::json).collect();
        let animations = match self.channels.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "{{\"name\":\"motion\",\"samplers\":[{}],\"channels\":[{}]}}",
                self.samplers.join(","),
                self.channels.join(",")
            )],
        };
        let mut json = format!(
            "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"Polhode {}\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[{root}]}}]",
            env!("CARGO_PKG_VERSION")
        );
        json += &list("nodes", &nodes);
        json += &list("meshes", &self.meshes);
        json += &list("materials", &self.materials);
        json += &list("animations", &animations);
        json += &list("accessors", &self.accessors);
        json += &list("bufferViews", &self.views);
        if !self.bytes.is_empty() {
            json += &format!(",\"buffers\":[{{\"byteLength\":{}}}]", self.bytes.len());
        }
        json.push('}');
        let mut json = json.into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut out = Vec::new();
        let binary = if self.bytes.is_empty() { 0 } else { 8 + self.bytes.len() };
        let word = |out: &mut Vec<u8>, n: usize| out.extend_from_slice(&(n as u32).to_le_bytes());
        out.extend_from_slice(b"glTF");
        word(&mut out, 2);
        word(&mut out, 12 + 8 + json.len() + binary);
        word(&mut out, json.len());
        out.extend_from_slice(b"JSON");
        out.extend_from_slice(&json);
        if !self.bytes.is_empty() {
            // all data are words of four bytes
            word(&mut out, self.bytes.len());
            out.extend_from_slice(b"BIN\0");
            out.extend_from_slice(&self.bytes);
        }
        out
    }
}

impl Node {
    fn json(&self) -> String {
        let mut out = format!("{{\"name\":{}", quoted(&self.name));
        if let Some(mesh) = self.mesh {
            out += &format!(",\"mesh\":{mesh}");
        }
        if !self.children.is_empty() {
            let children: Vec<String> = self.children.iter().map(usize::to_string).collect();
            out += &format!(",\"children\":[{}]", children.join(","));
        }
        if let Some(t) = self.translation {
            out += &format!(",\"translation\":[{}]", numbers(&t));
        }
        if let Some(q) = self.rotation {
            out += &format!(",\"rotation\":[{}]", numbers(&q));
        }
        if let Some(s) = self.scale {
            out += &format!(",\"scale\":[{}]", numbers(&s));
        }
        out + "}"
    }
}

fn numbers<const N: usize>(v: &[f64; N]) -> String {
    v.map(|x| number(x as f32)).join(",")
}

/// The shortest decimal that is this float.
fn number(x: f32) -> String {
    if x.is_finite() { format!("{x}") } else { "0".to_owned() }
}

/// A colour of the palette as light, with its transparency.
fn shade(colour: usize, look: Look, dark: bool) -> [f32; 4] {
    let linear = |c: u8| {
        let c = f32::from(c) / 255.0;
        let c = if dark { c } else { c + (1.0 - c) * LIGHTER };
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = PALETTE[colour % COLOURS].map(linear);
    [r, g, b, if look == Look::Glass { 0.3 } else { 1.0 }]
}

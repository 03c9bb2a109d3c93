//! `polhode plot`: every kind of figure, what it holds, and what is refused.

use serde_json::Value;
use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A mass on a spring: x = cos t, x' = −sin t.
const SPRING: &str = "title = \"A mass on a spring\"\n[parameters]\nk = 1\n[coordinates]\nx = \"real\"\ny = \"real\"\n\
                      [lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"k*x^2/2\"\n[initial]\nposition = { x = 1 }\n\
                      velocity = { y = 0.25 }\n[[event]]\nname = \"through the middle\"\nwhen = \"x < 0\"\n";

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let folder = std::env::temp_dir().join(format!("polhode-plot-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("spring.toml"), SPRING).expect("written");
        Place(folder)
    }

    fn say(&self, arguments: &[&str]) -> (i32, String, String) {
        let out =
            Command::new(env!("CARGO_BIN_EXE_polhode")).args(arguments).current_dir(&self.0).output().expect("runs");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        (out.status.code().expect("an exit status"), text(&out.stdout), text(&out.stderr))
    }

    fn plot(&self, arguments: &[&str]) -> String {
        let (status, out, error) = self.say(&[&["plot"], arguments].concat());
        assert!(status == 0 && error.is_empty(), "{arguments:?}: {error}");
        out
    }

    fn svg(&self, arguments: &[&str]) -> String {
        self.plot(&[arguments, &["-o", "figure.svg"]].concat());
        let svg = self.read("figure.svg");
        check(&svg);
        svg
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).expect(file)
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let (status, out, error) = self.say(&[&["plot"], arguments].concat());
        assert!(status == 2 && out.is_empty(), "{arguments:?}: {status} {out}");
        error
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Every element ends where it should, every attribute is quoted, and no number is missing.
#[track_caller]
fn check(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for (i, part) in svg.split('<').enumerate().skip(1) {
        let (tag, _) = part.split_once('>').unwrap_or_else(|| panic!("tag {i} ends: {part}"));
        let name = tag.trim_end_matches('/').split_whitespace().next().expect("a name");
        match tag.strip_prefix('/') {
            Some(end) => assert_eq!(open.pop(), Some(end.trim())),
            None if tag.ends_with('/') => {}
            None => open.push(name),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert!(open.is_empty(), "{open:?} are open");
    assert!(
        svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && !svg.contains("NaN") && !svg.contains("inf")
    );
    assert!(
        !svg.contains("<script") && !svg.contains("http:",) | (svg.matches("http:").count() == 1),
        "nothing from elsewhere"
    );
}

#[test]
fn a_section_that_is_never_crossed_says_what_to_try() {
    let place = Place::new("never");
    let said = place.plot(&["spring.toml", "section", "x = 5", "y", "x'", "-o", "s.svg"]);
    assert!(said.starts_with("section x = 5: 0 points\n  = nothing crosses it so"), "{said}");
    assert!(said.contains("time \"(x) - (5)\"") && said.ends_with("wrote s.svg\n"), "{said}");
    check(&place.read("s.svg"));
    place.plot(&["spring.toml", "time", "(x) - (5)", "-o", "t.svg"]);
}

fn count(svg: &str, what: &str) -> usize {
    svg.matches(what).count()
}

#[test]
fn time_has_panels_curves_and_events() {
    let place = Place::new("time");
    let svg = place.svg(&["spring.toml", "time", "x,x'+y,x^2 + x'^2,(x+y)", "--until", "7"]);
    // x; x' and y with a legend; x² and x'² with a legend; the sum
    assert_eq!(count(&svg, "<path class=\"curve"), 1 + 4 + 4 + 1);
    assert!(svg.contains(">x</tspan><tspan"), "a formula is a label");
    assert_eq!(count(&svg, "through the middle</title>"), 4, "an event in each of four panels");
    let (width, _) = svg.split_once("mm\"").expect("millimetres");
    assert!(width.ends_with("width=\"85"), "{width}");
    assert!(!svg.contains("class=\"ground\"") && !svg.contains("class=\"title\"") && !svg.contains("prefers-color"));
    let letters = svg.split("px").filter_map(|s| s.rsplit([':', ' ']).next()?.parse::<f64>().ok());
    assert!(letters.fold(f64::INFINITY, f64::min) >= 7.0 * 96.0 / 72.0, "letters of 7 points and more");
}

#[test]
fn screen_style_has_title_and_ground() {
    let place = Place::new("screen");
    let svg = place.svg(&["spring.toml", "time", "x", "--style", "screen"]);
    assert!(svg.contains("class=\"ground\"") && svg.contains(">A mass on a spring</text>"));
    let svg = place.svg(&["spring.toml", "time", "x", "--title", "Mine"]);
    assert!(svg.contains(">Mine</text>"));
    let svg = place.svg(&["spring.toml", "time", "x", "--width", "17cm"]);
    assert!(svg.contains("width=\"170mm\""));
}

#[test]
fn phase_portraits_have_a_curve_for_each_motion_arrows_and_a_key() {
    let place = Place::new("phase");
    let svg = place.svg(&["spring.toml", "phase", "x", "x'", "--vary", "x=0.5..2:7"]);
    assert_eq!(count(&svg, "<path class=\"curve\" stroke=\"#"), 7);
    assert_eq!(count(&svg, "<path fill=\"#"), 14, "two arrow heads on each");
    assert!(svg.contains("polhode-key") && svg.contains("(0)"), "the key says that x is an initial value");
    // the same motions, given one by one
    let one = place.svg(&["spring.toml", "phase", "x", "x'", "--vary", "x=[0.5,2]"]);
    let other = place.svg(&["spring.toml", "phase", "x", "x'", "--init", "x=0.5", "--init", "x=2"]);
    assert_eq!(one, other);
    // a parameter is what it is called
    let svg = place.svg(&["spring.toml", "phase", "x", "x'", "--vary", "k=1..4:3"]);
    assert!(svg.contains("polhode-key") && !svg.contains("(0)"));
}

#[test]
fn parameters_have_the_unit_that_the_model_gives_them() {
    let place = Place::new("unit");
    let text = SPRING.replace("k = 1\n", "k = { value = 1, unit = \"N/m\" }\n");
    std::fs::write(place.0.join("stiff.toml"), text).expect("written");
    let key = |model: &str| place.svg(&[model, "phase", "x", "x'", "--vary", "k=1..4:3"]).contains("N/m");
    assert!(key("stiff.toml") && !key("spring.toml"));
}

#[test]
fn tracks_of_contacts_and_of_named_points() {
    let place = Place::new("track");
    let svg = place.svg(&["rolling-disk", "track", "--until", "4", "--ticks", "1"]);
    assert_eq!(count(&svg, "<path class=\"curve"), 1);
    assert_eq!((count(&svg, ">start</title>"), count(&svg, ">end</title>")), (1, 1));
    assert_eq!(count(&svg, "class=\"mark\""), 3, "the end has a mark of its own");
    let svg = place.svg(&["rolling-disk", "track", "x,y", "[x,y,0] + r*spoke", "--until", "4"]);
    assert_eq!(count(&svg, ">start</title>"), 2);
    let svg = place.svg(&["rattleback", "track", "--until", "2"]);
    assert_eq!(count(&svg, ">start</title>"), 1);
}

#[test]
fn tracks_move_without_scripts() {
    let place = Place::new("animate");
    let svg = place.svg(&["rolling-disk", "track", "--animate", "--until", "10"]);
    assert!(svg.contains("repeatCount=\"indefinite\"") && svg.contains("dur=\"10s\"") && svg.len() < 60_000);
    assert_eq!(count(&svg, "<animate "), 3, "the part gone through, and both coordinates of the disk");
    let error = place.refused(&["rolling-disk", "track", "--animate", "-o", "a.png"]);
    assert!(error.contains("a PNG does not move") && error.contains("--output a.svg"), "{error}");
    let error = place.refused(&["rolling-disk", "time", "x", "--animate"]);
    assert!(error.contains("only tracks, curves and scenes move"), "{error}");
}

#[test]
fn curves_of_contact_lie_on_body_and_ground() {
    let place = Place::new("curves");
    let svg = place.svg(&["ellipsoid-on-plane", "curves", "--until", "3", "--width", "170mm"]);
    assert!(svg.contains(">on the body</text>") && svg.contains(">on the ground</text>"));
    assert!(count(&svg, "z\"/>") > 300, "faces");
    // from another side another picture
    assert_ne!(
        svg,
        place.svg(&["ellipsoid-on-plane", "curves", "--until", "3", "--width", "170mm", "--azimuth", "20"])
    );
    let error = place.refused(&["rolling-disk", "curves"]);
    assert!(error.contains("no contact of bodies") && error.contains("track"), "{error}");
    let error = place.refused(&["ellipsoid-on-plane", "curves", "--vary", "g=[1,2]", "--until", "1"]);
    assert!(error.contains("`curves` shows one motion, and there are 2"), "{error}");
}

#[test]
fn scenes_at_some_times_and_moving() {
    let place = Place::new("scene");
    let svg = place.svg(&["rolling-disk", "scene", "--at", "0,0.5,1", "--until", "2", "--width", "170mm"]);
    assert_eq!(count(&svg, "<g>"), 3);
    let svg = place.svg(&["ellipsoid-on-plane", "scene", "--animate", "--until", "10"]);
    assert!(svg.contains("attributeName=\"d\"") && svg.len() < 300_000, "{}", svg.len());
    assert!(
        place.refused(&["rolling-disk", "scene", "--at", "5", "--until", "2"]).contains("the motion goes from 0 to 2")
    );
    let bare = "[coordinates]\nq = \"real\"\n[lagrangian]\nkinetic = \"q'^2/2\"\n[initial]\nvelocity = { q = 1 }\n";
    std::fs::write(place.0.join("bare.toml"), bare).expect("written");
    assert!(place.refused(&["bare.toml", "scene"]).contains("there is nothing to see"));
}

/// The corners of the floor of each panel after the first one, from that.
fn floors(svg: &str) -> Vec<String> {
    let floor = |panel: &str| {
        let (_, floor) = panel.split_once("fill=\"#f4f2ec\"").expect("a floor");
        let (_, data) = floor.split_once(" d=\"M").expect("data");
        let (corners, _) = data.split_once('z').expect("an area");
        corners.split_once('l').expect("corners").1.to_owned()
    };
    svg.split("<g>").skip(1).map(floor).collect()
}

#[test]
fn panels_of_a_scene_have_one_scale_and_one_ground() {
    let place = Place::new("scale");
    let svg = place.svg(&["rolling-disk", "scene", "--at", "0,1,2", "--until", "4", "--width", "170mm"]);
    let floors = floors(&svg);
    let numbers = |text: &String| {
        let spaced = text.replace('-', " -");
        spaced.split_whitespace().map(|x| x.parse::<f64>().expect("a number")).collect::<Vec<_>>()
    };
    let [first, second, third] = &floors.iter().map(numbers).collect::<Vec<_>>()[..] else { panic!("{floors:?}") };
    assert_eq!(first.len(), 6);
    // rounded to tenths
    for other in [second, third] {
        assert!(first.iter().zip(other).all(|(a, b)| (a - b).abs() < 0.25), "{floors:?}");
    }
    assert!(svg.contains(">0 s</tspan>") || svg.contains("= 0 s"), "times have a unit");
}

#[test]
fn scenes_of_a_long_way_go_along_with_the_body() {
    let place = Place::new("far");
    let text = SPRING.replace("potential = \"k*x^2/2\"\n", "").replace("y = 0.25", "x = 10")
        + "[[draw]]\nplane = true\n[[draw]]\nbox = { size = [1, 1, 1], centre = \"[x, y, 0.5]\" }\n[[draw]]\ntrace = { at = \"[x, y]\" }\n";
    std::fs::write(place.0.join("far.toml"), text).expect("written");
    let svg = place.svg(&["far.toml", "scene", "--at", "0,5,10", "--width", "170mm"]);
    let floors = floors(&svg);
    assert!(floors.len() == 3 && floors[0] == floors[1] && floors[1] == floors[2], "{floors:?}");
    // the fields of the ground are about as large as the body, and not ten times
    let fields = count(&svg, "stroke=\"#d8d4ca\" stroke-width=\"0.35\"") / 3;
    assert!((6..40).contains(&fields), "{fields}");
}

#[test]
fn glass_is_seen_through_and_forces_shine_through() {
    let place = Place::new("glass");
    let svg = place.svg(&["wheel-in-shell", "scene", "--until", "1"]);
    let layers: Vec<&str> =
        ["0.3", "0.13", "0.4"].into_iter().filter(|x| svg.contains(&format!("<g opacity=\"{x}\">"))).collect();
    assert_eq!(layers, ["0.3", "0.13", "0.4"], "far walls, near walls, arrows");
    let bare = place.svg(&["wheel-in-shell", "scene", "--until", "1", "--no-arrows"]);
    assert!(!bare.contains("<g opacity=\"0.4\">") && bare.len() < svg.len());
}

#[test]
fn curves_are_dashed_where_bodies_hide_them() {
    let place = Place::new("hidden");
    let svg = place.svg(&["ball-in-paraboloid", "curves", "--until", "10", "--width", "170mm"]);
    let hidden = svg.lines().filter(|l| l.contains("stroke-dasharray=\"1.6 3\"")).count();
    let seen = svg.lines().filter(|l| l.contains("stroke=\"#000000\" stroke-width=\"1.3\"")).count();
    assert!(hidden > 0 && seen > 0, "{hidden} {seen}");
    // the bowl does not swallow its curve: one turn is a few stretches, and not as many as there are facets
    assert!(hidden < 40, "{hidden}");
}

#[test]
fn a_ball_in_flight_draws_no_curve() {
    let place = Place::new("flight");
    let svg = place.svg(&["superball", "scene", "--no-arrows"]);
    assert!(!svg.contains("stroke=\"#000000\" stroke-width=\"1\""), "it touches for moments only");
}

#[test]
fn logarithmic_values_have_a_logarithmic_key() {
    let place = Place::new("log");
    let portrait = |values: &str| place.svg(&["spring.toml", "phase", "x", "x'", "--vary", values]);
    let colours = |svg: &str| {
        let curves = svg.lines().filter_map(|l| l.split_once("<path class=\"curve\" stroke=\"")?.1.get(..7));
        curves.map(str::to_owned).collect::<Vec<_>>()
    };
    // by factors or by differences: equal steps are equal steps of colour
    let (log, linear) = (portrait("x=0.01..100:5:log"), portrait("x=1..5:5"));
    assert_eq!(colours(&log).len(), 5);
    assert_eq!(colours(&log), colours(&linear));
    for mark in [">0.01<", ">1<", ">100<"] {
        assert!(log.contains(mark), "{mark}");
    }
}

#[test]
fn what_is_varied_second_has_dashes_and_is_told() {
    let place = Place::new("second");
    let svg = place.svg(&["spring.toml", "phase", "x", "x'", "--vary", "x=1..3:3", "--vary", "k=[1,4]"]);
    let curves: Vec<&str> = svg.lines().filter(|l| l.contains("<path class=\"curve\" stroke=\"#")).collect();
    assert_eq!(curves.len(), 6);
    assert_eq!(curves.iter().filter(|l| l.contains("stroke-dasharray")).count(), 3);
    let entries: Vec<&str> = svg.lines().filter(|l| l.contains("class=\"entry\"")).collect();
    assert!(entries.len() == 2 && entries[0].contains("= 1<") && entries[1].contains("= 4<"), "{entries:?}");
    assert_eq!(count(&svg, "class=\"curve plain\""), 2);
    // too many for dashes, or nothing but points: in words
    let many = place.svg(&["spring.toml", "phase", "x", "x'", "--vary", "x=1..3:3", "--vary", "k=1..4:6"]);
    assert!(many.contains("1 … 4 (6 values)") && !many.contains("curve plain"));
    let dots = place.svg(&["spring.toml", "section", "x = 0", "y", "x'", "--vary", "x=1..3:3", "--vary", "k=[1,4]"]);
    assert!(dots.contains("in the same colours") && !dots.contains("curve plain"));
}

fn points(document: &Value) -> Vec<(f64, f64, f64)> {
    let number = |p: &Value, key: &str| p[key].as_f64().expect("a number");
    let points = document["sections"][0]["points"].as_array().expect("points");
    points.iter().map(|p| (number(p, "t"), number(p, "x"), number(p, "y"))).collect()
}

/// x = cos t rises through 0 at 3π/2 + 2πk with velocity 1, and falls at π/2 + 2πk with velocity −1.
#[test]
fn sections_are_where_the_motion_crosses() {
    let place = Place::new("section");
    let section = |more: &[&str]| {
        let out =
            place.plot(&[&["spring.toml", "section", "x = 0", "x'", "y", "--json", "--until", "100"], more].concat());
        points(&serde_json::from_str(&out).expect("one document"))
    };
    let rising = section(&[]);
    assert_eq!(rising.len(), 16);
    for (k, (t, v, y)) in rising.iter().enumerate() {
        let exact = 1.5 * PI + TAU * k as f64;
        assert!((t - exact).abs() < 1e-11 && (v - 1.0).abs() < 1e-11 && (y - exact / 4.0).abs() < 1e-11, "{t} {v} {y}");
    }
    let falling = section(&["--direction", "falling"]);
    assert!(falling.len() == 16 && falling.iter().all(|(_, v, _)| (v + 1.0).abs() < 1e-11));
    assert_eq!(section(&["--direction", "both"]).len(), 32);
    // dense output of lower order is as good as its tolerance
    let rough = section(&["--method", "dop853", "--rtol", "1e-9"]);
    assert!(rough.len() == 16 && rough.iter().zip(&rising).all(|(a, b)| (a.0 - b.0).abs() < 1e-6));
}

/// The states at the times of the crossings, from a run of its own.
#[test]
fn points_of_a_section_are_states_of_the_motion() {
    let place = Place::new("states");
    let out = place.plot(&["rolling-disk", "section", "theta' = 0", "theta", "phi'", "--json", "--direction", "both"]);
    let document: Value = serde_json::from_str(&out).expect("one document");
    let points = points(&document);
    assert!(points.len() > 15, "{points:?}");
    let times: Vec<String> = points.iter().map(|p| p.0.to_string()).collect();
    let (_, out, _) = place.say(&["run", "rolling-disk", "--json", "--at", &times.join(",")]);
    let document: Value = serde_json::from_str(&out).expect("one document");
    for (sample, (_, theta, rate)) in document["samples"].as_array().expect("samples").iter().zip(points) {
        let of = |name: &str| sample["state"][name].as_f64().expect("a number");
        assert!((of("theta") - theta).abs() < 1e-11 && (of("phi'") - rate).abs() < 1e-9 && of("theta'").abs() < 1e-10);
    }
}

#[test]
fn sections_are_counted_coloured_and_written() {
    let place = Place::new("points");
    let said = place.plot(&[
        "spring.toml",
        "section",
        "x = 0",
        "y",
        "x'",
        "--vary",
        "x=1..2:3",
        "--until",
        "20",
        "-o",
        "s.svg",
        "--csv",
        "s.csv",
    ]);
    let svg = place.read("s.svg");
    check(&svg);
    assert_eq!(count(&svg, "<path class=\"dots\" stroke=\"#"), 3);
    let table = place.read("s.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "motion,start x,t,y,x',rising");
    let first = said.lines().next().expect("a line");
    assert_eq!(first, format!("section x = 0: {} points of 3 motions", lines.len() - 1));
    assert!(said.ends_with("wrote s.svg\nwrote s.csv\n"));
}

#[test]
fn several_figures_in_one_file_or_in_several() {
    let place = Place::new("several");
    let words = ["spring.toml", "time", "x,y", "phase", "x", "x'", "track"];
    let svg = place.svg(&[&words[..], &["--width", "170mm"]].concat());
    assert_eq!(count(&svg, "<g>"), 4);
    let said = place.plot(&[&words[..], &["-o", "a.svg", "-o", "b.svg", "-o", "c.svg"]].concat());
    assert_eq!(said, "wrote a.svg\nwrote b.svg\nwrote c.svg\n");
    assert_eq!(["a.svg", "b.svg", "c.svg"].map(|f| count(&place.read(f), "<g>")), [2, 1, 1]);
    assert!(
        place
            .refused(&[&words[..], &["-o", "a.svg", "-o", "b.svg"]].concat())
            .contains("2 files are named for 3 figures")
    );
    // without a name
    assert_eq!(place.plot(&["spring.toml", "track"]), "wrote spring-track.svg\n");
}

#[test]
fn pictures_for_print_have_the_pixels_for_it() {
    let place = Place::new("png");
    place.plot(&["spring.toml", "time", "x", "-o", "x.png"]);
    let png = std::fs::read(place.0.join("x.png")).expect("a file");
    let width = u32::from_be_bytes(png[16..20].try_into().expect("four bytes"));
    assert_eq!(width, (85.0f64 / 25.4 * 576.0).round() as u32);
}

#[test]
fn the_same_twice() {
    let place = Place::new("twice");
    let arguments = [
        "rolling-disk",
        "phase",
        "theta",
        "theta'",
        "section",
        "theta'=0",
        "theta",
        "phi",
        "--vary",
        "theta=0.6..1.2:3",
    ];
    assert_eq!(place.svg(&arguments), place.svg(&arguments));
}

#[test]
fn motions_that_end_early_are_drawn_as_far_as_they_go() {
    let place = Place::new("early");
    let (status, out, error) =
        place.say(&["plot", "spring.toml", "time", "x", "--stop-at", "through the middle", "-o", "e.svg"]);
    assert!(status == 3 && out == "wrote e.svg\n" && error.contains("stopped at t = 1.57"), "{status} {out} {error}");
    let (status, _, error) = place.say(&[
        "plot",
        "spring.toml",
        "phase",
        "x",
        "x'",
        "--vary",
        "x=[-1,1,2]",
        "--until",
        "3",
        "--stop-at",
        "through the middle",
        "-o",
        "e.svg",
    ]);
    assert!(status == 3 && error.starts_with("2 of 3 motions stopped early; x = 1 at t = 1.57"), "{error}");
}

#[test]
fn models_are_not_written_over_and_no_file_is_written_twice() {
    let place = Place::new("targets");
    let section = ["spring.toml", "section", "x = 0.5", "y", "x'"];
    let refused = |more: &[&str]| place.refused(&[&section[..], more].concat());
    let error = refused(&["--csv", "spring.toml"]);
    assert!(error.contains("`--csv spring.toml` would overwrite a model file"), "{error}");
    assert!(error.contains("such as spring.csv"), "{error}");
    assert!(refused(&["-o", "spring.toml"]).contains("would overwrite a model file"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("spring.toml", place.0.join("link.csv")).expect("a link");
        assert!(refused(&["--csv", "link.csv"]).contains("would overwrite a model file"));
    }
    assert!(refused(&["-o", "a.svg", "--csv", "a.svg"]).contains("`a.svg` is asked for twice"));
    assert!(refused(&["-o", "a.svg", "--csv", "./a.svg"]).contains("is asked for twice"));
    assert_eq!(place.read("spring.toml"), SPRING);
}

#[test]
fn maps_of_sweeps_have_the_title_of_the_model() {
    let place = Place::new("map");
    let sweep =
        ["sweep", "spring.toml", "--vary", "x=0..2:4", "--vary", "k=1..2:3", "--keep", "max(x')", "-o", "s.parquet"];
    assert_eq!(place.say(&sweep).0, 0);
    assert_eq!(place.say(&["sweep", "map", "s.parquet"]).0, 0);
    assert!(place.read("s.svg").contains(">A mass on a spring</text>"));
    assert_eq!(place.plot(&["map", "s.parquet", "-o", "m.svg"]), "wrote m.svg\n");
    let svg = place.read("m.svg");
    check(&svg);
    assert!(svg.contains("width=\"85mm\"") && !svg.contains("class=\"title\"") && svg.contains("max("));
}

#[test]
fn refusals_say_what_to_do() {
    let place = Place::new("refusals");
    for (arguments, said) in [
        (&["rolling-disk", "tim", "theta"][..], &["there is no kind of figure `tim`", "did you mean `time`?"][..]),
        (&["rolling-disk", "time"], &["`time` of what?"]),
        (&["rolling-disk", "phase", "theta"], &["a phase portrait has two quantities"]),
        (&["rolling-disk", "section", "theta' = 0", "theta"], &["a section has a surface and two quantities"]),
        (&["rolling-disk", "section", "theta' > 0", "theta", "phi"], &["a surface is an equation"]),
        (&["rolling-disk", "time", "thta"], &["there is no quantity `thta`", "did you mean `theta`?"]),
        (&["rolling-disk", "time", "theta,,x"], &["a quantity is missing", "a sum has brackets"]),
        (&["rolling-disk", "time", "theta*q"], &["unknown name `q`"]),
        (&["rolling-disk", "phase", "force", "theta"], &["`force` has 3 components", "force[1]"]),
        (&["rolling-disk", "track", "theta"], &["a track has two coordinates"]),
        (&["free-rigid-body", "track"], &["neither a point of contact nor coordinates x and y"]),
        (&["rattleback", "time", "R"], &["a matrix of nine numbers", "R[3,3]"]),
        (&["rolling-disk", "time", "theta", "--vary", "thta=1..2:2"], &["did you mean `theta`?"]),
        (&["rolling-disk", "time", "theta+phi", "--vary", "theta=0.5..1:2"], &["nobody can tell apart", "theta,phi"]),
        (
            &["rolling-disk", "time", "theta", "--vary", "theta=0.5..1:5000"],
            &["5000 motions are more than a figure can show"],
        ),
        (&["rolling-disk", "time", "theta", "--width", "wide"], &["a width is a length", "--width 85mm"]),
        (&["rolling-disk", "time", "theta", "-o", "a.pdf"], &["write --output a.svg or --output a.png"]),
        (&["rolling-disk", "time", "theta", "--csv", "a.csv"], &["writes the points of a section"]),
        (&["rolling-disk", "time", "theta", "--method", "exact"], &["leave --method exact out"]),
        (&["rolling-disk", "track", "--ticks", "1e-9"], &["up to 400 of them"]),
        (&["rolling-disk", "track", "--ticks", "0"], &["for example: --ticks 1"]),
        (
            &["rolling-disk", "time", "theta", "--at", "1"],
            &["`--at` gives the times of a scene, and there is none", "add `scene`"],
        ),
        (&["rolling-disk", "scene", "--ticks", "1"], &["`--ticks` gives times on a track, and there is none"]),
        (&["rolling-disk", "scene", "--elevation", "200"], &["an elevation is between -90, from below, and 90"]),
        (&["rolling-disk", "scene", "--at", "-1"], &["the motion goes from 0 to 10", "choose a time in between"]),
        (&["suslov", "curves"], &["no contact of bodies", "in space, scene"]),
        (&["rolling-disk", "map", "a.parquet"], &["a map is drawn of a table", "polhode plot map"]),
        (&["no-such-model", "time", "theta"], &["no built-in model `no-such-model`"]),
    ] {
        let error = place.refused(arguments);
        assert!(said.iter().all(|s| error.contains(s)), "{arguments:?}: {error}");
    }
    let left: Vec<_> = std::fs::read_dir(&place.0).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    assert!(left.iter().all(|p: &PathBuf| p.extension() == Path::new("a.toml").extension()), "{left:?}");
}

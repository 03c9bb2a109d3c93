//! Figures as a whole: they are XML whatever is in them, everything is on the page, and one small
//! figure is what it was (`POLHODE_ACCEPT=1` rewrites `small.svg`; look at it before you commit it).

use polhode_plot::svg::{Axis, Curve, Event, Figure, Look, Mark, Panel, Shape, Trace};
use std::path::Path;

/// Checks that a text is well-formed XML without declarations and comments, and hands each element
/// with its attributes to `see`. The panic names what is wrong.
fn check_xml(text: &str, mut see: impl FnMut(&str, &[(&str, &str)])) {
    let check_text = |text: &str| {
        assert!(!text.contains('>'), "a bare > in {text:?}");
        for part in text.split('&').skip(1) {
            let name = part.split_once(';').expect("an entity ends").0;
            assert!(["amp", "lt", "gt", "quot"].contains(&name), "entity {name:?}");
        }
        let allowed = |c: char| matches!(c, '\n' | ' '..) && !c.is_control() || c == '\n';
        assert!(text.chars().all(allowed), "a forbidden character in {text:?}");
    };
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text.trim_end();
    assert!(rest.starts_with('<'));
    while let Some((before, after)) = rest.split_once('<') {
        if open.last() != Some(&"style") {
            check_text(before);
        }
        let (tag, after) = after.split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            assert!(!open.is_empty() || rest.is_empty(), "text after the root");
            continue;
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut list) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric()), "element {name:?}");
        let mut attributes: Vec<(&str, &str)> = Vec::new();
        while !list.is_empty() {
            let (key, after) = list.split_once("=\"").expect("an attribute has a value");
            let (value, after) = after.split_once('"').expect("a value ends");
            check_text(value);
            assert!(key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "attribute {key:?}");
            assert!(attributes.iter().all(|(known, _)| *known != key), "{key} twice");
            assert!(after.is_empty() || after.starts_with(' '));
            attributes.push((key, value));
            list = after.trim_start();
        }
        see(name, &attributes);
        if !closed {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.is_empty(), "{open:?} not closed");
}

/// Well-formed, and all texts and lines begin on the page.
fn check(figure: &Figure) {
    let svg = figure.svg();
    let mut size = (0.0, 0.0);
    check_xml(&svg, |name, attributes| {
        let get =
            |key| attributes.iter().find(|(k, _)| *k == key).map(|(_, value)| value.parse::<f64>().expect("a number"));
        match name {
            "svg" => size = (get("width").unwrap(), get("height").unwrap()),
            "text" => {
                let (x, y) = (get("x").unwrap(), get("y").unwrap());
                assert!((0.0..size.0).contains(&x) && (0.0..size.1).contains(&y), "text at {x}, {y} of {size:?}");
            }
            "circle" => {
                let (x, y) = (get("cx").unwrap(), get("cy").unwrap());
                assert!((0.0..size.0).contains(&x) && (0.0..size.1).contains(&y), "a point at {x}, {y} of {size:?}");
            }
            "path" => {
                let data = attributes.iter().find(|(k, _)| *k == "d").expect("a path has data").1;
                assert!(data.starts_with('M') && !data.contains(['N', 'i', 'e']), "{data}");
            }
            _ => (),
        }
    });
}

fn event(t: f64, label: &str) -> Event {
    Event { t, label: label.into() }
}

/// Polynomials only: no library of functions may change the last digit.
fn small() -> Figure {
    let t: Vec<f64> = (0..=60).map(|i| f64::from(i) / 20.0).collect();
    let curve = |name: &str, f: &dyn Fn(f64) -> f64| Curve::new(name, t.iter().map(|&t| (t, f(t))).collect());
    let mut figure = Figure::new("Small <figure> & \"all\" kinds");
    figure.subtitle = "M = 1, r = 1".into();
    figure.panels = vec![
        Panel::time("angles", "rad", vec![curve("θ", &|t| t * (t - 3.0)), curve("φ_1'", &|t| 1.0 - t)]),
        Panel::time("E", "J", vec![curve("E", &|t| 1.0 + 1e-13 * (t - 1.0) * (t - 2.0))]),
        Panel::track(
            ("x", "m"),
            ("y", "m"),
            vec![Curve::new("", t.iter().map(|t| (t * (t - 2.0), t * (3.0 - t) * (t - 1.0))).collect())],
        ),
    ];
    figure.panels[2].marks.push(Mark { x: 0.0, y: 1.0, label: "p_1".into() });
    figure.events = vec![event(1.0, "impact"), event(1.1, "slips")];
    figure
}

#[test]
fn a_small_figure_is_what_it_was() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/small.svg");
    let svg = small().svg();
    if std::env::var_os("POLHODE_ACCEPT").is_some() {
        std::fs::write(&path, &svg).expect("the checkout can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("the expected figure");
    assert!(svg == expected, "tests/small.svg differs; POLHODE_ACCEPT=1 rewrites it");
    assert_eq!(svg, small().svg());
    check(&small());
}

#[test]
fn every_number_of_panels_has_a_layout() {
    for time in 0..14 {
        for other in 0..6 {
            let mut figure = Figure::new("Panels");
            for i in 0..time {
                let line = vec![(0.0, f64::from(i)), (1.0, 3.0)];
                figure.panels.push(Panel::time(format!("x_{i}"), "m", vec![Curve::new("", line)]));
            }
            for i in 0..other {
                let line = vec![(0.0, 0.0), (1.0, f64::from(i))];
                let (x, y, curves) = (("x", "m"), ("y", ""), vec![Curve::new("", line)]);
                figure.panels.push(if i % 2 == 0 { Panel::track(x, y, curves) } else { Panel::phase(x, y, curves) });
            }
            figure.events = vec![event(0.5, "half")];
            check(&figure);
        }
    }
}

#[test]
fn hostile_data_and_names_give_figures() {
    let big = f64::MAX;
    let data: [&[(f64, f64)]; 12] = [
        &[],
        &[(f64::NAN, 1.0)],
        &[(0.0, f64::INFINITY)],
        &[(0.0, 0.0)],
        &[(1e300, 1e-300)],
        &[(0.0, big), (1.0, -big)],
        &[(-big, 0.0), (big, 5e-324)],
        &[(0.0, 0.0), (5e-324, 5e-324)],
        &[(1.0, 1.0), (1.0 + f64::EPSILON, 1.0 + f64::EPSILON)],
        &[(1.0, 0.0), (0.0, 1.0), (2.0, 5.0)],
        &[(0.0, 1e17), (1e-9, 1e17 + 16.0)],
        &[(-7e15, 3.0), (-7e15 + 1.0, 3.0)],
    ];
    let names = [
        "",
        "]]>",
        "<b>",
        "a_",
        "''''",
        "[",
        "x[1",
        "^",
        "\u{1}\u{ffff}\n",
        "&amp;",
        "\"",
        "名前",
        "x^-",
        "_",
        "å\u{301}",
    ];
    for points in data {
        for name in names {
            let curves =
                || vec![Curve::new(name, points.to_vec()), Curve::new("very long ".repeat(40), points.to_vec())];
            let mut figure = Figure::new(name.repeat(3));
            figure.subtitle = "word ".repeat(100);
            figure.panels = vec![
                Panel::time(name, name, curves()),
                Panel::phase((name, name), (name, name), curves()),
                Panel::track((name, name), (name, name), curves()),
            ];
            for panel in &mut figure.panels {
                panel.marks.push(Mark { x: f64::NAN, y: 0.0, label: name.into() });
                panel.marks.extend(points.iter().map(|&(x, y)| Mark { x, y, label: name.into() }));
            }
            figure.events = points.iter().map(|p| event(p.0, name)).chain([event(f64::NAN, "never")]).collect();
            check(&figure);
        }
    }
}

fn lines(svg: &str, beginning: &str) -> usize {
    svg.lines().filter(|line| line.starts_with(beginning)).count()
}

fn loops(k: u32) -> Vec<(f64, f64)> {
    let size = 1.0 + f64::from(k);
    (0..=400).map(|i| f64::from(i) / 20.0).map(|t| (size * t.cos(), t.sin())).collect()
}

/// Every text of a figure on paper has at least 7 points, and the figure has the width it is asked for.
#[test]
fn paper_has_its_width_and_readable_letters() {
    for (width, other) in [(85.0, 0), (85.0, 2), (170.0, 2), (170.0, 3), (30.0, 1)] {
        let mut figure = small();
        figure.panels.extend((0..other).map(|k| Panel::phase(("x", "m"), ("y", ""), vec![Curve::new("", loops(k))])));
        figure.look = Look::Paper { width };
        let svg = figure.svg();
        assert!(
            svg.contains(&format!("width=\"{width}mm\"")) && !svg.contains("ground") && !svg.contains("class=\"grid\"")
        );
        let sizes = svg.split("px").filter_map(|s| s.rsplit([':', ' ']).next()?.parse::<f64>().ok());
        assert!(sizes.fold(f64::INFINITY, f64::min) >= 7.0 * 96.0 / 72.0);
        check_xml(&svg, |_, _| ());
    }
}

#[test]
fn curves_with_values_have_colours_arrows_and_a_bar() {
    let mut figure = Figure::new("");
    let curve = |k: u32| Curve::new("", loops(k)).of_value(Some(f64::from(k))).drawn(Trace::Directed);
    figure.panels.push(Panel::phase(("x", ""), ("y", ""), (0..5).map(curve).collect()));
    assert_eq!(lines(&figure.svg(), "<path class=\"curve c"), 10, "without a key in turn, with a legend");
    figure.key = Some(Axis::new("k", "m"));
    let svg = figure.svg();
    assert_eq!((lines(&svg, "<path class=\"curve\" stroke=\"#"), lines(&svg, "<path fill=\"#")), (5, 10));
    let colours: std::collections::BTreeSet<&str> =
        svg.split(" stroke=\"").skip(1).filter_map(|s| s.split('"').next()).collect();
    assert_eq!(colours.len(), 5);
    assert!(svg.contains("url(#polhode-key)"));
    check(&figure);
}

/// Dots that fall on the same place are one.
#[test]
fn dots_are_not_connected() {
    let mut figure = Figure::new("");
    let points = vec![(0.0, 0.0), (1.0, 2.0), (1.0, 2.0), (f64::NAN, 0.0), (3.0, 1.0)];
    figure.panels.push(Panel::phase(("x", ""), ("y", ""), vec![Curve::new("", points).drawn(Trace::Dots)]));
    let svg = figure.svg();
    let data = svg.lines().find(|l| l.starts_with("<path class=\"dots")).expect("dots");
    assert_eq!(data.matches("h0").count(), 3, "{data}");
}

#[test]
fn tracks_and_shapes_move() {
    let mut figure = Figure::new("");
    figure.panels.push(Panel::track(("x", ""), ("y", ""), vec![Curve::new("", loops(1))]));
    let corner = |t: f64| vec![(0.0, 0.0), (1.0 + t, 0.0), (0.0, 1.0)];
    let shape = Shape {
        points: corner(0.0),
        fill: Some([1, 2, 3]),
        line: None,
        frames: vec![corner(0.0), corner(0.5), corner(1.0)],
        ..Shape::default()
    };
    figure.panels.push(Panel::space("body", vec![shape]));
    let still = figure.svg();
    assert!(!still.contains("<animate") && still.contains("fill=\"#010203\""));
    figure.loop_seconds = Some(5.0);
    let svg = figure.svg();
    check_xml(&svg, |_, _| ());
    assert_eq!(svg.matches("<animate ").count(), 4);
    // every value of a path has the same commands
    let (_, values) = svg.split_once("attributeName=\"d\"").expect("a path that moves");
    let values = values.split("values=\"").nth(1).and_then(|v| v.split('"').next()).expect("values");
    let form = |v: &str| v.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let forms: Vec<String> = values.split(';').map(form).collect();
    assert!(forms.len() == 3 && forms.iter().all(|f| f == "Mlz"), "{forms:?}");
}

/// A hundred thousand samples of noise are a band, with four points in each half of a pixel.
#[test]
fn files_stay_small() {
    let smooth = (0..100_000).map(|i| f64::from(i) / 1e4).map(|t| (t, (3.0 * t).sin())).collect();
    let noise = (0..100_000).map(|i| (f64::from(i), f64::from(i * 7919 % 10_007))).collect();
    for (points, most) in [(smooth, 7_000), (noise, 55_000)] {
        let mut figure = Figure::new("");
        figure.panels.push(Panel::time("x", "", vec![Curve::new("", points)]));
        let bytes = figure.svg().len();
        assert!(bytes < most, "{bytes}");
    }
}

#[test]
fn the_checker_finds_mistakes() {
    for wrong in
        ["<a>", "<a></b>", "<a x=1/>", "<a>&</a>", "<a>&x;</a>", "<a x=\"1\" x=\"2\"/>", "<a>\u{1}</a>", "<a></a>b"]
    {
        let outcome = std::panic::catch_unwind(|| check_xml(wrong, |_, _| ()));
        assert!(outcome.is_err(), "{wrong:?} passes");
    }
}

//! Pictures as PNG: their size, letters where labels are, colours where they mean something.

use polhode_plot::colour::{self, Rgb};
use polhode_plot::png::{self, Picture};
use polhode_plot::raster::{self, Raster, SCALE};
use polhode_plot::svg::map::{Cells, Map, MapAxis, Spacing};
use polhode_plot::svg::{Axis, Curve, Figure, Look, Panel};

/// An area of the SVG: left, top, right, bottom.
type Area = [f32; 4];

fn drawn(svg: &str) -> (Raster, Picture) {
    let raster = raster::of_svg(svg).expect("small enough");
    let pixels = png::read(&raster.png).expect("a PNG");
    (raster, pixels)
}

fn height(pixels: &Picture) -> usize {
    pixels.pixels.len() / pixels.width
}

fn at(pixels: &Picture, x: f32, y: f32) -> Rgb {
    pixels.pixels[(y * SCALE) as usize * pixels.width + (x * SCALE) as usize]
}

/// How many pixels of an area are of some kind.
fn count(pixels: &Picture, [left, top, right, bottom]: Area, test: impl Fn(Rgb) -> bool) -> usize {
    let steps = |a: f32, b: f32| (0..((b - a) * SCALE) as u32).map(move |k| a + (k as f32 + 0.5) / SCALE);
    steps(top, bottom).map(|y| steps(left, right).filter(|&x| test(at(pixels, x, y))).count()).sum()
}

fn dark(c: Rgb) -> bool {
    c.iter().all(|x| *x < 120)
}

/// The number in an attribute of the first element that has some text in it.
fn number(svg: &str, text: &str, attribute: &str) -> f32 {
    let line = svg.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}"));
    let (_, rest) = line.split_once(&format!(" {attribute}=\"")).expect("the attribute");
    rest.split_once('"').expect("its end").0.parse().expect("a number")
}

fn swing() -> Figure {
    let t = || (0..200).map(|i| f64::from(i) / 20.0);
    let mut figure = Figure::new("A disk that rolls");
    figure.subtitle = "two of its numbers over time".into();
    for (name, size) in [("θ̇", 1.0), ("energy", 3e-9)] {
        let curve = Curve::new(name, t().map(|t| (t, size * t.sin())).collect());
        figure.panels.push(Panel::time(name, "rad/s", vec![curve]));
    }
    figure
}

fn map() -> Map {
    let axis = |name: &str, values: Vec<f64>, spacing| MapAxis { axis: Axis::new(name, ""), values, spacing };
    Map {
        title: "Excursions".into(),
        subtitle: String::new(),
        x: axis("θ", (0..6).map(f64::from).collect(), Spacing::Linear),
        y: axis("ψ̇", vec![1.0, 10.0, 100.0], Spacing::Log),
        quantity: Axis::new("max(θ)", ""),
        cells: Cells::Grid((0..18).map(|i| if i == 17 { f64::NAN } else { 0.5 + f64::from(i) }).collect()),
        words: Vec::new(),
        look: Look::Screen,
    }
}

#[test]
fn a_figure_has_its_letters_and_curves() {
    let svg = swing().svg();
    let (raster, pixels) = drawn(&svg);
    assert_eq!(pixels.width as f32, SCALE * number(&svg, "<svg", "width"));
    assert_eq!(height(&pixels) as f32, SCALE * number(&svg, "<svg", "height"));
    assert_eq!(raster.missing, []);
    assert_eq!(at(&pixels, 1.0, 1.0), [255; 3]);
    for (text, attribute_class, size) in [("A disk that", "title", 17.0), ("(10<tspan", "label", 13.0)] {
        assert!(svg.contains(&format!("class=\"{attribute_class}\"")));
        let line = svg.lines().find(|l| l.starts_with("<text") && l.contains(text)).expect(text);
        let (x, y) = (number(line, "<text", "x"), number(line, "<text", "y"));
        let letters = count(&pixels, [x, y - size, x + 60.0, y + 3.0], dark);
        assert!((200..2000).contains(&letters), "{letters} dark pixels at {text}");
    }
    // the first colour of Okabe and Ito
    let (width, height) = (pixels.width as f32 / SCALE, height(&pixels) as f32 / SCALE);
    assert!(count(&pixels, [0.0, 0.0, width, height], |c| c == [0x00, 0x72, 0xb2]) > 1000);
}

#[test]
fn a_map_has_its_cells_its_bar_and_its_letters() {
    let svg = map().svg();
    let (raster, pixels) = drawn(&svg);
    assert_eq!(raster.missing, []);
    let (left, top) = (number(&svg, "<image", "x"), number(&svg, "<image", "y"));
    let (width, height) = (number(&svg, "<image", "width"), number(&svg, "<image", "height"));
    // cells: smallest value below on the left, no value above on the right, sharp edges between
    assert_eq!(at(&pixels, left + 10.0, top + height - 10.0), colour::sequential(0.0));
    assert_eq!(at(&pixels, left + width - 10.0, top + 10.0), colour::NONE);
    let mut kinds: Vec<Rgb> = (3..517).map(|x| at(&pixels, left + x as f32, top + height - 10.0)).collect();
    kinds.dedup();
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    // the bar, from its upper end down, is right of the box; its numbers and the quantity are beside and above it
    let bar = left + width + 30.0;
    let near = |c: Rgb, u: f64| c.iter().zip(colour::sequential(u)).all(|(a, b)| a.abs_diff(b) < 12);
    let ends = [at(&pixels, bar, top + 3.0), at(&pixels, bar, top + height / 2.0)];
    assert!(near(ends[0], 1.0), "{ends:?}");
    let numbers = count(&pixels, [bar + 12.0, top - 5.0, bar + 60.0, top + height], dark);
    let quantity = count(&pixels, [left + width - 40.0, top - 24.0, left + width + 125.0, top - 4.0], dark);
    let title = count(&pixels, [20.0, 20.0, 120.0, 40.0], dark);
    assert!(numbers > 100 && quantity > 100 && title > 300, "{numbers} {quantity} {title}");
}

#[test]
fn scattered_points_are_dots() {
    let mut dots = map();
    dots.cells = Cells::Points(vec![(1.0, 1.0, 0.25), (2.5, 10.0, 0.5), (4.0, 3.0, 0.75)]);
    let svg = dots.svg();
    let (_, pixels) = drawn(&svg);
    let (x, y) = (number(&svg, "<circle", "cx"), number(&svg, "<circle", "cy"));
    assert_eq!(at(&pixels, x, y), colour::sequential(0.0));
}

#[test]
fn the_same_twice() {
    for svg in [swing().svg(), map().svg()] {
        assert_eq!(raster::of_svg(&svg), raster::of_svg(&svg));
    }
}

/// The density is that of a page on which a unit of the SVG is 1/96 inch.
#[test]
fn programs_that_set_pages_know_the_size() {
    let (raster, _) = drawn(&swing().svg());
    let at = raster.png.windows(4).position(|w| w == b"pHYs").expect("a density") + 4;
    assert_eq!(raster.png[at..at + 9], [0, 0, 0x1d, 0x87, 0, 0, 0x1d, 0x87, 1]);
}

/// A letter looks the same, italic, with and without a unit behind it.
#[test]
fn letters_stay_italic_beside_brackets() {
    let letter = |name: &str, unit: &str| {
        let mut figure = Figure::new("");
        figure.panels.push(Panel::time(name, unit, vec![Curve::new("", vec![(0.0, 0.0), (1.0, 1.0)])]));
        let svg = figure.svg();
        let line =
            svg.lines().find(|l| l.starts_with("<text class=\"label\"") && !l.contains("middle")).expect("a label");
        let (x, y) = (number(line, "<text", "x"), number(line, "<text", "y"));
        let (_, pixels) = drawn(&svg);
        (0..18)
            .flat_map(|j| (0..9).map(move |i| (i, j)))
            .map(|(i, j)| at(&pixels, x + i as f32, y - 13.0 + j as f32))
            .collect::<Vec<_>>()
    };
    for name in ["θ̇", "w"] {
        assert_eq!(letter(name, ""), letter(name, "rad/s^2"), "{name}");
        assert_ne!(letter(name, ""), letter(&format!("{name}{name}"), ""), "two letters are upright");
    }
}

/// What labels are made of, in each of the faces: bold, upright, italic.
#[test]
fn the_font_has_what_labels_need() {
    let letters = "αβγδεζηθικλμνξοπρςστυφχψωΓΔΘΛΞΠΣΥΦΨΩϑϕϖϱϵℓ";
    let latin = ('a'..='z').chain('A'..='Z').collect::<String>();
    let digits = "0123456789+−·×÷/=()[]{}<>|.,:;!?'\"′″‴…–—°%&*^_~∞√∂∇≤≥≠≈±→∈⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺₀₁₂₃₄₅₆₇₈₉ṡẋẏé";
    let more = "ᵀᵢⱼₙₒ½⟨⟩⊕∫∑∏∘∩≡⇒ȧḃ";
    let mut figure = Figure::new(format!("{latin} {letters} {digits}"));
    figure.subtitle = format!("{latin} {letters} {digits} {more} ×10⁻⁹ Чаплыгин");
    let dots = ["", "\u{307}", "\u{308}", "\u{20db}", "\u{20dc}", "\u{302}", "\u{303}", "\u{304}"];
    for dot in dots {
        let names = latin.chars().chain(letters.chars()).map(|c| format!("{c}{dot}"));
        let curves = names.map(|name| Curve::new(name, vec![(0.0, 0.0)])).collect();
        figure.panels.push(Panel::time("E", "10^-9 kg*m^2/s^2", curves));
    }
    let (raster, _) = drawn(&figure.svg());
    assert_eq!(raster.missing, []);
}

#[test]
fn what_the_font_has_not_is_said() {
    let (raster, _) = drawn(&Figure::new("車輪 wheel").svg());
    assert_eq!(raster.missing, ['車', '輪']);
}

#[test]
fn hostile_names_and_numbers_give_pictures() {
    for name in [
        "",
        " ",
        "\u{1}<&>\"",
        "\u{202e}x\u{200f}",
        "x\u{300}\u{301}\u{302}\u{303}\u{304}",
        "\u{307}",
        "👩‍🔬",
        "\u{feff}\u{fffe}",
    ] {
        let mut figure = Figure::new(name);
        let points = vec![(0.0, f64::NAN), (1.0, 1e300), (2.0, -1e300), (f64::INFINITY, 0.0)];
        figure.panels.push(Panel::time(name, name, vec![Curve::new(name, points.clone()), Curve::new(name, points)]));
        figure.panels.push(Panel::track((name, ""), ("y", name), Vec::new()));
        assert!(drawn(&figure.svg()).1.width > 100, "{name:?}");
    }
}

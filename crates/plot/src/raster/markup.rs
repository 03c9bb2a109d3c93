//! The SVG of figures, read: elements in order, each with the style that rules, attributes and its `style` give it.
//!
//! ```text
//! style of an element:   style="…"  ›  .polhode .class{…}, the last one first  ›  .polhode text{…}  ›  attributes
//! ```
//!
//! Not here: what no figure of this crate has, such as transforms, curves, nested rules, and elements within groups that inherit a style.

use super::font::Span;
use crate::colour::Rgb;

/// Letters at least this heavy are bold.
const BOLD: f64 = 600.0;

/// Units to the millimetre: 96 to the inch.
const TO_MILLIMETRE: f64 = 96.0 / 25.4;

/// A figure.
pub(super) struct Figure<'a> {
    /// Width and height in units of 1/96 inch.
    pub(super) size: [f64; 2],
    /// A unit of the view box in these.
    pub(super) unit: f64,
    pub(super) gradients: Vec<Gradient<'a>>,
    pub(super) parts: Vec<Part<'a>>,
}

/// A scale of colours from one side of an area to the other: to the right, or upwards.
pub(super) struct Gradient<'a> {
    pub(super) id: &'a str,
    pub(super) upright: bool,
    pub(super) stops: Vec<(f64, Rgb)>,
}

/// What is drawn, in order.
pub(super) enum Part<'a> {
    Element(Element<'a>),
    /// A layer begins, which covers so much of what is below it.
    Group(f64),
    GroupEnd,
}

/// Names with values.
type Pairs<'a> = Vec<(&'a str, &'a str)>;

/// An element.
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    attributes: Pairs<'a>,
    /// What rules and the attribute `style` say; later ones win.
    style: Pairs<'a>,
    /// The pieces of a text: the attributes and style of its `tspan`, or nothing, and the letters.
    pieces: Vec<(Element<'a>, String)>,
}

/// A rule for a class, written `.class`, or for elements of a name.
struct Rule<'a> {
    selector: &'a str,
    style: Pairs<'a>,
}

/// A tag with its attributes, or the text up to the next one.
enum Token<'a> {
    Open { name: &'a str, attributes: Pairs<'a>, empty: bool },
    Close(&'a str),
    Text(&'a str),
}

impl<'a> Figure<'a> {
    /// # Panics
    /// If there is no element `svg` with a size.
    pub(super) fn read(text: &'a str) -> Self {
        let mut figure = Figure { size: [0.0; 2], unit: 1.0, gradients: Vec::new(), parts: Vec::new() };
        let mut rules = Vec::new();
        let mut groups = Vec::new();
        let (mut within, mut described) = ("", false);
        for token in tokens(text) {
            match token {
                Token::Text(css) if within == "style" => rules = sheet(css),
                Token::Text(letters) if within == "text" || within == "tspan" => {
                    figure.letters(letters, within == "tspan")
                }
                Token::Text(_) => {}
                Token::Open { name: "title", .. } => described = true,
                Token::Close("title") => described = false,
                _ if described => {}
                Token::Close("tspan") => within = "text",
                Token::Close("g") => figure.parts.extend(groups.pop().filter(|layer| *layer).map(|_| Part::GroupEnd)),
                Token::Close(_) => within = "",
                Token::Open { name, attributes, empty } => {
                    let element = Element::new(name, attributes, &rules);
                    match name {
                        "svg" => figure.measure(&element),
                        "g" => {
                            let covers = element.attribute("opacity").and_then(|o| o.parse().ok());
                            groups.push(covers.is_some());
                            figure.parts.extend(covers.map(Part::Group));
                        }
                        "linearGradient" => figure.gradients.push(Gradient {
                            id: element.attribute("id").unwrap_or_default(),
                            upright: element.number("y1") > element.number("y2"),
                            stops: Vec::new(),
                        }),
                        "stop" => {
                            let shade = element.attribute("stop-color").and_then(colour);
                            let stop = shade.map(|shade| (element.number("offset"), shade));
                            figure.gradients.last_mut().into_iter().for_each(|g| g.stops.extend(stop));
                        }
                        "tspan" => figure.text().into_iter().for_each(|t| {
                            t.pieces.push((Element::new(name, element.attributes.clone(), &rules), String::new()))
                        }),
                        "style" | "animate" => {}
                        _ => figure.parts.push(Part::Element(element)),
                    }
                    if !empty {
                        within = name;
                    }
                }
            }
        }
        assert!(figure.size.iter().all(|x| *x > 0.0), "figures have a size");
        figure
    }

    fn measure(&mut self, svg: &Element<'_>) {
        let length = |name| match svg.attribute(name).unwrap_or_default() {
            text if text.ends_with("mm") => text.trim_end_matches("mm").parse().unwrap_or(0.0) * TO_MILLIMETRE,
            text => text.parse().unwrap_or(0.0),
        };
        self.size = ["width", "height"].map(length);
        let view: Vec<f64> =
            svg.attribute("viewBox").unwrap_or_default().split(' ').filter_map(|x| x.parse().ok()).collect();
        if let [_, _, width, height] = view[..] {
            self.unit = (self.size[0] / width).min(self.size[1] / height);
        }
    }

    /// The text that is being read.
    fn text(&mut self) -> Option<&mut Element<'a>> {
        match self.parts.last_mut() {
            Some(Part::Element(element)) if element.name == "text" => Some(element),
            _ => None,
        }
    }

    fn letters(&mut self, letters: &str, of_piece: bool) {
        let Some(text) = self.text() else { return };
        if !of_piece {
            text.pieces.push((Element::new("", Vec::new(), &[]), String::new()));
        }
        if let Some((_, all)) = text.pieces.last_mut() {
            *all += &unescaped(letters);
        }
    }
}

impl<'a> Element<'a> {
    fn new(name: &'a str, attributes: Pairs<'a>, rules: &[Rule<'a>]) -> Self {
        let mut element = Element { name, attributes, style: Vec::new(), pieces: Vec::new() };
        let classes: Vec<&str> = element.attribute("class").unwrap_or_default().split(' ').collect();
        let of_name = rules.iter().filter(|r| r.selector == name);
        let of_class = rules.iter().filter(|r| r.selector.strip_prefix('.').is_some_and(|c| classes.contains(&c)));
        let mut style: Pairs<'a> = of_name.chain(of_class).flat_map(|r| r.style.iter().copied()).collect();
        style.extend(declarations(element.attribute("style").unwrap_or_default()));
        element.style = style;
        element
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    /// An attribute as a number, 0 by default.
    pub(super) fn number(&self, name: &str) -> f64 {
        self.attribute(name).and_then(|x| x.parse().ok()).unwrap_or(0.0)
    }

    /// A property: what rules say, or an attribute.
    pub(super) fn style(&self, name: &str) -> Option<&'a str> {
        let styled = self.style.iter().rev().find(|(n, _)| *n == name);
        styled.map(|(_, value)| *value).or_else(|| self.attribute(name))
    }

    /// The size of letters where it is told in units, by itself or as the beginning of `font`.
    fn size(&self) -> Option<f64> {
        let told = self.style("font-size").or_else(|| self.style("font")?.split(' ').next())?;
        told.strip_suffix("px").unwrap_or(told).parse().ok()
    }

    /// The pieces of a text in pixels, so many to the unit. Blanks at its ends, and all but one between words, are left out.
    pub(super) fn spans(&self, unit: f64) -> Vec<Span> {
        let whole = self.size().unwrap_or(16.0) * unit;
        let bold = self.style("font-weight").and_then(|w| w.parse::<f64>().ok()).is_some_and(|w| w >= BOLD);
        let mut blank = true;
        let mut spans: Vec<Span> = Vec::new();
        for (piece, letters) in &self.pieces {
            let part = piece.attribute("font-size").and_then(|s| s.strip_suffix('%')?.parse::<f64>().ok());
            let size = part.map_or(whole, |part| whole * part / 100.0);
            let em =
                |name| piece.attribute(name).and_then(|d| d.strip_suffix("em")?.parse::<f64>().ok()).unwrap_or(0.0);
            let mut text = String::new();
            for c in letters.chars().filter(|c| *c != '\n') {
                if !(blank && c == ' ') {
                    text.push(c);
                }
                blank = c == ' ';
            }
            let italic = piece.style("font-style") == Some("italic");
            spans.push(Span { text, size, bold, italic, shift: (em("dx") * size, em("dy") * size) });
        }
        if let Some(last) = spans.last_mut() {
            last.text.truncate(last.text.trim_end_matches(' ').len());
        }
        spans
    }
}

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(tag) = rest.strip_prefix('<') else {
            let (text, after) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            rest = after;
            return Some(Token::Text(text));
        };
        let (tag, after) = tag.split_once('>').unwrap_or((tag, ""));
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            return Some(Token::Close(name));
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut more) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while let Some((key, value)) = more.split_once("=\"") {
            let (value, after) = value.split_once('"').unwrap_or((value, ""));
            attributes.push((key.trim(), value));
            more = after;
        }
        Some(Token::Open { name, attributes, empty })
    })
}

/// The rules of a sheet, without those of other media.
fn sheet(css: &str) -> Vec<Rule<'_>> {
    let light = css.split("@media").next().unwrap_or_default();
    let mut rules = Vec::new();
    for rule in light.split('}') {
        let Some((selectors, body)) = rule.split_once('{') else { continue };
        let style: Vec<(&str, &str)> = declarations(body).collect();
        for selector in selectors.split(',') {
            let selector = selector.trim();
            let selector = selector.strip_prefix(".polhode ").unwrap_or(selector);
            rules.push(Rule { selector, style: style.clone() });
        }
    }
    rules
}

fn declarations(body: &str) -> impl Iterator<Item = (&str, &str)> {
    body.split(';').filter_map(|d| d.split_once(':')).map(|(name, value)| (name.trim(), value.trim()))
}

/// `#rgb` or `#rrggbb`; `None` for none.
pub(super) fn colour(text: &str) -> Option<Rgb> {
    let digits: Vec<u8> = text.strip_prefix('#')?.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    match digits[..] {
        [r, g, b] => Some([r, g, b].map(|d| 17 * d)),
        [a, b, c, d, e, f] => Some([16 * a + b, 16 * c + d, 16 * e + f]),
        _ => None,
    }
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

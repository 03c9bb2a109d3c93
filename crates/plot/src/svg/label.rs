//! Text of figures: symbols in italics, subscripts, exponents, and how wide they are.
//!
//! The program that shows the figure chooses the font, so widths are estimates: those of Helvetica
//! and a fifth more, which is enough for DejaVu Sans, the widest of the usual sans serifs.

use std::fmt::Write;

/// How a piece of text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Upright,
    Italic,
    Sub,
    Super,
}

/// A line of text in pieces.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Label {
    pieces: Vec<(Style, String)>,
}

impl Label {
    /// As it is.
    pub(super) fn plain(text: &str) -> Self {
        let mut label = Self::default();
        label.push(Style::Upright, text);
        label
    }

    /// The name of a quantity.
    pub(super) fn symbol(text: &str) -> Self {
        let mut label = Self::default();
        let chars: Vec<char> = text.chars().collect();
        let letter = |i: usize| chars.get(i).is_some_and(|c| c.is_alphabetic());
        let sentence = chars.iter().enumerate().any(|(i, c)| c.is_whitespace() && letter(i + 1));
        let mut i = 0;
        while i < chars.len() {
            let after_name = i > 0 && !chars[i - 1].is_whitespace();
            let end = |from: usize, test: &dyn Fn(char) -> bool| {
                chars[from..].iter().position(|&c| !test(c)).map_or(chars.len(), |n| from + n)
            };
            let text = |range: std::ops::Range<usize>| chars[range].iter().collect::<String>();
            match chars[i] {
                c if c.is_alphabetic() => {
                    let next = end(i + 1, &|c| c.is_alphabetic() || is_combining(c));
                    let letters = chars[i..next].iter().filter(|&&c| !is_combining(c)).count();
                    // "a" and "I" are words in a sentence.
                    // and what follows a number is its unit: t = 10 s.
                    let unit = i > 1 && chars[i - 1].is_whitespace() && chars[i - 2].is_ascii_digit();
                    let symbol = letters == 1 && !unit && !(sentence && "aAI".contains(c));
                    label.push(if symbol { Style::Italic } else { Style::Upright }, &text(i..next));
                    let digits = end(next, &|c| c.is_ascii_digit());
                    if symbol && digits > next {
                        label.push(Style::Sub, &text(next..digits));
                    }
                    i = digits.max(next);
                    if !symbol && digits > next {
                        label.push(Style::Upright, &text(next..digits));
                    }
                }
                '_' if after_name && chars.get(i + 1).is_some_and(|c| c.is_alphanumeric()) => {
                    let next = end(i + 1, &char::is_alphanumeric);
                    label.push(Style::Sub, &text(i + 1..next));
                    i = next;
                }
                '[' if after_name => match chars[i..].iter().position(|&c| c == ']') {
                    Some(n) if (2..8).contains(&n) => {
                        label.push(Style::Sub, &text(i + 1..i + n));
                        i += n + 1;
                    }
                    _ => {
                        label.push(Style::Upright, "[");
                        i += 1;
                    }
                },
                '\'' => {
                    let next = end(i, &|c| c == '\'');
                    let primes = match next - i {
                        1 => "′".into(),
                        2 => "″".into(),
                        n => "‴".to_string() + &"′".repeat(n - 3),
                    };
                    label.push(Style::Upright, &primes);
                    i = next;
                }
                '^' => i = label.push_exponent(&chars, i),
                c => {
                    label.push(Style::Upright, c.encode_utf8(&mut [0; 4]));
                    i += 1;
                }
            }
        }
        label
    }

    /// A unit: upright, with exponents and dots.
    pub(super) fn unit(text: &str) -> Self {
        let mut label = Self::default();
        let chars: Vec<char> = text.chars().collect();
        let mut i = 0;
        while i < chars.len() {
            match chars[i] {
                '^' => i = label.push_exponent(&chars, i),
                c => {
                    let c = if c == '*' { '·' } else { c };
                    label.push(Style::Upright, c.encode_utf8(&mut [0; 4]));
                    i += 1;
                }
            }
        }
        label
    }

    /// 10 to the power of n.
    pub(super) fn push_power_of_ten(&mut self, n: i32) {
        self.push(Style::Upright, "10");
        self.push(Style::Super, &n.to_string().replace('-', "−"));
    }

    /// The integer after `^`; returns where it ends.
    fn push_exponent(&mut self, chars: &[char], at: usize) -> usize {
        let sign = usize::from(matches!(chars.get(at + 1), Some('-' | '−')));
        let digits = chars[at + 1 + sign..].iter().take_while(|c| c.is_ascii_digit()).count();
        if digits == 0 {
            self.push(Style::Upright, "^");
            return at + 1;
        }
        let end = at + 1 + sign + digits;
        self.push(Style::Super, &chars[at + 1..end].iter().collect::<String>().replace('-', "−"));
        end
    }

    pub(super) fn push(&mut self, style: Style, text: &str) {
        match self.pieces.last_mut() {
            Some((last, known)) if *last == style => known.push_str(text),
            _ => self.pieces.push((style, text.into())),
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        for (style, text) in other.pieces {
            self.push(style, &text);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.iter().all(|(_, text)| text.is_empty())
    }

    /// Its width at a size of letters.
    pub(super) fn width(&self, size: f64) -> f64 {
        let width = |(style, text): &(Style, String)| {
            let scale = if matches!(style, Style::Sub | Style::Super) { SMALL } else { 1.0 };
            scale * text.chars().map(advance).sum::<f64>()
        };
        size * self.pieces.iter().map(width).sum::<f64>()
    }

    /// Cut to a width, with an ellipsis where something is missing.
    pub(super) fn cut_to(mut self, width: f64, size: f64) -> Self {
        if self.width(size) <= width {
            return self;
        }
        let room = width - size * advance('…');
        while self.width(size) > room {
            let Some((_, text)) = self.pieces.last_mut() else { break };
            if text.pop().is_none() {
                self.pieces.pop();
            }
        }
        self.push(Style::Upright, "…");
        self
    }

    /// On lines of at most some width, broken at blanks; a word that is wider than a line is cut.
    pub(super) fn lines(self, width: f64, size: f64) -> Vec<Self> {
        let mut words = vec![Self::default()];
        for (style, text) in &self.pieces {
            for (k, part) in text.split(' ').enumerate() {
                if k > 0 {
                    words.push(Self::default());
                }
                if let Some(word) = words.last_mut() {
                    word.push(*style, part);
                }
            }
        }
        let mut lines: Vec<Self> = Vec::new();
        for word in words.into_iter().filter(|w| !w.is_empty()) {
            let mut longer = lines.last().cloned().unwrap_or_default();
            longer.push(Style::Upright, if longer.is_empty() { "" } else { " " });
            longer.append(word.clone());
            match lines.last_mut().filter(|_| longer.width(size) <= width) {
                Some(line) => *line = longer,
                None => lines.push(word.cut_to(width, size)),
            }
        }
        lines
    }

    /// The inside of a `text` element.
    pub(super) fn markup(&self) -> String {
        let mut out = String::new();
        let mut shifted = 0.0; // of the base line so far, in sizes of full letters
        for (i, (style, text)) in self.pieces.iter().enumerate() {
            let shift = match style {
                Style::Sub => 0.2,
                Style::Super => -0.38,
                _ => 0.0,
            };
            let small = matches!(style, Style::Sub | Style::Super);
            let mut attributes = String::new();
            if small {
                attributes += " font-size=\"75%\"";
            }
            if *style == Style::Italic {
                attributes += " class=\"i\"";
            }
            if shift != shifted {
                // An em is the size of the letters of the piece itself.
                let em = (shift - shifted) / if small { SMALL } else { 1.0 };
                write!(attributes, " dy=\"{}em\"", (em * 100.0_f64).round() / 100.0)
                    .expect("a String takes everything");
                shifted = shift;
            }
            // Some viewers drop a blank at the beginning of an element.
            let mut text = text.as_str();
            if let Some(rest) = text.strip_prefix(' ').filter(|_| i > 0) {
                attributes += " dx=\"0.28em\"";
                text = rest;
            }
            let text = escape(text);
            match attributes.as_str() {
                "" => out += &text,
                _ => write!(out, "<tspan{attributes}>{text}</tspan>").expect("a String takes everything"),
            }
        }
        out
    }
}

const SMALL: f64 = 0.75;

/// Text inside XML: reserved characters as entities, forbidden ones replaced.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}')
}

/// Words on lines of at most some width.
pub(super) fn wrap(text: &str, width: f64, size: f64) -> Vec<String> {
    let wide = |line: &str| size * line.chars().map(advance).sum::<f64>() > width;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if !wide(&format!("{line} {word}")) => *line += &format!(" {word}"),
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// Widths of Helvetica in thousandths of the size, from the blank to the tilde [Adobe core fonts].
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];

/// The width of a character at size 1.
fn advance(c: char) -> f64 {
    let thousandths = match c {
        ' '..='~' => HELVETICA[c as usize - 32],
        c if is_combining(c) => 0,
        '…' => 1000,
        '′' => 220,
        '·' => 300,
        '⁰'..='ₜ' | '¹' | '²' | '³' => 380,
        '\u{2e80}'.. => 1000, // the wide scripts of East Asia, and whatever else is rare
        _ => 600,
    };
    1.2e-3 * f64::from(thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Style::{Italic, Sub, Super, Upright};

    fn pieces(label: &Label) -> Vec<(Style, &str)> {
        label.pieces.iter().map(|(style, text)| (*style, text.as_str())).collect()
    }

    #[test]
    fn symbols_are_set_as_in_a_paper() {
        for (text, expected) in [
            ("θ", &[(Italic, "θ")][..]),
            ("θ''", &[(Italic, "θ"), (Upright, "″")]),
            ("φ̇", &[(Italic, "φ̇")]),
            ("x_1'", &[(Italic, "x"), (Sub, "1"), (Upright, "′")]),
            ("I3", &[(Italic, "I"), (Sub, "3")]),
            ("R[1,3]", &[(Italic, "R"), (Sub, "1,3")]),
            ("energy", &[(Upright, "energy")]),
            ("no slip x", &[(Upright, "no slip "), (Italic, "x")]),
            ("path of a ball", &[(Upright, "path of a ball")]),
            ("v^2", &[(Italic, "v"), (Super, "2")]),
            ("stone.omega", &[(Upright, "stone.omega")]),
            ("[1]", &[(Upright, "[1]")]),
            ("x_", &[(Italic, "x"), (Upright, "_")]),
            ("x[", &[(Italic, "x"), (Upright, "[")]),
            ("x^", &[(Italic, "x"), (Upright, "^")]),
            ("run2", &[(Upright, "run2")]),
        ] {
            assert_eq!(pieces(&Label::symbol(text)), expected);
        }
        let unit = Label::unit("kg*m^2/s^-1");
        assert_eq!(pieces(&unit), [(Upright, "kg·m"), (Super, "2"), (Upright, "/s"), (Super, "−1")]);
    }

    #[test]
    fn the_base_line_comes_back() {
        let markup = Label::symbol("x_1'").markup();
        let expected = "<tspan class=\"i\">x</tspan><tspan font-size=\"75%\" dy=\"0.27em\">1</tspan><tspan dy=\"-0.2em\">′</tspan>";
        assert_eq!(markup, expected);
        let mut spaced = Label::symbol("x");
        spaced.push(Upright, " (m)");
        assert_eq!(spaced.markup(), "<tspan class=\"i\">x</tspan><tspan dx=\"0.28em\">(m)</tspan>");
    }

    #[test]
    fn text_is_escaped_and_cut() {
        assert_eq!(escape("a<b & \"c\"\u{1}\n"), "a&lt;b &amp; &quot;c&quot;\u{fffd} ");
        let long = Label::symbol("the angular velocity of the stone");
        let cut = long.clone().cut_to(100.0, 12.0);
        assert!(cut.width(12.0) <= 100.0 && cut.width(12.0) > 80.0);
        assert!(cut.pieces.last().unwrap().1.ends_with('…'));
        assert_eq!(long.clone().cut_to(1000.0, 12.0), long);
        assert_eq!(wrap("one two three", 45.0, 10.0), ["one two", "three"]);
    }
}

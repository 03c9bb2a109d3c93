//! LaTeX of equations that are wider than a page, over several rows.
//!
//! ```text
//! \begin{aligned}
//! &\ddot{\theta} = \frac{1}{D} \bigl(a + b + c \\
//! &\qquad {} + d\bigr)
//! \end{aligned}
//! ```
//!
//! A wide equation becomes a list of pieces, with places between them where a row may end: before `=`, the signs of
//! sums, factors, and commas. What is narrow is one piece; a wide fraction over a narrow denominator is written as a factor
//! before a bracket, any other one with a stroke; brackets that may end on another row have a size of their own, because `\left( … \right)` cannot.
//! Rows are chosen so that
//!
//! ```text
//! Σ over rows of  (ROW + depth of the brackets that the row breaks + (room left)²/room²)  is least.
//! ```
//!
//! Widths are estimates in em, a little on the safe side: fonts differ, and a row may be wider than the room only where a single piece is.

use crate::graph::Graph;
use crate::print::latex::{Writer, enclosed, function};
use crate::print::names::latex_symbol;
use crate::tree::{Tree, is_decimal, number_text};

/// Width of a page of A4 with usual margins, in em of its formulas.
pub const PAGE: f64 = 53.0;

/// Parts of the page: a tree narrower than the first is not broken but with those around it; a left side wider than the second is followed
/// by a row that begins with the equals sign; a denominator wider than the third is not written under a bar.
const PIECE: f64 = 0.25;
const LEFT: f64 = 0.3;
const UNDER: f64 = 0.4;

/// Continued rows are moved to the right by this, and so much more for each bracket they are in, up to three.
const HANG: f64 = 2.0;
const DEEPER: f64 = 1.0;

/// What one row costs, and what a bracket costs that does not end on the row it begins on.
const ROW: f64 = 4.0;
const DEPTH: f64 = 1.5;

/// An equation in LaTeX, on several rows of an `aligned` environment where one does not have room in `room` em.
pub fn latex_equation(graph: &Graph, left: (&str, Option<&Tree>), right: &Tree, room: f64) -> String {
    match &latex_rows(graph, left, right, room)[..] {
        [one] => one.clone(),
        rows => rows_environment(rows),
    }
}

/// A quantity and its value, which is LaTeX already, on several rows where one does not have room.
pub fn latex_value(graph: &Graph, quantity: &Tree, value: &str, room: f64) -> String {
    let mut breaker = Breaker { writer: Writer { graph }, room, pieces: Vec::new() };
    breaker.tree(quantity, 0, None);
    let (latex, width) = (format!(" = {value}"), 1.4 + source_width(value));
    breaker.push(Piece { latex, width, place: Some(Place { depth: 0, sign: "" }) });
    match &breaker.rows()[..] {
        [one] => one.clone(),
        rows => rows_environment(rows),
    }
}

/// Rows below each other, all beginning at the left.
pub fn rows_environment(rows: &[String]) -> String {
    let rows: Vec<String> = rows.iter().map(|r| format!("&{r}")).collect();
    format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", rows.join(" \\\\\n"))
}

/// The rows of an equation. The left side is LaTeX already; a wide one can be broken where its tree is given, with the
/// LaTeX of a linear operator such as `\frac{d}{dt}` that is applied to it.
pub fn latex_rows(graph: &Graph, left: (&str, Option<&Tree>), right: &Tree, room: f64) -> Vec<String> {
    let mut breaker = Breaker { writer: Writer { graph }, room, pieces: Vec::new() };
    let (written, tree) = left;
    let before = match tree {
        Some(tree) => breaker.rate(written, tree),
        None => {
            let width = source_width(written);
            breaker.push(Piece { latex: written.to_owned(), width, place: None });
            width
        }
    };
    let place = (before > LEFT * room).then_some(Place { depth: 0, sign: "" });
    breaker.push(Piece { latex: " = ".to_owned(), width: 1.4, place });
    breaker.tree(right, 0, None);
    breaker.rows()
}

/// A place where a row may end.
#[derive(Clone, Copy)]
struct Place {
    /// Brackets around it.
    depth: usize,
    /// What the next row begins with, where the piece itself has no sign.
    sign: &'static str,
}

/// Something that stays on one row.
struct Piece {
    latex: String,
    width: f64,
    /// Whether a row may end before it.
    place: Option<Place>,
}

struct Breaker<'a> {
    writer: Writer<'a>,
    room: f64,
    pieces: Vec<Piece>,
}

impl Breaker<'_> {
    fn push(&mut self, piece: Piece) {
        self.pieces.push(piece);
    }

    /// More at the end of the last piece.
    fn append(&mut self, latex: &str, width: f64) {
        if let Some(last) = self.pieces.last_mut() {
            last.latex += latex;
            last.width += width;
        }
    }

    fn is_wide(&self, tree: &Tree) -> bool {
        self.width(tree) > PIECE * self.room
    }

    /// One piece, or its parts.
    fn tree(&mut self, tree: &Tree, depth: usize, place: Option<Place>) {
        if !self.is_wide(tree) {
            let piece = Piece { latex: self.writer.tree(tree), width: self.width(tree), place };
            return self.push(piece);
        }
        match tree {
            Tree::Sum(items) => self.sum(items, depth, place),
            Tree::Neg(inner) => {
                self.push(Piece { latex: "-".to_owned(), width: 0.8, place });
                self.bracketed_sum(inner, depth, None);
            }
            Tree::Product(items) => self.product(items, depth, place),
            Tree::Quotient(over, under) => self.quotient(over, under, depth, place),
            Tree::Power(base, k) => {
                let exponent = if k.is_int() { k.n.to_string() } else { format!("{}/{}", k.n, k.d) };
                self.bracket("", base, depth, place);
                self.append(&format!("^{{{exponent}}}"), 0.4 * exponent.len() as f64);
            }
            Tree::Call(head, a) => self.bracket(function(*head), a, depth, place),
            // single signs and functions of two numbers are never broken
            tree => {
                let piece = Piece { latex: self.writer.tree(tree), width: self.width(tree), place };
                self.push(piece);
            }
        }
    }

    fn sum(&mut self, items: &[Tree], depth: usize, place: Option<Place>) {
        for (i, t) in items.iter().enumerate() {
            let own = if i == 0 { place } else { Some(Place { depth, sign: "{}" }) };
            let (sign, term) = match (i, t) {
                (0, Tree::Neg(inner)) => ("-", &**inner),
                (_, Tree::Neg(inner)) => (" - ", &**inner),
                (0, t) => ("", t),
                (_, t) => (" + ", t),
            };
            if !sign.is_empty() {
                self.push(Piece { latex: sign.to_owned(), width: 1.2, place: own });
            }
            self.bracketed_sum(term, depth, own.filter(|_| sign.is_empty()));
        }
    }

    /// A term or a factor: sums in brackets.
    fn bracketed_sum(&mut self, tree: &Tree, depth: usize, place: Option<Place>) {
        match tree {
            Tree::Sum(_) | Tree::Neg(_) if self.is_wide(tree) => self.bracket("", tree, depth, place),
            Tree::Sum(_) | Tree::Neg(_) => {
                let piece = Piece { latex: enclosed(&self.writer.tree(tree)), width: self.width(tree) + 1.0, place };
                self.push(piece);
            }
            tree => self.tree(tree, depth, place),
        }
    }

    /// Something before a bracket with a tree in it.
    fn bracket(&mut self, before: &str, inner: &Tree, depth: usize, place: Option<Place>) {
        let size = if is_tall(inner) { "\\Bigg" } else { "\\big" };
        let latex = format!("{before}{size}l(");
        self.push(Piece { latex, width: source_width(before) + 0.7, place });
        self.tree(inner, depth + 1, None);
        self.append(&format!("{size}r)"), 0.7);
    }

    /// Factors: neighbours that are narrow are one piece.
    fn product(&mut self, items: &[Tree], depth: usize, place: Option<Place>) {
        let mut from = 0;
        while from < items.len() {
            let own = if from == 0 { place } else { Some(Place { depth: depth + 1, sign: "{}\\cdot " }) };
            let narrow = items[from..].iter().take_while(|t| !self.is_wide(t)).count();
            match narrow {
                0 => self.bracketed_sum(&items[from], depth, own),
                n => {
                    let part = Tree::Product(items[from..from + n].to_vec());
                    let piece = Piece { latex: self.writer.tree(&part) + " ", width: self.width(&part), place: own };
                    self.push(piece);
                }
            }
            from += narrow.max(1);
        }
    }

    /// a/b as a factor before a bracket, or with a stroke; as it is if that is not too wide.
    fn quotient(&mut self, over: &Tree, under: &Tree, depth: usize, place: Option<Place>) {
        let below = self.width(under);
        if self.width(over).max(below) <= 2.0 * PIECE * self.room {
            let tree = Tree::Quotient(Box::new(over.clone()), Box::new(under.clone()));
            let piece = Piece { latex: self.writer.tree(&tree), width: self.width(&tree), place };
            return self.push(piece);
        }
        if below <= UNDER * self.room {
            let (narrow, wide) = factors(over, |t| self.is_wide(t));
            let factor = Tree::Quotient(Box::new(narrow), Box::new(under.clone()));
            let piece = Piece { latex: self.writer.tree(&factor) + " ", width: self.width(&factor), place };
            self.push(piece);
            for t in &wide {
                self.bracketed_sum(t, depth, None);
            }
            return;
        }
        self.bracketed_sum(over, depth, place);
        self.push(Piece { latex: " \\Big/ ".to_owned(), width: 1.0, place: Some(Place { depth, sign: "{}" }) });
        match under {
            Tree::Sum(_) | Tree::Neg(_) => self.bracketed_sum(under, depth, None),
            under => self.bracket("", under, depth, None),
        }
    }

    /// An operator before a tree; how wide that is.
    fn rate(&mut self, operator: &str, tree: &Tree) -> f64 {
        let width = source_width(operator) + self.width(tree);
        match tree {
            Tree::Symbol(_) => {
                let latex = format!("{operator} {}", self.writer.tree(tree));
                self.push(Piece { latex, width, place: None });
            }
            tree if !self.is_wide(tree) => {
                let latex = format!("{operator}{}", enclosed(&self.writer.tree(tree)));
                self.push(Piece { latex, width: width + 1.0, place: None });
            }
            tree => self.bracket(operator, tree, 0, None),
        }
        width
    }

    /// The best rows.
    fn rows(&self) -> Vec<String> {
        let pieces = &self.pieces;
        let hang = |k: usize| match (k, pieces.get(k).and_then(|p| p.place)) {
            (0, _) | (_, None) => 0.0,
            (_, Some(place)) => HANG + DEEPER * place.depth.min(3) as f64,
        };
        // best[k]: the least cost of rows up to piece k, and where the last of them begins
        let mut best: Vec<Option<(f64, usize)>> = vec![None; pieces.len() + 1];
        best[0] = Some((0.0, 0));
        for from in 0..pieces.len() {
            let Some((before, _)) = best[from].filter(|_| from == 0 || pieces[from].place.is_some()) else { continue };
            let room = (self.room - hang(from)).max(1.0);
            let mut width = 0.0;
            for to in from + 1..=pieces.len() {
                width += pieces[to - 1].width;
                let next = pieces.get(to).map(|p| p.place);
                let end = match next {
                    None => Some(0.0),
                    Some(place) => place.map(|p| DEPTH * p.depth as f64 + ((room - width) / room).powi(2)),
                };
                let Some(end) = end else { continue };
                // too wide: only where nothing else is left
                let excess = if width > room { 1e3 * (width / room) } else { 0.0 };
                let cost = before + ROW + end + excess;
                if best[to].is_none_or(|(least, _)| cost < least) {
                    best[to] = Some((cost, from));
                }
                if width > room {
                    break;
                }
            }
        }
        let mut ends = vec![pieces.len()];
        while let Some((_, from)) = ends.last().and_then(|k| best[*k]).filter(|(_, from)| *from > 0) {
            ends.push(from);
        }
        ends.push(0);
        ends.reverse();
        ends.windows(2).map(|w| self.row(w[0], w[1])).collect()
    }

    fn row(&self, from: usize, to: usize) -> String {
        let body: String = self.pieces[from..to].iter().map(|p| p.latex.as_str()).collect();
        match self.pieces[from].place.filter(|_| from > 0) {
            None => body.trim().to_owned(),
            Some(place) => {
                let hang = "\\quad".repeat(HANG as usize + (DEEPER as usize) * place.depth.min(3));
                format!("{hang} {}{}", place.sign, body.trim())
            }
        }
    }

    /// How wide a tree is when it is not broken.
    fn width(&self, tree: &Tree) -> f64 {
        match tree {
            Tree::Number(r) if r.is_int() || is_decimal(r) => 0.5 * number_text(r).len() as f64,
            Tree::Number(r) => {
                0.3 + 0.5 * r.numerator().to_string().len().max(r.denominator().to_string().len()) as f64
            }
            Tree::Pi => 0.6,
            Tree::Symbol(s) => source_width(&latex_symbol(self.writer.graph, *s)),
            Tree::Sum(items) => {
                items.iter().map(|t| self.width(t)).sum::<f64>() + 1.2 * items.len().saturating_sub(1) as f64
            }
            Tree::Neg(inner) => 0.8 + self.factor_width(inner),
            Tree::Product(items) => items.iter().map(|t| self.factor_width(t) + 0.1).sum(),
            Tree::Quotient(over, under) => 0.3 + self.width(over).max(self.width(under)),
            Tree::Power(base, k) => self.factor_width(base) + if k.is_int() { 0.4 } else { 1.2 },
            Tree::Call(head, a) => source_width(function(*head)) + 0.2 + self.factor_width(a),
            Tree::Atan2(y, x) => 4.0 + self.width(y) + self.width(x),
            Tree::Apply(_, args, _) => 3.0 + args.iter().map(|t| 0.5 + self.width(t)).sum::<f64>(),
        }
    }

    fn factor_width(&self, tree: &Tree) -> f64 {
        let brackets = match tree {
            Tree::Sum(_) | Tree::Neg(_) if is_tall(tree) => 1.6,
            Tree::Sum(_) | Tree::Neg(_) | Tree::Product(_) => 0.9,
            _ => 0.0,
        };
        brackets + self.width(tree)
    }
}

/// A numerator as what stays over the bar and what is multiplied with it.
fn factors(over: &Tree, is_wide: impl Fn(&Tree) -> bool) -> (Tree, Vec<Tree>) {
    let items = match over {
        Tree::Product(items) => items.clone(),
        other => vec![other.clone()],
    };
    let (wide, mut narrow): (Vec<Tree>, Vec<Tree>) = items.into_iter().partition(is_wide);
    let narrow = match narrow.len() {
        0 => Tree::number(crate::number::int(1)),
        1 => narrow.swap_remove(0),
        _ => Tree::Product(narrow),
    };
    (narrow, wide)
}

/// Whether a tree has a fraction in it that is written with a bar.
fn is_tall(tree: &Tree) -> bool {
    match tree {
        Tree::Quotient(..) => true,
        Tree::Number(r) => !r.is_int() && !is_decimal(r),
        Tree::Sum(items) | Tree::Product(items) => items.iter().any(is_tall),
        Tree::Neg(a) | Tree::Power(a, _) | Tree::Call(_, a) => is_tall(a),
        _ => false,
    }
}

/// The width of a few signs of LaTeX: letters, commands as letters, what is below or above smaller.
fn source_width(latex: &str) -> f64 {
    let (mut width, mut small, mut rest) = (0.0, 0usize, latex.chars().peekable());
    let mut opened: Vec<bool> = Vec::new();
    let mut script = false;
    while let Some(c) = rest.next() {
        let scale = if small > 0 { 0.75 } else { 1.0 };
        match c {
            '_' | '^' => script = true,
            '{' => {
                small += usize::from(script);
                opened.push(std::mem::take(&mut script));
            }
            '}' => small -= usize::from(opened.pop() == Some(true) && small > 0),
            '\\' => {
                let mut word = String::new();
                while rest.peek().is_some_and(char::is_ascii_alphabetic) {
                    word.extend(rest.next());
                }
                width += scale * command_width(&word);
            }
            ' ' => {}
            '=' | '+' | '-' => width += 1.3 * scale,
            c if c.is_ascii_uppercase() => width += 0.75 * scale,
            _ => width += 0.55 * scale,
        }
    }
    width
}

fn command_width(word: &str) -> f64 {
    match word {
        "dot" | "ddot" | "bar" | "mathrm" | "text" | "operatorname" | "mathbf" | "" => 0.0,
        "left" | "right" => 0.2,
        "sin" | "cos" | "tan" | "exp" | "ln" => 1.5,
        "frac" => 0.3,
        _ => 0.65,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Expr;

    /// a₁ b₁ + a₂ b₂ + …
    fn long_sum(g: &mut Graph, terms: usize) -> Expr {
        let parts: Vec<Expr> = (1..=terms)
            .map(|i| {
                let [a, b] = ["a", "b"].map(|n| g.named(&format!("{n}{i}")));
                g.mul(a, b)
            })
            .collect();
        g.sum(parts)
    }

    /// Every bracket that opens on some row closes, and none of them needs to close on its own row.
    fn is_well_formed(rows: &[String]) {
        for row in rows {
            assert_eq!(row.matches("\\left(").count(), row.matches("\\right)").count(), "{row}");
            assert_eq!(row.matches('{').count(), row.matches('}').count(), "{row}");
        }
        let all = rows.concat();
        for size in ["\\big", "\\Bigg"] {
            assert_eq!(all.matches(&format!("{size}l(")).count(), all.matches(&format!("{size}r)")).count(), "{all}");
        }
    }

    #[test]
    fn what_fits_is_left_alone() {
        let mut g = Graph::new();
        let e = long_sum(&mut g, 3);
        let tree = Tree::of(&g, e);
        assert_eq!(latex_equation(&g, ("y", None), &tree, PAGE), format!("y = {}", Writer { graph: &g }.tree(&tree)));
    }

    #[test]
    fn long_sums_go_on_in_the_next_row() {
        let mut g = Graph::new();
        let e = long_sum(&mut g, 40);
        let rows = latex_rows(&g, ("y", None), &Tree::of(&g, e), 20.0);
        assert!(rows.len() > 4, "{rows:?}");
        assert!(rows[1..].iter().all(|r| r.starts_with("\\quad\\quad {}+ ")), "{rows:?}");
        let again: String = rows.iter().map(|r| r.trim_start_matches("\\quad").replace("{}+", "+")).collect();
        let plain = |s: &str| s.replace(' ', "");
        assert_eq!(plain(&again), plain(&format!("y = {}", Writer { graph: &g }.tree(&Tree::of(&g, e)))));
    }

    #[test]
    fn wide_fractions_powers_and_functions_are_broken_inside() {
        let mut g = Graph::new();
        let (sum, d) = (long_sum(&mut g, 40), g.named("D"));
        let rows_of = |g: &Graph, e: Expr| {
            let rows = latex_rows(g, ("y", None), &Tree::of(g, e), 30.0);
            is_well_formed(&rows);
            assert!(rows.len() > 3, "{rows:?}");
            rows.concat()
        };
        let e = g.div(sum, d);
        assert!(rows_of(&g, e).starts_with("y = \\frac{1}{D} \\bigl("));
        let more = g.add(sum, d);
        let more = g.powi(more, 2);
        let e = g.div(sum, more);
        assert!(rows_of(&g, e).contains("\\Big/"));
        assert!(rows_of(&g, more).ends_with("\\bigr)^{2}"));
        let e = g.sin(sum);
        assert!(rows_of(&g, e).starts_with("y = \\sin\\bigl("));
        let e = g.exp(sum);
        let e = g.mul(e, more);
        rows_of(&g, e);
    }

    #[test]
    fn a_wide_left_side_has_rows_of_its_own() {
        let mut g = Graph::new();
        let e = long_sum(&mut g, 20);
        let tree = Tree::of(&g, e);
        let rows = latex_rows(&g, ("\\frac{d}{dt}", Some(&tree)), &tree, 30.0);
        is_well_formed(&rows);
        assert!(rows[0].starts_with("\\frac{d}{dt}\\bigl("));
        assert!(rows.iter().any(|r| r.starts_with("\\quad\\quad = ")), "{rows:?}");
    }

    #[test]
    fn a_wide_quantity_and_its_value_have_several_rows() {
        let mut g = Graph::new();
        let e = long_sum(&mut g, 20);
        let written = latex_value(&g, &Tree::of(&g, e), "1.5", 30.0);
        assert!(written.starts_with("\\begin{aligned}\n&") && written.matches("\\\\\n").count() > 1, "{written}");
        assert!(written.ends_with("= 1.5\n\\end{aligned}"), "{written}");
        let x = g.named("x");
        assert_eq!(latex_value(&g, &Tree::of(&g, x), "1.5", 30.0), "x = 1.5");
    }
}

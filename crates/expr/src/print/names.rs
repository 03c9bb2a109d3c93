//! How a symbol's name is shown.
//!
//! A name is a base letter with decorations, written in ASCII:
//!
//! ```text
//! theta      θ      \theta              I1, I_1      I₁    I_{1}
//! theta'     θ̇      \dot{\theta}        R[1,3]       R₁₃   R_{13}
//! theta''    θ̈      \ddot{\theta}       p_theta      p_θ   p_{\theta}
//! Omega[1]'  Ω̇₁     \dot{\Omega}_{1}    wheel.x      wheel.x   \mathrm{wheel}.x
//! ```
//!
//! In programs the same names become identifiers: `theta_dot`, `R_1_3`, `wheel_x`.

use crate::graph::{Graph, Symbol};
use crate::print::code::Language;
use std::collections::HashSet;

/// Names longer than this are shown as they are: nobody writes them in an equation.
const LONGEST_STRUCTURED: usize = 80;

/// Spelled letter, Unicode letter, LaTeX command.
const GREEK: [(&str, char, &str); 53] = [
    ("alpha", 'α', "\\alpha"),
    ("beta", 'β', "\\beta"),
    ("gamma", 'γ', "\\gamma"),
    ("delta", 'δ', "\\delta"),
    ("epsilon", 'ε', "\\varepsilon"),
    ("zeta", 'ζ', "\\zeta"),
    ("eta", 'η', "\\eta"),
    ("theta", 'θ', "\\theta"),
    ("iota", 'ι', "\\iota"),
    ("kappa", 'κ', "\\kappa"),
    ("lambda", 'λ', "\\lambda"),
    ("mu", 'μ', "\\mu"),
    ("nu", 'ν', "\\nu"),
    ("xi", 'ξ', "\\xi"),
    ("omicron", 'ο', "o"),
    ("pi", 'π', "\\pi"),
    ("rho", 'ρ', "\\rho"),
    ("sigma", 'σ', "\\sigma"),
    ("tau", 'τ', "\\tau"),
    ("upsilon", 'υ', "\\upsilon"),
    ("phi", 'φ', "\\varphi"),
    ("chi", 'χ', "\\chi"),
    ("psi", 'ψ', "\\psi"),
    ("omega", 'ω', "\\omega"),
    ("Alpha", 'Α', "\\mathrm{A}"),
    ("Beta", 'Β', "\\mathrm{B}"),
    ("Gamma", 'Γ', "\\Gamma"),
    ("Delta", 'Δ', "\\Delta"),
    ("Epsilon", 'Ε', "\\mathrm{E}"),
    ("Zeta", 'Ζ', "\\mathrm{Z}"),
    ("Eta", 'Η', "\\mathrm{H}"),
    ("Theta", 'Θ', "\\Theta"),
    ("Iota", 'Ι', "\\mathrm{I}"),
    ("Kappa", 'Κ', "\\mathrm{K}"),
    ("Lambda", 'Λ', "\\Lambda"),
    ("Mu", 'Μ', "\\mathrm{M}"),
    ("Nu", 'Ν', "\\mathrm{N}"),
    ("Xi", 'Ξ', "\\Xi"),
    ("Omicron", 'Ο', "\\mathrm{O}"),
    ("Pi", 'Π', "\\Pi"),
    ("Rho", 'Ρ', "\\mathrm{P}"),
    ("Sigma", 'Σ', "\\Sigma"),
    ("Tau", 'Τ', "\\mathrm{T}"),
    ("Upsilon", 'Υ', "\\Upsilon"),
    ("Phi", 'Φ', "\\Phi"),
    ("Chi", 'Χ', "\\mathrm{X}"),
    ("Psi", 'Ψ', "\\Psi"),
    ("Omega", 'Ω', "\\Omega"),
    ("varphi", 'φ', "\\varphi"),
    ("vartheta", 'ϑ', "\\vartheta"),
    ("varepsilon", 'ε', "\\varepsilon"),
    ("varrho", 'ϱ', "\\varrho"),
    ("ell", 'ℓ', "\\ell"),
];

/// A name taken apart.
struct Parts<'a> {
    /// `wheel` in `wheel.x`.
    owner: Option<&'a str>,
    /// The letter or word that carries the rest.
    head: &'a str,
    /// `1` in `I1`.
    digits: &'a str,
    /// `theta` in `p_theta`.
    below: &'a str,
    /// `1`, `3` in `R[1,3]`.
    indices: Vec<&'a str>,
    /// Number of primes.
    dots: usize,
}

impl Parts<'_> {
    fn of(name: &str) -> Parts<'_> {
        let mut dots = 0;
        let mut strip_primes = |text: &mut &str| {
            while let Some(rest) = text.strip_suffix('\'') {
                *text = rest;
                dots += 1;
            }
        };
        let mut rest = name;
        strip_primes(&mut rest);
        let mut indices = Vec::new();
        if let Some((before, inside)) = rest.strip_suffix(']').and_then(|t| t.rsplit_once('['))
            && !before.is_empty()
        {
            indices = inside.split(',').map(str::trim).collect();
            rest = before;
            strip_primes(&mut rest);
        }
        let (owner, rest) = match rest.rsplit_once('.') {
            Some((owner, rest)) if !owner.is_empty() && !rest.is_empty() => (Some(owner), rest),
            _ => (None, rest),
        };
        let (stem, below) = match rest.split_once('_') {
            Some((stem, below)) if !stem.is_empty() && !below.is_empty() => (stem, below),
            _ => (rest, ""),
        };
        let head = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        let (head, digits) = if !head.is_empty() && head.chars().all(char::is_alphabetic) {
            (head, &stem[head.len()..])
        } else {
            (stem, "")
        };
        Parts { owner, head, digits, below, indices, dots }
    }
}

fn greek(word: &str) -> Option<(char, &'static str)> {
    let mut letters = word.chars();
    let single = letters.next().filter(|_| letters.next().is_none());
    GREEK.iter().find(|(name, letter, _)| *name == word || single == Some(*letter)).map(|(_, c, tex)| (*c, *tex))
}

/// The name of a symbol, also of one this graph does not have.
pub(super) fn name_of(graph: &Graph, s: Symbol) -> &str {
    graph.symbols.get(s.0 as usize).map_or("…", |info| info.name.as_str())
}

/// A symbol as Unicode text, such as `θ̇`.
pub fn unicode_symbol(graph: &Graph, s: Symbol) -> String {
    unicode_name(name_of(graph, s))
}

/// A name as Unicode text: `theta''` is `θ̈`, `Omega[1]'` is `Ω̇₁`.
pub fn unicode_name(name: &str) -> String {
    if name.len() > LONGEST_STRUCTURED {
        return name.to_string();
    }
    let parts = Parts::of(name);
    let mut out = parts.owner.map(|o| unicode_name(o) + ".").unwrap_or_default();
    let head = greek(parts.head).map_or_else(|| parts.head.to_string(), |(c, _)| c.to_string());
    let letter = head.chars().count() == 1;
    out += &head;
    if letter {
        out += match parts.dots {
            0 => "",
            1 => "\u{307}",
            2 => "\u{308}",
            3 => "\u{20DB}",
            4 => "\u{20DC}",
            _ => "",
        };
    }
    out += &subscript(parts.digits);
    if parts.below.bytes().all(|b| b.is_ascii_digit()) {
        out += &subscript(parts.below);
    } else {
        out += "_";
        out += &unicode_name(parts.below);
    }
    if parts.indices.iter().all(|i| i.len() == 1 && i.bytes().all(|b| b.is_ascii_digit())) {
        out.extend(parts.indices.iter().map(|i| subscript(i)));
    } else if parts.indices.iter().all(|i| i.bytes().all(|b| b.is_ascii_digit())) {
        out += &parts.indices.iter().map(|i| subscript(i)).collect::<Vec<_>>().join(",");
    } else {
        out += &format!("[{}]", parts.indices.iter().map(|i| unicode_name(i)).collect::<Vec<_>>().join(","));
    }
    if !letter || parts.dots > 4 {
        out.extend(std::iter::repeat_n('\'', parts.dots));
    }
    out
}

/// Digits below the line.
fn subscript(digits: &str) -> String {
    let low = |c: char| c.to_digit(10).and_then(|d| char::from_u32(0x2080 + d)).unwrap_or(c);
    digits.chars().map(low).collect()
}

/// A symbol as LaTeX. A spelling set by [`Graph::set_latex`] also serves the
/// symbols with primes and indices of the same base name.
pub fn latex_symbol(graph: &Graph, s: Symbol) -> String {
    let name = name_of(graph, s);
    let given = |name: &str| -> Option<&str> {
        let s = graph.find_symbol(name)?;
        graph.symbols[s.0 as usize].latex.as_deref().filter(|tex| balanced(tex))
    };
    if let Some(tex) = given(name) {
        return tex.to_string();
    }
    let base = name.trim_end_matches('\'');
    if base.len() < name.len()
        && let Some(tex) = given(base)
    {
        return dotted_override(tex, name.len() - base.len());
    }
    if name.len() <= LONGEST_STRUCTURED
        && let Some(at) = base.find('[')
        && let Some(tex) = given(&base[..at])
    {
        let parts = Parts::of(name);
        let (stem, tail) = tex.split_at(decoration(tex));
        // A decoration of its own is kept inside braces, so that scripts do not clash.
        let stem = dot(stem, parts.dots);
        let stem = if tail.is_empty() { stem } else { format!("{{{stem}{tail}}}") };
        return format!("{stem}_{{{}}}", latex_indices(&parts.indices));
    }
    latex_name(name)
}

/// A name as LaTeX: `theta'` is `\dot{\theta}`, `R[1,3]` is `R_{13}`.
pub fn latex_name(name: &str) -> String {
    if name == "…" {
        return "\\ldots".to_string();
    }
    if name.len() > LONGEST_STRUCTURED {
        return format!("\\mathrm{{{}}}", escape(name));
    }
    let parts = Parts::of(name);
    let mut out = parts.owner.map(|o| latex_name(o) + ".").unwrap_or_default();
    out += &dot(&latex_word(parts.head), parts.dots);
    let mut below = Vec::new();
    if !parts.digits.is_empty() {
        below.push(parts.digits.to_string());
    }
    if !parts.below.is_empty() {
        below.push(latex_name(parts.below));
    }
    if !parts.indices.is_empty() {
        below.push(latex_indices(&parts.indices));
    }
    if !below.is_empty() {
        out += &format!("_{{{}}}", below.join(","));
    }
    out
}

fn latex_indices(indices: &[&str]) -> String {
    let short = indices.iter().all(|i| i.chars().count() == 1);
    indices.iter().map(|i| latex_name(i)).collect::<Vec<_>>().join(if short { "" } else { "," })
}

/// One letter in italics, a Greek letter, or a word in upright type.
fn latex_word(word: &str) -> String {
    if let Some((_, tex)) = greek(word) {
        return tex.to_string();
    }
    let mut chars = word.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c.is_ascii_alphabetic() => word.to_string(),
        _ if !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()) => word.to_string(),
        _ => format!("\\mathrm{{{}}}", escape(word)),
    }
}

/// Text for the inside of `\mathrm{…}`, with nothing in it that LaTeX would act on.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '_' | '#' | '$' | '%' | '&' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out += "\\backslash ",
            '^' => out += "\\hat{\\ }",
            '~' => out += "\\sim ",
            '\'' => out += "{}'",
            '…' => out += "\\ldots ",
            ' ' => out += "\\ ",
            c if c.is_ascii_graphic() => out.push(c),
            c => match greek(c.encode_utf8(&mut [0; 4])) {
                Some((_, tex)) if tex.starts_with('\\') => out += &format!("{{{tex}}}"),
                Some((_, tex)) => out += tex,
                None if ('\u{C0}'..='\u{FF}').contains(&c) && c.is_alphabetic() => out += &format!("\\text{{{c}}}"),
                None => out += &format!("\\text{{U+{:04X}}}", c as u32),
            },
        }
    }
    out
}

/// Dots of time derivatives over a letter or word.
fn dot(tex: &str, dots: usize) -> String {
    match dots {
        0 => tex.to_string(),
        1 => format!("\\dot{{{tex}}}"),
        2 => format!("\\ddot{{{tex}}}"),
        3 => format!("\\dddot{{{tex}}}"),
        4 => format!("\\ddddot{{{tex}}}"),
        n => format!("{{{tex}}}^{{({n})}}"),
    }
}

/// Dots over the stem of a given spelling: `\varphi_R` becomes `\dot{\varphi}_R`.
fn dotted_override(tex: &str, dots: usize) -> String {
    let (stem, tail) = tex.split_at(decoration(tex));
    if dots > 4 { dot(tex, dots) } else { dot(stem, dots) + tail }
}

/// Where the first sub- or superscript outside braces begins.
fn decoration(tex: &str) -> usize {
    let mut depth = 0i32;
    let mut escaped = false;
    for (at, c) in tex.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => depth += 1,
            '}' => depth -= 1,
            '_' | '^' | '\'' if depth == 0 && at > 0 => return at,
            _ => {}
        }
    }
    tex.len()
}

/// Do the braces of a given spelling match?
fn balanced(tex: &str) -> bool {
    let mut depth = 0i32;
    let mut escaped = false;
    for c in tex.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && !escaped && !tex.trim().is_empty()
}

/// A name as an identifier that every language accepts but for reserved words:
/// `theta'` is `theta_dot`, `R[1,3]` is `R_1_3`.
pub fn identifier(name: &str) -> String {
    let dots = name.chars().filter(|c| *c == '\'').count();
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '\'' | ']' => {}
            c if c.is_ascii_alphanumeric() || c == '_' => out.push(c),
            c if c.is_ascii() => out.push('_'),
            c => match GREEK.iter().find(|(_, letter, _)| *letter == c) {
                Some((word, ..)) => out += word,
                None => out += &format!("u{:x}", c as u32),
            },
        }
    }
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, "v_");
    }
    match dots {
        0 => {}
        1 => out += "_dot",
        2 => out += "_ddot",
        n => out += &format!("_d{n}"),
    }
    out
}

/// Hands out identifiers of one scope: never a reserved word, never one twice.
pub(super) struct Scope {
    language: Language,
    taken: HashSet<String>,
    temporaries: usize,
}

impl Scope {
    pub(super) fn new(language: Language) -> Scope {
        Scope { language, taken: HashSet::new(), temporaries: 0 }
    }

    /// The identifier for `name`; `name_2`, `name_3`, … when it is taken.
    pub(super) fn claim(&mut self, name: &str) -> String {
        let mut base = identifier(name);
        if self.language.reserved().contains(&base.as_str()) {
            base.push('_');
        }
        let mut candidate = base.clone();
        let mut n = 2;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{base}_{n}");
            n += 1;
        }
        candidate
    }

    /// A name that means nothing: `t1`, `t2`, …
    pub(super) fn temporary(&mut self) -> String {
        loop {
            self.temporaries += 1;
            let name = format!("t{}", self.temporaries);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_people() {
        for (name, unicode, latex) in [
            ("theta", "θ", "\\theta"),
            ("theta'", "θ\u{307}", "\\dot{\\theta}"),
            ("theta''", "θ\u{308}", "\\ddot{\\theta}"),
            ("x'''", "x\u{20DB}", "\\dddot{x}"),
            ("x'''''", "x'''''", "{x}^{(5)}"),
            ("M", "M", "M"),
            ("I1", "I₁", "I_{1}"),
            ("I12", "I₁₂", "I_{12}"),
            ("phi_R", "φ_R", "\\varphi_{R}"),
            ("Omega[1]", "Ω₁", "\\Omega_{1}"),
            ("Omega[1]'", "Ω\u{307}₁", "\\dot{\\Omega}_{1}"),
            ("omega'[3]", "ω\u{307}₃", "\\dot{\\omega}_{3}"),
            ("R[1,3]", "R₁₃", "R_{13}"),
            ("R[10, 3]", "R₁₀,₃", "R_{10,3}"),
            ("g[i,j]", "g[i,j]", "g_{ij}"),
            ("lambda_1", "λ₁", "\\lambda_{1}"),
            ("p_theta", "p_θ", "p_{\\theta}"),
            ("p_theta1'", "p\u{307}_θ₁", "\\dot{p}_{\\theta_{1}}"),
            ("I1_R", "I₁_R", "I_{1,R}"),
            ("x_dot", "x_dot", "x_{\\mathrm{dot}}"),
            ("speed", "speed", "\\mathrm{speed}"),
            ("speed'", "speed'", "\\dot{\\mathrm{speed}}"),
            ("mass2", "mass₂", "\\mathrm{mass}_{2}"),
            ("r2d2", "r2d2", "\\mathrm{r2d2}"),
            ("wheel.R[1,2]", "wheel.R₁₂", "\\mathrm{wheel}.R_{12}"),
            ("wheel[1].Omega[2]'", "wheel₁.Ω\u{307}₂", "\\mathrm{wheel}_{1}.\\dot{\\Omega}_{2}"),
            ("θ", "θ", "\\theta"),
            ("_x", "_x", "\\mathrm{\\_x}"),
            ("", "", "\\mathrm{}"),
            ("'", "'", "\\dot{\\mathrm{}}"),
            ("100%", "100%", "\\mathrm{100\\%}"),
        ] {
            assert_eq!(unicode_name(name), unicode, "{name}");
            assert_eq!(latex_name(name), latex, "{name}");
        }
    }

    #[test]
    fn long_names_do_not_recurse() {
        let long = "a_".repeat(100_000);
        assert_eq!(unicode_name(&long), long);
        assert!(latex_name(&long.replace('_', ".")).starts_with("\\mathrm{a."));
    }

    #[test]
    fn spellings_given_by_the_model() {
        let mut g = Graph::new();
        let names = ["psi_R", "psi_R'", "Omega", "Omega[2]'", "bad"].map(|n| g.symbol(n));
        g.set_latex(names[0], "\\vartheta_{\\mathrm{R}}");
        g.set_latex(names[2], "\\boldsymbol{\\Omega}");
        g.set_latex(names[4], "}{");
        assert_eq!(latex_symbol(&g, names[0]), "\\vartheta_{\\mathrm{R}}");
        assert_eq!(latex_symbol(&g, names[1]), "\\dot{\\vartheta}_{\\mathrm{R}}");
        assert_eq!(latex_symbol(&g, names[3]), "\\dot{\\boldsymbol{\\Omega}}_{2}");
        assert_eq!(latex_symbol(&g, names[4]), "\\mathrm{bad}");
        assert_eq!(latex_symbol(&g, Symbol(u32::MAX)), "\\ldots");
    }

    #[test]
    fn identifiers_are_valid_and_distinct() {
        for (name, expected) in [
            ("theta''", "theta_ddot"),
            ("R[1,3]", "R_1_3"),
            ("Omega[1]'", "Omega_1_dot"),
            ("wheel.R[1,2]", "wheel_R_1_2"),
            ("θ'", "theta_dot"),
            ("2x", "v_2x"),
            ("…", "u2026"),
            ("", "v_"),
            ("x'''", "x_d3"),
        ] {
            assert_eq!(identifier(name), expected);
        }
        let mut scope = Scope::new(Language::Python);
        assert_eq!(scope.claim("lambda"), "lambda_");
        assert_eq!(scope.claim("lambda_"), "lambda__2");
        assert_eq!(scope.claim("x_dot"), "x_dot");
        assert_eq!(scope.claim("x'"), "x_dot_2");
    }
}

//! Pieces of a page in LaTeX: headings and sentences stand outside of formulas, with every sign that only a formula may have inside dollars.

use polhode::prelude::print;

/// A heading that runs into the text.
pub(super) fn heading(title: &str) -> String {
    format!("\\paragraph{{{}}}\n", words(title))
}

/// A displayed formula after the words that introduce it.
pub(super) fn formula(title: &str, latex: &str) -> String {
    format!("\\noindent {}:\n\\[\n{latex}\n\\]\n", words(title))
}

/// Lines for people, a paragraph each.
pub(super) fn sentences<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let each = lines.into_iter().map(str::trim).filter(|l| !l.is_empty());
    each.map(|l| format!("\\noindent {}.\n\n", words(l))).collect()
}

/// A word has no room for a dot: its rate is written as a derivative. The parts of a name are one word.
pub(super) fn undotted(page: &str) -> String {
    let mut out = page.to_string();
    for (command, before) in [("\\ddot", "\\frac{d^2}{dt^2}"), ("\\dot", "\\frac{d}{dt}")] {
        let start = format!("{command}{{\\mathrm{{");
        while let Some(at) = out.find(&start) {
            let Some(length) = out[at + start.len()..].find("}}") else { break };
            let word = out[at + start.len()..at + start.len() + length].to_string();
            let all = at..at + start.len() + length + 2;
            out.replace_range(all, &format!("{before}\\mathrm{{{word}}}"));
        }
    }
    joined(out)
}

/// A word below a word: one name of two words.
fn joined(mut page: String) -> String {
    const BELOW: &str = "}_{\\mathrm{";
    let mut from = 0;
    while let Some(at) = page[from..].find(BELOW).map(|k| from + k) {
        let word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic());
        let first = page[..at].rfind("\\mathrm{").map_or("", |k| &page[k + "\\mathrm{".len()..at]);
        let behind = at + BELOW.len();
        let end = page[behind..].find("}}").map(|k| behind + k);
        from = match end.filter(|end| word(first) && word(&page[behind..*end])) {
            Some(end) => {
                page.replace_range(end..end + 2, "}");
                page.replace_range(at..behind, "\\ ");
                at
            }
            None => behind,
        };
    }
    page
}

/// A sentence for people: signs of formulas are set as such, the others escaped.
pub(super) fn words(text: &str) -> String {
    let mut out = String::new();
    let mut math: Vec<String> = Vec::new();
    for c in text.chars() {
        if let Some(command) = accent(c) {
            // a dot belongs to the letter before it
            let under = math.pop().or_else(|| out.pop().map(String::from)).unwrap_or_default();
            math.push(format!("\\{command}{{{under}}}"));
        } else if let Some(latex) = sign(c) {
            math.push(latex);
        } else {
            flush(&mut out, &mut math);
            match c {
                '%' | '&' | '#' | '_' | '$' | '{' | '}' => out.extend(['\\', c]),
                '\\' => out.push_str("\\textbackslash{}"),
                '^' => out.push_str("\\^{}"),
                '~' => out.push_str("\\~{}"),
                _ => out.push(c),
            }
        }
    }
    flush(&mut out, &mut math);
    out
}

fn flush(out: &mut String, math: &mut Vec<String>) {
    if math.is_empty() {
        return;
    }
    let mut all = String::new();
    for atom in math.drain(..) {
        // a command ends where no letter follows
        if all.ends_with(|c: char| c.is_ascii_alphabetic()) && atom.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            all.push(' ');
        }
        all.push_str(&atom);
    }
    out.push_str(&format!("${all}$"));
}

fn accent(c: char) -> Option<&'static str> {
    match c {
        '\u{307}' => Some("dot"),
        '\u{308}' => Some("ddot"),
        '\u{302}' => Some("hat"),
        _ => None,
    }
}

/// What only a formula may have.
fn sign(c: char) -> Option<String> {
    Some(match c {
        '₀'..='₉' => format!("_{}", u32::from(c) - u32::from('₀')),
        '²' => "^2".into(),
        '½' => "\\tfrac12".into(),
        '−' => "-".into(),
        '√' => "\\surd".into(),
        '·' => "\\cdot".into(),
        '∞' => "\\infty".into(),
        '′' => "'".into(),
        '″' => "''".into(),
        '℘' => "\\wp".into(),
        '≥' => "\\ge".into(),
        'Α'..='ω' => print::latex_name(greek(c)?),
        _ => return None,
    })
}

fn greek(c: char) -> Option<&'static str> {
    Some(match c {
        'α' => "alpha",
        'β' => "beta",
        'θ' => "theta",
        'κ' => "kappa",
        'μ' => "mu",
        'ν' => "nu",
        'ρ' => "rho",
        'σ' => "sigma",
        'τ' => "tau",
        'φ' => "phi",
        'ψ' => "psi",
        'ω' => "omega",
        'Ω' => "Omega",
        'Δ' => "Delta",
        'Θ' => "Theta",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_no_dots() {
        let page = r"\dot{\mathrm{precession}} = 1, \mathrm{normal}_{\mathrm{force}} = 2, \dot{\theta}_{\mathrm{rel}}";
        let wanted = r"\frac{d}{dt}\mathrm{precession} = 1, \mathrm{normal\ force} = 2, \dot{\theta}_{\mathrm{rel}}";
        assert_eq!(undotted(page), wanted);
    }

    #[test]
    fn words_compile() {
        assert_eq!(words("ν = -0.5, R[3,3] of 50% a_b"), "$\\nu$ = -0.5, R[3,3] of 50\\% a\\_b");
        assert_eq!(words("P(2b) − ½ M b ω₀² ="), "P(2b) $-$ $\\tfrac12$ M b $\\omega_0^2$ =");
        assert_eq!(words("the rates of φ̇, ẋ"), "the rates of $\\dot{\\varphi}$, ẋ");
    }
}

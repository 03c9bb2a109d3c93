//! Letters of names: Latin, Greek, digits, and the spelling they are reduced to.
//!
//! `θ` and `theta` are one name. Variant letter forms (`ϑ`, `ϕ`, `ϵ`) count as the
//! letter they are a variant of, because which of the two a keyboard or a PDF gives
//! is chance; subscript digits count as digits, so that `I₁` from our own output
//! reads back as `I1`.

use std::borrow::Cow;

/// The spelled-out form of a Greek letter: `θ` is `theta`, `Ω` is `Omega`.
pub(crate) fn greek(letter: char) -> Option<&'static str> {
    Some(match letter {
        'α' => "alpha",
        'β' | 'ϐ' => "beta",
        'γ' => "gamma",
        'δ' => "delta",
        'ε' | 'ϵ' => "epsilon",
        'ζ' => "zeta",
        'η' => "eta",
        'θ' | 'ϑ' => "theta",
        'ι' => "iota",
        'κ' | 'ϰ' => "kappa",
        'λ' => "lambda",
        'μ' | 'µ' => "mu",
        'ν' => "nu",
        'ξ' => "xi",
        'ο' => "omicron",
        'π' | 'ϖ' => "pi",
        'ρ' | 'ϱ' => "rho",
        'σ' | 'ς' => "sigma",
        'τ' => "tau",
        'υ' => "upsilon",
        'φ' | 'ϕ' => "phi",
        'χ' => "chi",
        'ψ' => "psi",
        'ω' => "omega",
        'Α' => "Alpha",
        'Β' => "Beta",
        'Γ' => "Gamma",
        'Δ' | '∆' => "Delta",
        'Ε' => "Epsilon",
        'Ζ' => "Zeta",
        'Η' => "Eta",
        'Θ' | 'ϴ' => "Theta",
        'Ι' => "Iota",
        'Κ' => "Kappa",
        'Λ' => "Lambda",
        'Μ' => "Mu",
        'Ν' => "Nu",
        'Ξ' => "Xi",
        'Ο' => "Omicron",
        'Π' => "Pi",
        'Ρ' => "Rho",
        'Σ' => "Sigma",
        'Τ' => "Tau",
        'Υ' => "Upsilon",
        'Φ' => "Phi",
        'Χ' => "Chi",
        'Ψ' => "Psi",
        'Ω' | '\u{2126}' => "Omega", // the second is the sign for ohm
        _ => return None,
    })
}

/// The digit that a subscript stands for.
pub(crate) fn subscript(c: char) -> Option<char> {
    ('₀'..='₉').contains(&c).then(|| shift(c, '₀', '0'))
}

/// The digit that a superscript stands for.
pub(crate) fn superscript(c: char) -> Option<char> {
    match c {
        '¹' => Some('1'),
        '²' => Some('2'),
        '³' => Some('3'),
        '⁰' | '⁴'..='⁹' => Some(shift(c, '⁰', '0')),
        _ => None,
    }
}

fn shift(c: char, from: char, to: char) -> char {
    char::from_u32(c as u32 - from as u32 + to as u32).unwrap_or(to)
}

/// Whether a name may begin with this character.
pub(crate) fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || greek(c).is_some()
}

/// Whether a name may go on with this character.
pub(crate) fn continues_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit() || subscript(c).is_some()
}

/// How many primes a mark after a name stands for; `None` if it is no such mark.
///
/// Apart from `'` there are typographic primes and apostrophes, and the dots
/// above of `q̇` and `q̈`, which are combining characters.
pub(crate) fn primes(c: char) -> Option<u32> {
    match c {
        '\'' | '′' | '’' | '\u{307}' => Some(1),
        '″' | '\u{308}' => Some(2),
        '‴' => Some(3),
        _ => None,
    }
}

/// A name with Greek letters spelled out and subscripts lowered: `θ₁` is `theta1`.
///
/// Formulas come out of the parser normalised; keys of the model file (`"θ" = …`)
/// are left as written, and whoever declares names from keys passes them through here.
pub fn normalize_name(name: &str) -> Cow<'_, str> {
    if name.chars().all(|c| greek(c).is_none() && subscript(c).is_none()) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match greek(c) {
            Some(spelled) => out.push_str(spelled),
            None => out.push(subscript(c).unwrap_or(c)),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greek_is_spelled_out() {
        for (name, expected) in [
            ("θ", "theta"),
            ("ϑ", "theta"),
            ("Ω", "Omega"),
            ("φ_dot2", "phi_dot2"),
            ("I₁₀", "I10"),
            ("wheel.R", "wheel.R"),
        ] {
            assert_eq!(normalize_name(name), expected);
        }
        assert!(matches!(normalize_name("theta"), Cow::Borrowed("theta")));
    }

    #[test]
    fn raised_and_lowered_digits() {
        let raised: String = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().filter_map(superscript).collect();
        let lowered: String = "₀₁₂₃₄₅₆₇₈₉".chars().filter_map(subscript).collect();
        assert_eq!((raised.as_str(), lowered.as_str()), ("0123456789", "0123456789"));
        assert_eq!(superscript('2'), None);
    }
}

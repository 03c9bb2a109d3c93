//! "Did you mean …?": the known name that is nearest to an unknown one.
//!
//! Nearness is the optimal string alignment distance (insertions, deletions,
//! replacements and swaps of neighbours cost 1 each), the restricted form of the
//! Damerau–Levenshtein distance in which no letter is touched twice.

/// The candidate that `name` was most probably meant to be, if any is near.
///
/// A third of the letters may differ, at least one; names of one letter are
/// matched only up to case, because any other letter would be as near. Ties go
/// to the candidate that differs least when case counts, then to the first. When none is
/// near, a longer name that begins alike will do: `coords` is taken for `coordinates`.
///
/// ```
/// use polhode_base::closest;
/// assert_eq!(closest("thta", ["phi", "theta", "psi"]), Some("theta"));
/// assert_eq!(closest("coords", ["constraints", "coordinates"]), Some("coordinates"));
/// assert_eq!(closest("omega", ["phi", "theta", "psi"]), None);
/// ```
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let exact: Vec<char> = name.chars().collect();
    let folded = fold(name);
    let mut best: Option<(usize, usize, &str)> = None;
    let mut longer: Option<&str> = None;
    for candidate in candidates {
        let other = fold(candidate);
        if longer.is_none() && abbreviates(&folded, &other) {
            longer = Some(candidate);
        }
        let allowed = allowed_distance(&folded, &other);
        if folded.len().abs_diff(other.len()) > allowed {
            continue;
        }
        let distance = distance(&folded, &other);
        if distance > allowed || candidate == name {
            continue;
        }
        let with_case = self::distance(&exact, &candidate.chars().collect::<Vec<_>>());
        if best.is_none_or(|(d, c, _)| (distance, with_case) < (d, c)) {
            best = Some((distance, with_case, candidate));
        }
    }
    best.map(|(_, _, candidate)| candidate).or(longer)
}

/// Does a name begin like a longer one, `coords` for `coordinates`? Four letters at least, and all
/// but the last one or two.
fn abbreviates(name: &[char], candidate: &[char]) -> bool {
    let common = name.iter().zip(candidate).take_while(|(a, b)| a == b).count();
    name.len() < candidate.len() && common >= 4 && common + 2 >= name.len()
}

fn fold(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// How far apart two names may be and still be taken for each other.
fn allowed_distance(name: &[char], candidate: &[char]) -> usize {
    match name.len().max(candidate.len()) {
        0 | 1 => 0,
        // `I3` for `I1` is a guess worth making, `r2` for `I2` is not
        2 => usize::from(name.first() == candidate.first()),
        longest => (longest / 3).max(1),
    }
}

/// The optimal string alignment distance of two words.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before_last: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; width];
        for j in 1..width {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(word: &str) -> Vec<char> {
        word.chars().collect()
    }

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("", "", 0),
            ("theta", "thta", 1),
            ("theta", "tehta", 1),
            ("theta", "Theta", 1),
            ("kinetic", "kinectic", 1),
            ("abc", "", 3),
            ("φ", "ψ", 1),
        ] {
            assert_eq!(distance(&letters(a), &letters(b)), expected, "{a} {b}");
            assert_eq!(distance(&letters(b), &letters(a)), expected, "{b} {a}");
        }
    }

    #[test]
    fn short_names_are_not_guessed() {
        assert_eq!(closest("J", ["m", "r", "x"]), None);
        assert_eq!(closest("J", ["m", "j"]), Some("j"));
        assert_eq!(closest("I2", ["r2", "I1"]), Some("I1"));
        assert_eq!(closest("", ["a"]), None);
    }

    #[test]
    fn ties_go_to_the_matching_case() {
        assert_eq!(closest("omga", ["Omega", "omega"]), Some("omega"));
        assert_eq!(closest("Omga", ["omega", "Omega"]), Some("Omega"));
        assert_eq!(closest("OMEGA", ["omega", "Omega"]), Some("Omega"));
    }

    #[test]
    fn words() {
        let known = ["parameters", "coordinates", "define", "lagrangian", "constraints"];
        assert_eq!(closest("cordinates", known), Some("coordinates"));
        assert_eq!(closest("constraint", known), Some("constraints"));
        assert_eq!(closest("colour", known), None);
    }
}

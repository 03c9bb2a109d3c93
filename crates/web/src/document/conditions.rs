//! What parameters have to satisfy so that there can be bodies with them, in a form that a page can evaluate.
//!
//! A symmetric matrix J has no negative eigenvalue exactly if its characteristic polynomial λ³ − e₁λ² + e₂λ − e₃ has no negative eₖ. For an
//! inertia I with principal moments I₁, I₂, I₃
//!
//! ```text
//! J = ½ tr(I) 1 − I   has the eigenvalues   ½ (I₂ + I₃ − I₁), ½ (I₃ + I₁ − I₂), ½ (I₁ + I₂ − I₃),
//! ```
//!
//! so that e₁, e₂, e₃ ≥ 0 says that each moment lies between 0 and the sum of the other two. A mass is a matrix of one entry: e₁ = m, e₂ = e₃ = 0.
//! A condition is a function of (two numbers that do not matter, parameters) with these three outputs: the shape that functions of a page have.
//!
//! Not here: signs with which the equations were derived; the page has those with its parameters.

use polhode::expr::{Expr, Graph, Symbol};
use polhode::lower::{NotLowered, lower_functions};
use polhode::model::{Body, Model};
use polhode::tape::Tape;

/// Rounding errors of eₖ, as a part of e₁ᵏ.
const SLACK: f64 = 1e-9;

/// What is said where a condition does not hold, and its function.
pub(super) type Condition = (String, Tape);

/// The conditions of a model that depend on its parameters and hold at their values; what is idealised from the start is not held against others.
pub(super) fn of(model: &Model, parameters: &[String]) -> Result<Vec<Condition>, NotLowered> {
    let mut graph = model.graph.clone();
    let mut inputs: Vec<Symbol> = ["condition.u", "condition.v"].map(|name| graph.symbol(name)).to_vec();
    inputs.extend(parameters.iter().map(|name| graph.symbol(name)));
    let values = model.parameter_values().unwrap_or_default();
    let mut out = Vec::new();
    for body in &model.bodies {
        for (text, coefficients) in conditions(&mut graph, body) {
            let now = coefficients.map(|e| graph.evaluate_f64(e, &values).unwrap_or(f64::NAN));
            if !graph.free_symbols(&coefficients).is_empty() && holds(now) {
                out.push((text, lower_functions(&graph, &inputs, &coefficients)?));
            }
        }
    }
    Ok(out)
}

/// Whether e₁, e₂, e₃ are not negative.
fn holds([a, b, c]: [f64; 3]) -> bool {
    a >= 0.0 && b >= -SLACK * a * a && c >= -SLACK * a * a * a
}

/// The conditions of a body, as (e₁, e₂, e₃).
fn conditions(g: &mut Graph, body: &Body) -> Vec<(String, [Expr; 3])> {
    let name = &body.name;
    let zero = g.zero();
    let mass = (format!("the mass of `{name}` is negative"), [body.mass, zero, zero]);
    let inertia = body.inertia.as_ref().and_then(|i| <[Expr; 9]>::try_from(i.as_slice()).ok());
    let moments = inertia.map(|i| {
        let text = format!(
            "no body has the inertia of `{name}`: each of its principal moments lies between 0 and the sum of the other two"
        );
        (text, coefficients(g, i))
    });
    std::iter::once(mass).chain(moments).collect()
}

/// e₁, e₂, e₃ of ½ tr(I) 1 − I, for a symmetric I given by rows.
fn coefficients(g: &mut Graph, i: [Expr; 9]) -> [Expr; 3] {
    let two = g.int(2);
    let trace = g.sum([i[0], i[4], i[8]]);
    let half = g.div(trace, two);
    let [a, b, c] = [i[0], i[4], i[8]].map(|moment| g.sub(half, moment));
    // the entries beside the diagonal have the other sign, which matters in none of the products but the last
    let [d, e, f] = [i[5], i[2], i[1]];
    let [dd, ee, ff] = [d, e, f].map(|x| g.mul(x, x));
    let minors = [(b, c, dd), (c, a, ee), (a, b, ff)].map(|(x, y, zz)| {
        let product = g.mul(x, y);
        g.sub(product, zz)
    });
    let second = g.sum(minors);
    let parts = [g.product([a, b, c]), g.product([a, dd]), g.product([b, ee]), g.product([c, ff])];
    let mixed = g.product([two, d, e, f]);
    let taken = g.sum([parts[1], parts[2], parts[3], mixed]);
    [half, second, g.sub(parts[0], taken)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Wish, prepare};

    /// e₁, e₂, e₃ of an inertia of numbers.
    fn of_numbers(i: [i64; 9]) -> [f64; 3] {
        let mut g = Graph::new();
        let entries = i.map(|x| g.int(x));
        coefficients(&mut g, entries).map(|e| g.evaluate_f64(e, &Default::default()).unwrap())
    }

    #[test]
    fn coefficients_tell_possible_from_impossible() {
        // twice J is diag(4, 2, 0) for diag(1, 2, 3): a plate
        assert_eq!(of_numbers([1, 0, 0, 0, 2, 0, 0, 0, 3]), [3.0, 2.0, 0.0]);
        assert!(holds(of_numbers([1, 0, 0, 0, 2, 0, 0, 0, 3])));
        assert!(!holds(of_numbers([1, 0, 0, 0, 2, 0, 0, 0, 4])));
        assert!(!holds(of_numbers([-1, 0, 0, 0, 2, 0, 0, 0, 2])));
        // eigenvalues 2 ± 1 and x: possible for 2 ≤ x ≤ 4, and with the other sign of the entry beside the diagonal
        for (sign, x, possible) in [(1, 2, true), (-1, 4, true), (1, 5, false), (-1, 1, false)] {
            assert_eq!(holds(of_numbers([2, sign, 0, sign, 2, 0, 0, 0, x])), possible, "{sign} {x}");
        }
        // three entries beside the diagonal: 3 + 2 k and 3 − k twice, possible for −3/2 ≤ k ≤ 3/4
        for (k, possible) in [(-1, true), (0, true), (1, false)] {
            assert_eq!(holds(of_numbers([3, k, k, k, 3, k, k, k, 3])), possible, "{k}");
        }
    }

    #[test]
    fn only_what_parameters_can_break_is_asked() {
        let texts = |name: &str| -> Vec<String> {
            let wish = Wish::new(&format!("{name}.toml"), polhode::builtin::find(name).unwrap().text);
            let model = prepare(&wish).unwrap().model;
            let names: Vec<String> = model.parameters.iter().map(|p| model.graph.name(p.symbol).to_owned()).collect();
            of(&model, &names).unwrap().into_iter().map(|(text, _)| text).collect()
        };
        let bicycle = texts("bicycle");
        assert!(bicycle.iter().any(|t| t.starts_with("the mass of")), "{bicycle:?}");
        assert!(bicycle.iter().any(|t| t.starts_with("no body has the inertia of")), "{bicycle:?}");
        // its bodies are numbers
        assert_eq!(texts("rattleback"), Vec::<String>::new());
    }
}

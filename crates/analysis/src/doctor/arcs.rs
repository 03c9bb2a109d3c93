//! Logarithms and arcs: the part of a primitive that is no quotient.
//!
//! A factor f = a v² + b v + c that is irreducible has besides its logarithm one *arc*. With Δ = b² − 4ac = ∓d z², d a number,
//!
//! ```text
//! (1/√d) atan2(2av + b, √d z),     (1/√d) log((2av + b − √d z)/(2av + b + √d z))/2                   (1)
//!     both with the derivative (z dy − y dz)/(y² ± d z²),   y = 2av + b.
//! ```
//!
//! v is a coordinate, or tan(α/2) = sin α/(1 + cos α) for an angle. Roots √(a v² + b v + c) have arc sines and the like.

use super::ansatz::{StandIn, gradient};
use super::primitive::{Atom, Shape};
use polhode_expr::number::{Rational, as_i64, ratio};
use polhode_expr::{Expr, Graph, Node, Symbol};
use polhode_poly::{Poly, factor, gcd};
use rustc_hash::FxHashMap;

impl Shape<'_> {
    /// log f, and those of 1 ± cos and 1 ± sin for the angles in f: sin² = (1 − cos)(1 + cos).
    pub(super) fn logarithms(&self, graph: &mut Graph, f: &Poly, arcs: &mut Vec<StandIn>) {
        let e = self.ring.expand_to_expr(graph, f);
        let mut inside = vec![positive(graph, e)];
        for (s, c) in self.ring.angles() {
            if f.degree(s) == 0 && f.degree(c) == 0 {
                continue;
            }
            for v in [s, c] {
                let (one, x) = (graph.one(), self.ring.atoms()[v]);
                inside.extend([graph.add(one, x), graph.sub(one, x)]);
            }
        }
        for e in inside {
            let meaning = graph.log(e);
            let gradient = gradient(graph, self.search.forms, meaning);
            self.push(graph, meaning, gradient, arcs);
        }
    }

    fn push(&self, graph: &mut Graph, meaning: Expr, gradient: Vec<Expr>, arcs: &mut Vec<StandIn>) {
        if arcs.iter().all(|a| a.meaning != meaning) {
            let symbol = graph.symbol(&format!("#arc {}", meaning.index()));
            arcs.push(StandIn { symbol, meaning, gradient });
        }
    }

    /// (1) for y, z and the number ±d.
    fn arc(&self, graph: &mut Graph, y: Expr, z: Expr, d: i64, arcs: &mut Vec<StandIn>) {
        let size = graph.int(d.abs());
        let root = graph.sqrt(size);
        let wide = graph.mul(root, z);
        let plain = if d > 0 {
            graph.atan2(y, wide)
        } else {
            let (over, under) = (graph.sub(y, wide), graph.add(y, wide));
            let quotient = graph.div(over, under);
            let log = graph.log(quotient);
            graph.scale(log, &ratio(1, 2))
        };
        let meaning = graph.div(plain, root);
        let (dy, dz) = (gradient(graph, self.search.forms, y), gradient(graph, self.search.forms, z));
        let d = graph.int(d);
        let (yy, zz) = (graph.powi(y, 2), graph.powi(z, 2));
        let zz = graph.mul(d, zz);
        let under = graph.add(yy, zz);
        let slopes = dy
            .into_iter()
            .zip(dz)
            .map(|(dy, dz)| {
                let (a, b) = (graph.mul(z, dy), graph.mul(y, dz));
                let over = graph.sub(a, b);
                graph.div(over, under)
            })
            .collect();
        self.push(graph, meaning, slopes, arcs);
    }

    /// The arcs of a factor that is quadratic in a coordinate.
    pub(super) fn quadratic_arcs(&self, graph: &mut Graph, f: &Poly, arcs: &mut Vec<StandIn>) {
        for v in 0..self.ring.atoms().len() {
            if f.degree(v) != 2 || self.atom(graph, v) != Atom::Coordinate {
                continue;
            }
            let [c, b, a] = &f.coefficients_in(v)[..] else { continue };
            let Some((d, z)) = discriminant(a, b, c) else { continue };
            if d == -1 {
                continue; // it would have been split
            }
            let Ok(ax) = a.add(a).mul(&Poly::variable(v)) else { continue };
            let (y, z) = without_common(&ax.add(b), &z);
            let (y, z) = (self.expression(graph, &y), self.expression(graph, &z));
            self.arc(graph, y, z, d, arcs);
        }
    }

    /// The arcs of A + B cos α + C sin α = ((A − B) t² + 2C t + A + B)/(1 + t²), t = tan(α/2).
    pub(super) fn half_angle_arcs(&self, graph: &mut Graph, f: &Poly, arcs: &mut Vec<StandIn>) {
        for (s, c) in self.ring.angles() {
            if f.degree(s) > 1 || f.degree(c) > 1 || f.degree(s) + f.degree(c) == 0 {
                continue;
            }
            let zero = Poly::zero();
            let by_sine = f.coefficients_in(s);
            let plain = by_sine.first().unwrap_or(&zero).coefficients_in(c);
            let sine = by_sine.get(1).unwrap_or(&zero);
            if sine.degree(c) > 0 {
                continue;
            }
            let (constant, cosine) = (plain.first().unwrap_or(&zero), plain.get(1).unwrap_or(&zero));
            let (a, last) = (constant.sub(cosine), constant.add(cosine));
            let twice = sine.add(sine);
            let Some((d, z)) = discriminant(&a, &twice, &last) else { continue };
            let under = Poly::one().add(&Poly::variable(c));
            let (first, second) = (a.add(&a).mul(&Poly::variable(s)), twice.mul(&under));
            let (Ok(first), Ok(second), Ok(z)) = (first, second, z.mul(&under)) else { continue };
            let (y, z) = without_common(&first.add(&second), &z);
            let (y, z) = (self.expression(graph, &y), self.expression(graph, &z));
            self.arc(graph, y, z, d, arcs);
        }
    }

    /// ∫ dv/w for w = √(a v² + b v + c): an arc sine, or log(2av + b + 2√a w), for a = ±r². ∫ dv/(v w): an arc of w, or
    /// log(w + r), for c = ±r². r is a whole number.
    pub(super) fn root_arcs(&mut self, graph: &mut Graph, arcs: &mut Vec<StandIn>) {
        for w in self.ring.atoms().to_vec() {
            let Node::Product { factors, .. } = graph.node(w).clone() else { continue };
            let [(base, _)] = &factors[..] else { continue };
            let Ok(fraction) = self.ring.fraction(graph, *base) else { continue };
            let p = fraction.numerator().clone();
            for v in 0..self.ring.atoms().len() {
                if p.degree(v) != 2 || self.atom(graph, v) != Atom::Coordinate {
                    continue;
                }
                let [c, b, a] = &p.coefficients_in(v)[..] else { continue };
                if let Some((c, root)) = square(c) {
                    let root = graph.int(root);
                    let meaning = if c < 0 {
                        graph.atan2(w, root)
                    } else {
                        let sum = graph.add(w, root);
                        graph.log(sum)
                    };
                    let slopes = gradient(graph, self.search.forms, meaning);
                    self.push(graph, meaning, slopes, arcs);
                }
                let Some((a, root)) = square(a) else { continue };
                let b = self.expression(graph, b);
                let y = graph.linear([(self.ring.atoms()[v], Rational::from(2 * a)), (b, Rational::from(1))]);
                let wide = graph.scale(w, &Rational::from(2 * root));
                let meaning = if a < 0 {
                    graph.atan2(y, wide)
                } else {
                    let sum = graph.add(y, wide);
                    graph.log(sum)
                };
                let slopes = gradient(graph, self.search.forms, meaning);
                self.push(graph, meaning, slopes, arcs);
            }
        }
    }

    fn expression(&self, graph: &mut Graph, p: &Poly) -> Expr {
        self.ring.expand_to_expr(graph, p)
    }
}

/// (±d, z) with b² − 4ac = ∓d z², d a whole number without squares.
fn discriminant(a: &Poly, b: &Poly, c: &Poly) -> Option<(i64, Poly)> {
    let four = Poly::constant(4.into());
    let value = b.mul(b).ok()?.sub(&four.mul(a).ok()?.mul(c).ok()?);
    let split = factor(&value);
    let content = as_i64(&Rational::from(split.content))?;
    let (mut d, mut z) = (content.abs(), 1i64);
    for k in 2..1000 {
        while d % (k * k) == 0 {
            (d, z) = (d / (k * k), z * k);
        }
    }
    let mut root = Poly::constant(z.into());
    for (f, n) in split.factors {
        root = root.mul(&f.pow((n % 2 == 0).then_some(n / 2)?).ok()?).ok()?;
    }
    (d != 0).then_some((if content < 0 { d } else { -d }, root))
}

/// A whole number ±r² with r > 0.
fn square(p: &Poly) -> Option<(i64, i64)> {
    let a = p.as_constant().and_then(|a| as_i64(&Rational::from(a)))?;
    let root = (a.abs() as f64).sqrt().round() as i64;
    (root > 0 && root.checked_mul(root) == Some(a.abs())).then_some((a, root))
}

/// Both divided by what they share: their quotient is what counts.
fn without_common(y: &Poly, z: &Poly) -> (Poly, Poly) {
    let common = gcd(y, z);
    let over = |p: &Poly| p.div_exact(&common).unwrap_or_else(|| p.clone());
    (over(y), over(z))
}

/// A function or its negative: the one that is positive where all symbols are small and positive.
fn positive(graph: &mut Graph, e: Expr) -> Expr {
    let symbols = graph.free_symbols(&[e]);
    let values: FxHashMap<Symbol, f64> = symbols.iter().enumerate().map(|(i, s)| (*s, 0.5 + 0.1 * i as f64)).collect();
    match graph.evaluate_f64(e, &values) {
        Ok(x) if x < 0.0 => graph.neg(e),
        _ => e,
    }
}

//! What a state vector consists of.
//!
//! ```text
//! y = ( positions,  unknowns of the form,  works )
//! ```
//!
//! A rotation matrix is kept as the unit quaternion q = (w, x, y, z) that turns body into world,
//!
//! ```text
//! R(q) = 1 + 2 w [u]ₓ + 2 [u]ₓ²,  u = (x, y, z),       q̇ = ½ q ∘ (0, Ω),              (Q)
//! ```
//!
//! a direction as its three components; both are unit vectors, made unit again after every
//! step, so that rotations stay rotations for all times. Everything else is a number. *Works* are
//! the time integrals of the powers in the energy balance.

use crate::expression::Lowering;
use polhode_expr::{Graph, Symbol};
use polhode_model::{Configuration, Rotation};
use polhode_tape::dense::norm;
use polhode_tape::{Builder, Scalar, Value};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// How positions are kept in a state vector.
#[derive(Clone, Debug)]
pub enum Place {
    /// One component for a position symbol.
    Plain {
        /// The symbol.
        symbol: Symbol,
        /// Where.
        at: usize,
    },
    /// Four components for a rotation matrix.
    Rotation {
        /// The entries of the matrix, row by row.
        matrix: [Symbol; 9],
        /// The angular velocity in body axes.
        omega: [Symbol; 3],
        /// Where the quaternion begins.
        at: usize,
    },
    /// Three components for a direction.
    Direction {
        /// The components.
        vector: [Symbol; 3],
        /// Where.
        at: usize,
    },
}

/// The positions of a configuration space as places in a state vector.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    /// In the order of the factors.
    pub places: Vec<Place>,
    /// How many components they have together.
    pub len: usize,
}

impl Positions {
    /// The places for a configuration space.
    pub fn of(configuration: &Configuration) -> Positions {
        let mut p = Positions::default();
        for f in configuration.factors() {
            if let Some(rotation) = f.rotation() {
                p.rotation(rotation);
            }
            if let Some(vector) = f.direction() {
                p.direction(vector);
            }
            f.untied().iter().for_each(|s| p.plain(*s));
        }
        p
    }

    /// The places for some positions only: of a rotation of which one row is enough, Rᵀe_i, that direction.
    pub(crate) fn keeping(configuration: &Configuration, kept: &FxHashSet<Symbol>) -> Positions {
        let mut p = Positions::default();
        for place in Positions::of(configuration).places {
            match place {
                Place::Plain { symbol, .. } if kept.contains(&symbol) => p.plain(symbol),
                Place::Direction { vector, .. } if vector.iter().any(|s| kept.contains(s)) => p.direction(vector),
                Place::Rotation { matrix, omega, .. } => {
                    let rows: Vec<&[Symbol]> =
                        matrix.chunks(3).filter(|row| row.iter().any(|s| kept.contains(s))).collect();
                    match rows[..] {
                        [] => {}
                        [row] => p.direction([row[0], row[1], row[2]]),
                        _ => {
                            p.places.push(Place::Rotation { matrix, omega, at: p.len });
                            p.len += 4;
                        }
                    }
                }
                Place::Plain { .. } | Place::Direction { .. } => {}
            }
        }
        p
    }

    fn direction(&mut self, vector: [Symbol; 3]) {
        self.places.push(Place::Direction { vector, at: self.len });
        self.len += 3;
    }

    fn plain(&mut self, symbol: Symbol) {
        self.places.push(Place::Plain { symbol, at: self.len });
        self.len += 1;
    }

    fn rotation(&mut self, of: &Rotation) {
        self.places.push(Place::Rotation { matrix: of.matrix, omega: of.omega, at: self.len });
        self.len += 4;
    }

    /// The component of a position that is a number.
    pub fn place_of(&self, symbol: Symbol) -> Option<usize> {
        self.places.iter().find_map(|p| match p {
            Place::Plain { symbol: s, at } if *s == symbol => Some(*at),
            _ => None,
        })
    }

    /// The components that are unit vectors.
    pub fn units(&self) -> Vec<Range<usize>> {
        (self.places.iter())
            .filter_map(|p| match p {
                Place::Plain { .. } => None,
                Place::Rotation { at, .. } => Some(*at..*at + 4),
                Place::Direction { at, .. } => Some(*at..*at + 3),
            })
            .collect()
    }

    /// The names of the components.
    pub(crate) fn names(&self, graph: &Graph) -> Vec<String> {
        let name = |s: &Symbol| graph.name(*s).to_string();
        let mut names = Vec::with_capacity(self.len);
        for p in &self.places {
            match p {
                Place::Plain { symbol, .. } => names.push(name(symbol)),
                Place::Rotation { matrix, .. } => {
                    let stem = name(&matrix[0]);
                    let stem = stem.split('[').next().unwrap_or_default().to_string();
                    names.extend(["w", "x", "y", "z"].map(|c| format!("{stem}.quat.{c}")));
                }
                Place::Direction { vector, .. } => names.extend(vector.iter().map(name)),
            }
        }
        names
    }

    /// Declares the components as inputs and says what the position symbols are in terms of them.
    pub(crate) fn declare(&self, graph: &Graph, lowering: &mut Lowering<'_>) -> Vec<Value> {
        let values: Vec<Value> = self.names(graph).into_iter().map(|n| lowering.builder.input(n)).collect();
        self.bind(lowering, &values);
        values
    }

    /// Says what the position symbols are in terms of components.
    pub(crate) fn bind(&self, lowering: &mut Lowering<'_>, values: &[Value]) {
        for p in &self.places {
            match p {
                Place::Plain { symbol, at } => lowering.bind(*symbol, values[*at]),
                Place::Rotation { matrix, at, .. } => {
                    let q = [values[*at], values[at + 1], values[at + 2], values[at + 3]];
                    let r = rotation_matrix(&mut lowering.builder, q);
                    matrix.iter().zip(r).for_each(|(s, v)| lowering.bind(*s, v));
                }
                Place::Direction { vector, at } => {
                    vector.iter().enumerate().for_each(|(i, s)| lowering.bind(*s, values[at + i]));
                }
            }
        }
    }

    /// The components that belong to values of the position symbols. Of the two quaternions of a
    /// rotation the one whose largest component is positive is taken.
    pub fn components<S: Scalar>(&self, value: impl Fn(Symbol) -> S) -> Vec<S> {
        let mut out = Vec::with_capacity(self.len);
        for p in &self.places {
            match p {
                Place::Plain { symbol, .. } => out.push(value(*symbol)),
                Place::Rotation { matrix, .. } => out.extend(quaternion(matrix.map(&value))),
                Place::Direction { vector, .. } => out.extend(vector.map(&value)),
            }
        }
        out
    }
}

/// R(q) of (Q), row by row.
fn rotation_matrix(b: &mut Builder, [w, x, y, z]: [Value; 4]) -> [Value; 9] {
    // three doubled components serve all nine products
    let (x2, y2, z2) = (b.scale(x, 2.0), b.scale(y, 2.0), b.scale(z, 2.0));
    let (xx, yy, zz) = (b.mul(x, x2), b.mul(y, y2), b.mul(z, z2));
    let (xy, xz, yz) = (b.mul(x, y2), b.mul(x, z2), b.mul(y, z2));
    let (wx, wy, wz) = (b.mul(w, x2), b.mul(w, y2), b.mul(w, z2));
    let one = b.constant(1.0);
    let mut diagonal = |p: Value, q: Value| {
        let sum = b.add(p, q);
        b.sub(one, sum)
    };
    let (d1, d2, d3) = (diagonal(yy, zz), diagonal(xx, zz), diagonal(xx, yy));
    [d1, b.sub(xy, wz), b.add(xz, wy), b.add(xy, wz), d2, b.sub(yz, wx), b.sub(xz, wy), b.add(yz, wx), d3]
}

/// ½ q ∘ (0, Ω).
pub(crate) fn quaternion_rate(b: &mut Builder, [w, x, y, z]: [Value; 4], [p, q, r]: [Value; 3]) -> [Value; 4] {
    // each row: Σ ± component · Ω
    let rows = [
        [(x, p, -1.0), (y, q, -1.0), (z, r, -1.0)],
        [(w, p, 1.0), (y, r, 1.0), (z, q, -1.0)],
        [(w, q, 1.0), (z, p, 1.0), (x, r, -1.0)],
        [(w, r, 1.0), (x, q, 1.0), (y, p, -1.0)],
    ];
    rows.map(|row| {
        let mut sum = b.constant(0.0);
        for (a, c, sign) in row {
            let term = b.mul(a, c);
            sum = if sign > 0.0 { b.add(sum, term) } else { b.sub(sum, term) };
        }
        b.scale(sum, 0.5)
    })
}

/// The unit quaternion of a rotation matrix, from its largest component [Shepperd1978].
fn quaternion<S: Scalar>(r: [S; 9]) -> [S; 4] {
    let (one, half) = (S::from_f64(1.0), S::from_f64(0.5));
    let trace = r[0] + r[4] + r[8];
    // 4 qᵢ² − 1 for the four components
    let sizes = [trace, r[0] + r[0] - trace, r[4] + r[4] - trace, r[8] + r[8] - trace];
    let largest = (0..4).fold(0, |best, i| if sizes[i] > sizes[best] { i } else { best });
    let root = (one + sizes[largest]).sqrt();
    let rest = half / root;
    let (a, b, c) = (r[7] - r[5], r[2] - r[6], r[3] - r[1]); // 4 w (x, y, z)
    let (p, q, s) = (r[1] + r[3], r[2] + r[6], r[5] + r[7]); // 4 (xy, xz, yz)
    let mut out = match largest {
        0 => [half * root, a * rest, b * rest, c * rest],
        1 => [a * rest, half * root, p * rest, q * rest],
        2 => [b * rest, p * rest, half * root, s * rest],
        _ => [c * rest, q * rest, s * rest, half * root],
    };
    let norm = norm(&out);
    out.iter_mut().for_each(|x| *x = *x / norm);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_tape::{Dd, Interpreter, passes};

    /// R(q) by the tape.
    fn matrix(q: [f64; 4]) -> [Dd; 9] {
        let mut b = Builder::new();
        let inputs = ["w", "x", "y", "z"].map(|n| b.input(n));
        for (i, v) in rotation_matrix(&mut b, inputs).into_iter().enumerate() {
            b.output(format!("r{i}"), v);
        }
        let mut out = [Dd::ZERO; 9];
        Interpreter::new(&passes::finish(b)).call(&q.map(Dd::from), &mut out);
        out
    }

    #[test]
    fn quaternions_and_matrices_belong_together() {
        for q in [[0.5, 0.5, -0.5, 0.5], [0.0, 0.6, 0.0, 0.8], [0.8, 0.0, 0.0, -0.6], [0.1, 0.1, -0.7, 0.7]] {
            let back = quaternion(matrix(q));
            let dot = back.iter().zip(q).fold(0.0, |s, (a, b)| s + a.to_f64() * b);
            assert!((dot.abs() - 1.0).abs() < 1e-15, "{q:?} → {back:?}");
        }
    }

    #[test]
    fn a_turn_about_the_third_axis() {
        let (s, c) = (0.6, 0.8); // half angle
        let r = matrix([c, 0.0, 0.0, s]).map(Scalar::to_f64);
        let (sin, cos) = (2.0 * s * c, c * c - s * s);
        for (a, b) in r.iter().zip([cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0]) {
            assert!((a - b).abs() < 1e-15);
        }
    }
}

//! From positions and velocities to a state: components of the positions, unknowns of the form, zeros.

use super::memory::Layout;
use super::{Parts, Place};
use crate::assembler::{Code, Function, Integer, Real, Var, Writer, load, operands};

/// `enter()`: `unknowns` puts them where they belong in the state.
pub(super) fn enter(w: &mut Writer, parts: &Parts<'_>, layout: &Layout, unknowns: Function) -> Function {
    let Layout { sizes, at } = *layout;
    w.function(&[], |c, ()| {
        let mut to = at.state;
        for place in parts.places {
            match place {
                Place::Copy { from } => c.store(0, to, load(0, at.positions + 8 * *from as u32)),
                Place::Quaternion { from } => {
                    let matrix = from.map(|i| at.positions + 8 * i as u32);
                    quaternion(c, matrix.map(|at| load(0, at)), to);
                }
            }
            to += 8 * place.components() as u32;
        }
        c.run(unknowns, operands![]);
        let rest = sizes.state - parts.components() - parts.entry.outputs.len();
        let first = at.entry + 8 * parts.entry.outputs.len() as u32;
        c.components(rest, |c, i| c.store(i, first, 0.0));
    })
}

/// The unit quaternion of a rotation matrix, from its largest component \[Shepperd1978\]; of two the one whose largest
/// component is positive.
fn quaternion(c: &mut Code, matrix: [crate::assembler::X<f64>; 9], to: u32) {
    let r = matrix.map(|x| c.name(x));
    let trace = c.name(r[0] + r[4] + r[8]);
    // 4 qᵢ² − 1 for the four components
    let sizes = [c.name(trace), c.name(r[0] + r[0] - trace), c.name(r[4] + r[4] - trace), c.name(r[8] + r[8] - trace)];
    let [a, b, d] = [c.name(r[7] - r[5]), c.name(r[2] - r[6]), c.name(r[3] - r[1])]; // 4 w (x, y, z)
    let [p, q, s] = [c.name(r[1] + r[3]), c.name(r[2] + r[6]), c.name(r[5] + r[7])]; // 4 (xy, xz, yz)
    let rows: [[Option<Var<f64>>; 4]; 4] = [
        [None, Some(a), Some(b), Some(d)],
        [Some(a), None, Some(p), Some(q)],
        [Some(b), Some(p), None, Some(s)],
        [Some(d), Some(q), Some(s), None],
    ];
    let (best, largest) = (c.name(trace), c.name(0));
    for (i, size) in sizes.iter().enumerate().skip(1) {
        c.when(size.gt(best), |c| {
            c.set(best, *size);
            c.set(largest, i as i32);
        });
    }
    let root = c.name((1.0 + best).sqrt());
    let rest = c.name(0.5 / root);
    let out: [Var<f64>; 4] = std::array::from_fn(|_| c.local());
    for (i, row) in rows.iter().enumerate() {
        c.when(largest.is(i as i32), |c| {
            for (out, entry) in out.iter().zip(row) {
                match entry {
                    Some(entry) => c.set(*out, *entry * rest),
                    None => c.set(*out, 0.5 * root),
                }
            }
        });
    }
    let norm = c.name((out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]).sqrt());
    for (i, x) in out.iter().enumerate() {
        c.store(0, to + 8 * i as u32, *x / norm);
    }
}

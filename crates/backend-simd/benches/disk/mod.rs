//! The rolling disk by hand: a right-hand side of ordinary size.
//!
//! With θ the angle of the axis against the vertical, φ the heading, ψ the roll, (x, y) the contact
//! point, ω = ψ′ + φ′ cos θ the spin, J₁ = I₁ + M r² and J₃ = I₃ + M r²:
//!
//! ```text
//! J₁ θ″ = φ′ sin θ (I₁ φ′ cos θ − J₃ ω) − M g r cos θ
//! I₁ sin θ φ″ = θ′ (I₃ ω − 2 I₁ φ′ cos θ)
//! J₃ ω′ = M r² θ′ φ′ sin θ
//! x′ = −r ψ′ cos φ,   y′ = −r ψ′ sin φ
//! ```

use polhode_tape::{Builder, Op, Tape, passes};

pub(crate) const INPUTS: [&str; 13] =
    ["theta", "phi", "psi", "x", "y", "theta'", "phi'", "psi'", "M", "r", "g", "I1", "I3"];

/// Thirteen inputs, the derivatives of the first eight as outputs.
pub(crate) fn disk() -> Tape {
    let mut b = Builder::new();
    let [theta, phi, _, _, _, u, v, w, mass, r, g, i1, i3] = INPUTS.map(|name| b.input(name));
    let [s, c] = [b.emit(Op::Sin(theta)), b.emit(Op::Cos(theta))];
    let [sin_phi, cos_phi] = [b.emit(Op::Sin(phi)), b.emit(Op::Cos(phi))];

    let mr = b.mul(mass, r);
    let mrr = b.mul(mr, r);
    let [j1, j3] = [b.add(i1, mrr), b.add(i3, mrr)];
    let vc = b.mul(v, c);
    let spin = b.add(w, vc);
    let vs = b.mul(v, s);
    let i1_vc = b.mul(i1, vc);

    let j3_spin = b.mul(j3, spin);
    let torque = b.sub(i1_vc, j3_spin);
    let torque = b.mul(vs, torque);
    let weight = b.mul(mr, g);
    let weight = b.mul(weight, c);
    let force = b.sub(torque, weight);
    let du = b.div(force, j1);

    let i3_spin = b.mul(i3, spin);
    let twice = b.add(i1_vc, i1_vc);
    let force = b.sub(i3_spin, twice);
    let force = b.mul(u, force);
    let i1_s = b.mul(i1, s);
    let dv = b.div(force, i1_s);

    let u_vs = b.mul(u, vs);
    let force = b.mul(mrr, u_vs);
    let dspin = b.div(force, j3);
    // (φ′ cos θ)′ = φ″ cos θ − θ′ φ′ sin θ
    let turn = b.mul(dv, c);
    let turn = b.sub(turn, u_vs);
    let dw = b.sub(dspin, turn);

    let rw = b.mul(r, w);
    let [dx, dy] = [b.mul(rw, cos_phi), b.mul(rw, sin_phi)];
    let [dx, dy] = [b.neg(dx), b.neg(dy)];

    for (name, value) in INPUTS.iter().zip([u, v, w, dx, dy, du, dv, dw]) {
        b.output(format!("({name})'"), value);
    }
    passes::finish(b)
}

//! Motions to integrate, as tapes.

use polhode_integrate::KernelField;
use polhode_tape::{Builder, Interpreter, Op, Tape, Value, passes};

/// A field in doubles.
pub(crate) type Field = KernelField<Interpreter<f64>>;

/// The field of a tape.
pub(crate) fn field(tape: &Tape) -> Field {
    KernelField::new(Interpreter::new(tape))
}

/// A tape with inputs t and the named ones, from a function that writes its outputs.
pub(crate) fn tape(inputs: &[&str], write: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>) -> Tape {
    let mut b = Builder::new();
    let inputs: Vec<Value> = inputs.iter().map(|name| b.input(*name)).collect();
    let outputs = write(&mut b, &inputs);
    for (k, value) in outputs.into_iter().enumerate() {
        b.output(format!("out{k}"), value);
    }
    passes::finish(b)
}

/// q̈ = −sin q.
pub(crate) fn pendulum() -> Tape {
    tape(&["t", "q", "v"], |b, x| {
        let sin = b.emit(Op::Sin(x[1]));
        vec![x[2], b.neg(sin)]
    })
}

/// ½v² − cos q.
pub(crate) fn pendulum_energy(y: &[f64]) -> f64 {
    0.5 * y[1] * y[1] - y[0].cos()
}

/// q̈ = −q/|q|³ in the plane.
pub(crate) fn kepler() -> Tape {
    tape(&["t", "x", "y", "u", "v"], |b, x| {
        let (xx, yy) = (b.mul(x[1], x[1]), b.mul(x[2], x[2]));
        let square = b.add(xx, yy);
        let r = b.emit(Op::Sqrt(square));
        let cube = b.mul(square, r);
        let (p, q) = (b.div(x[1], cube), b.div(x[2], cube));
        vec![x[3], x[4], b.neg(p), b.neg(q)]
    })
}

/// The ellipse with axis 1 and excentricity e, at its pericentre at t = 0: by Kepler's equation
/// t = E − e sin E.
pub(crate) fn ellipse(e: f64, t: f64) -> [f64; 4] {
    let mut anomaly = t;
    for _ in 0..50 {
        anomaly -= (anomaly - e * anomaly.sin() - t) / (1.0 - e * anomaly.cos());
    }
    let (s, c) = anomaly.sin_cos();
    let (k, rate) = ((1.0 - e * e).sqrt(), 1.0 / (1.0 - e * c));
    [c - e, k * s, -s * rate, k * c * rate]
}

/// ½|v|² − 1/|q|.
pub(crate) fn kepler_energy(y: &[f64]) -> f64 {
    0.5 * (y[2] * y[2] + y[3] * y[3]) - 1.0 / (y[0] * y[0] + y[1] * y[1]).sqrt()
}

/// A free rigid body with moments 1, 2, 3 and its attitude quaternion: ẇ = I⁻¹(Iw × w), ṗ = ½ p w.
pub(crate) fn rigid_body() -> Tape {
    tape(&["t", "w1", "w2", "w3", "p0", "p1", "p2", "p3"], |b, x| {
        let w = [x[1], x[2], x[3]];
        let p = [x[4], x[5], x[6], x[7]];
        let product = |b: &mut Builder, i: usize, j: usize, factor: f64| {
            let m = b.mul(w[i], w[j]);
            b.scale(m, factor)
        };
        // (I₂ − I₃)/I₁ and so on
        let mut rates = vec![product(b, 1, 2, -1.0), product(b, 2, 0, 1.0), product(b, 0, 1, -1.0 / 3.0)];
        // the quaternion product (p0, p)(0, w) = (−p·w, p0 w + p × w)
        let terms: [[(usize, usize, f64); 3]; 4] = [
            [(1, 0, -1.0), (2, 1, -1.0), (3, 2, -1.0)],
            [(0, 0, 1.0), (2, 2, 1.0), (3, 1, -1.0)],
            [(0, 1, 1.0), (3, 0, 1.0), (1, 2, -1.0)],
            [(0, 2, 1.0), (1, 1, 1.0), (2, 0, -1.0)],
        ];
        for row in terms {
            let mut sum = b.constant(0.0);
            for (i, j, sign) in row {
                let m = b.mul(p[i], w[j]);
                let m = b.scale(m, 0.5 * sign);
                sum = b.add(sum, m);
            }
            rates.push(sum);
        }
        rates
    })
}

/// The largest difference.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |d, (a, b)| f64::max(d, (a - b).abs()))
}

/// The orders between errors at successive halvings of the step.
pub(crate) fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect()
}

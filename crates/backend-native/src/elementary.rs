//! sin, cos, exp, ln and atan2 as steps.
//!
//! The formulas, their sources and their accuracy are those of
//! [`polhode_backend_simd::elementary`], operation by operation, so that the bits are the same.
//! Where an argument lies outside the domain of a formula, those functions themselves are called.

use crate::formula::{Writer, X};
use crate::steps::{Function, Steps, V};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, LOG2_E, PI};

/// 1.5·2⁵²: adding it rounds a number below 2⁵¹ to an integer, which then stands in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

const LN2_HI: f64 = 0.6931471803691238;
const LN2_LO: f64 = 1.9082149292705877e-10;

/// sin x and cos x; only those that the function names are defined for all x.
pub(crate) fn sin_cos(steps: &mut Steps, function: Function, x: V) -> (V, V) {
    // π/2 = P[0] + P[1] + P[2] + P[3]
    const P: [f64; 4] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];
    const S: [f64; 6] = [
        -0.16666666666666632,
        0.00833333333332249,
        -0.0001984126982985795,
        2.7557313707070068e-06,
        -2.5050760253406863e-08,
        1.58969099521155e-10,
    ];
    const C: [f64; 6] = [
        0.0416666666666666,
        -0.001388888888887411,
        2.480158728947673e-05,
        -2.7557314351390663e-07,
        2.087572321298175e-09,
        -1.1359647557788195e-11,
    ];
    const LIMIT: f64 = 1.0e6;

    let writer = Writer::new(steps);
    let x = writer.value(x);
    let quadrant = x * FRAC_2_PI + ROUND;
    let n = quadrant - ROUND;

    let a = x - n * P[0];
    let b = n * P[1];
    let c = a - b;
    let d = n * P[2];
    let r = c - d;
    let delta = (((a - c) - b) + ((c - r) - d)) - n * P[3];

    let z = r * r;
    let zz = z * z;
    let half = 0.5 * z;
    let p = S[0] + z * ((S[1] + z * S[2]) + zz * ((S[3] + z * S[4]) + zz * S[5]));
    let sin = r - ((half * delta - delta) - (z * r) * p);

    let q = (C[0] + z * C[1]) + zz * ((C[2] + z * C[3]) + zz * (C[4] + z * C[5]));
    let w = 1.0 - half;
    let cos = w + (((1.0 - w) - half) + (zz * q - r * delta));

    // odd quadrants exchange the two; bit 1 of the quadrant is the sign of the sine, and of the
    // next quadrant that of the cosine
    let odd = writer.bits(0).sub_bits(quadrant & writer.bits(1));
    let swap = (sin ^ cos) & odd;
    let sine = || (sin ^ swap) ^ (quadrant << 62).sign();
    let cosine = || (cos ^ swap) ^ (quadrant.add_bits(writer.bits(1)) << 62).sign();
    let conditions = [(x.abs(), writer.number(LIMIT))];
    let results = match function {
        Function::Sin => {
            let s = sine();
            writer.mend(function, &[x], &[s], &conditions);
            (s, s)
        }
        Function::Cos => {
            let c = cosine();
            writer.mend(function, &[x], &[c], &conditions);
            (c, c)
        }
        _ => {
            let (s, c) = (sine(), cosine());
            writer.mend(Function::SinCos, &[x], &[s, c], &conditions);
            (s, c)
        }
    };
    (results.0.v, results.1.v)
}

/// eˣ.
pub(crate) fn exp(steps: &mut Steps, x: V) -> V {
    const LIMIT: f64 = 708.0;
    /// 1/k!.
    const C: [f64; 14] = {
        let (mut c, mut factorial, mut k) = ([1.0; 14], 1.0, 1);
        while k < 14 {
            factorial *= k as f64;
            c[k] = 1.0 / factorial;
            k += 1;
        }
        c
    };

    let writer = Writer::new(steps);
    let x = writer.value(x);
    let t = x * LOG2_E + ROUND;
    let n = t - ROUND;
    let hi = x - n * LN2_HI;
    let lo = n * LN2_LO;
    let r = hi - lo;
    let delta = (hi - r) - lo;

    let r2 = r * r;
    let r4 = r2 * r2;
    let p = (C[2] + r * C[3]) + r2 * (C[4] + r * C[5]);
    let q = (C[6] + r * C[7]) + r2 * (C[8] + r * C[9]);
    let s = (C[10] + r * C[11]) + r2 * (C[12] + r * C[13]);
    let y = 1.0 + (r + (delta + r2 * (p + r4 * (q + r4 * s))));
    let result = y.add_bits(t << 52);
    writer.mend(Function::Exp, &[x], &[result], &[(x.abs(), writer.number(LIMIT))]);
    result.v
}

/// The natural logarithm.
pub(crate) fn log(steps: &mut Steps, x: V) -> V {
    const L: [f64; 7] = [
        0.6666666666666735,
        0.3999999999940942,
        0.2857142874366239,
        0.22222198432149784,
        0.1818357216161805,
        0.15313837699209373,
        0.14798198605116586,
    ];
    /// Bits of 1 and of √½.
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    /// 2⁵²: its low bits hold an integer.
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    const FRACTION: u64 = 0x000f_ffff_ffff_ffff;

    let writer = Writer::new(steps);
    let x = writer.value(x);
    let bits = x.add_bits(writer.bits(ONE - ROOT_HALF));
    let k = ((bits >> 52) | writer.number(TWO_52)) - (TWO_52 + 1023.0);
    let f = (bits & writer.bits(FRACTION)).add_bits(writer.bits(ROOT_HALF)) - 1.0;

    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (L[1] + w * (L[3] + w * L[5]));
    let odd = z * (L[0] + w * (L[2] + w * (L[4] + w * L[6])));
    let half = 0.5 * f * f;
    let result = k * LN2_HI - ((half - (s * (half + (even + odd)) + k * LN2_LO)) - f);
    let (low, high) = (writer.number(f64::MIN_POSITIVE), writer.number(f64::MAX));
    writer.mend(Function::Log, &[x], &[result], &[(low, x), (x, high)]);
    result.v
}

/// The angle of the point (x, y).
pub(crate) fn atan2(steps: &mut Steps, y: V, x: V) -> V {
    let writer = Writer::new(steps);
    angle(&writer, writer.value(y), writer.value(x)).v
}

fn angle<'w>(writer: &'w Writer<'w>, y: X<'w>, x: X<'w>) -> X<'w> {
    const ATAN_HALF: f64 = 0.4636476090008061;
    const ATAN_HALF_LO: f64 = 2.2698777452961687e-17;
    const FRAC_PI_4_LO: f64 = 3.061616997868383e-17;
    const FRAC_PI_2_LO: f64 = 6.123233995736766e-17;
    const PI_LO: f64 = 1.2246467991473532e-16;
    const A: [f64; 11] = [
        0.3333333333333293,
        -0.19999999999876483,
        0.14285714272503466,
        -0.11111110405462356,
        0.09090887133436507,
        -0.0769187620504483,
        0.06661073137387531,
        -0.058335701337905735,
        0.049768779946159324,
        -0.036531572744216916,
        0.016285820115365782,
    ];
    /// 2⁻¹⁰⁰, 2¹⁰⁰⁰ and 2⁻⁹⁰⁰.
    const LOW: f64 = f64::from_bits((1023 - 100) << 52);
    const HIGH: f64 = f64::from_bits((1023 + 1000) << 52);
    const FLAT: f64 = f64::from_bits((1023 - 900) << 52);

    // the first number where the upper condition holds, else the second where the lower one does, else 0
    let select = |upper: X<'w>, lower: X<'w>, first: f64, second: f64| {
        (upper & writer.number(first)) | upper.and_not(lower & writer.number(second))
    };

    let (ax, ay) = (x.abs(), y.abs());
    let steep = ax.less(ay);
    // in this order one of them is undefined where x or y is: both give the second of such two
    let (large, small) = (ax.max(ay), ay.min(ax));
    let middle = (0.4375 * large).less_or_equal(small);
    let upper = (0.6875 * large).less_or_equal(small);
    // c, and with it u
    let c = select(upper, middle, 1.0, 0.5);
    let u = (small - c * large) / (large + c * small);
    let base = select(upper, middle, FRAC_PI_4, ATAN_HALF);
    let base_lo = select(upper, middle, FRAC_PI_4_LO, ATAN_HALF_LO);

    let z = u * u;
    let w = z * z;
    let ww = w * w;
    let p = (A[0] + z * A[1]) + w * (A[2] + z * A[3]);
    let q = (A[4] + z * A[5]) + w * (A[6] + z * A[7]);
    let r = (A[8] + z * A[9]) + w * A[10];
    let tail = u * (z * (p + ww * (q + ww * r)));
    let low = (base_lo - tail) + u;

    // 0 + angle, π/2 − angle, π/2 + angle or π − angle; a factor ±1 is a change of the sign bit
    let left = writer.bits(0).sub_bits(x >> 63);
    let from = select(steep, left, FRAC_PI_2, PI);
    let from_lo = select(steep, left, FRAC_PI_2_LO, PI_LO);
    let turn = (steep ^ left).sign();
    let head = from + (turn ^ base);
    let head_lo = (from - head) + (turn ^ base);
    let angle = head + (head_lo + (from_lo + (turn ^ low)));
    let result = angle.abs() | y.sign();

    // a small zero is in order: the larger number, which also is, takes its place
    let nothing = small.less_or_equal(writer.number(0.0));
    let shown = small | (nothing & large);
    let conditions = [(writer.number(LOW), large), (large, writer.number(HIGH)), (large * FLAT, shown)];
    writer.mend(Function::Atan2, &[y, x], &[result], &conditions);
    result
}

//! The bits of the elementary functions, at a hundred thousand points each.
//!
//! Every evaluator has these bits, and motions that were kept were computed with them. Points lie in the domain of the
//! formulas: elsewhere the standard library is asked, whose last bits differ between systems.

use polhode_backend_simd::elementary;
use polhode_tape::conformance::Random;

const POINTS: usize = 100_000;

/// A number that changes with every bit of every number (FNV-1a, 64 bits at a time).
fn hash(numbers: impl Iterator<Item = f64>) -> u64 {
    numbers.fold(0xcbf2_9ce4_8422_2325, |h, x| (h ^ x.to_bits()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23))
}

/// Either sign, sizes from 2⁻ⁿ to 2ⁿ, and now and then a round number.
fn number(r: &mut Random, n: f64) -> f64 {
    let size = match r.below(8) {
        0 => f64::from(r.below(1000) as u32) / 16.0,
        1 => r.between(0.0, 2.0),
        _ => 2f64.powi(r.between(-n, n) as i32) * r.between(1.0, 2.0),
    };
    if r.below(2) == 0 { size } else { -size }
}

#[test]
fn bits_are_those_of_all_versions() {
    let mut r = Random::new(11);
    let sines: Vec<(f64, f64)> = (0..POINTS).map(|_| elementary::sin_cos(number(&mut r, 19.0))).collect();
    let exponentials: Vec<f64> =
        (0..POINTS).map(|_| elementary::exp(number(&mut r, 9.0).clamp(-708.0, 708.0))).collect();
    let logarithms: Vec<f64> = (0..POINTS).map(|_| elementary::ln(number(&mut r, 1000.0).abs() + 1e-300)).collect();
    let angles: Vec<f64> = (0..POINTS)
        .map(|_| elementary::atan2(number(&mut r, 90.0), [-1.0, 1.0][r.below(2)] * (0.01 + number(&mut r, 90.0).abs())))
        .collect();
    let hashes = [
        hash(sines.iter().map(|s| s.0)),
        hash(sines.iter().map(|s| s.1)),
        hash(exponentials.into_iter()),
        hash(logarithms.into_iter()),
        hash(angles.into_iter()),
    ];
    assert_eq!(
        hashes.map(|h| format!("{h:016x}")),
        ["6d5f32ee529efd4d", "28d980c8cb20beba", "92d67f3ea5ac2ffb", "9a9b8278b06ecfa2", "ecca013216a685dc"]
    );
}

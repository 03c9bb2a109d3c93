//! A million jumps of a ball that enters a rough plane, and a million collisions of a rolling ball with a wall, each with a metric of
//! its own.
//!
//! `cargo bench -p polhode-impulse --bench jumps`

use polhode_impulse::collide::ROUNDS;
use polhode_impulse::{Collision, Contact, Jump, Metric, Rank, Rows};
use polhode_tape::{Dd, Scalar};
use std::time::Instant;

const COUNT: u32 = 1_000_000;

/// The ball in (ẋ, ẏ, ω) with radius of gyration k² = 2/5 + a little, so that nothing can be computed once for all.
fn jumps<S: Scalar>(count: u32) -> (f64, f64) {
    let (mut metric, mut rows, mut jump) = (Metric::identity(5), Rows::default(), Jump::default());
    let [zero, one] = [0.0, 1.0].map(S::from_f64);
    let v = [1.0, 0.5, 0.3, -0.2, 0.7].map(S::from_f64);
    let mut sum = 0.0;
    let begin = Instant::now();
    for i in 0..count {
        let k2 = S::from_f64(0.4 + f64::from(i) * 1e-8);
        let mut g = [zero; 25];
        for (j, m) in [one, one, k2, k2, k2].into_iter().enumerate() {
            g[6 * j] = m;
        }
        let w = [one, zero, zero, -one, zero, zero, one, one, zero, zero];
        metric.factor(5, &g).expect("a metric");
        rows.set(&metric, &w, &[], Rank::Decide).expect("rows");
        jump.set(&metric, &mut rows, &v, zero).expect("a jump");
        sum += jump.dissipated.to_f64();
    }
    (begin.elapsed().as_secs_f64() * 1e9 / f64::from(count), sum / f64::from(count))
}

/// A ball in (ω, ẋ) ∈ ℝ⁶ that rolls on the floor (three rows) and meets a rough wall (three rows, one of them dependent).
fn collisions<S: Scalar>(count: u32) -> (f64, f64) {
    let (mut metric, mut collision) = (Metric::identity(6), Collision::default());
    let number = S::from_f64;
    #[rustfmt::skip]
    let floor = [
        0.0, -1.0, 0.0, 1.0, 0.0, 0.0,
        1.0, 0.0, 0.0, 0.0, 1.0, 0.0,
        0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ].map(number);
    #[rustfmt::skip]
    let wall = [
        0.0, 0.0, 0.0, -1.0, 0.0, 0.0,
        0.0, 0.0, 1.0, 0.0, 1.0, 0.0,
        0.0, -1.0, 0.0, 0.0, 0.0, 1.0,
    ].map(number);
    let v = [0.9, 1.2, -0.5, 1.2, -0.9, 0.0].map(number);
    let mut sum = 0.0;
    let begin = Instant::now();
    for i in 0..count {
        let k2 = S::from_f64(0.4 + f64::from(i) * 1e-8);
        let mut g = [number(0.0); 36];
        for j in 0..6 {
            g[7 * j] = if j < 3 { k2 } else { number(1.0) };
        }
        metric.factor(6, &g).expect("a metric");
        let contact = Contact { rows: &wall, offset: &[], restitution: number(0.5) };
        collision.set(&metric, &floor, &[], &[contact], &v, ROUNDS).expect("a collision");
        sum += collision.dissipated.to_f64();
    }
    (begin.elapsed().as_secs_f64() * 1e9 / f64::from(count), sum / f64::from(count))
}

fn main() {
    let (time, mean) = jumps::<f64>(COUNT);
    println!("jump, 5 velocities, 2 rows: {time:.0} ns (mean loss {mean:.6})");
    let (time, mean) = jumps::<Dd>(COUNT / 10);
    println!("the same in double-doubles: {time:.0} ns (mean loss {mean:.6})");
    let (time, mean) = collisions::<f64>(COUNT);
    println!("collision, 6 velocities, 3 rows kept, 3 of a wall: {time:.0} ns (mean loss {mean:.6})");
    let (time, mean) = collisions::<Dd>(COUNT / 10);
    println!("the same in double-doubles: {time:.0} ns (mean loss {mean:.6})");
}

use polhode_poly::*;
use std::time::Instant;
fn r(i: usize, j: usize) -> Poly { Poly::variable(3 * i + 2 - j) }
fn main() {
    let m = |a: &Poly, b: &Poly| a.mul(b).unwrap();
    let mut rel = vec![];
    for i in 0..3 { for j in 0..3 {
        let d = if i == j { Poly::one() } else { Poly::zero() };
        rel.push((0..3).fold(-&d, |a, k| &a + &m(&r(i, k), &r(j, k))));
        rel.push((0..3).fold(-&d, |a, k| &a + &m(&r(k, i), &r(k, j))));
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        rel.push(&(&m(&r(i1, j1), &r(i2, j2)) - &m(&r(i1, j2), &r(i2, j1))) - &r(i, j));
    } }
    for order in [Order::Lex, Order::GradedReverseLex] {
        for _ in 0..3 {
            let t = Instant::now();
            let id = Ideal::new(&rel, order, &Limits::default()).unwrap();
            println!("{order:?} {:?} basis {}", t.elapsed(), id.basis().count());
        }
    }
    // without cof(R) = R
    let half: Vec<Poly> = rel.iter().enumerate().filter(|(k, _)| k % 3 != 2).map(|(_, p)| p.clone()).collect();
    for order in [Order::GradedReverseLex, Order::Lex] {
        let t = Instant::now();
        let id = Ideal::new(&half, order, &Limits::default());
        println!("O(3) {order:?} {:?} {:?}", t.elapsed(), id.map(|i| i.basis().count()));
    }
}

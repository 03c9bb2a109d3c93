//! Taylor series: recurrences against closed forms and against interpolation in 31 digits, motions
//! against closed solutions, order, drift, and what happens at the edges.

use polhode_base::random::Random;
use polhode_integrate::jets::{Series, SumKind};
use polhode_integrate::{CompiledJets, JetProgram, Jets, Segment, StepError, Stepper, Taylor, Tolerance};
use polhode_tape::{Builder, Dd, Interpreter, Op, Scalar, Tape, Value};

fn dd(x: f64) -> Dd {
    Dd::from(x)
}

fn both(x: f64) -> Tolerance {
    Tolerance { relative: x, absolute: x }
}

/// ẏ = f(t, y) with the inputs and rates of a closure.
fn tape(n: usize, f: impl Fn(&mut Builder, Value, &[Value]) -> Vec<Value>) -> Tape {
    let mut b = Builder::new();
    let t = b.input("t");
    let y: Vec<Value> = (1..=n).map(|i| b.input(format!("y{i}"))).collect();
    let rates = f(&mut b, t, &y);
    rates.into_iter().enumerate().for_each(|(i, v)| b.output(format!("r{i}"), v));
    b.into_raw()
}

fn run<S: Scalar>(taylor: &mut Taylor<S>, end: S) {
    let mut steps = 0;
    while taylor.time() != end {
        taylor.step(end).expect("a regular motion");
        steps += 1;
        assert!(steps < 1_000_000);
    }
}

/// Coefficients 0 … order of ż = g(t), from the jets of the tape with z as its only state.
fn series<S: Scalar>(g: impl Fn(&mut Builder, Value) -> Value, t: f64, order: usize) -> Vec<S> {
    let tape = tape(1, |b, t, _| vec![g(b, t)]);
    let mut jets = Jets::<S>::new(JetProgram::new(&tape), order + 1);
    jets.evaluate(S::from_f64(t), &[S::default()]);
    // z_{k+1} (k + 1) = g_k
    (0..=order).map(|k| jets.coefficients(k + 1)[0] * S::from_f64((k + 1) as f64)).collect()
}

fn assert_close(got: &[Dd], expected: &[Dd], relative: f64, what: &str) {
    assert_eq!(got.len(), expected.len());
    for (k, (g, e)) in got.iter().zip(expected).enumerate() {
        let error = (*g - *e).abs().to_f64();
        assert!(error <= relative * e.to_f64().abs().max(1e-280), "{what}, order {k}: {g:?} instead of {e:?}");
    }
}

/// Σ a_j b_{k−j}, the plain way.
fn convolution(a: &[Dd], b: &[Dd]) -> Vec<Dd> {
    (0..a.len()).map(|k| (0..=k).fold(Dd::ZERO, |sum, j| sum + a[j] * b[k - j])).collect()
}

#[test]
fn closed_forms() {
    const P: usize = 30;
    let at = |t: f64, g: &dyn Fn(&mut Builder, Value) -> Value| series::<Dd>(g, t, P);
    let power = |x: Dd, k: usize| (0..k).fold(Dd::ONE, |p, _| p * x);
    let factorial = |k: usize| (1..=k).fold(Dd::ONE, |p, j| p * dd(j as f64));
    let orders = || 0..=P;

    // sin, cos, exp: derivatives over factorials; here each is alone in its tape
    let (s, c) = dd(0.7).sin_cos();
    let sine: Vec<Dd> = orders().map(|k| [s, c, -s, -c][k % 4] / factorial(k)).collect();
    let cosine: Vec<Dd> = orders().map(|k| [c, -s, -c, s][k % 4] / factorial(k)).collect();
    assert_close(&at(0.7, &|b, t| b.emit(Op::Sin(t))), &sine, 1e-29, "sin");
    assert_close(&at(0.7, &|b, t| b.emit(Op::Cos(t))), &cosine, 1e-29, "cos");
    let exp: Vec<Dd> = orders().map(|k| dd(0.7).exp() / factorial(k)).collect();
    assert_close(&at(0.7, &|b, t| b.emit(Op::Exp(t))), &exp, 1e-29, "exp");

    // ln at 2: (−1)^{k+1}/(k 2ᵏ); 1/t: (−1)ᵏ/2^{k+1}
    let log: Vec<Dd> = orders()
        .map(|k| match k {
            0 => dd(2.0).ln(),
            _ => dd(if k % 2 == 1 { 1.0 } else { -1.0 }) / (dd(k as f64) * power(dd(2.0), k)),
        })
        .collect();
    assert_close(&at(2.0, &|b, t| b.emit(Op::Log(t))), &log, 1e-29, "ln");
    let inverse: Vec<Dd> = orders().map(|k| dd(if k % 2 == 0 { 1.0 } else { -1.0 }) / power(dd(2.0), k + 1)).collect();
    let reciprocal = |b: &mut Builder, t: Value| {
        let one = b.constant(1.0);
        b.div(one, t)
    };
    assert_close(&at(2.0, &reciprocal), &inverse, 1e-29, "1/t");

    // √t at 2: binomial coefficients
    let mut root = vec![dd(2.0).sqrt()];
    for k in 1..=P {
        root.push(root[k - 1] * dd(1.5 - k as f64) / (dd(k as f64) * dd(2.0)));
    }
    assert_close(&at(2.0, &|b, t| b.emit(Op::Sqrt(t))), &root, 1e-29, "sqrt");

    // arctan: its derivative is 1/(1 + t²), whose coefficients at ½ obey 5/4 u_k + u_{k−1} + u_{k−2} = 0
    let mut u = vec![Dd::ONE / dd(1.25)];
    for k in 1..=P {
        let before = if k >= 2 { u[k - 2] } else { Dd::ZERO };
        u.push(-(u[k - 1] + before) / dd(1.25));
    }
    let mut arctan = vec![Scalar::atan2(dd(0.5), Dd::ONE)];
    (1..=P).for_each(|k| arctan.push(u[k - 1] / dd(k as f64)));
    let largest = arctan.iter().map(|a| a.to_f64().abs()).fold(0.0, f64::max);
    let with_one = |swap: bool| {
        at(0.5, &move |b, t| {
            let one = b.constant(1.0);
            if swap { b.emit(Op::Atan2(one, t)) } else { b.emit(Op::Atan2(t, one)) }
        })
    };
    for (k, (a, e)) in with_one(false).iter().zip(&arctan).enumerate() {
        assert!((*a - *e).abs().to_f64() < 1e-29 * largest, "atan2(t, 1), order {k}");
    }
    for (k, (a, e)) in with_one(true).iter().zip(&arctan).enumerate().skip(1) {
        assert!((*a + *e).abs().to_f64() < 1e-29 * largest, "atan2(1, t), order {k}");
    }
    // the angle of (cos t, sin t) is t
    let angle = at(0.7, &|b, t| {
        let (s, c) = (b.emit(Op::Sin(t)), b.emit(Op::Cos(t)));
        b.emit(Op::Atan2(s, c))
    });
    for (k, a) in angle.iter().enumerate() {
        let e = [dd(0.7), Dd::ONE].get(k).copied().unwrap_or(Dd::ZERO);
        assert!((*a - e).abs().to_f64() < 1e-30, "angle, order {k}: {a:?}");
    }

    // products, squares, quotients, shifted and scaled, against the plain convolution
    let shifted: Vec<Dd> = (orders().map(|k| if k == 0 { exp[0] - dd(3.0) } else { exp[k] })).collect();
    let product = convolution(&sine, &shifted);
    let got = at(0.7, &|b, t| {
        let (s, e) = (b.emit(Op::Sin(t)), b.emit(Op::Exp(t)));
        let three = b.constant(3.0);
        let e = b.sub(e, three);
        let (s, e) = (b.scale(s, -2.0), b.scale(e, 5.0));
        b.mul(s, e)
    });
    let product: Vec<Dd> = product.iter().map(|p| *p * dd(-10.0)).collect();
    let scale = product.iter().map(|p| p.to_f64().abs()).fold(0.0, f64::max);
    (got.iter().zip(&product)).for_each(|(g, e)| assert!((*g - *e).abs().to_f64() < 1e-30 * scale));
    let square = convolution(&shifted, &shifted);
    let got = at(0.7, &|b, t| {
        let e = b.emit(Op::Exp(t));
        let three = b.constant(3.0);
        let e = b.sub(e, three);
        b.mul(e, e)
    });
    let scale = square.iter().map(|p| p.to_f64().abs()).fold(0.0, f64::max);
    (got.iter().zip(&square)).for_each(|(g, e)| assert!((*g - *e).abs().to_f64() < 1e-30 * scale));
    // q = s / (3 − e): q (3 − e) = s
    let quotient = at(0.7, &|b, t| {
        let (s, e) = (b.emit(Op::Sin(t)), b.emit(Op::Exp(t)));
        let three = b.constant(3.0);
        let d = b.sub(three, e);
        b.div(s, d)
    });
    let denominator: Vec<Dd> = shifted.iter().map(|x| -*x).collect();
    for (k, (g, e)) in convolution(&quotient, &denominator).iter().zip(&sine).enumerate() {
        let size = quotient[..=k].iter().map(|q| q.to_f64().abs()).fold(0.0, f64::max);
        assert!((*g - *e).abs().to_f64() < 1e-30 * size, "quotient, order {k}");
    }
}

/// Coefficients of g about 0, from its interpolant through 24 points of [−r, r].
fn taylor_by_interpolation(mut g: impl FnMut(Dd) -> Dd, r: f64, orders: usize) -> Vec<Dd> {
    const M: usize = 24;
    let x: Vec<Dd> =
        (0..M).map(|j| dd(r) * (Dd::PI * dd((2 * (j * 7 % M) + 1) as f64 / (2 * M) as f64)).sin_cos().1).collect();
    let mut d: Vec<Dd> = x.iter().map(|x| g(*x)).collect();
    for level in 1..M {
        for j in (level..M).rev() {
            d[j] = (d[j] - d[j - 1]) / (x[j] - x[j - level]);
        }
    }
    // Newton's form multiplied out
    let mut c = vec![Dd::ZERO; M];
    for j in (0..M).rev() {
        for k in (1..M).rev() {
            c[k] = c[k - 1] - x[j] * c[k];
        }
        c[0] = d[j] - x[j] * c[0];
    }
    c.truncate(orders);
    c
}

#[test]
fn random_tapes_against_interpolation() {
    let mut random = Random::new(12345);
    for case in 0..60 {
        // u̇₁, u̇₂ are polynomials of time, so u₁, u₂ are known; ż = F(t, u₁, u₂) is what is tested
        let t0 = 0.5 + random.unit();
        let p: [[f64; 3]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| random.unit() - 0.5));
        let seed = random.bits();
        let length = 4 + random.below(12);
        let tape = tape(4, |b, t, y| {
            let mut random = Random::new(seed);
            let mut rates = Vec::new();
            for p in &p {
                let (a0, a1, a2) = (b.constant(p[0]), b.scale(t, p[1]), b.mul(t, t));
                let a2 = b.scale(a2, p[2]);
                let sum = b.add(a0, a1);
                rates.push(b.add(sum, a2));
            }
            // y₄ is a parameter
            let mut values = vec![t, y[0], y[1], y[3]];
            let lift = |b: &mut Builder, v: Value, by: f64, f: fn(Value) -> Op| {
                let (s, k) = (b.emit(f(v)), b.constant(by));
                b.add(s, k)
            };
            for _ in 0..length {
                let (v, w) = (values[random.below(values.len())], values[random.below(values.len())]);
                let new = match random.below(13) {
                    0 => b.add(v, w),
                    1 => b.sub(v, w),
                    2 | 3 => {
                        let product = b.mul(v, w);
                        b.emit(Op::Sin(product))
                    }
                    4 => b.neg(v),
                    5 => b.scale(v, -1.75),
                    6 => {
                        let d = lift(b, w, 2.0, Op::Cos);
                        b.div(v, d)
                    }
                    7 => {
                        let d = lift(b, v, 2.0, Op::Sin);
                        b.emit(Op::Sqrt(d))
                    }
                    8 => {
                        let d = lift(b, v, 3.0, Op::Sin);
                        b.emit(Op::Log(d))
                    }
                    9 => {
                        let d = b.emit(Op::Cos(v));
                        b.emit(Op::Exp(d))
                    }
                    10 => {
                        let d = lift(b, w, 2.5, Op::Cos);
                        b.emit(Op::Atan2(v, d))
                    }
                    11 => {
                        let d = lift(b, w, -2.5, Op::Sin);
                        b.div(v, d)
                    }
                    _ => {
                        let c = b.emit(Op::Cos(v));
                        b.mul(c, c)
                    }
                };
                values.push(new);
            }
            let mut sum = values[3];
            for v in &values[4..] {
                let s = b.emit(Op::Sin(*v));
                sum = b.add(sum, s);
            }
            let zero = b.constant(0.0);
            rates.extend([sum, zero]);
            rates
        });
        let y0 = [0.3, -0.4, 0.0, 0.8];
        let mut interpreter = Interpreter::<Dd>::new(&tape);
        let expected = taylor_by_interpolation(
            |tau| {
                let t = dd(t0) + tau;
                // ∫ from t₀ to t of p₀ + p₁t + p₂t²
                let u = |i: usize| {
                    let primitive = |t: Dd| t * (dd(p[i][0]) + t * (dd(p[i][1]) / dd(2.0) + t * dd(p[i][2]) / dd(3.0)));
                    dd(y0[i]) + primitive(t) - primitive(dd(t0))
                };
                let mut out = [Dd::ZERO; 4];
                interpreter.call(&[t, u(0), u(1), Dd::ZERO, dd(y0[3])], &mut out);
                out[2]
            },
            0.05,
            9,
        );
        let mut double = Jets::<f64>::new(JetProgram::new(&tape), 10);
        let mut precise = Jets::<Dd>::new(JetProgram::new(&tape), 10);
        double.evaluate(t0, &y0);
        precise.evaluate(dd(t0), &y0.map(dd));
        // the unrolled program says the same
        let unrolled = JetProgram::new(&tape).unrolled(10);
        polhode_tape::verify(&unrolled).expect("a well-formed tape");
        let mut inputs = vec![dd(t0)];
        inputs.extend(y0.map(dd));
        let (mut out, mut doubles) = (vec![Dd::ZERO; 40], vec![0.0; 40]);
        Interpreter::<Dd>::new(&unrolled).call(&inputs, &mut out);
        let inputs: Vec<f64> = inputs.iter().map(|x| x.to_f64()).collect();
        let bundled = JetProgram::new(&tape).bundled(10, 4);
        assert!(bundled.bundles.iter().all(|b| (2..=4).contains(&b.values.len())));
        Interpreter::<f64>::new(&bundled.tape).call(&inputs, &mut doubles);
        for k in 1..=10 {
            // in doubles too, but for the rounding of constants, which the program has folded
            for (c, d) in double.coefficients(k).iter().zip(&doubles[(k - 1) * 4..]) {
                assert!((c - d).abs() <= 1e-12 * (1.0 + c.abs()), "case {case}, order {k}: {c} {d}");
            }
            for (i, c) in precise.coefficients(k).iter().enumerate() {
                let (d, size) = ((out[(k - 1) * 4 + i] - *c).to_f64().abs(), c.to_f64().abs());
                assert!(d <= 1e-26 * (1.0 + size), "case {case}, order {k}, component {i}: unrolled off by {d:e}");
            }
        }
        for (k, e) in expected.iter().enumerate() {
            let size = expected[..=k].iter().map(|e| e.to_f64().abs()).fold(0.0, f64::max);
            let over = (k + 1) as f64;
            let d = (precise.coefficients(k + 1)[2] * dd(over) - *e).to_f64().abs();
            // digits lost by interpolation: 1e-31/rᵏ, and its own error
            assert!(
                d <= size * 1e-14 + 1e-28 / 0.05f64.powi(k as i32),
                "case {case}, order {k}: off by {d:e} of {size}"
            );
            let d = (double.coefficients(k + 1)[2] * over - e.to_f64()).abs();
            assert!(d <= 1e-10 * size, "case {case}, order {k} in doubles: off by {d:e} of {size}");
        }
    }
}

#[test]
fn preparation_finds_what_is_simple() {
    // y₁ is a parameter; −3(y₁ y₂) + 1 needs one recurrence of one product with a constant, no sum
    let program = JetProgram::new(&tape(2, |b, _, y| {
        let zero = b.constant(0.0);
        let p = b.mul(y[0], y[1]);
        let p = b.scale(p, -3.0);
        let one = b.constant(1.0);
        vec![zero, b.add(p, one)]
    }));
    assert_eq!((program.recurrences.len(), program.sums.len()), (1, 0));
    let rate = program.tape.outputs[1].value;
    assert_eq!(program.series[rate.index()], Series::Multiple { factor: dd(-3.0), of: program.recurrences[0].value });
    assert_eq!(program.series[program.tape.outputs[0].value.index()], Series::Constant);
    // squares are known as squares also when shifted
    let program = JetProgram::new(&tape(1, |b, _, y| {
        let one = b.constant(1.0);
        let (u, v) = (b.add(y[0], one), b.sub(one, y[0]));
        vec![b.mul(u, v)]
    }));
    assert_eq!(program.sums.len(), 1);
    assert_eq!(program.sums[0].kind, SumKind::Square);
    // a sine alone gets its cosine
    let program = JetProgram::new(&tape(1, |b, _, y| vec![b.emit(Op::Sin(y[0]))]));
    assert_eq!(program.recurrences.len(), 2);
}

/// Kepler's problem in the plane.
fn kepler() -> Tape {
    tape(4, |b, _, y| {
        let (x2, y2) = (b.mul(y[0], y[0]), b.mul(y[1], y[1]));
        let r2 = b.add(x2, y2);
        let r = b.emit(Op::Sqrt(r2));
        let r3 = b.mul(r2, r);
        let (fx, fy) = (b.div(y[0], r3), b.div(y[1], r3));
        vec![y[2], y[3], b.neg(fx), b.neg(fy)]
    })
}

/// Position and velocity on the ellipse of eccentricity e and half axis 1, t after perihelion.
fn ellipse(e: Dd, t: Dd) -> [Dd; 4] {
    let mut u = t;
    for _ in 0..40 {
        let (s, c) = u.sin_cos();
        u = u - (u - e * s - t) / (Dd::ONE - e * c);
    }
    let (s, c) = u.sin_cos();
    let (root, rate) = ((Dd::ONE - e * e).sqrt(), Dd::ONE / (Dd::ONE - e * c));
    [c - e, root * s, -(s * rate), root * c * rate]
}

#[test]
fn kepler_ellipse() {
    let e = dd(0.5);
    let start = ellipse(e, Dd::ZERO);
    let mut taylor = Taylor::new(&kepler(), Dd::ZERO, &start, both(1e-31), vec![]);
    assert_eq!(taylor.order(), 37);
    run(&mut taylor, dd(10.0));
    let exact = ellipse(e, dd(10.0));
    (0..4).for_each(|i| assert!((taylor.state()[i] - exact[i]).abs().to_f64() < 1e-28, "{:?}", taylor.state()));

    let mut taylor = Taylor::new(&kepler(), 0.0, &start.map(Dd::hi), both(1e-16), vec![]);
    let mut y = [0.0; 4];
    while taylor.time() != 10.0 {
        taylor.step(10.0).unwrap();
        // the end and three points within
        let Segment { start, length, .. } = taylor.segment();
        for part in [0.2, 0.5, 0.9, 1.0] {
            let t = if part == 1.0 { taylor.time() } else { start + part * length };
            taylor.interpolate(t, &mut y);
            let exact = ellipse(e, dd(t));
            // the start is rounded to doubles
            (0..4).for_each(|i| assert!((dd(y[i]) - exact[i]).abs().to_f64() < 3e-14, "t = {t}: {y:?}"));
        }
    }
    let steps = taylor.statistics().steps;
    assert!((40..80).contains(&steps), "{steps} steps");
    assert_eq!(taylor.statistics().evaluations, steps);
}

fn agm(mut a: Dd, mut b: Dd) -> Dd {
    for _ in 0..8 {
        (a, b) = ((a + b) * dd(0.5), (a * b).sqrt());
    }
    a
}

#[test]
fn pendulum_returns_after_its_period() {
    let pendulum = tape(2, |b, _, y| {
        let s = b.emit(Op::Sin(y[0]));
        vec![y[1], b.neg(s)]
    });
    for start in [0.1, 1.0, 3.0] {
        let quarter = Dd::PI / (dd(2.0) * agm(Dd::ONE, dd(0.5 * start).sin_cos().1));
        let mut taylor = Taylor::new(&pendulum, Dd::ZERO, &[dd(start), Dd::ZERO], both(1e-31), vec![]);
        run(&mut taylor, quarter);
        let fastest = dd(2.0) * dd(0.5 * start).sin_cos().0;
        assert!(taylor.state()[0].abs().to_f64() < 1e-29, "{start}: {:?}", taylor.state());
        assert!((taylor.state()[1] + fastest).abs().to_f64() < 1e-29);
        run(&mut taylor, quarter * dd(4.0));
        assert!((taylor.state()[0] - dd(start)).abs().to_f64() < 2e-28, "{start}: {:?}", taylor.state());
        let mut taylor = Taylor::new(&pendulum, 0.0, &[start, 0.0], both(1e-16), vec![]);
        let period = (quarter * dd(4.0)).to_f64();
        run(&mut taylor, period);
        assert!((taylor.state()[0] - start).abs() < 1e-14, "{start}: {:?}", taylor.state());
    }
}

/// sn, cn, dn of modulus k, by the arithmetic-geometric mean.
fn jacobi(u: Dd, k: Dd) -> [Dd; 3] {
    let (mut a, mut b) = (vec![Dd::ONE], (Dd::ONE - k * k).sqrt());
    let mut c = vec![k];
    for n in 0..7 {
        c.push((a[n] - b) * dd(0.5));
        a.push((a[n] + b) * dd(0.5));
        b = (a[n] * b).sqrt();
    }
    let mut phi = a[7] * u * dd(128.0);
    for n in (1..=7).rev() {
        let x = c[n] / a[n] * phi.sin_cos().0;
        phi = (phi + Scalar::atan2(x, (Dd::ONE - x * x).sqrt())) * dd(0.5);
    }
    let (s, c) = phi.sin_cos();
    [s, c, (Dd::ONE - k * k * s * s).sqrt()]
}

#[test]
fn rigid_body_by_elliptic_functions() {
    // I ω̇ = Iω × ω with I = (1, 2, 3), that is ω̇ = (−ω₂ω₃, ω₃ω₁, −ω₁ω₂/3)
    let body = tape(3, |b, _, y| {
        let (p, q, r) = (b.mul(y[1], y[2]), b.mul(y[2], y[0]), b.mul(y[0], y[1]));
        vec![b.neg(p), q, b.scale(r, -Dd::ONE / dd(3.0))]
    });
    // ω = (α cn τ, β sn τ, γ dn τ), τ = λt: from the equations
    //   λα = βγ,  λβ = αγ,  λγk² = αβ/3   ⇒   α = β, γ = λ, k² = α²/3λ²
    let (alpha, lambda) = (dd(0.9), dd(1.1));
    let k = alpha / (dd(3.0).sqrt() * lambda);
    let start = [alpha, Dd::ZERO, lambda];
    let mut taylor = Taylor::new(&body, Dd::ZERO, &start, both(1e-31), vec![]);
    run(&mut taylor, dd(7.0));
    let [sn, cn, dn] = jacobi(lambda * dd(7.0), k);
    let exact = [alpha * cn, alpha * sn, lambda * dn];
    (0..3).for_each(|i| assert!((taylor.state()[i] - exact[i]).abs().to_f64() < 1e-29, "{:?}", taylor.state()));
    let mut taylor = Taylor::new(&body, 0.0, &start.map(Dd::hi), both(1e-16), vec![]);
    run(&mut taylor, 7.0);
    (0..3).for_each(|i| assert!((taylor.state()[i] - exact[i].hi()).abs() < 2e-15, "{:?}", taylor.state()));
}

#[test]
fn order_of_convergence() {
    let e = dd(0.3);
    let start = ellipse(e, Dd::ZERO);
    let exact = ellipse(e, dd(2.0));
    for order in [3, 4, 7, 12] {
        let error = |steps: f64| {
            let mut taylor = Taylor::with_order(&kepler(), Dd::ZERO, &start, both(0.1), vec![], order);
            taylor = taylor.with_longest_step(2.0 / steps);
            run(&mut taylor, dd(2.0));
            assert_eq!(taylor.statistics().steps, steps as u64);
            (0..4).map(|i| (taylor.state()[i] - exact[i]).abs().to_f64()).fold(0.0, f64::max)
        };
        let slope = (error(256.0) / error(512.0)).log2();
        assert!((slope - order as f64).abs() < 0.25, "order {order}: slope {slope}");
    }
}

#[test]
fn energy_after_many_steps() {
    // Kepler with e = 0.5: the error of the energy walks at random, by roundings of 1e-16
    let start = ellipse(dd(0.5), Dd::ZERO).map(Dd::hi);
    let mut taylor = Taylor::new(&kepler(), 0.0, &start, both(1e-16), vec![]);
    let energy = |y: &[f64]| 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1.0 / (y[0] * y[0] + y[1] * y[1]).sqrt();
    let e0 = energy(&start);
    let mut worst = [0.0f64; 2];
    for k in 0..100_000 {
        taylor.step(f64::MAX).unwrap();
        let half = &mut worst[usize::from(k >= 50_000)];
        *half = half.max((energy(taylor.state()) - e0).abs());
    }
    // 1e5 roundings of 1e-16 in one direction would be 1e-11, at random 4e-14
    assert!(worst[0] < 1.5e-14 && worst[1] < 2e-14, "{worst:?}");
}

#[test]
fn backwards_and_back() {
    let start = ellipse(dd(0.5), Dd::ZERO).map(Dd::hi);
    let mut taylor = Taylor::new(&kepler(), 3.0, &start, both(1e-16), vec![]);
    run(&mut taylor, -20.0);
    assert_eq!(taylor.time(), -20.0);
    let Segment { length, .. } = taylor.segment();
    assert!(length < 0.0);
    run(&mut taylor, 3.0);
    (0..4).for_each(|i| assert!((taylor.state()[i] - start[i]).abs() < 1e-13, "{:?}", taylor.state()));
}

#[test]
fn tolerances_are_met() {
    // errors per unit of time stay below the tolerance, and fall with it
    let start = ellipse(dd(0.5), Dd::ZERO).map(Dd::hi);
    let exact = ellipse(dd(0.5), dd(6.0));
    for relative in [1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14] {
        for absolute in [relative, 0.0] {
            let mut taylor = Taylor::new(&kepler(), 0.0, &start, Tolerance { relative, absolute }, vec![]);
            run(&mut taylor, 6.0);
            let error = (0..4).map(|i| (taylor.state()[i] - exact[i].hi()).abs()).fold(0.0, f64::max);
            assert!(error < 100.0 * relative, "{relative:e}, {absolute:e}: {error:e}");
        }
    }
}

#[test]
fn segments_say_the_same_as_the_stepper() {
    let start = ellipse(dd(0.5), Dd::ZERO).map(Dd::hi);
    let mut taylor = Taylor::new(&kepler(), 0.0, &start, both(1e-14), vec![]);
    let mut y = [0.0; 4];
    let mut z = [0.0; 4];
    taylor.interpolate(0.0, &mut y);
    assert_eq!(y, start);
    assert_eq!((taylor.segment().length, taylor.segment().coefficients), (0.0, start.to_vec()));
    taylor.step(10.0).unwrap();
    let segment = taylor.segment();
    assert_eq!((segment.start, segment.start + segment.length), (0.0, taylor.time()));
    for k in 0..=10 {
        let t = segment.length * k as f64 / 10.0;
        segment.at(t, &mut y);
        taylor.interpolate(t, &mut z);
        (0..4).for_each(|i| assert!((y[i] - z[i]).abs() < 1e-15));
    }
    // a projected state ends the last step
    let t = taylor.time();
    let near: Vec<f64> = taylor.state().iter().map(|y| y + 1e-6).collect();
    taylor.restart(t, &near, true);
    taylor.segment().at(t, &mut y);
    (0..4).for_each(|i| assert!((y[i] - near[i]).abs() < 1e-15));
    taylor.interpolate(0.0, &mut y);
    assert_eq!(y, start);
    // a jump ends it
    taylor.restart(t, &start, false);
    assert_eq!(taylor.segment().length, 0.0);
    assert_eq!(taylor.state(), start);
}

#[test]
fn constant_rates_and_empty_states() {
    let mut taylor = Taylor::new(&tape(1, |b, _, _| vec![b.constant(2.0)]), 0.0, &[1.0], both(1e-12), vec![]);
    run(&mut taylor, 1e6);
    assert_eq!((taylor.state(), taylor.statistics().steps), (&[2e6 + 1.0][..], 1));
    let mut taylor = Taylor::<f64>::new(&tape(0, |_, _, _| vec![]), 0.0, &[], both(1e-12), vec![]);
    run(&mut taylor, 5.0);
    assert_eq!(taylor.time(), 5.0);
    taylor.step(5.0).unwrap();
    assert_eq!(taylor.statistics().steps, 1);
    let rest = tape(2, |b, _, _| vec![b.constant(0.0), b.constant(0.0)]);
    let mut taylor = Taylor::new(&rest, 0.0, &[0.0, 3.0], Tolerance { relative: 1e-9, absolute: 0.0 }, vec![]);
    run(&mut taylor, -7.0);
    assert_eq!(taylor.state(), [0.0, 3.0]);
}

#[test]
fn coefficients_that_vanish_do_not_mislead() {
    // ẏ = t⁴⁰ has no coefficients at 0 below order 41
    let high = tape(1, |b, t, _| vec![b.powi(t, 40)]);
    let mut taylor = Taylor::new(&high, 0.0, &[0.0], both(1e-12), vec![]);
    run(&mut taylor, 2.0);
    let exact = 2f64.powi(41) / 41.0;
    assert!((taylor.state()[0] / exact - 1.0).abs() < 1e-10, "{:?}", taylor.state());
    assert!(taylor.statistics().rejected > 0);
    // ẏ = 1/(1 + t⁵) has every fifth coefficient only; at order 19 the last two are 0
    let fifth = tape(1, |b, t, _| {
        let p = b.powi(t, 5);
        let one = b.constant(1.0);
        let d = b.add(one, p);
        vec![b.div(one, d)]
    });
    let with = |order: usize| {
        let mut taylor = Taylor::with_order(&fifth, 0.0, &[0.0], both(1e-12), vec![], order);
        run(&mut taylor, 3.0);
        taylor.state()[0]
    };
    for order in 17..=21 {
        assert!((with(order) - with(30)).abs() < 1e-11, "order {order}");
    }
}

#[test]
fn singularities() {
    let square = tape(1, |b, _, y| vec![b.mul(y[0], y[0])]);
    // y = 1/(1 − t)
    let mut taylor = Taylor::new(&square, 0.0, &[1.0], both(1e-12), vec![]);
    let error = loop {
        if let Err(error) = taylor.step(2.0) {
            break error;
        }
        assert!(taylor.statistics().steps < 10_000);
    };
    assert!(
        matches!(error, StepError::TooSmall { t } | StepError::NotFinite { t } if (t - 1.0).abs() < 1e-9),
        "{error}"
    );
    // not finite at the start: √0, 1/0, ln 0; the state is still there
    let one_over = |b: &mut Builder, v: Value| {
        let one = b.constant(1.0);
        b.div(one, v)
    };
    for tape in [
        tape(1, |b, _, y| vec![b.emit(Op::Sqrt(y[0]))]),
        tape(1, |b, _, y| vec![one_over(b, y[0])]),
        tape(1, |b, _, y| vec![b.emit(Op::Log(y[0]))]),
        tape(1, |b, t, _| vec![one_over(b, t)]),
        tape(1, |b, t, y| vec![b.emit(Op::Atan2(y[0], t))]),
    ] {
        let mut taylor = Taylor::new(&tape, 0.0, &[0.0], both(1e-12), vec![]);
        assert_eq!(taylor.step(1.0), Err(StepError::NotFinite { t: 0.0 }));
        assert_eq!((taylor.time(), taylor.state()), (0.0, &[0.0][..]));
        let mut y = [1.0];
        taylor.interpolate(0.0, &mut y);
        assert_eq!(y, [0.0]);
    }
}

#[test]
fn units_stay_unit() {
    // ṅ = ω × n with a wobbling ω, in a state that begins with something else
    let tape = tape(4, |b, t, y| {
        let (s, c) = (b.emit(Op::Sin(t)), b.emit(Op::Cos(t)));
        let w = [s, c, b.constant(0.7)];
        let mut cross = |i: usize, j: usize| {
            let (p, q) = (b.mul(w[i], y[1 + j]), b.mul(w[j], y[1 + i]));
            b.sub(p, q)
        };
        let rates = [cross(1, 2), cross(2, 0), cross(0, 1)];
        let one = b.constant(1.0);
        [vec![one], rates.to_vec()].concat()
    });
    let length = |y: &[f64]| y[1..].iter().map(|y| y * y).sum::<f64>().sqrt();
    let start = [5.0, 0.6, 0.0, 0.8];
    let mut free = Taylor::new(&tape, 0.0, &start, both(1e-4), vec![]);
    let mut unit = Taylor::new(&tape, 0.0, &start, both(1e-4), std::iter::once(1..4).collect());
    run(&mut free, 300.0);
    run(&mut unit, 300.0);
    assert!((length(free.state()) - 1.0).abs() > 1e-9, "the test would see a drift");
    assert!((length(unit.state()) - 1.0).abs() < 3e-16);
    assert!((unit.state()[0] - 305.0).abs() < 1e-12);
}

/// A rate that is time itself, or a multiple of it and a constant: x = t³/6 and t + t² in one step.
#[test]
fn rates_that_are_affine_in_time() {
    let mut b = Builder::new();
    let t = b.input("t");
    let (_, v, _) = (b.input("x"), b.input("v"), b.input("z"));
    b.output("x'", v);
    b.output("v'", t);
    let twice = b.scale(t, 2.0);
    let one = b.constant(1.0);
    let rate = b.add(one, twice);
    b.output("z'", rate);
    let tape = polhode_tape::passes::finish(b);
    let tolerance = Tolerance { relative: 1e-14, absolute: 1e-14 };
    let mut stepper = Taylor::<f64>::new(&tape, 0.0, &[0.0; 3], tolerance, Vec::new());
    while stepper.time() < 10.0 {
        stepper.step(10.0).expect("a step");
    }
    assert!(stepper.statistics().steps < 30, "{:?}", stepper.statistics());
    for (found, wanted) in stepper.state().iter().zip([1000.0 / 6.0, 50.0, 110.0]) {
        assert!((found - wanted).abs() < 1e-12 * wanted, "{found} {wanted}");
    }
}

/// A kernel of the unrolled recurrences integrates as the recurrences do.
#[test]
fn compiled_series() {
    let tape = kepler();
    let (tolerance, start) = (both(1e-13), [1.0, 0.0, 0.0, 1.2]);
    let order = polhode_integrate::taylor::usual_order(tolerance, f64::EPSILON);
    let series = Interpreter::<f64>::new(&JetProgram::new(&tape).unrolled(order));
    let compiled = CompiledJets::new(series, Interpreter::<f64>::new(&tape));
    let mut compiled = Taylor::expanding(compiled, 0.0, &start, tolerance, Vec::new());
    let mut plain = Taylor::<f64>::new(&tape, 0.0, &start, tolerance, Vec::new());
    assert_eq!(compiled.order(), plain.order());
    while plain.time() < 20.0 {
        plain.step(20.0).expect("a step");
        compiled.step(20.0).expect("a step");
    }
    assert_eq!(compiled.time(), 20.0);
    for (a, b) in compiled.state().iter().zip(plain.state()) {
        assert!((a - b).abs() < 1e-11, "{a} {b}");
    }
}

//! Quadratures along a driving part: the same motion as by one series for all.

use polhode_integrate::{Lifted, SideBySide, Split, Stepper, Taylor, Tolerance};
use polhode_tape::{Builder, Dd, Interpreter, Scalar, Tape, passes};

/// ż = w, ẇ = −sin z (a pendulum); ȧ = w², ḃ = cos a, ċ = t b: three quadratures, one after the other.
fn pendulum() -> Tape {
    let mut b = Builder::new();
    let [t, z, w, a, second, _third] = ["t", "z", "w", "a", "b", "c"].map(|n| b.input(n));
    let sine = b.emit(polhode_tape::Op::Sin(z));
    let force = b.neg(sine);
    let square = b.mul(w, w);
    let cosine = b.emit(polhode_tape::Op::Cos(a));
    let product = b.mul(t, second);
    for (name, value) in [("z", w), ("w", force), ("a", square), ("b", cosine), ("c", product)] {
        b.output(name, value);
    }
    passes::finish(b)
}

/// u̇ = 0 and ẋ = cos(40 t + u): the driving part alone would step over everything.
fn fast() -> Tape {
    let mut b = Builder::new();
    let [t, u, _x] = ["t", "u", "x"].map(|n| b.input(n));
    let phase = b.scale(t, 40.0);
    let angle = b.add(phase, u);
    let cosine = b.emit(polhode_tape::Op::Cos(angle));
    let zero = b.constant(0.0);
    b.output("u", zero);
    b.output("x", cosine);
    passes::finish(b)
}

fn side_by_side<S: Scalar>(tape: Tape) -> SideBySide<S> {
    let mut interpreter = Interpreter::<S>::new(&tape);
    let (n, m) = (tape.inputs.len(), tape.outputs.len());
    Box::new(move |inputs, outputs| {
        let (mut point, mut result) = (vec![S::default(); n], vec![S::default(); m]);
        let lanes = inputs.len() / n;
        for l in 0..lanes {
            point.iter_mut().enumerate().for_each(|(i, x)| *x = inputs[i * lanes + l]);
            interpreter.call(&point, &mut result);
            result.iter().enumerate().for_each(|(o, y)| outputs[o * lanes + l] = *y);
        }
    })
}

fn lifted<S: Scalar>(field: &Tape, kept: &[usize], state: &[S], tolerance: Tolerance) -> Lifted<S> {
    let split = Split::of(field, |i| kept.contains(&i)).expect("there are quadratures");
    let rates = side_by_side(split.quadratures(field));
    Lifted::new(field, split, rates, S::default(), state, tolerance, &[])
}

fn tolerance(relative: f64) -> Tolerance {
    Tolerance { relative, absolute: relative }
}

#[test]
fn quadratures_are_found_in_order() {
    let split = Split::of(&pendulum(), |i| i < 2).unwrap();
    assert_eq!(split, Split { driving: vec![0, 1], quadratures: vec![2, 3, 4], depth: 3 });
    // nothing is a quadrature when all is kept
    assert_eq!(Split::of(&pendulum(), |_| true), None);
}

/// Follows both to t = 20, comparing states at the ends of steps and in between.
fn agree<S: Scalar>(relative: f64, allowed: f64) {
    let field = pendulum();
    let state: Vec<S> = [1.0, 0.3, 0.0, 0.5, -1.0].map(S::from_f64).to_vec();
    let end = S::from_f64(20.0);
    let mut whole = Taylor::<S>::new(&field, S::default(), &state, tolerance(relative), Vec::new());
    let mut pieces = Vec::new();
    while whole.time() != end {
        whole.step(end).unwrap();
        pieces.push(whole.segment());
    }
    let mut parts = lifted(&field, &[0, 1], &state, tolerance(relative));
    let (mut here, mut there) = (state.clone(), state.clone());
    while parts.time() != end {
        let from = parts.time();
        parts.step(end).unwrap();
        let segment = parts.segment();
        for k in 0..=4 {
            let t = from + (parts.time() - from) * S::from_f64(f64::from(k) / 4.0);
            let piece = pieces.iter().find(|p| t <= p.start + p.length).unwrap_or(&pieces[pieces.len() - 1]);
            piece.at(t, &mut there);
            parts.interpolate(t, &mut here);
            for (x, y) in here.iter().zip(&there) {
                let off = (*x - *y).to_f64().abs();
                assert!(off < allowed * y.to_f64().abs().max(1.0), "{off:e} at {}", t.to_f64());
            }
            segment.at(t, &mut there);
            for (x, y) in here.iter().zip(&there) {
                assert!((*x - *y).to_f64().abs() < allowed * y.to_f64().abs().max(1.0), "the stored piece");
            }
        }
    }
}

#[test]
fn the_same_motion_in_doubles() {
    agree::<f64>(1e-14, 1e-11);
}

#[test]
fn the_same_motion_in_double_doubles() {
    agree::<Dd>(1e-30, 1e-26);
}

#[test]
fn steps_are_cut_where_a_quadrature_is_faster() {
    let mut parts = lifted(&fast(), &[0], &[0.2f64, 0.0], tolerance(1e-14));
    while parts.time() < 10.0 {
        parts.step(10.0).unwrap();
    }
    let exact = ((400.0 + 0.2f64).sin() - 0.2f64.sin()) / 40.0;
    assert!((parts.state()[1] - exact).abs() < 1e-13, "{} {exact}", parts.state()[1]);
    assert!(parts.statistics().steps > 10);
}

#[test]
fn a_restart_goes_on_from_there() {
    let field = pendulum();
    let state = [1.0, 0.3, 0.0, 0.5, -1.0];
    let mut parts = lifted(&field, &[0, 1], &state, tolerance(1e-14));
    parts.step(5.0).unwrap();
    let (t, mut moved) = (parts.time(), parts.state().to_vec());
    moved[1] -= 1e-9;
    moved[4] += 1e-9;
    parts.restart(t, &moved, true);
    let mut end = vec![0.0; 5];
    parts.interpolate(t, &mut end);
    assert_eq!(end, moved, "the last step ends in the new state");
    while parts.time() < 5.0 {
        parts.step(5.0).unwrap();
    }
    let mut again = lifted(&field, &[0, 1], &moved, tolerance(1e-14));
    again.restart(t, &moved, false);
    while again.time() < 5.0 {
        again.step(5.0).unwrap();
    }
    for (x, y) in parts.state().iter().zip(again.state()) {
        assert!((x - y).abs() < 1e-13);
    }
}

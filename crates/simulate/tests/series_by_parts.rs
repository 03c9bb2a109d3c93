//! Series of motions by parts, which batches of motions use, against the recurrences: the built-in models, in 30 digits.

use crate::prelude::*;
use polhode_integrate::jets::ByParts;
use polhode_integrate::{JetProgram, Jets};
use polhode_tape::{Builder, Dd, Interpreter, Scalar, Tape, Value, passes};

/// Terms of the series that are compared.
const ORDER: usize = 8;

/// The order for which quantities have to pay: that of batches.
const SERVED: usize = 20;

/// Longer fields take long to be searched through.
const LONGEST: usize = 250;

/// The coefficients 1 … of the state, order by order, and whether quantities were found for them.
fn by_parts(field: &Tape, point: &[Dd]) -> (Vec<Dd>, bool) {
    let mut b = Builder::new();
    let inputs: Vec<Value> = field.inputs.iter().map(|name| b.input(name.clone())).collect();
    let parts = ByParts::new(field, SERVED);
    let rows = parts.unroll(&mut b, &inputs, ORDER);
    rows.iter().flatten().enumerate().for_each(|(i, c)| b.output(format!("c{i}"), *c));
    let tape = passes::finish(b);
    let mut out = vec![Dd::ZERO; tape.outputs.len()];
    Interpreter::new(&tape).call(point, &mut out);
    (out, (0..field.outputs.len()).any(|i| parts.is_given(i)))
}

#[test]
fn models_have_the_series_of_their_jets() {
    let (mut compared, mut helped) = (0, Vec::new());
    for b in builtin::ALL {
        let (model, _) = Model::parse(b.name, b.text, &ParseOptions::default()).expect(b.name);
        let (mut system, _) = System::new(&model).expect(b.name);
        let Ok(compiled) = system.compile() else { continue };
        let Some(tapes) = compiled.tapes().filter(|tapes| tapes.field.ops.len() <= LONGEST) else { continue };
        // a little beside the start, where many coefficients vanish
        let mut point = vec![Dd::ratio(1, 7)];
        let beside = |(i, y): (usize, &Dd)| *y + Dd::ratio(1 + (i * 5 % 7) as i64, 50);
        point.extend(compiled.initial_state().iter().enumerate().map(beside));
        let (ours, any) = by_parts(tapes.field, &point);
        let n = tapes.field.outputs.len();
        let mut jets = Jets::<Dd>::new(JetProgram::new(tapes.field), ORDER);
        jets.evaluate(point[0], &point[1..]);
        for k in 1..=ORDER {
            let size = (0..=k).flat_map(|k| jets.coefficients(k)).map(|c| c.to_f64().abs()).fold(0.0, f64::max);
            for (i, wanted) in jets.coefficients(k).iter().enumerate() {
                let off = (ours[(k - 1) * n + i] - *wanted).abs().to_f64();
                assert!(off <= 1e-24 * size, "{}, order {k}, {}: off by {off:e}", b.name, compiled.program.state[i]);
            }
        }
        compared += 1;
        helped.extend(any.then_some(b.name));
    }
    assert!(compared >= 20, "{compared}");
    for disk in ["rolling-disk", "rolling-disk-centre"] {
        assert!(helped.contains(&disk), "{helped:?}");
    }
}

//! Functions of formulas against those of the standard library, far out and near zero.

use polhode_model::{Model, ParseOptions};

fn tanh_and_slope(x: f64) -> [f64; 2] {
    let text = "[coordinates]\nx = \"real\"\n[observables]\ny = \"tanh(x)\"\n";
    let (mut model, _) = Model::parse("test.toml", text, &ParseOptions::default()).expect("a model");
    let y = model.observables[0].1;
    let at = model.configuration.positions()[0];
    let slope = model.graph.derivative(y, at);
    let values = [(at, x)].into_iter().collect();
    [y, slope].map(|e| model.graph.evaluate_f64(e, &values).expect("a value"))
}

#[test]
fn tanh_is_good_on_both_sides() {
    for x in [0.0, 1e-6, 0.01, 0.3, 1.0, 4.0, 19.0, 400.0, 2600.0] {
        for x in [x, -x] {
            let [y, slope] = tanh_and_slope(x);
            // four doublings of a rounding error of t near 0
            assert!((y - x.tanh()).abs() < 16.0 * f64::EPSILON, "tanh({x}) = {y}");
            assert!((slope - 1.0 / x.cosh().powi(2)).abs() < 64.0 * f64::EPSILON, "slope at {x}: {slope}");
        }
    }
}

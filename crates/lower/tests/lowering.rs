//! Tapes against the slow evaluator: every built-in model, every form, in 30 digits.

use crate::prelude::*;
use polhode_expr::eval::{Digits, Real};
use polhode_lower::{Watched, dd, lower};
use polhode_tape::{Dd, Interpreter, Scalar};

/// |a − b| relative to max(1, |b|).
fn difference(a: Dd, b: &Real) -> f64 {
    let b = dd(b);
    (a - b).abs().to_f64() / b.abs().to_f64().max(1.0)
}

#[test]
fn tapes_compute_what_the_equations_say() {
    let mut compared = 0;
    for b in builtin::ALL {
        let (model, _) = Model::parse(b.name, b.text, &ParseOptions::default()).expect(b.name);
        if model.lagrangian.is_none() {
            continue;
        }
        let (mut system, _) = System::new(&model).expect(b.name);
        let Some(start) = initial_state(&mut system, &model).expect(b.name) else { continue };
        for form in Form::ALL {
            let Ok(equations) = system.equations(form) else { continue };
            let watched = Watched { observables: model.observables.clone(), ..Watched::default() };
            let program = lower(&mut system, &equations, &watched).expect(b.name);

            // the state at the initial values: unknowns by the slow evaluator
            let digits = Digits::decimal(45);
            let mut values = start.digits.clone();
            let symbols: Vec<Expr> = equations.unknowns.iter().map(|s| system.graph.var(*s)).collect();
            let configuration = system.configuration.clone();
            let unknowns = equations.in_velocities(&mut system.graph, &configuration, &symbols);
            // a form may be singular where the model starts: the sleigh's x' is not independent at φ = 0
            let Ok(unknowns) = system.graph.evaluate(&digits, &unknowns, &values) else { continue };
            let mut state = program.positions.components(|s| dd(&values[&s]));
            state.extend(unknowns.iter().map(dd));
            state.extend(program.works.iter().map(|_| Dd::ZERO));
            values.extend(equations.unknowns.iter().copied().zip(unknowns));

            let mut inputs = vec![Dd::ZERO];
            inputs.extend(state);
            inputs.extend(system.parameters.iter().map(|s| dd(&values[s])));
            let mut rates = vec![Dd::ZERO; program.state.len()];
            Interpreter::new(&program.field).call(&inputs, &mut rates);
            let Ok(wanted) = system.graph.evaluate(&digits, &equations.rates, &values) else { continue };
            compared += 1;
            for (k, w) in wanted.iter().enumerate() {
                let d = difference(rates[program.unknowns.start + k], w);
                assert!(
                    d < 1e-28,
                    "{} {}: {} is off by {d}",
                    b.name,
                    form.name(),
                    program.state[program.unknowns.start + k]
                );
            }

            let mut report = vec![Dd::ZERO; program.report.outputs.len()];
            Interpreter::new(&program.report).call(&inputs, &mut report);
            let velocities = system.graph.evaluate(&digits, &equations.velocities, &values).expect(b.name);
            for (k, w) in velocities.iter().enumerate() {
                assert!(
                    difference(report[program.layout.velocities.start + k], w) < 1e-28,
                    "{} {}",
                    b.name,
                    form.name()
                );
            }
            for (k, s) in system.configuration.positions().iter().enumerate() {
                let d = difference(report[program.layout.positions.start + k], &values[s]);
                assert!(d < 1e-28, "{}: {} is off by {d}", b.name, system.graph.name(*s));
            }
            for r in program.layout.residuals.clone() {
                assert!(report[r].abs().to_f64() < 1e-28, "{} {}: constraint violated", b.name, form.name());
            }
            for (k, r) in equations.reactions.iter().enumerate() {
                let w = match system.graph.evaluate(&digits, &[r.value], &values) {
                    // a frame invariant under symmetries that were found may fail where the model starts, and the force across it with it
                    Err(_) if form == Form::Ldap && model.symmetries.is_empty() => continue,
                    w => w.expect(b.name).remove(0),
                };
                assert!(
                    difference(report[program.layout.reactions.start + k], &w) < 1e-27,
                    "{} {}",
                    b.name,
                    form.name()
                );
            }
        }
    }
    assert!(compared > 60, "only {compared} forms were compared");
}

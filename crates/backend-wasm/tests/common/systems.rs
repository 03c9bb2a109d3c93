//! Models as modules.

use super::Machine;
use polhode_backend_wasm::{Direction, Module, Parts, Place, Watch};
use polhode_lower::{lower_functions, state::Place as Kept};
use polhode_mechanics::System;
use polhode_model::{Model, ParseOptions};
use polhode_simulate::{Compile, Compiled, Run};
use polhode_tape::{Scalar, Tape};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows that modules have room for.
pub(crate) const CAPACITY: usize = 1001;

/// A model, compiled natively and as a module.
pub(crate) struct Built {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) module: Module,
    /// When a run of the model ends.
    pub(crate) until: f64,
    /// How long it took to write the module.
    pub(crate) written_in: Duration,
}

/// A built-in model.
pub(crate) fn model(name: &str) -> String {
    polhode_models::find(name).unwrap_or_else(|| panic!("no model {name}")).text.to_owned()
}

/// The names of all built-in models.
pub(crate) fn models() -> Vec<String> {
    polhode_models::ALL.iter().map(|m| m.name.to_owned()).collect()
}

/// Builds a model from its text; nothing if its constraints come and go, or it needs several charts.
pub(crate) fn build(text: &str) -> Option<Built> {
    let (model, _) = Model::parse("test.toml", text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut system = System::new(&model).unwrap_or_else(|e| panic!("{e}")).0;
    let compiled = system.compile().unwrap_or_else(|e| panic!("{e}"));
    if compiled.switches() || compiled.tapes().is_none() {
        return None;
    }
    let rows: Vec<_> = system.distribution.rows.iter().flat_map(|r| r.a.iter().copied().chain([r.a0])).collect();
    let holonomic: Vec<_> = model.holding().filter_map(|c| c.holonomic).collect();
    let positions = system.configuration.positions();
    let inputs: Vec<_> = [system.time].iter().chain(positions).chain(&system.parameters).copied().collect();
    let tape =
        |outputs: &[_]| -> Tape { lower_functions(&system.graph, &inputs, outputs).expect("formulas of position") };
    let (constraints, holonomic) = (tape(&rows), tape(&holonomic));
    let program = &compiled.program;
    let number = |s| positions.iter().position(|p| *p == s).expect("a position");
    let places: Vec<Place> = (program.positions.places.iter())
        .flat_map(|place| match place {
            Kept::Plain { symbol, .. } => vec![Place::Copy { from: number(*symbol) }],
            Kept::Rotation { matrix, .. } => vec![Place::Quaternion { from: matrix.map(number) }],
            Kept::Direction { vector, .. } => vector.map(|s| Place::Copy { from: number(s) }).to_vec(),
        })
        .collect();
    let watch = |e: &polhode_simulate::EventInfo| Watch {
        terminal: e.terminal,
        direction: match e.direction {
            polhode_model::Direction::Rising => Direction::Rising,
            polhode_model::Direction::Falling => Direction::Falling,
            polhode_model::Direction::Either => Direction::Either,
        },
    };
    let watched: Vec<Watch> = compiled.events.iter().map(watch).collect();
    let started = Instant::now();
    let parts = Parts {
        field: &program.field,
        report: &program.report,
        events: &program.events,
        constraints: &constraints,
        holonomic: &holonomic,
        entry: &program.entry,
        surfaces: &[],
        places: &places,
        units: &program.positions.units(),
        watched: &watched,
        capacity: CAPACITY,
    };
    let module = parts.emit().unwrap_or_else(|e| panic!("{e}"));
    Some(Built { module, until: model.until(), written_in: started.elapsed(), compiled: compiled.clone() })
}

impl Built {
    /// What a page puts into memory before it begins: parameters, positions, velocities.
    pub(crate) fn numbers(&self) -> [(u32, Vec<f64>); 3] {
        let at = self.module.layout.at;
        let start = self.compiled.solve(&Run::until(1e-6).at([0.0])).expect("a run").samples[0].clone();
        let layout = &self.compiled.program.layout;
        let numbers = |range: &std::ops::Range<usize>| range.clone().map(|i| start.number(i)).collect();
        [
            (at.parameters, self.compiled.parameters.iter().map(|(_, x)| x.to_f64()).collect()),
            (at.positions, numbers(&layout.positions)),
            (at.velocities, numbers(&layout.velocities)),
        ]
    }

    /// What a script prints in Node that finds the exports of the module in `e`, at the start of the motion; nothing where there is no
    /// Node.
    pub(crate) fn in_node(&self, script: &str) -> Option<String> {
        let numbers = self.numbers().iter().map(|(at, x)| format!("put({at}, {x:?});")).collect::<String>();
        let script = format!(
            "const bytes = require('fs').readFileSync(0);
             const {{ exports: e }} = new WebAssembly.Instance(new WebAssembly.Module(bytes));
             const put = (at, x) => new Float64Array(e.memory.buffer, at, x.length).set(x);
             {numbers} e.enter(); {script}"
        );
        polhode_testing::node(&script, self.module.bytes.clone())
    }

    /// A machine at the start of the motion.
    pub(crate) fn begun(&self) -> Machine {
        let mut machine = Machine::new(&self.module.bytes);
        self.numbers().iter().for_each(|(at, numbers)| machine.put(*at, numbers));
        machine.call::<(), ()>("enter", ());
        machine
    }
}

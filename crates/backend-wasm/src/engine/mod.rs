//! Tapes of a system as a module that follows its motions.
//!
//! | export | what it does |
//! | --- | --- |
//! | `memory` | where all numbers are: [`Layout`] |
//! | `constraints()` | (t, positions, parameters) → rows A, a₀ |
//! | `holonomic()` | (t, positions, parameters) → values of the holonomic constraints |
//! | `enter()` | (t, positions, velocities, parameters) → the state |
//! | `field()`, `report()` | (t, state, parameters) → rates, report |
//! | `integrate(t_end, count, rtol, atol, max_steps)` | a motion: rows · 16 + status |
//! | `surface_k(u, v)` | a point of surface k |
//!
//! `integrate` begins at the time and the state in memory, which it leaves as they are. It writes `count` rows (2 at least,
//! [`Sizes::capacity`] at most) at equidistant times, the first at the beginning and the last where it stopped, with a report for each; unit
//! vectors are unit in all of them.
//! Its status is 0 at the end, 1 where steps became too small, 2 where values are not finite, 3 after `max_steps` steps,
//! 4 at a terminal event.

mod enter;
mod events;
mod integrate;
mod memory;
mod stepping;

pub use memory::{At, Layout, Sizes};
pub use polhode_integrate::drive::Direction;

use crate::assembler::{Function, Var, Writer, operands};
use crate::elementary::Elementary;
use crate::lower::{Place as Spot, lower, places, places_from, spill};
use polhode_tape::Tape;
use std::fmt;
use std::ops::Range;

/// The most memory that a module asks for, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// What is made of an event function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// Does a crossing end the motion?
    pub terminal: bool,
    /// Which crossings count.
    pub direction: Direction,
}

/// Components of a state that belong to position symbols, by the numbers of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// One component, which is the position.
    Copy {
        /// Which.
        from: usize,
    },
    /// Four components: the unit quaternion of a rotation matrix.
    Quaternion {
        /// The entries of the matrix, row by row.
        from: [usize; 9],
    },
}

impl Place {
    fn components(&self) -> usize {
        match self {
            Place::Copy { .. } => 1,
            Place::Quaternion { .. } => 4,
        }
    }

    fn symbols(&self) -> &[usize] {
        match self {
            Place::Copy { from } => std::slice::from_ref(from),
            Place::Quaternion { from } => from,
        }
    }
}

/// What a module is made of. With n components of the state, k parameters, p positions and v velocities:
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// (t, state, parameters) → ẏ: 1 + n + k inputs, n outputs.
    pub field: &'a Tape,
    /// (t, state, parameters) → what is reported.
    pub report: &'a Tape,
    /// (t, state, parameters) → the event functions.
    pub events: &'a Tape,
    /// (t, positions, parameters) → A, a₀ row by row: v + 1 outputs for each constraint.
    pub constraints: &'a Tape,
    /// (t, positions, parameters) → the holonomic constraints.
    pub holonomic: &'a Tape,
    /// (t, positions, velocities, parameters) → the unknowns, which follow the components of the positions in the state.
    pub entry: &'a Tape,
    /// (u, v, parameters) → a point: three outputs.
    pub surfaces: &'a [Tape],
    /// The components of the positions, in the order of the state.
    pub places: &'a [Place],
    /// Parts of the state that are made unit vectors after each step.
    pub units: &'a [Range<usize>],
    /// One for each event function.
    pub watched: &'a [Watch],
    /// Rows of a motion, two at least.
    pub capacity: usize,
}

/// Why there is no module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotEmitted {
    /// Parts do not belong together: which.
    Shape(&'static str),
    /// A tape is longer, or the memory larger, than engines take.
    TooLarge,
}

impl fmt::Display for NotEmitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotEmitted::Shape(what) => write!(f, "{what} have other numbers of inputs or outputs than the others"),
            NotEmitted::TooLarge => f.write_str("the equations are too long for WebAssembly"),
        }
    }
}

impl std::error::Error for NotEmitted {}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// As it is loaded.
    pub bytes: Vec<u8>,
    /// What is where in its memory.
    pub layout: Layout,
}

impl Parts<'_> {
    /// Components of the positions.
    fn components(&self) -> usize {
        self.places.iter().map(Place::components).sum()
    }

    fn check(&self, sizes: &Sizes) -> Result<(), NotEmitted> {
        let Sizes { state: n, parameters: k, positions: p, velocities: v, .. } = *sizes;
        let along = 1 + n + k;
        let unknowns = self.components() + self.entry.outputs.len();
        let conditions = [
            (self.field.inputs.len() == along, "the rates"),
            (self.report.inputs.len() == along, "the reports"),
            (self.events.inputs.len() == along && self.watched.len() == self.events.outputs.len(), "the events"),
            (self.constraints.inputs.len() == 1 + p + k, "the constraints"),
            (self.constraints.outputs.len().is_multiple_of(v + 1), "the rows of the constraints"),
            (self.holonomic.inputs.len() == 1 + p + k, "the holonomic constraints"),
            (self.entry.inputs.len() == 1 + p + v + k && unknowns <= n, "the unknowns"),
            (self.places.iter().flat_map(Place::symbols).all(|from| *from < p), "the places of positions"),
            (self.units.iter().all(|u| !u.is_empty() && u.end <= n), "the unit vectors"),
            (self.surfaces.iter().all(|s| s.inputs.len() == 2 + k && s.outputs.len() == 3), "the surfaces"),
        ];
        match conditions.iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(NotEmitted::Shape(what)),
            // the rows take most of the memory; whether all of it fits is seen in the end
            None if sizes.capacity as u128 * (1 + n + sizes.report) as u128 > u128::from(MOST_BYTES) / 8 => {
                Err(NotEmitted::TooLarge)
            }
            None => Ok(()),
        }
    }

    /// Makes the module.
    pub fn emit(&self) -> Result<Module, NotEmitted> {
        let sizes = Sizes::of(self);
        self.check(&sizes)?;
        let mut writer = Writer::new();
        let w = &mut writer;
        let (layout, work) = memory::lay_out(w, self, sizes);
        let at = layout.at;
        let named = [self.field, self.report, self.events, self.constraints, self.holonomic, self.entry];
        let elementary = Elementary::of(w, named.into_iter().chain(self.surfaces));
        let tapes = Tapes { elementary, layout };

        let field = tapes.along(w, self.field);
        let report = tapes.along(w, self.report);
        for (name, function, to) in [("field", field, at.rates), ("report", report, at.report)] {
            let once = w.function(&[], |c, ()| c.run(function, operands![at.time, to]));
            w.export(name, once);
        }
        for (name, tape, to) in
            [("constraints", self.constraints, at.rows), ("holonomic", self.holonomic, at.holonomic)]
        {
            let function = tapes.fixed(w, tape, &[(at.positions, sizes.positions)], to);
            w.export(name, function);
        }
        let moving = [(at.positions, sizes.positions), (at.velocities, sizes.velocities)];
        let unknowns = tapes.fixed(w, self.entry, &moving, at.entry);
        let enter = enter::enter(w, self, &layout, unknowns);
        w.export("enter", enter);
        for (k, surface) in self.surfaces.iter().enumerate() {
            let function = tapes.surface(w, surface);
            w.export(&format!("surface_{k}"), function);
        }

        let finite = stepping::finite(w, sizes.state);
        let v = stepping::Variables::new(w);
        let stepping = stepping::Stepping { n: sizes.state, work, v, field, finite };
        let steps = stepping.functions(w, self.units);
        let (pending, logged) = (w.global(), w.global());
        let watches = (sizes.events > 0).then(|| {
            let functions = tapes.along(w, self.events);
            let (stepping, steps, layout) = (&stepping, &steps, &layout);
            events::Watching { stepping, steps, layout, functions, pending, logged }.functions(w)
        });
        let calls = integrate::Calls { steps, watches, logged, report, units: self.units };
        let integrate = integrate::integrate(w, &stepping, &layout, &calls);
        w.export("integrate", integrate);
        let bytes = writer.finish(MOST_BYTES).ok_or(NotEmitted::TooLarge)?;
        Ok(Module { bytes, layout })
    }
}

/// Tapes with the parameters in memory.
struct Tapes {
    elementary: Elementary,
    layout: Layout,
}

impl Tapes {
    fn parameters(&self) -> impl Iterator<Item = Spot> {
        places(self.layout.at.parameters, self.layout.sizes.parameters)
    }

    /// (address of t, y; address of the outputs).
    fn along(&self, w: &mut Writer, tape: &Tape) -> Function {
        let spilled = spill(w, tape);
        w.function(&[], |c, (point, to): (Var<i32>, Var<i32>)| {
            let inputs: Vec<Spot> = places_from(point, 1 + self.layout.sizes.state).chain(self.parameters()).collect();
            let outputs: Vec<Spot> = places_from(to, tape.outputs.len()).collect();
            lower(c, &self.elementary, tape, spilled, &inputs, &outputs);
        })
    }

    /// From the time, the numbers at some addresses, and the parameters to an address.
    fn fixed(&self, w: &mut Writer, tape: &Tape, from: &[(u32, usize)], to: u32) -> Function {
        let spilled = spill(w, tape);
        w.function(&[], |c, ()| {
            let between = from.iter().flat_map(|(at, count)| places(*at, *count));
            let inputs: Vec<Spot> = places(self.layout.at.time, 1).chain(between).chain(self.parameters()).collect();
            let outputs: Vec<Spot> = places(to, tape.outputs.len()).collect();
            lower(c, &self.elementary, tape, spilled, &inputs, &outputs);
        })
    }

    /// (u, v).
    fn surface(&self, w: &mut Writer, tape: &Tape) -> Function {
        let spilled = spill(w, tape);
        w.function(&[], |c, (u, v): (Var<f64>, Var<f64>)| {
            let inputs: Vec<Spot> = [Spot::Given(u), Spot::Given(v)].into_iter().chain(self.parameters()).collect();
            let outputs: Vec<Spot> = places(self.layout.at.point, tape.outputs.len()).collect();
            lower(c, &self.elementary, tape, spilled, &inputs, &outputs);
        })
    }
}

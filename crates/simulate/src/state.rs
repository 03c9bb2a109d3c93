//! A state of a motion, and where it belongs.
//!
//! The components y ∈ ℝⁿ are positions, unknowns and works. Their unknowns mean something in one *chart*, a choice of independent velocities, and the
//! motion obeys one *mode*, a set of constraints in force. Integrators see y alone: who drives them keeps the place.
//!
//! Not here: what charts and modes are made of (`chart`, `switch/modes`).

use polhode_base::ids::{ChartId, Id, ModeId};

/// The chart and the mode of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) chart: ChartId,
    pub(crate) mode: ModeId,
}

impl Place {
    /// In a chart of a model whose constraints stay.
    pub(crate) fn in_chart(chart: ChartId) -> Place {
        Place { chart, mode: ModeId::new(0) }
    }

    /// In a mode of a model whose constraints come and go: each has one chart.
    pub(crate) fn in_mode(mode: ModeId) -> Place {
        Place { chart: ChartId::new(mode.index()), mode }
    }
}

/// A time, and the state then.
pub(crate) type Moment<S> = (S, State<S>);

/// A state: its components, and where it belongs.
#[derive(Clone, Debug)]
pub(crate) struct State<S> {
    pub(crate) components: Vec<S>,
    pub(crate) place: Place,
}

impl<S: Copy> State<S> {
    pub(crate) fn new(components: Vec<S>, place: Place) -> State<S> {
        State { components, place }
    }

    /// Becomes another state, without allocation where it has room.
    pub(crate) fn set(&mut self, components: &[S], place: Place) {
        self.components.clear();
        self.components.extend_from_slice(components);
        self.place = place;
    }
}

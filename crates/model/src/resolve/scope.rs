//! Names and what they are bound to.

use super::value::Value;
use polhode_base::{Span, closest};
use polhode_expr::NamedFunction;
use rustc_hash::FxHashMap;

/// What kind of thing a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// `pi`, `deg`.
    Constant,
    /// `t`.
    Time,
    Parameter,
    /// A coordinate with a value of its own: `x`, `R`, `s`.
    Coordinate,
    /// A coordinate that is only used by its parts: `g` on SE(2) or SE(3).
    Group,
    /// Part of a coordinate or its velocity: `g.p`, `R.Omega`, `omega`.
    Component,
    Definition,
    QuasiVelocity,
    /// A function left open.
    Function(NamedFunction, usize),
    /// A quantity of a body: `stone.velocity`.
    BodyPart,
}

impl What {
    /// In words, with its article.
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            What::Constant => "a constant",
            What::Time => "time",
            What::Parameter => "a parameter",
            What::Coordinate | What::Group => "a coordinate",
            What::Component => "part of a coordinate or its velocity",
            What::Definition => "a definition",
            What::QuasiVelocity => "a quasi-velocity",
            What::Function(..) => "a function",
            What::BodyPart => "a quantity of a body",
        }
    }
}

/// What a name is bound to.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) what: What,
    /// `None` when it has none of its own, or when its formula was wrong (and said so).
    pub(crate) value: Option<Value>,
    /// Whether it contains velocities.
    pub(crate) moving: bool,
    pub(crate) span: Option<Span>,
}

/// All names that are known so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    bindings: FxHashMap<String, Binding>,
    order: Vec<String>,
}

impl Scope {
    pub(crate) fn get(&self, name: &str) -> Option<&Binding> {
        self.bindings.get(name)
    }

    pub(crate) fn insert(&mut self, name: &str, binding: Binding) {
        if self.bindings.insert(name.to_owned(), binding).is_none() {
            self.order.push(name.to_owned());
        }
    }

    /// The names in the order in which they were bound.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }

    /// The names of one kind.
    pub(crate) fn names_of(&self, wanted: impl Fn(&What) -> bool) -> Vec<&str> {
        self.names().filter(|n| self.bindings.get(*n).is_some_and(|b| wanted(&b.what))).collect()
    }

    /// The known name nearest to `name`.
    pub(crate) fn closest(&self, name: &str) -> Option<&str> {
        closest(name, self.names())
    }
}

//! The regions of a model: open sets of positions with the same constraints in force.
//!
//! Sides of borders that exclude each other (x < 0 and x > 1) are told apart from those that occur by random positions.

use crate::contact::Contact;
use crate::model::Model;
use crate::switching::{ConstraintSet, Latch, Sides};
use polhode_base::ids::{BorderId, EventId, Id, IdVec, LatchId};
use polhode_base::random::Random;
use polhode_expr::{Tree, print};
use rustc_hash::FxHashMap;

/// Random positions that are looked at, in several sizes.
const POSITIONS: usize = 3000;
const SIZES: [f64; 4] = [0.3, 1.0, 5.0, 40.0];

/// Most sides that a description lists.
const MOST_SIDES: usize = 4;

/// An open set of positions, and which constraints are in force there.
#[derive(Clone, Debug)]
pub struct Region {
    /// In words: `x > 0 and y < 0`.
    pub place: String,
    /// Those constraints.
    pub active: ConstraintSet,
}

impl Model {
    /// A border as an equation: `x = 0`.
    pub fn border_equation(&self, border: BorderId) -> String {
        self.side(border, 0)
    }

    /// The regions, that of the start first.
    pub fn regions(&self) -> Vec<Region> {
        let mut groups: Vec<(ConstraintSet, Vec<Sides>)> = Vec::new();
        let all = self.possible_sides();
        for sides in &all {
            let active = self.active(sides);
            match groups.iter_mut().find(|(a, _)| *a == active) {
                Some((_, members)) => members.push(sides.clone()),
                None => groups.push((active, vec![sides.clone()])),
            }
        }
        let describe = |members: &[Sides]| self.describe(members, &all);
        groups.iter().map(|(active, members)| Region { place: describe(members), active: active.clone() }).collect()
    }

    /// Sides of all borders that occur together, with latches on and off.
    fn possible_sides(&self) -> Vec<Sides> {
        let parameters = self.parameter_values().unwrap_or_default();
        let mut random = Random::new(5);
        let mut seen: Vec<IdVec<BorderId, i8>> = Vec::new();
        let mut model = self.clone();
        let start = model.sides_at_start().borders;
        if start.iter().all(|s| *s != 0) {
            seen.push(start);
        }
        for k in 0..POSITIONS {
            let size = SIZES[k % SIZES.len()];
            let mut values: FxHashMap<_, _> = parameters.clone();
            for s in self.configuration.positions().iter().chain([&self.time]) {
                values.insert(*s, random.short(-size, size));
            }
            let value = |e| self.graph.evaluate_f64(e, &values).unwrap_or(0.0);
            let sides: IdVec<BorderId, i8> =
                self.borders.iter().map(|b| if value(b.function) > 0.0 { 1 } else { -1 }).collect();
            if !seen.contains(&sides) {
                seen.push(sides);
            }
        }
        // that of the start first, the others in order
        let known = usize::from(model.sides_at_start().borders.iter().all(|s| *s != 0));
        seen[known..].sort_unstable_by(|a, b| a[..].cmp(&b[..]));
        let latches = self.latches.len();
        let with = |borders: &IdVec<BorderId, i8>, k: usize| Sides {
            borders: borders.clone(),
            latches: (0..latches).map(|l| k >> l & 1 == 1).collect(),
        };
        seen.iter().flat_map(|b| (0..1usize << latches).map(|k| with(b, k)).collect::<Vec<_>>()).collect()
    }

    /// What is in force on a border, beside the sides of the others that occur there.
    pub fn on_border(&self, border: BorderId) -> Vec<Region> {
        let all = self.possible_sides();
        let mut groups: Vec<(ConstraintSet, Vec<Sides>)> = Vec::new();
        let mut here: Vec<Sides> = Vec::new();
        // a sum of squares has one side only
        let one_sided = all.iter().all(|s| s.borders[border] == all[0].borders[border]);
        for sides in all.iter().filter(|s| one_sided || s.borders[border] == 1) {
            let mut across = sides.clone();
            across.borders[border] = -1;
            // both sides of it occur together
            if !one_sided && !all.contains(&across) {
                continue;
            }
            across.borders[border] = 0;
            let active = self.active(&across);
            here.push(across.clone());
            match groups.iter_mut().find(|(a, _)| *a == active) {
                Some((_, members)) => members.push(across),
                None => groups.push((active, vec![across])),
            }
        }
        let place = |members: &[Sides]| self.describe(members, &here);
        groups.iter().map(|(active, members)| Region { place: place(members), active: active.clone() }).collect()
    }

    /// One side of a border, or the border: as the model writes it.
    pub fn side(&self, border: BorderId, side: i8) -> String {
        let sign = match side {
            1 => ">",
            -1 => "<",
            _ => "=",
        };
        // a border is the difference of the two sides of a comparison
        let text = &self.borders[border].text;
        let parts: Vec<&str> = text.split(['<', '>', '=']).map(str::trim).filter(|p| !p.is_empty()).collect();
        if let [left, right] = parts[..] {
            return format!("{left} {sign} {right}");
        }
        let function = match Tree::of_limited(&self.graph, self.borders[border].function, 200) {
            Some(tree) => print::ascii(&self.graph, &tree),
            None => "…".to_owned(),
        };
        format!("{function} {sign} 0")
    }

    /// Sides in words, without those that follow from the others, as far as can be seen from the sides that occur.
    fn describe(&self, members: &[Sides], all: &[Sides]) -> String {
        let borders = self.borders.len();
        let agrees = |a: &Sides, b: &Sides, k: usize| match k < borders {
            true => a.borders[BorderId::new(k)] == b.borders[BorderId::new(k)],
            false => a.latches[LatchId::new(k - borders)] == b.latches[LatchId::new(k - borders)],
        };
        let mut texts: Vec<String> = Vec::new();
        for m in members {
            let mut kept: Vec<usize> = (0..borders + self.latches.len()).collect();
            // the last conditions go first, so that those written first are kept
            for k in (0..kept.len()).rev() {
                let without: Vec<usize> = kept.iter().copied().filter(|j| *j != k).collect();
                let fits = |s: &&Sides| without.iter().all(|j| agrees(s, m, *j));
                if all.iter().filter(fits).all(|s| members.contains(s)) {
                    kept = without;
                }
            }
            let word = |k: usize| match k < borders {
                true => self.side(BorderId::new(k), m.borders[BorderId::new(k)]),
                false => self.latch(LatchId::new(k - borders), m.latches[LatchId::new(k - borders)]),
            };
            let text = kept.iter().map(|k| word(*k)).filter(|t| !t.is_empty()).collect::<Vec<_>>().join(" and ");
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        match texts.len() {
            _ if texts.iter().any(String::is_empty) && self.borders.is_empty() => "everywhere".to_owned(),
            _ if texts.iter().any(String::is_empty) => "everywhere off the borders".to_owned(),
            n if n > MOST_SIDES => "elsewhere".to_owned(),
            _ => texts.join(", or "),
        }
    }

    fn latch(&self, latch: LatchId, on: bool) -> String {
        let event = |e: EventId| self.events[e].name.clone();
        match (self.latches[latch], on) {
            (Latch::Wall(k), true) => format!("in contact with {}", self.walls[k].name),
            (Latch::Wall(k), false) => format!("off {}", self.walls[k].name),
            (Latch::Events { from: Some(from), until: None }, true) => format!("after {}", event(from)),
            (Latch::Events { from: Some(from), until: None }, false) => format!("before {}", event(from)),
            (Latch::Events { from: None, until: Some(until) }, true) => format!("before {}", event(until)),
            (Latch::Events { from: None, until: Some(until) }, false) => format!("after {}", event(until)),
            (Latch::Events { from: Some(from), until: Some(until) }, true) => {
                format!("between {} and {}", event(from), event(until))
            }
            (Latch::Events { from: Some(from), until: Some(until) }, false) => {
                format!("not between {} and {}", event(from), event(until))
            }
            (Latch::Events { from: None, until: None }, _) => String::new(),
            (Latch::Contact { .. }, on) => self.contact_latch(latch, on),
        }
    }

    /// What a contact does while a latch of its own is on, or off.
    fn contact_latch(&self, latch: LatchId, on: bool) -> String {
        let name = |c: &Contact| if c.name.is_empty() { c.sides[0].name.clone() } else { c.name.clone() };
        let contacts = self.contacts.iter().map(|c| (c.changes.as_ref(), name(c)));
        for (changes, who) in contacts.chain(self.walls.iter().map(|w| (w.changes.as_ref(), w.name.clone()))) {
            let Some(changes) = changes else { continue };
            let words = match latch {
                l if changes.closed == Some(l) => ["closed", "open"],
                l if changes.rolls == Some(l) => ["rolling", "sliding"],
                _ => continue,
            };
            return format!("{who} {}", words[usize::from(!on)]);
        }
        String::new()
    }
}

//! The regions of a model: open sets of positions with the same constraints in force.
//!
//! Sides of borders that exclude each other (x < 0 and x > 1) are told apart from those that occur by random positions.

use crate::contact::Contact;
use crate::model::Model;
use crate::switching::{Latch, Sides};
use polhode_expr::random::Random;
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
    /// For each constraint as written.
    pub active: Vec<bool>,
}

impl Model {
    /// A border as an equation: `x = 0`.
    pub fn border_equation(&self, border: usize) -> String {
        self.side(border, 0)
    }

    /// The regions, that of the start first.
    pub fn regions(&self) -> Vec<Region> {
        let mut groups: Vec<(Vec<bool>, Vec<Sides>)> = Vec::new();
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
        let mut seen: Vec<Vec<i8>> = Vec::new();
        let mut model = self.clone();
        let start = model.sides_at_start().borders;
        if start.iter().all(|s| *s != 0) {
            seen.push(start);
        }
        for k in 0..POSITIONS {
            let size = SIZES[k % SIZES.len()];
            let mut values: FxHashMap<_, _> = parameters.clone();
            for s in self.configuration.positions().iter().chain([&self.time]) {
                values.insert(*s, random.between(-size, size));
            }
            let value = |e| self.graph.evaluate_f64(e, &values).unwrap_or(0.0);
            let sides: Vec<i8> = self.borders.iter().map(|b| if value(b.function) > 0.0 { 1 } else { -1 }).collect();
            if !seen.contains(&sides) {
                seen.push(sides);
            }
        }
        let latches = self.latches.len();
        let with = |borders: &Vec<i8>, k: usize| Sides {
            borders: borders.clone(),
            latches: (0..latches).map(|l| k >> l & 1 == 1).collect(),
        };
        seen.iter().flat_map(|b| (0..1usize << latches).map(|k| with(b, k)).collect::<Vec<_>>()).collect()
    }

    /// One side of a border, or the border.
    fn side(&self, border: usize, side: i8) -> String {
        let function = match Tree::of_limited(&self.graph, self.borders[border].function, 200) {
            Some(tree) => print::ascii(&self.graph, &tree),
            None => "…".to_owned(),
        };
        let sign = match side {
            1 => ">",
            -1 => "<",
            _ => "=",
        };
        format!("{function} {sign} 0")
    }

    /// Sides in words, without those that make no difference.
    fn describe(&self, members: &[Sides], all: &[Sides]) -> String {
        let matters = |flip: &dyn Fn(&mut Sides)| {
            members.iter().any(|m| {
                let mut other = m.clone();
                flip(&mut other);
                all.contains(&other) && !members.contains(&other)
            })
        };
        let borders: Vec<usize> =
            (0..self.borders.len()).filter(|k| matters(&|s: &mut Sides| s.borders[*k] = -s.borders[*k])).collect();
        let latches: Vec<usize> =
            (0..self.latches.len()).filter(|k| matters(&|s: &mut Sides| s.latches[*k] = !s.latches[*k])).collect();
        let mut texts: Vec<String> = Vec::new();
        for m in members {
            let each = borders.iter().map(|k| self.side(*k, m.borders[*k]));
            let each = each.chain(latches.iter().map(|k| self.latch(*k, m.latches[*k])));
            let text = each.collect::<Vec<_>>().join(" and ");
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        match texts.len() {
            _ if borders.is_empty() && latches.is_empty() && self.borders.is_empty() => "everywhere".to_owned(),
            _ if borders.is_empty() && latches.is_empty() => "everywhere off the borders".to_owned(),
            n if n > MOST_SIDES => "elsewhere".to_owned(),
            _ => texts.join(", or "),
        }
    }

    fn latch(&self, latch: usize, on: bool) -> String {
        let event = |e: usize| self.events[e].name.clone();
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
    fn contact_latch(&self, latch: usize, on: bool) -> String {
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

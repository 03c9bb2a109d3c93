//! Symmetries that a model has without saying so: cyclic coordinates and Euclidean motions.
//!
//! Among all constant combinations of
//!
//! ```text
//! ∂_q,    x ∂_y − y ∂_x,    the turns of a rotation and the motions of a body from the left and from the right,
//! and the same for points of contact
//! ```
//!
//! those along which L, the forces and the constraints do not change form a linear space, and a group.

use super::Field;
use super::relations::constant_relations;
use crate::budget::SUGGESTED_SYMMETRIES;
use crate::system::System;
use polhode_expr::{Expr, Graph, Rates, Symbol};
use polhode_model::{Factor, PlaneMotion, Rotation};

impl System {
    /// A basis of the symmetries among cyclic coordinates and Euclidean motions.
    pub fn suggested_symmetries(&mut self) -> Vec<Field> {
        let candidates = self.candidates(false);
        self.symmetries_among(candidates)
    }

    /// The same with turns and motions of bodies that leave points of contact where they are: together with turns of these points they
    /// turn a body of revolution about its axis whatever it touches. Fields that differ only off the contact are not found twice.
    pub fn symmetries_at_contact(&mut self) -> Vec<Field> {
        let candidates = self.candidates(true);
        self.symmetries_among(candidates)
    }

    fn symmetries_among(&mut self, candidates: Vec<Field>) -> Vec<Field> {
        if candidates.is_empty() || candidates.len() > SUGGESTED_SYMMETRIES {
            return Vec::new();
        }
        let changes: Vec<Vec<Expr>> = candidates.iter().map(|f| self.changes(f)).collect();
        let relations = constant_relations(&mut self.graph, &mut self.zero, &changes);
        let mut out = Vec::new();
        for relation in relations {
            let mut rates = Rates::default();
            for (c, field) in relation.iter().zip(&candidates).filter(|(c, _)| !c.is_zero()) {
                for (s, e) in &field.rates {
                    let old = rates.get(s).copied().unwrap_or(self.graph.zero());
                    let step = self.graph.scale(*e, c);
                    let new = self.graph.add(old, step);
                    rates.insert(*s, new);
                }
            }
            if let Some(mut field) = Field::new(self, "", rates) {
                field.text = self.generator_text(&field.rates);
                out.push(field);
            }
        }
        out
    }

    /// All that a field changes, as one vector that is linear in the field.
    fn changes(&mut self, field: &Field) -> Vec<Expr> {
        let configuration = self.configuration.clone();
        let lifted = field.lifted(&mut self.graph, &configuration);
        let mut out = vec![self.graph.along(self.lagrangian, &lifted)];
        let forces = self.forces.clone();
        if forces.iter().any(|f| !self.graph.is_zero(*f)) {
            out.extend(field.lie_derivative(&mut self.graph, &configuration, &forces));
        }
        out.extend(self.changes_of_constraints(field));
        out.extend(&field.dragged);
        out
    }

    /// Bodies move with the points that they carry, or without them.
    fn candidates(&mut self, alone: bool) -> Vec<Field> {
        let factors = self.configuration.factors().to_vec();
        let mut rates: Vec<Rates> = Vec::new();
        for coordinate in factors.iter().filter_map(Factor::coordinate) {
            rates.push(Rates::from_iter([(coordinate, self.graph.one())]));
        }
        let reals: Vec<Symbol> = factors.iter().filter_map(Factor::line).collect();
        for (i, x) in reals.iter().enumerate() {
            for y in &reals[i + 1..] {
                rates.push(turn(&mut self.graph, *x, *y));
            }
        }
        for f in &factors {
            if let Some(PlaneMotion { place: [x, y], angle, .. }) = f.plane_motion() {
                rates.extend(self.translations(&[x, y]));
                let mut whole = turn(&mut self.graph, x, y);
                whole.insert(angle, self.graph.one());
                rates.push(whole);
            } else if f.rotation().is_some() {
                // the place turns with the body
                rates.extend(self.translations(f.untied()));
                let mut turns = self.left_turns(f.tied());
                if f.translation().is_some() {
                    turns.iter_mut().zip(self.left_turns(f.untied())).for_each(|(r, x)| r.extend(x));
                }
                rates.extend(turns);
                rates.extend(self.base_rates(f, alone));
            } else if f.direction().is_some() {
                rates.extend(self.left_turns(&f.positions));
            } else if f.is_carried() && f.positions.len() == 3 {
                rates.extend(self.translations(&f.positions));
                rates.extend(self.left_turns(&f.positions));
            }
        }
        rates.into_iter().filter_map(|r| Field::new(self, "", r)).collect()
    }

    /// e_k × v for the columns v of a matrix, or for a single vector.
    fn left_turns(&mut self, entries: &[Symbol]) -> Vec<Rates> {
        let width = entries.len() / 3;
        let graph = &mut self.graph;
        (0..3)
            .map(|k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let mut rates = Rates::default();
                for c in 0..width {
                    rates.extend(turn(graph, entries[i * width + c], entries[j * width + c]));
                }
                rates
            })
            .collect()
    }

    fn translations(&mut self, positions: &[Symbol]) -> Vec<Rates> {
        positions.iter().map(|s| Rates::from_iter([(*s, self.graph.one())])).collect()
    }

    fn base_rates(&mut self, factor: &Factor, alone: bool) -> Vec<Rates> {
        let velocities = self.configuration.velocities().to_vec();
        let configuration = self.configuration.clone();
        let unit = |graph: &Graph, v: &Symbol| -> Vec<Expr> {
            velocities.iter().map(|s| if s == v { graph.one() } else { graph.zero() }).collect()
        };
        factor
            .velocities
            .iter()
            .map(|v| {
                let unit = unit(&self.graph, v);
                let mut rates = configuration.rates_along(&mut self.graph, &unit);
                rates.retain(|s, _| !alone || factor.positions.contains(s));
                rates
            })
            .collect()
    }

    /// A generator in the syntax of model files.
    pub fn generator_text(&mut self, rates: &Rates) -> String {
        let factors = self.configuration.factors().to_vec();
        let mut plain = Vec::new();
        let mut tables = Vec::new();
        let mut scalar = Vec::new();
        for f in &factors {
            let moved: Vec<Expr> =
                f.positions.iter().map(|s| rates.get(s).copied().unwrap_or(self.graph.zero())).collect();
            if moved.iter().all(|e| self.is_zero(*e)) {
                continue;
            }
            if let Some(Rotation { name, matrix, .. }) = f.rotation() {
                let (rotation, place) = moved.split_at(matrix.len());
                if rotation.iter().any(|e| !self.is_zero(*e)) {
                    tables.push(format!("{name} = \"{}\"", self.turn_text(name, matrix, rotation)));
                }
                if let Some(translation) = f.translation()
                    && place.iter().any(|e| !self.is_zero(*e))
                {
                    tables.push(format!("{} = \"{}\"", translation.name, self.vector_text(place)));
                }
            } else if f.direction().is_some() || f.is_carried() {
                tables.push(format!("{} = \"{}\"", f.name, self.vector_text(&moved)));
            } else {
                for (s, e) in f.positions.iter().zip(&moved).filter(|(_, e)| !self.graph.is_zero(**e)) {
                    scalar.push((self.graph.name(*s).to_string(), *e));
                }
            }
        }
        for (name, e) in scalar {
            let text = self.shown(e);
            if tables.is_empty() {
                plain.push(match text.as_str() {
                    "1" => format!("d/d{name}"),
                    "-1" => format!("-d/d{name}"),
                    t => format!("{t}*d/d{name}"),
                });
            } else {
                tables.push(format!("{name} = \"{text}\""));
            }
        }
        if tables.is_empty() { plain.join(" + ").replace("+ -", "- ") } else { format!("{{ {} }}", tables.join(", ")) }
    }

    /// `R` for `R[1,1]`.
    fn vector_text(&mut self, entries: &[Expr]) -> String {
        let texts: Vec<String> = entries.iter().map(|e| self.shown(*e)).collect();
        format!("[{}]", texts.join(", "))
    }

    /// `hat(a)*R` or `R*hat(a)`, whichever has a constant a.
    fn turn_text(&mut self, name: &str, entries: &[Symbol], moved: &[Expr]) -> String {
        let x: Vec<Expr> = entries.iter().map(|s| self.graph.var(*s)).collect();
        let product = |graph: &mut Graph, pairs: [(Expr, Expr); 3]| {
            let parts: Vec<Expr> = pairs.into_iter().map(|(a, b)| graph.mul(a, b)).collect();
            let sum = graph.sum(parts);
            graph.simplify_small(sum)
        };
        // the entries (3,2), (1,3), (2,1) of Ṙ Rᵀ and of Rᵀ Ṙ
        let entries = [(2, 1), (0, 2), (1, 0)];
        let world = entries.map(|(i, j)| product(&mut self.graph, [0, 1, 2].map(|k| (moved[3 * i + k], x[3 * j + k]))));
        let body = entries.map(|(i, j)| product(&mut self.graph, [0, 1, 2].map(|k| (x[3 * k + i], moved[3 * k + j]))));
        let constant = |g: &Graph, a: &[Expr; 3]| a.iter().all(|e| g.free_symbols(&[*e]).is_empty());
        if constant(&self.graph, &world) {
            format!("hat({})*{name}", self.vector_text(&world))
        } else {
            format!("{name}*hat({})", self.vector_text(&body))
        }
    }
}

/// x ∂_y − y ∂_x.
fn turn(graph: &mut Graph, x: Symbol, y: Symbol) -> Rates {
    let (a, b) = (graph.var(x), graph.var(y));
    let minus = graph.neg(b);
    Rates::from_iter([(x, minus), (y, a)])
}

//! `[[wall]]`: something to run into.
//!
//! A wall is where its gap, a function of position and time, is zero; in front of it the gap is positive. A smooth wall stops the gap from
//! closing, a rough one brings the whole slip to rest. Contact that lasts keeps what the wall stops; with a coefficient of friction it sticks while it can, and slides.

use super::changing::beyond_least;
use super::names::clash;
use super::{Resolver, Value};
use crate::contact::{Changes, SLIDES};
use crate::model::Constraint;
use crate::switching::{Condition, Friction, Latch, Wall};
use crate::syntax::{Table, ValueKind};
use polhode_base::Diagnostic;
use polhode_base::ids::{ConstraintId, Id, IdRange, IdVec, LatchId, WallId};
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Matrix, Node, Symbol};

const KEYS: &[&str] = &["name", "gap", "slip", "restitution", "friction", "lasting", "about"];

impl Resolver<'_> {
    pub(super) fn read_walls(&mut self, root: &Table) -> Vec<Wall> {
        let Some((key, value)) = root.entry("wall") else {
            return Vec::new();
        };
        let items = match &value.kind {
            ValueKind::Array(items) => items.as_slice(),
            _ => std::slice::from_ref(value),
        };
        let mut walls: Vec<Wall> = Vec::new();
        for (k, item) in items.iter().enumerate() {
            let Some(table) = item.as_table() else {
                let message = format!("a wall is a table, but here it is {}", item.describe());
                let error = Diagnostic::error("unexpected-value", message).at(key.span, "");
                self.report(error.help("begin each with a line [[wall]]"));
                break;
            };
            let Some(wall) = self.wall(table, k) else { continue };
            match walls.iter().find(|w| w.name == wall.name) {
                Some(first) => {
                    let message = format!("two walls are called `{}`", wall.name);
                    self.report(
                        clash(message, wall.span)
                            .also(first.span, "the first of them")
                            .help("give each a `name` of its own"),
                    );
                }
                None => walls.push(wall),
            }
        }
        walls
    }

    fn wall(&mut self, table: &Table, index: usize) -> Option<Wall> {
        let mut sound = true;
        for (key, _) in table.iter() {
            sound &= self.known_key(key, KEYS, "a wall");
        }
        let name = self.text_of(table, "name").unwrap_or_else(|| format!("wall {}", index + 1));
        let Some((_, value)) = table.entry("gap") else {
            if sound {
                let message = "this wall does not say where it is";
                let help = "write gap = \"x_w - x - r\": the distance from it, positive in front of it";
                self.report(Diagnostic::error("missing-key", message).at(table.span, "").help(help));
            }
            return None;
        };
        let gap = self.scalar_formula(value, "`gap`")?;
        if self.mentions_motion {
            let message = "the gap is a function of position and time, but this contains a velocity";
            self.report(Diagnostic::error("unexpected-velocity", message).at(value.span, ""));
            return None;
        }
        let rate = self.graph.along(gap, &self.rates);
        let zero = self.graph.zero();
        if self.graph.equal(rate, zero).is_equal() {
            let message = "this gap is the same along every motion, so nothing can run into the wall";
            self.report(Diagnostic::error("constant-condition", message).at(value.span, ""));
            return None;
        }
        if let Node::Product { factors, .. } = self.graph.node(gap)
            && factors.iter().all(|(_, k)| k.is_int() && k.n % 2 == 0)
        {
            let message = "this gap is a square and never changes its sign, so nothing can run into the wall";
            let help = "write a distance: positive in front of the wall, negative behind it";
            self.report(Diagnostic::error("constant-condition", message).at(value.span, "").help(help));
            return None;
        }
        let span = value.span;
        let slip = match table.entry("slip") {
            None => Vec::new(),
            Some((_, value)) => {
                let (tree, slip) = self.formula(value)?;
                if !self.no_accelerations(slip.entries(), tree.span, "`slip`") {
                    return None;
                }
                if !self.mentions_motion {
                    let message = "`slip` is a velocity, but this contains none";
                    let help = "write the velocity of the material that touches the wall, as velocity_at(…)";
                    self.report(Diagnostic::error("no-velocity", message).at(tree.span, "").help(help));
                    return None;
                }
                slip.entries().to_vec()
            }
        };
        let restitution = self.wall_number(table, "restitution", "between 0 and 1", |x| (0.0..=1.0).contains(&x));
        let friction = self.wall_number(table, "friction", "positive, or 0", |x| x >= 0.0);
        if let Some((key, _)) = table.entry("friction").filter(|_| friction.is_some() && slip.is_empty()) {
            let message = "`friction` acts against a slip, and this wall does not say what slips along it";
            let help = "write slip = \"…\", the velocity of the material that touches the wall";
            self.report(Diagnostic::error("missing-key", message).at(key.span, "").help(help));
            return None;
        }
        let lasting = self.truth_of(table, "lasting").unwrap_or(false).then_some(LatchId::new(0));
        let restitution = restitution.unwrap_or(self.graph.one());
        sound.then_some(Wall {
            name,
            gap,
            slip,
            restitution,
            friction,
            lasting,
            constraints: IdRange::new(0, 0),
            push: None,
            rough: None,
            changes: None,
            span,
        })
    }

    /// What holds while contact with a wall lasts, with a latch for each.
    pub(super) fn lasting_contacts(
        &mut self,
        walls: &mut IdVec<WallId, Wall>,
        latches: &mut IdVec<LatchId, Latch>,
        constraints: &mut IdVec<ConstraintId, Constraint>,
    ) {
        for (k, wall) in walls.ids().zip(walls.iter_mut()).filter(|(_, w)| w.lasting.is_some()) {
            let rubs = wall.friction.and_then(|mu| self.constant(mu, wall.span, "`friction`")).map(|mu| mu > 0.0);
            if rubs == Some(true) && !wall.slip.is_empty() {
                self.rubbing_contact(wall, k, latches, constraints);
                continue;
            }
            let touching = latches.push(Latch::Wall(k));
            wall.lasting = Some(touching);
            let when = Some(Condition::While(touching));
            let first = constraints.len();
            let rate = self.graph.along(wall.gap, &self.rates);
            let mut put = |title: String, residual: Expr, holonomic: Option<Expr>| {
                let name = format!("{}: {title}", wall.name);
                let when = when.clone();
                let (coulomb, restitution, friction, span) = (false, None, None, wall.span);
                constraints.push(Constraint { name, residual, holonomic, when, coulomb, restitution, friction, span });
            };
            put("touching".to_owned(), rate, Some(wall.gap));
            for (i, slip) in wall.slip.iter().enumerate().filter(|_| rubs.is_none()) {
                put(format!("no slip {}", i + 1), *slip, None);
            }
            wall.constraints = IdRange::new(first, constraints.len());
        }
        if walls.iter().any(|w| w.lasting.is_some()) {
            for i in self.multipliers.len()..constraints.len() {
                self.multipliers.push(self.graph.symbol(&format!("multiplier.{}", i + 1)));
            }
        }
        for wall in walls.iter_mut().filter(|w| w.lasting.is_some()) {
            wall.push = match wall.changes.is_some() {
                true => Some(self.rubbing_forces(wall)),
                false => Some(self.graph.var(self.multipliers[wall.constraints.first().index()])),
            };
        }
    }

    /// Lasting contact with dry friction: the gap's row and those of the slip while it sticks, one with friction while it slides.
    fn rubbing_contact(
        &mut self,
        wall: &mut Wall,
        index: WallId,
        latches: &mut IdVec<LatchId, Latch>,
        constraints: &mut IdVec<ConstraintId, Constraint>,
    ) {
        let rate = self.graph.along(wall.gap, &self.rates);
        let slip = self.along_wall(wall, rate);
        let [closed, rolls] = [Latch::Wall(index), Latch::Contact { on: true }].map(|latch| latches.push(latch));
        wall.lasting = Some(closed);
        let first = constraints.len();
        let sticks = Condition::While(closed).and(Condition::While(rolls));
        let slides = Condition::While(closed).and(Condition::Not(Box::new(Condition::While(rolls))));
        let g = &mut self.graph;
        let direction: Vec<Symbol> =
            (1..=slip.len()).map(|i| g.symbol(&format!("{}.sliding.{i}", wall.name))).collect();
        self.accelerations.extend(direction.iter().copied());
        let coefficient = wall.friction.unwrap_or(g.zero());
        let friction = Some(Friction { coefficient, slip: slip.clone(), direction });
        let mut put = |title: String, residual: Expr, holonomic, when: &Condition, friction| {
            let (name, when) = (format!("{}: {title}", wall.name), Some(when.clone()));
            let row = Constraint::new(name, residual, wall.span);
            constraints.push(Constraint { holonomic, when, friction, ..row });
        };
        put("touching".to_owned(), rate, Some(wall.gap), &sticks, None);
        for (i, slip) in slip.iter().enumerate() {
            put(format!("no slip {}", i + 1), *slip, None, &sticks, None);
        }
        put("sliding".to_owned(), rate, Some(wall.gap), &slides, friction);
        let squares: Vec<Expr> = slip.iter().map(|s| g.powi(*s, 2)).collect();
        let square = g.sum(squares);
        let speeds: Vec<Expr> = self.configuration.velocities().iter().map(|v| g.var(*v)).collect();
        let speeds: Vec<Expr> = speeds.into_iter().map(|v| g.powi(v, 2)).collect();
        let touching = first + 1 + slip.len();
        wall.constraints = IdRange::new(first, touching + 1);
        wall.changes = Some(Changes {
            closed: Some(closed),
            gap: Some(wall.gap),
            restitution: wall.restitution,
            rolls: Some(rolls),
            rough: None,
            no_slip: IdRange::new(first, touching),
            touching: Some(ConstraintId::new(touching)),
            smooth: None,
            normal: [g.int(-1), g.zero(), g.zero()],
            margin: None,
            slipping: Some(beyond_least(g, square, speeds)),
            push: g.zero(),
        });
    }

    /// The parts of a slip along a wall: without one that is the velocity of the gap.
    fn along_wall(&mut self, wall: &Wall, rate: Expr) -> Vec<Expr> {
        let g = &mut self.graph;
        let (zero, back) = (g.zero(), g.neg(rate));
        let along = |g: &mut Graph, s: Expr| [zero, rate, back].iter().all(|e| !g.equal(s, *e).is_equal());
        let slip: Vec<Expr> = wall.slip.iter().copied().filter(|s| along(g, *s)).collect();
        // one that is a combination of others, or contains the velocity of the gap
        let velocities = self.configuration.velocities().to_vec();
        let rows: Vec<Vec<Expr>> =
            [rate].iter().chain(&slip).map(|e| velocities.iter().map(|v| g.derivative(*e, *v)).collect()).collect();
        let gram = Matrix::from_fn(rows.len(), rows.len(), |i, j| {
            let products: Vec<Expr> = rows[i].iter().zip(&rows[j]).map(|(a, b)| g.mul(*a, *b)).collect();
            g.sum(products)
        });
        let determinant = polhode_expr::determinant(g, &gram);
        if slip.len() > 2 || g.equal(determinant, zero).is_equal() {
            let message = "lasting contact with friction needs the slip along the wall, but this one contains the velocity of the gap too";
            let help = "write its one or two components along the wall";
            self.report(Diagnostic::error("unexpected-value", message).at(wall.span, "").help(help));
        }
        slip
    }

    /// The normal force of lasting contact with dry friction, and what is left of friction while it sticks.
    fn rubbing_forces(&mut self, wall: &mut Wall) -> Expr {
        let g = &mut self.graph;
        let force: Vec<Expr> = { wall.constraints }.map(|c| g.var(self.multipliers[c.index()])).collect();
        let push = g.add(force[0], force[force.len() - 1]);
        let squares: Vec<Expr> = force[1..force.len() - 1].iter().map(|x| g.powi(*x, 2)).collect();
        let square = g.sum(squares);
        let mut limit = push;
        if let Some(mu) = wall.friction {
            limit = g.mul(mu, push);
        }
        let limit = g.scale(limit, &ratio(SLIDES + 1, SLIDES));
        let limit = g.powi(limit, 2);
        let margin = g.sub(limit, square);
        if let Some(changes) = &mut wall.changes {
            (changes.margin, changes.push) = (Some(margin), push);
        }
        push
    }

    /// A constant of a wall or contact, which is to be `wanted`.
    pub(super) fn wall_number(
        &mut self,
        table: &Table,
        name: &str,
        wanted: &str,
        fit: fn(f64) -> bool,
    ) -> Option<Expr> {
        let (_, value) = table.entry(name)?;
        let what = format!("`{name}`");
        let (_, number) = self.formula(value)?;
        let Value::Scalar(e) = number else {
            let message = format!("{what} is a number, but this is {}", number.shape());
            self.report(Diagnostic::error("wrong-dimension", message).at(value.span, ""));
            return None;
        };
        let x = self.constant(e, value.span, &what)?;
        if fit(x) {
            return Some(e);
        }
        let message = format!("{what} is {wanted}, but here it is {x}");
        self.report(Diagnostic::error("bad-number", message).at(value.span, ""));
        None
    }
}

//! What a model looks like: figures, their poses, and the numbers that these are made of.
//!
//! A pose or a length is a list of *places* among [`Appearance::numbers`], expressions that are evaluated along a motion like observables.
//! Figures come from `[[draw]]`; bodies in contact bring the poses of their sides. Models with neither have a point that moves, if they have coordinates `x` and `y`.
//!
//! The formulas are read again whenever they are asked for, into the graph of the caller: a model that is not drawn has the expressions it would have without them.
//!
//! Not here: meshes, and which number of a sample an expression becomes.

use crate::contact::{Contact, ContactSide, Owner};
use crate::model::Model;
use crate::resolve;
use polhode_base::Span;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Mat3, Vec3, linear};

/// Where a body is: places of the nine entries of its rotation, row by row, and of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pose {
    /// Body to world.
    pub rotation: [usize; 9],
    /// Of its origin in the world.
    pub position: [usize; 3],
}

/// A solid that is drawn stretched along its own axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solid {
    /// Of radius 1.
    Ball,
    /// Of edges 1 about the origin.
    Box,
    /// Of radius 1 and length 1 about the origin, along z.
    Cylinder,
    /// Of radius 1 in the plane z = 0, its faces rising to ±1 on the axis.
    Disk,
}

/// What an arrow stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowKind {
    /// A force.
    Force,
    /// A velocity.
    Velocity,
    /// A direction with a length.
    Axis,
}

impl ArrowKind {
    /// All of them.
    pub const ALL: [ArrowKind; 3] = [ArrowKind::Force, ArrowKind::Velocity, ArrowKind::Axis];

    /// The word in a model.
    pub fn name(self) -> &'static str {
        match self {
            ArrowKind::Force => "force",
            ArrowKind::Velocity => "velocity",
            ArrowKind::Axis => "axis",
        }
    }
}

/// How a surface looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Plain.
    Solid,
    /// In two shades, so that its turning is seen.
    Checker,
    /// Transparent.
    Glass,
    /// Lines alone.
    Wire,
}

impl Look {
    /// All of them.
    pub const ALL: [Look; 4] = [Look::Solid, Look::Checker, Look::Glass, Look::Wire];

    /// The word in a model.
    pub fn name(self) -> &'static str {
        match self {
            Look::Solid => "solid",
            Look::Checker => "checker",
            Look::Glass => "glass",
            Look::Wire => "wire",
        }
    }
}

/// What is drawn.
#[derive(Clone, Debug)]
pub enum Outline {
    /// A solid, stretched by the numbers at `scale`.
    Solid {
        /// Which.
        solid: Solid,
        /// Along its axes.
        scale: [usize; 3],
        /// Where it is.
        pose: Pose,
    },
    /// A surface by its parameters; `x` contains these and parameters of the model alone.
    Surface {
        /// u and v.
        parameters: [Symbol; 2],
        /// The point.
        x: Vec3,
        /// From and to.
        u: [f64; 2],
        /// From and to.
        v: [f64; 2],
        /// Where it is.
        pose: Pose,
    },
    /// A plane, z = 0 in its axes.
    Plane {
        /// Where it is.
        pose: Pose,
        /// Half its width; as wide as the motion needs if nothing is said.
        size: Option<f64>,
    },
    /// A straight rod.
    Rod {
        /// One end.
        from: [usize; 3],
        /// The other.
        to: [usize; 3],
        /// Its radius.
        radius: Option<f64>,
    },
    /// An arrow.
    Arrow {
        /// Where it begins.
        at: [usize; 3],
        /// Where it points, and how large that is.
        vector: [usize; 3],
        /// What it stands for.
        kind: ArrowKind,
    },
    /// A point.
    Point {
        /// Where it is.
        at: [usize; 3],
    },
    /// The curve that a point draws.
    Trace {
        /// Where it is.
        at: [usize; 3],
    },
}

/// Something to draw.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it is.
    pub outline: Outline,
    /// How its surface looks, if the model says so.
    pub look: Option<Look>,
    /// Its place in a palette of eight colours, if the model says so.
    pub colour: Option<usize>,
    /// Where it is written; `None` for what was put there without being asked for.
    pub span: Option<Span>,
}

/// One side of a contact, in space.
#[derive(Clone, Copy, Debug)]
pub struct SideAppearance {
    /// Where its axes are; `None` for ground at rest, which is drawn where it stands.
    pub pose: Option<Pose>,
    /// Rotation and position of ground at rest: functions of parameters.
    pub standing: Option<(Mat3, Vec3)>,
    /// The point of contact: in its axes, or in the world for ground at rest.
    pub point: [usize; 3],
}

/// A contact, in space.
#[derive(Clone, Debug)]
pub struct ContactAppearance {
    /// Its sides, in the order of [`Contact::sides`].
    pub sides: [SideAppearance; 2],
    /// The force on the first side, in the world.
    pub force: [usize; 3],
    /// Its part against the normal.
    pub normal_force: usize,
    /// The friction it needs, where that is reported.
    pub mu_required: Option<usize>,
}

/// What a model looks like.
#[derive(Clone, Debug, Default)]
pub struct Appearance {
    /// What figures and contacts are made of.
    pub numbers: Vec<Expr>,
    /// What is drawn besides the sides of contacts.
    pub figures: Vec<Figure>,
    /// The contacts of the model, in their order.
    pub contacts: Vec<ContactAppearance>,
}

impl Appearance {
    /// The place of a number.
    pub(crate) fn put(&mut self, e: Expr) -> usize {
        match self.numbers.iter().position(|n| *n == e) {
            Some(place) => place,
            None => {
                self.numbers.push(e);
                self.numbers.len() - 1
            }
        }
    }

    /// The places of a vector.
    pub(crate) fn put_vector(&mut self, v: &Vec3) -> [usize; 3] {
        v.map(|e| self.put(e))
    }

    /// The places of a pose.
    pub(crate) fn put_pose(&mut self, rotation: &Mat3, position: &Vec3) -> Pose {
        let rotation = std::array::from_fn(|k| self.put(rotation[k / 3][k % 3]));
        Pose { rotation, position: self.put_vector(position) }
    }
}

impl Model {
    /// What the model looks like. `graph` is the model's graph or one that began as a clone of it; the numbers are put into it.
    pub fn appearance(&self, graph: &mut Graph) -> Appearance {
        let mut out = resolve::figures(self, graph);
        for contact in &self.contacts {
            let drawn = self.drawn_contact(graph, contact, &mut out);
            out.contacts.push(drawn);
        }
        if out.figures.is_empty() && out.contacts.is_empty() {
            self.moving_point(graph, &mut out);
        }
        out
    }

    fn drawn_contact(&self, graph: &mut Graph, contact: &Contact, out: &mut Appearance) -> ContactAppearance {
        let sides = [0, 1].map(|k| self.drawn_side(graph, &contact.sides[k], out));
        let needed = contact.part("mu_required");
        let needed = self.observables.iter().find(|(name, _)| *name == needed);
        ContactAppearance {
            sides,
            force: out.put_vector(&contact.force),
            normal_force: out.put(contact.normal_force),
            mu_required: needed.map(|(_, e)| out.put(*e)),
        }
    }

    fn drawn_side(&self, graph: &mut Graph, side: &ContactSide, out: &mut Appearance) -> SideAppearance {
        let placing: Vec<Expr> = side.rotation.iter().flatten().chain(&side.position).copied().collect();
        let rests = side.owner == Owner::Ground && !graph.free_symbols(&placing).contains(&self.time);
        if !rests {
            let pose = out.put_pose(&side.rotation, &side.position);
            return SideAppearance { pose: Some(pose), standing: None, point: out.put_vector(&side.point) };
        }
        let turned = linear::mat_vec(graph, &side.rotation, &side.point);
        let point = linear::add(graph, &turned, &side.position);
        let standing = Some((side.rotation, side.position));
        SideAppearance { pose: None, standing, point: out.put_vector(&point) }
    }

    /// A point at (x, y) or (x, y, z) with its trace on a plane, for coordinates with these names.
    fn moving_point(&self, graph: &mut Graph, out: &mut Appearance) {
        let real = |name: &str| {
            let factor = self.configuration.factors().iter().find(|f| f.name == name && f.line().is_some())?;
            Some(factor.positions[0])
        };
        let (Some(x), Some(y)) = (real("x"), real("y")) else { return };
        let height = real("z").map_or(graph.zero(), |z| graph.var(z));
        let at = [graph.var(x), graph.var(y), height];
        let (identity, origin) = (linear::identity(graph), linear::zero(graph));
        let (pose, at) = (out.put_pose(&identity, &origin), out.put_vector(&at));
        for outline in [Outline::Plane { pose, size: None }, Outline::Point { at }, Outline::Trace { at }] {
            out.figures.push(Figure { name: None, outline, look: None, colour: None, span: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ParseOptions;

    fn parse(drawings: &str) -> Model {
        let text = format!(
            "[parameters]\nr = 2\n[coordinates]\nx = \"real\"\ny = \"real\"\ntheta = \"angle\"\nphi = \"angle\"\npsi = \"angle\"\n\
             [define]\naxis = \"3*[sin(theta)*sin(phi), -sin(theta)*cos(phi), cos(theta)]\"\n\
             [lagrangian]\nkinetic = \"x'^2 + y'^2 + theta'^2 + phi'^2 + psi'^2\"\n{drawings}"
        );
        Model::parse("test.toml", &text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}")).0
    }

    /// The rotations of all solids, at one configuration.
    fn rotations(drawings: &str) -> Vec<Vec<f64>> {
        let model = parse(drawings);
        let mut graph = model.graph.clone();
        let appearance = model.appearance(&mut graph);
        let mut values = model.parameter_values().unwrap();
        for (name, x) in [("theta", 0.7), ("phi", 1.1), ("psi", -0.4), ("x", 0.3), ("y", 0.2)] {
            values.insert(graph.find_symbol(name).unwrap(), x);
        }
        let pose = |f: &Figure| match f.outline {
            Outline::Solid { pose, .. } => pose,
            _ => panic!("no solid"),
        };
        let value = |place: usize| graph.evaluate_f64(appearance.numbers[place], &values).unwrap();
        appearance.figures.iter().map(|f| pose(f).rotation.map(value).to_vec()).collect()
    }

    #[test]
    fn solids_are_turned_in_four_ways() {
        let r = rotations(
            "[[draw]]\ndisk = { radius = 1, axis = \"axis\", turn = \"psi\" }\n\
             [[draw]]\ndisk = { radius = 1, rotation = \"Rz(phi)*Rx(theta)*Rz(psi)\" }\n\
             [[draw]]\ndisk = { radius = 1, axis = \"axis\" }\n\
             [[draw]]\ndisk = { radius = 1, heading = \"phi\" }\n\
             [[draw]]\ndisk = { radius = 1, rotation = \"Rz(phi)\" }\n",
        );
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(close(&r[0], &r[1]) && close(&r[3], &r[4]));
        // the same axis, and a rotation about a horizontal one: symmetric but for the third row and column
        assert!([2, 5, 8].iter().all(|k| (r[2][*k] - r[0][*k]).abs() < 1e-14));
        assert!((r[2][1] - r[2][3]).abs() < 1e-14 && (r[2][2] + r[2][6]).abs() < 1e-14);
    }

    #[test]
    fn drawings_leave_the_model_alone() {
        let (with, without) = (parse("[[draw]]\nball = { radius = \"r^7\", centre = \"[exp(x), y]\" }\n"), parse(""));
        assert_eq!(with.graph.len(), without.graph.len());
        let mut graph = with.graph.clone();
        assert_eq!(with.appearance(&mut graph).figures.len(), 1);
        assert!(graph.len() > with.graph.len());
        // a point, its trace and a floor where nothing is said
        assert_eq!(without.appearance(&mut without.graph.clone()).figures.len(), 3);
    }
}

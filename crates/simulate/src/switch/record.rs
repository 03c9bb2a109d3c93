//! What is told about a jump, or about why there is none.

use super::border::on_borders;
use super::law::{Course, Law};
use super::look::Look;
use polhode_base::ids::{ModeId, RowId};
use polhode_tape::Scalar;
use std::fmt;

/// What happened to the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JumpCase {
    /// More constraints hold than before: Case 1 of \[CortesEtAl2001\], Table 1.
    Appear,
    /// Fewer hold: Case 2.
    Vanish,
    /// As many hold before as after, and fewer on the border: Case 3.
    Change,
    /// The same hold, before, on the border and after.
    Keep,
    /// A constraint with restitution gives a blow.
    Blow,
    /// The friction of a region that it does not enter throws the motion back.
    ThrownBack,
    /// The motion starts on a border, or where constraints degenerate.
    Start,
    /// A collision with walls.
    Collision,
    /// Collisions have piled up, and contact lasts from now on.
    Settle,
    /// A lasting contact opens.
    Release,
    /// Positions are set.
    Set,
    /// A contact that rolled begins to slide.
    Slide,
    /// A contact that slid begins to roll.
    Roll,
    /// The slip of a contact dies, and begins anew in another direction.
    Turn,
}

impl JumpCase {
    /// A word for programs.
    pub fn name(self) -> &'static str {
        match self {
            JumpCase::Appear => "constraints-appear",
            JumpCase::Vanish => "constraints-vanish",
            JumpCase::Change => "constraints-change",
            JumpCase::Keep => "constraints-keep",
            JumpCase::Blow => "blow",
            JumpCase::ThrownBack => "thrown-back",
            JumpCase::Start => "start",
            JumpCase::Collision => "collision",
            JumpCase::Settle => "settle",
            JumpCase::Release => "release",
            JumpCase::Set => "set",
            JumpCase::Slide => "slide",
            JumpCase::Roll => "roll",
            JumpCase::Turn => "turn",
        }
    }

    /// The number of the case in Table 1 of \[CortesEtAl2001\], for those that are in it.
    pub fn number(self) -> Option<u8> {
        match self {
            JumpCase::Appear => Some(1),
            JumpCase::Vanish => Some(2),
            JumpCase::Change => Some(3),
            _ => None,
        }
    }
}

/// What happened at an event that changes constraints or velocities. Vectors are in the base frame of the configuration space.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JumpRecord {
    /// What happened to the constraints.
    pub case: JumpCase,
    /// What to call the event, where something else happened than was watched for.
    pub title: Option<String>,
    /// Ranks of the constraints before, on the border, and after.
    pub ranks: [usize; 3],
    /// Did the velocities jump?
    pub jumped: bool,
    /// Velocities before and after.
    pub velocities: [Vec<f64>; 2],
    /// Momenta ∂T/∂v before and after.
    pub momenta: [Vec<f64>; 2],
    /// p⁺ − p⁻.
    pub impulse: Vec<f64>,
    /// The reduced velocities before and after, for a model with a symmetry whose constraints stay.
    pub reduced: Vec<(String, [f64; 2])>,
    /// The impulse of each row that acted: its name, and whether other values would do as well.
    pub multipliers: Vec<(String, f64, bool)>,
    /// Kinetic energy before and after.
    pub kinetic: [f64; 2],
    /// ½(1−e²) sᵀC⁻¹s, by Carnot's theorem.
    pub dissipated: f64,
    /// The constraints in force afterwards.
    pub in_force: Vec<String>,
    /// The walls that were hit.
    pub walls: Vec<String>,
    /// Where the time of an accumulation was found, the last impact before it.
    pub accumulates_at: Option<f64>,
}

impl JumpRecord {
    /// Two jumps at the same time as one.
    pub(crate) fn followed_by(self, next: JumpRecord) -> JumpRecord {
        let [before, _] = self.velocities;
        let [momenta, _] = self.momenta;
        let impulse = next.momenta[1].iter().zip(&momenta).map(|(a, b)| a - b).collect();
        let reduced =
            self.reduced.into_iter().zip(next.reduced).map(|((n, [a, _]), (_, [_, b]))| (n, [a, b])).collect();
        JumpRecord {
            case: next.case,
            title: self.title.or(next.title),
            ranks: [self.ranks[0], next.ranks[1], next.ranks[2]],
            jumped: self.jumped || next.jumped,
            velocities: [before, next.velocities[1].clone()],
            momenta: [momenta, next.momenta[1].clone()],
            impulse,
            reduced,
            multipliers: self.multipliers.into_iter().chain(next.multipliers).collect(),
            kinetic: [self.kinetic[0], next.kinetic[1]],
            dissipated: self.dissipated + next.dissipated,
            in_force: next.in_force,
            walls: self.walls,
            accumulates_at: self.accumulates_at,
        }
    }
}

impl<S: Scalar> Law<'_, S> {
    /// What happens on a course that leads to a mode.
    pub(super) fn told(
        &self,
        look: &Look<'_, S>,
        mode: ModeId,
        course: &Course<S>,
        kinetic: [f64; 2],
    ) -> Result<JumpRecord, Refusal> {
        let (s, p) = (self.switching, &course.projected);
        let on = self.rank(look, &s.model.active(&on_borders(&course.sides, &course.borders)));
        // beside the border the rank is that at generic points, which numbers at the border do not show
        let mut ranks = [self.generic_rank(look.place.mode), on, self.generic_rank(mode)];
        if course.case == JumpCase::Start {
            ranks[0] = on;
        }
        let case = match (course.case, ranks) {
            (JumpCase::Keep, [before, _, after]) if after > before => JumpCase::Appear,
            (JumpCase::Keep, [before, _, after]) if after < before => JumpCase::Vanish,
            (JumpCase::Keep, [before, at, _]) if at < before => JumpCase::Change,
            (case, _) => case,
        };
        let base = |v: &[S]| Ok(self.look(look.time(), &look.state_with(v))?.in_base_frame());
        let [v, p_before, reduced] = base(look.velocity())?;
        let [w, p_after, reduced_after] = base(&p.velocity)?;
        Ok(JumpRecord {
            case,
            title: None,
            ranks,
            jumped: p.jumped,
            velocities: [v, w],
            impulse: p_after.iter().zip(&p_before).map(|(a, b)| a - b).collect(),
            momenta: [p_before, p_after],
            reduced: (s.reduced.iter().cloned())
                .zip(reduced.into_iter().zip(reduced_after))
                .map(|(name, (a, b))| (name, [a, b]))
                .collect(),
            multipliers: p.multipliers.iter().map(|(k, x, unique)| (self.row_name(*k), *x, *unique)).collect(),
            kinetic,
            dissipated: p.dissipated,
            in_force: self.in_force(mode).iter().map(|c| s.model.constraints[c].name.clone()).collect(),
            walls: course.walls.iter().map(|k| s.model.walls[*k].name.clone()).collect(),
            accumulates_at: None,
        })
    }

    /// What a row is called.
    fn row_name(&self, row: RowId) -> String {
        let s = self.switching;
        let constraint = s.impact.constraint_of(row).and_then(|c| s.model.constraints.get(c));
        if let Some(c) = constraint.filter(|_| !s.holds_by_construction) {
            return c.name.clone();
        }
        for (wall, rows) in s.model.walls.iter().zip(&s.wall_rows) {
            if let Some(part) = rows.place(row) {
                return if part == 0 { wall.name.clone() } else { format!("{}: slip {part}", wall.name) };
            }
        }
        String::new()
    }
}

/// A velocity after a jump that was considered.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What it assumes: the sides of the borders, as `x > 0`.
    pub assumes: String,
    /// The velocity, in the base frame.
    pub velocity: Vec<f64>,
    /// Whether the motion then goes where was assumed.
    pub consistent: bool,
}

/// Why a run does not go on from an event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// No jump leads into the region whose constraints it obeys.
    NoConsistentJump {
        /// What was tried.
        candidates: Vec<Candidate>,
    },
    /// Several jumps do.
    SeveralJumps {
        /// What was tried.
        candidates: Vec<Candidate>,
    },
    /// Collisions pile up.
    Accumulation {
        /// The walls.
        walls: Vec<String>,
        /// When.
        at: f64,
    },
    /// The law of impact has no answer.
    NoImpactLaw {
        /// Why.
        reason: String,
    },
    /// The constraints have no limit on the way to the place.
    NoLimit {
        /// What was found.
        reason: String,
    },
    /// The force of the constraints grows without bound on the way to a place where they lose rank.
    UnboundedForce,
    /// A contact slides in a direction in which no normal force keeps it closed: the paradox of Painlevé.
    Jams {
        /// Its name.
        contact: String,
    },
    /// A contact would have to pull, and there is no motion without it.
    Pulls {
        /// What it does, with its name.
        reason: String,
    },
    /// In a run backwards: nothing leads to the state, or more than one thing does.
    NoWayBack {
        /// Why.
        reason: String,
    },
    /// The constraints of the new mode make no sense together.
    BadMode {
        /// Why.
        reason: String,
    },
}

impl Refusal {
    /// A word for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Refusal::NoConsistentJump { .. } => "no-consistent-jump",
            Refusal::SeveralJumps { .. } => "several-jumps",
            Refusal::Accumulation { .. } => "accumulation",
            Refusal::NoImpactLaw { .. } => "no-impact-law",
            Refusal::NoLimit { .. } => "no-limit",
            Refusal::UnboundedForce => "unbounded-force",
            Refusal::Jams { .. } => "jams",
            Refusal::Pulls { .. } => "pulls",
            Refusal::NoWayBack { .. } => "no-way-back",
            Refusal::BadMode { .. } => "bad-mode",
        }
    }

    /// What was tried.
    pub fn candidates(&self) -> &[Candidate] {
        match self {
            Refusal::NoConsistentJump { candidates } | Refusal::SeveralJumps { candidates } => candidates,
            _ => &[],
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoConsistentJump { .. } => f.write_str(
                "no jump of the velocities leads into the region whose constraints it obeys: what happens there depends on the law of \
                 friction, which perfect roughness leaves open",
            ),
            Refusal::SeveralJumps { candidates } => {
                let count = candidates.iter().filter(|c| c.consistent).count();
                write!(f, "{count} jumps of the velocities are consistent there, and the law of impact does not choose")
            }
            Refusal::Accumulation { walls, at } => write!(
                f,
                "collisions with {} pile up at t = {at}: write lasting = true under the wall for contact that lasts from then on",
                walls.join(" and ")
            ),
            Refusal::NoImpactLaw { reason } => write!(f, "the law of impact has no answer there: {reason}"),
            Refusal::NoLimit { reason } => write!(
                f,
                "the limit of the constraints along the motion does not exist there, so that nothing says which velocities they allow: {reason}"
            ),
            Refusal::UnboundedForce => f.write_str(
                "the force of the constraints grows without bound on the way to a place where they lose rank: the motion ends there, with no \
                 velocity to go on with",
            ),
            Refusal::Jams { contact } => write!(
                f,
                "{contact} jams: pressing harder would not keep it closed while it slides in this direction, so that dry friction has no answer there \
                 (Painlevé's paradox)"
            ),
            Refusal::Pulls { reason } => f.write_str(reason),
            Refusal::NoWayBack { reason } => write!(f, "there is no way back from there: {reason}"),
            Refusal::BadMode { reason } => write!(f, "the constraints beyond make no sense: {reason}"),
        }
    }
}

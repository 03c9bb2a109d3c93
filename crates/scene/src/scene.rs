//! What a scene consists of. Columns are places among the numbers of a frame: see [`crate::Film`].

use crate::mesh::Mesh;
use polhode_model::{ArrowKind, Look};

/// How many colours the palette has.
pub const COLOURS: usize = 8;

/// The palette: the first seven are those of the figures of curves, the last is for the ground.
pub const PALETTE: [[u8; 3]; COLOURS] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xb8, 0x58, 0x8f],
    [0xe6, 0x9f, 0x00],
    [0x46, 0xa6, 0xdc],
    [0x55, 0x55, 0x55],
    [0xd8, 0xd4, 0xca],
];

/// The colour of the ground.
pub const GROUND: usize = 7;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A body.
    Body,
    /// What bodies move on.
    Ground,
    /// Ground that hangs above.
    Wall,
    /// A point that is marked.
    Mark,
}

impl Role {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Role::Body => "body",
            Role::Ground => "ground",
            Role::Wall => "wall",
            Role::Mark => "mark",
        }
    }
}

/// A mesh somewhere in space: x ↦ R S x + p with the rotation R, the scale S and the position p.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// Its mesh, among those of the scene.
    pub mesh: usize,
    /// Columns of its rotation, row by row; `None` for none.
    pub rotation: Option<[usize; 9]>,
    /// Columns of its position; `None` for the origin.
    pub position: Option<[usize; 3]>,
    /// Columns of its stretching along its axes; `None` for none.
    pub scale: Option<[usize; 3]>,
    /// How its surface looks.
    pub look: Look,
    /// Its place in the palette.
    pub colour: usize,
    /// Whether its material is around it: a bowl, a shell seen from within.
    pub inside: bool,
}

/// A point of contact.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactMark {
    /// What it is called; empty for the only one.
    pub name: String,
    /// The object of its first side.
    pub object: usize,
    /// The object of its second side.
    pub other: usize,
    /// Columns of the point in the axes of the first, from its position.
    pub on_body: [usize; 3],
    /// Columns of the point in the axes of the other, those of the world for ground at rest.
    pub on_other: [usize; 3],
    /// Columns of the force on the first, in the world.
    pub force: [usize; 3],
    /// The column of its part along the normal.
    pub normal_force: usize,
    /// The column of the friction that is needed, where it is reported.
    pub mu_required: Option<usize>,
}

/// An arrow.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// What it is called.
    pub name: String,
    /// Columns of where it begins.
    pub from: [usize; 3],
    /// Columns of what it shows.
    pub vector: [usize; 3],
    /// What that is.
    pub kind: ArrowKind,
    /// Its place in the palette.
    pub colour: usize,
}

/// The curve that a point draws in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// What it is called.
    pub name: String,
    /// Columns of the point.
    pub point: [usize; 3],
    /// Its place in the palette.
    pub colour: usize,
}

/// A straight rod.
#[derive(Clone, Debug, PartialEq)]
pub struct Rod {
    /// Columns of one end.
    pub from: [usize; 3],
    /// Columns of the other.
    pub to: [usize; 3],
    /// Its radius.
    pub radius: f64,
    /// Its place in the palette.
    pub colour: usize,
}

/// What a model looks like along a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Away from the ground.
    pub up: [f64; 3],
    /// About how large the bodies are.
    pub size: f64,
    /// Half the width of what the motion covers.
    pub extent: f64,
    /// Meshes; several objects may share one.
    pub meshes: Vec<Mesh>,
    /// Bodies, ground and marks.
    pub objects: Vec<Object>,
    /// Points of contact.
    pub contacts: Vec<ContactMark>,
    /// Arrows.
    pub arrows: Vec<Arrow>,
    /// Curves in space.
    pub traces: Vec<Trace>,
    /// Rods.
    pub rods: Vec<Rod>,
    /// Why there is nothing to see, if there is nothing.
    pub empty_reason: Option<String>,
}

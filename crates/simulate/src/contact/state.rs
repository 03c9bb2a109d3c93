//! A contact at one state, in numbers.

use super::montana::M2;
use polhode_geometry::dense::{M, V, add_scaled, conjugate, cross, dot, mat_add, mat_mul, mat_vec, transpose};
use polhode_geometry::numeric::Principal;

/// A vector f(q, v, t) that is affine in the velocities v:
///
/// ```text
/// f = J v + f₀,     ḟ = J v̇ + d,     d = J̇ v + ḟ₀.
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Affine {
    /// f.
    pub value: V,
    /// J: three rows with a number for each velocity.
    pub jacobian: [Vec<f64>; 3],
    /// f₀: what is left at v = 0, as of a belt.
    pub rest: V,
    /// d = J̇ v + ḟ₀.
    pub drift: V,
}

/// The same for one number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AffineRow {
    /// f.
    pub value: f64,
    /// J: a number for each velocity.
    pub jacobian: Vec<f64>,
    /// f₀.
    pub rest: f64,
    /// d = J̇ v + ḟ₀.
    pub drift: f64,
}

/// What a side touches with, at the contact, in the axes of the side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Touching {
    /// A surface.
    Surface {
        /// The shape operator S = dν as a 3×3 matrix with S ν = 0; positive where the material is convex.
        operator: M,
        /// Its eigenvalues and directions.
        principal: Principal,
        /// The chart, where the surface is given by one.
        chart: Option<ChartPoint>,
    },
    /// A sharp edge.
    Edge {
        /// Its unit tangent t.
        tangent: V,
        /// κN, towards the centre of curvature.
        curvature_vector: V,
    },
}

/// A chart at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChartPoint {
    /// u and v.
    pub parameters: [f64; 2],
    /// e₁ = x_u/√E.
    pub tangent: V,
    /// A: the velocity of a point has the components A (u̇, v̇) on e₁ and e₂ = ν × e₁.
    pub metric: M2,
    /// Γ = e₂·de₁ on (u̇, v̇).
    pub connection: [f64; 2],
}

/// One of the two that touch.
#[derive(Clone, Debug, PartialEq)]
pub struct SideState {
    /// What contacts call it: `wheel`, `shell.inner`, `ground`.
    pub name: String,
    /// Its axes, to those of the world.
    pub rotation: M,
    /// Its origin in the world.
    pub position: V,
    /// The point of contact in its axes.
    pub point: V,
    /// The velocity of its origin, in its axes.
    pub velocity: V,
    /// Its angular velocity, in its axes.
    pub spin: V,
    /// The velocity of its material at the contact relative to its axes, as of a belt.
    pub belt: V,
    /// The unit normal at the contact, out of its material, in its axes; of an edge the opposite of the other side's.
    pub normal: V,
    /// What it touches with.
    pub touching: Touching,
}

/// The relative curvature: how freely the contact point moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relative {
    /// Two surfaces.
    Surfaces {
        /// K = S + S₂ in the axes of the first side.
        operator: M,
        /// Its eigenvalues and directions.
        principal: Principal,
    },
    /// An edge on a surface.
    Edge {
        /// k = t·S₂t − κN·ν.
        curvature: f64,
    },
}

impl Relative {
    /// det K or k: where it vanishes the point has no definite velocity. Negative: the boundaries cut into each other.
    pub fn determinant(&self) -> f64 {
        match self {
            Relative::Surfaces { principal, .. } => principal.curvatures[0] * principal.curvatures[1],
            Relative::Edge { curvature } => *curvature,
        }
    }
}

/// The force on the first side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force {
    /// The whole force, in world axes.
    pub world: V,
    /// N, its part against the normal of the first side: positive where the sides press on each other.
    pub normal: f64,
    /// What is left without N, in world axes.
    pub friction: V,
    /// |friction|/N; none for a contact without friction.
    pub mu_required: Option<f64>,
    /// Whether the constraints determine it; otherwise redundant ones share it with the smallest multipliers.
    pub unique: bool,
}

/// A contact at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactState {
    /// Its name; empty for the only contact of a model.
    pub name: String,
    /// Whether it slides freely: only its normal row is a constraint.
    pub frictionless: bool,
    /// The first side is that of a body.
    pub sides: [SideState; 2],
    /// G: the axes of the second side, seen from the first.
    pub turn: M,
    /// The point of contact in the world.
    pub point: V,
    /// The normal out of the first side, in world axes.
    pub normal: V,
    /// ν̇, in the axes of the first side.
    pub normal_rate: V,
    /// ω: the angular velocity of the first side relative to the second, in the axes of the first.
    pub omega: V,
    /// u: the velocity of the first side's material relative to the second's at the contact, in the axes of the first.
    pub slip: Affine,
    /// u in world axes.
    pub slip_world: Affine,
    /// u + G b: the same relative to the axes of the second side, which differ from its material by a belt.
    pub sliding: V,
    /// −ν·u: how fast the contact opens.
    pub opening: AffineRow,
    /// ċ: the velocity of the point of contact over the first side, in its axes.
    pub rate: Affine,
    /// ċ₁: the same over the second side, in the axes of the second.
    pub second_rate: Affine,
    /// ṗ: the velocity of the point of contact in the world. It is no point of any material.
    pub point_velocity: Affine,
    /// The relative curvature.
    pub relative: Relative,
    /// The force of the motion.
    pub force: Force,
    /// ṗ in the axes of the first side.
    moving: Affine,
}

/// Takes numbers in order.
pub(super) struct Reader<'a> {
    numbers: &'a [f64],
}

impl<'a> Reader<'a> {
    pub(super) fn new(numbers: &'a [f64]) -> Reader<'a> {
        Reader { numbers }
    }

    pub(super) fn slice(&mut self, count: usize) -> &'a [f64] {
        let (taken, rest) = self.numbers.split_at(count);
        self.numbers = rest;
        taken
    }

    fn vector<const N: usize>(&mut self) -> [f64; N] {
        let taken = self.slice(N);
        std::array::from_fn(|i| taken[i])
    }

    fn matrix<const N: usize>(&mut self) -> [[f64; N]; N] {
        std::array::from_fn(|_| self.vector())
    }
}

impl Affine {
    /// Zeros for `n` velocities.
    fn zeros(n: usize) -> Affine {
        Affine { jacobian: std::array::from_fn(|_| vec![0.0; n]), ..Affine::default() }
    }

    fn read(&mut self, numbers: &mut Reader<'_>) {
        self.value = numbers.vector();
        for row in &mut self.jacobian {
            let n = row.len();
            row.copy_from_slice(numbers.slice(n));
        }
        self.rest = numbers.vector();
        self.drift = numbers.vector();
    }

    /// ḟ = J v̇ + d.
    pub fn derivative(&self, accelerations: &[f64]) -> V {
        std::array::from_fn(|i| self.drift[i] + product(&self.jacobian[i], accelerations))
    }

    /// t·f along a direction that is fixed in the axes of f.
    pub fn along(&self, t: &V) -> AffineRow {
        let mut row = AffineRow { jacobian: vec![0.0; self.jacobian[0].len()], ..AffineRow::default() };
        row.project(self, t);
        row
    }

    /// R f, where R turns with the angular velocity Ω: the derivative is R(ḟ + Ω × f).
    fn turn(&mut self, f: &Affine, rotation: &M, spin: &V) {
        self.value = mat_vec(rotation, &f.value);
        self.rest = mat_vec(rotation, &f.rest);
        self.drift = mat_vec(rotation, &add_scaled(&f.drift, 1.0, &cross(spin, &f.value)));
        for (i, row) in self.jacobian.iter_mut().enumerate() {
            for (k, x) in row.iter_mut().enumerate() {
                *x = (0..3).map(|j| rotation[i][j] * f.jacobian[j][k]).sum();
            }
        }
    }
}

impl AffineRow {
    /// ḟ = J v̇ + d.
    pub fn derivative(&self, accelerations: &[f64]) -> f64 {
        self.drift + product(&self.jacobian, accelerations)
    }

    fn project(&mut self, f: &Affine, t: &V) {
        (self.value, self.rest, self.drift) = (dot(t, &f.value), dot(t, &f.rest), dot(t, &f.drift));
        for (k, x) in self.jacobian.iter_mut().enumerate() {
            *x = (0..3).map(|j| t[j] * f.jacobian[j][k]).sum();
        }
    }
}

fn product(row: &[f64], v: &[f64]) -> f64 {
    assert_eq!(row.len(), v.len(), "one number for each velocity");
    polhode_tape::dense::dot(row, v)
}

impl SideState {
    pub(super) fn new(name: &str, edge: bool, chart: bool) -> SideState {
        let (zero, zeros) = ([0.0; 3], [[0.0; 3]; 3]);
        let touching = match edge {
            true => Touching::Edge { tangent: zero, curvature_vector: zero },
            false => Touching::Surface {
                operator: zeros,
                principal: Principal { curvatures: [0.0; 2], directions: [zero; 2] },
                chart: chart.then(ChartPoint::default),
            },
        };
        SideState {
            name: name.to_owned(),
            rotation: zeros,
            position: zero,
            point: zero,
            velocity: zero,
            spin: zero,
            belt: zero,
            normal: zero,
            touching,
        }
    }

    fn read(&mut self, numbers: &mut Reader<'_>) {
        self.rotation = numbers.matrix();
        self.position = numbers.vector();
        self.point = numbers.vector();
        self.velocity = numbers.vector();
        self.spin = numbers.vector();
        self.belt = numbers.vector();
        match &mut self.touching {
            Touching::Surface { operator, chart, .. } => {
                *operator = numbers.matrix();
                if let Some(chart) = chart {
                    chart.parameters = numbers.vector();
                    chart.tangent = numbers.vector();
                    chart.metric = numbers.matrix();
                    chart.connection = numbers.vector();
                }
            }
            Touching::Edge { tangent, curvature_vector } => {
                *tangent = numbers.vector();
                *curvature_vector = numbers.vector();
            }
        }
    }

    /// With the normal the principal curvatures are known.
    fn face(&mut self, normal: V) {
        self.normal = normal;
        if let Touching::Surface { operator, principal, .. } = &mut self.touching {
            *principal = Principal::new(&normal, operator);
        }
    }
}

impl ContactState {
    pub(super) fn new(name: &str, frictionless: bool, unique: bool, sides: [SideState; 2], n: usize) -> ContactState {
        let (zero, zeros) = ([0.0; 3], [[0.0; 3]; 3]);
        ContactState {
            name: name.to_owned(),
            frictionless,
            sides,
            turn: zeros,
            point: zero,
            normal: zero,
            normal_rate: zero,
            omega: zero,
            slip: Affine::zeros(n),
            slip_world: Affine::zeros(n),
            sliding: zero,
            opening: AffineRow { jacobian: vec![0.0; n], ..AffineRow::default() },
            rate: Affine::zeros(n),
            second_rate: Affine::zeros(n),
            point_velocity: Affine::zeros(n),
            relative: Relative::Edge { curvature: 0.0 },
            force: Force { unique, ..Force::default() },
            moving: Affine::zeros(n),
        }
    }

    /// Takes the numbers of `formulas`, and works out the rest.
    pub(super) fn read(&mut self, numbers: &mut Reader<'_>) {
        self.sides.iter_mut().for_each(|side| side.read(numbers));
        let normal: V = numbers.vector();
        self.normal_rate = numbers.vector();
        for f in [&mut self.slip, &mut self.rate, &mut self.second_rate, &mut self.moving] {
            f.read(numbers);
        }
        let world: V = numbers.vector();
        let [n] = numbers.vector();

        let (r, spin) = (self.sides[0].rotation, self.sides[0].spin);
        self.turn = mat_mul(&transpose(&r), &self.sides[1].rotation);
        let back = mat_vec(&transpose(&self.turn), &normal);
        self.sides[0].face(normal);
        self.sides[1].face(back.map(|x| -x));
        self.normal = mat_vec(&r, &normal);
        self.point = add_scaled(&self.sides[0].position, 1.0, &mat_vec(&r, &self.sides[0].point));
        self.omega = add_scaled(&spin, -1.0, &mat_vec(&self.turn, &self.sides[1].spin));
        self.sliding = add_scaled(&self.slip.value, 1.0, &mat_vec(&self.turn, &self.sides[1].belt));
        self.slip_world.turn(&self.slip, &r, &spin);
        self.point_velocity.turn(&self.moving, &r, &spin);
        self.opening.project(&self.slip, &normal.map(|x| -x));
        self.opening.drift -= dot(&self.normal_rate, &self.slip.value);
        self.relative = self.relative_curvature();

        let friction = add_scaled(&world, n, &self.normal);
        let mu_required = (!self.frictionless).then(|| dot(&friction, &friction).sqrt() / n);
        self.force = Force { world, normal: n, friction, mu_required, unique: self.force.unique };
    }

    fn relative_curvature(&self) -> Relative {
        let [first, second] = &self.sides;
        let seen = match &second.touching {
            Touching::Surface { operator, .. } => conjugate(&self.turn, operator),
            Touching::Edge { .. } => [[0.0; 3]; 3],
        };
        match &first.touching {
            Touching::Surface { operator, .. } => {
                let operator = mat_add(operator, &seen);
                Relative::Surfaces { operator, principal: Principal::new(&first.normal, &operator) }
            }
            Touching::Edge { tangent, curvature_vector } => {
                let bent = dot(tangent, &mat_vec(&seen, tangent));
                Relative::Edge { curvature: bent - dot(curvature_vector, &first.normal) }
            }
        }
    }
}

//! Charts of the two surfaces: which, where their parameters lie, and the parameters of a point.
//!
//! The first parameter is always u, the second v, and x_u × x_v points out of the material. In a cavity the two change places:
//! on the inside of a sphere u is the longitude and v the angle from the pole.

use super::roots::{with_single_roots, with_whole_roots};
use crate::configuration::Kind;
use crate::contact::ContactSide;
use polhode_base::Diagnostic;
use polhode_expr::number::ratio;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::numeric::NumericSurface;
use polhode_geometry::{Chart, Mat3, Missing, Piece, Placement, Profile, Shape, Side, Surface, linear};
use rustc_hash::FxHashMap;

/// Which chart of a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChartChoice {
    /// That of [`polhode_geometry::Surface::chart`]; of a sphere and an ellipsoid, with its poles on the z axis.
    #[default]
    Standard,
    /// The same with its poles on the x axis, for spheres and ellipsoids.
    PolarX,
    /// The same with its poles on the y axis, for spheres and ellipsoids.
    PolarY,
    /// Elliptic coordinates of an ellipsoid with three different axes, in the octant where the motion starts.
    Elliptic,
    /// Azimuth about the z axis and distance from it, for a plane and a paraboloid of revolution.
    Revolution,
}

impl ChartChoice {
    /// All of them.
    pub const ALL: [ChartChoice; 5] = [
        ChartChoice::Standard,
        ChartChoice::PolarX,
        ChartChoice::PolarY,
        ChartChoice::Elliptic,
        ChartChoice::Revolution,
    ];

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ChartChoice::Standard => "standard",
            ChartChoice::PolarX => "polar-x",
            ChartChoice::PolarY => "polar-y",
            ChartChoice::Elliptic => "elliptic",
            ChartChoice::Revolution => "revolution",
        }
    }
}

/// The charts of body and ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charts {
    /// That of the body.
    pub body: ChartChoice,
    /// That of the ground.
    pub ground: ChartChoice,
}

/// A chart of one side.
pub(super) struct Cover {
    pub(super) chart: Chart,
    /// Where u and v lie.
    pub(super) kinds: [Kind; 2],
    surface: Surface,
    /// From the axes of `own` to those of the chart.
    placement: Placement,
    own: Own,
    /// Whether u and v are the second and first parameter of `own`.
    swapped: bool,
}

/// The parametrisation in axes of its own.
#[derive(Clone, Copy)]
enum Own {
    Shape(Shape),
    /// Half axes, the longest first.
    Elliptic([Expr; 3]),
    /// Azimuth and distance from the z axis.
    Revolution,
}

/// What is known of a side besides its surface.
pub(super) struct Known<'a> {
    /// The values of the parameters of the model.
    pub(super) values: &'a FxHashMap<Symbol, f64>,
    /// The point of contact at the start.
    pub(super) start: Option<[f64; 3]>,
}

impl Cover {
    /// The chart of a surface with these parameters.
    pub(super) fn new(
        g: &mut Graph,
        side: &ContactSide,
        surface: Surface,
        choice: ChartChoice,
        parameters: [Symbol; 2],
        known: &Known<'_>,
    ) -> Result<Cover, Box<Diagnostic>> {
        let cover = match choice {
            ChartChoice::Standard => Cover::standard(g, surface, parameters, linear::identity(g)),
            ChartChoice::PolarX | ChartChoice::PolarY => {
                let Some(axes) = half_axes(&surface.shape) else {
                    return Err(refusal(side, choice, "has no poles that could lie elsewhere"));
                };
                // own axes (X, Y, Z) are (y, z, x), or (z, x, y)
                let first = if choice == ChartChoice::PolarX { 1 } else { 2 };
                let [a, b, c] = [0, 1, 2].map(|i| axes[(i + first) % 3]);
                let shape = match surface.shape {
                    Shape::Sphere { .. } => surface.shape,
                    _ => Shape::Ellipsoid { a, b, c },
                };
                let turn: Mat3 = std::array::from_fn(|i| {
                    std::array::from_fn(|j| if i == (j + first) % 3 { g.one() } else { g.zero() })
                });
                Cover::standard(g, Surface { shape, ..surface }, parameters, turn)
            }
            ChartChoice::Revolution => {
                let Some(profile) = profile_about_z(g, &surface.shape) else {
                    return Err(refusal(side, choice, "is no plane and no paraboloid of revolution"));
                };
                let shape = Shape::Revolution(profile);
                let cover = Cover::standard(g, Surface { shape, ..surface }, parameters, linear::identity(g));
                cover.map(|c| Cover { own: Own::Revolution, ..c })
            }
            ChartChoice::Elliptic => return Cover::elliptic(g, side, surface, parameters, known),
        };
        cover.map_err(|_| {
            let message = "this surface is given by an equation, so that it has no chart for Neumann's coordinates";
            let error = Diagnostic::error("no-chart", message).at(side.span, "");
            Box::new(error.help("give it as parametric = [\"x(u, v)\", \"y(u, v)\", \"z(u, v)\"]"))
        })
    }

    fn standard(g: &mut Graph, surface: Surface, parameters: [Symbol; 2], turn: Mat3) -> Result<Cover, Missing> {
        let moved = placement_of(g, &surface);
        let placement =
            Placement { rotation: linear::mat_mul(g, &moved.rotation, &turn), translation: moved.translation };
        let plain = surface.placement.is_none() && turn == linear::identity(g);
        let surface = Surface { placement: (!plain).then_some(placement), ..surface };
        let swapped = surface.side == Side::Inside;
        let chart = surface.chart(g, swap(parameters, swapped))?;
        let chart = with_whole_roots(g, chart);
        let kinds = swap_kinds(kinds_of(g, &surface.shape), swapped);
        Ok(Cover { chart, kinds, surface, placement, own: Own::Shape(surface.shape), swapped })
    }

    /// Elliptic coordinates have their lengths in order, and are for one octant: the chart of the ordered ellipsoid in its first
    /// octant is turned and mirrored to where it is wanted.
    fn elliptic(
        g: &mut Graph,
        side: &ContactSide,
        surface: Surface,
        parameters: [Symbol; 2],
        known: &Known<'_>,
    ) -> Result<Cover, Box<Diagnostic>> {
        let (Shape::Ellipsoid { .. }, Some(axes)) = (surface.shape, half_axes(&surface.shape)) else {
            return Err(refusal(side, ChartChoice::Elliptic, "is no ellipsoid"));
        };
        let lengths = axes.map(|e| g.evaluate_f64(e, known.values).unwrap_or(f64::NAN));
        let mut order = [0, 1, 2];
        order.sort_by(|i, j| lengths[*j].total_cmp(&lengths[*i]));
        let different = order.windows(2).all(|w| lengths[w[0]] > lengths[w[1]] * (1.0 + 1e-9));
        if !different {
            return Err(refusal(side, ChartChoice::Elliptic, "has equal axes, so that its elliptic coordinates fail"));
        }
        let moved = placement_of(g, &surface);
        let octant = match known.start {
            Some(point) => {
                let x = back(g, &moved, known.values, point).unwrap_or([1.0; 3]);
                x.map(|x| if x < 0.0 { -1 } else { 1 })
            }
            None => [1; 3],
        };
        let sign = |g: &mut Graph, i: usize| g.int(octant[i]);
        let map: Mat3 =
            std::array::from_fn(|i| std::array::from_fn(|j| if order[j] == i { sign(g, i) } else { g.zero() }));
        let even = (0..3).all(|k| order[(k + 1) % 3] == (order[k] + 1) % 3);
        let mirrored = even != (octant.iter().product::<i64>() > 0);
        let swapped = mirrored != (surface.side == Side::Inside);
        let [a, b, c] = order.map(|i| axes[i]);
        let ordered = Surface::from(Shape::Ellipsoid { a, b, c });
        let own = match ordered.elliptic_chart(g, swap(parameters, swapped)) {
            Ok(chart) => chart,
            Err(_) => return Err(refusal(side, ChartChoice::Elliptic, "is no ellipsoid")),
        };
        let rotation = linear::mat_mul(g, &moved.rotation, &map);
        let placement = Placement { rotation, translation: moved.translation };
        let [p, q, r] = order.map(|i| lengths[i] * lengths[i]);
        let mut inside = known.values.clone();
        inside.extend(own.parameters.into_iter().zip([(p + q) / 2.0, (q + r) / 2.0]));
        let own = with_single_roots(g, own, &inside);
        let chart = carried(g, &own, &placement, swapped, surface.side);
        let squares = [a, b, c].map(|e| g.powi(e, 2));
        let kinds = [Kind::Interval(squares[1], squares[0]), Kind::Interval(squares[2], squares[1])];
        let kinds = swap_kinds(kinds, swapped);
        Ok(Cover { chart, kinds, surface, placement, own: Own::Elliptic([a, b, c]), swapped })
    }

    /// The parameters of a point of the surface, in doubles.
    pub(super) fn parameters_of(
        &self,
        g: &Graph,
        side: &ContactSide,
        values: &FxHashMap<Symbol, f64>,
        point: [f64; 3],
    ) -> Option<[f64; 2]> {
        let number = |e: Expr| g.evaluate_f64(e, values).ok();
        let [x, y, z] = back(g, &self.placement, values, point)?;
        let across = x.hypot(y);
        let found = match self.own {
            Own::Elliptic(axes) => {
                let [p, q, r] = [number(axes[0])?, number(axes[1])?, number(axes[2])?].map(|a| a * a);
                let sum = p + q + r - x * x - y * y - z * z;
                let product = p * q * r * ((x / p).powi(2) + (y / q).powi(2) + (z / r).powi(2));
                let root = (sum * sum - 4.0 * product).max(0.0).sqrt();
                [(sum + root) / 2.0, (sum - root) / 2.0]
            }
            Own::Revolution => [y.atan2(x), across],
            Own::Shape(shape) => match shape {
                Shape::Plane => [x, y],
                Shape::Sphere { .. } => [across.atan2(z), y.atan2(x)],
                Shape::Ellipsoid { a, b, c } => polar(x / number(a)?, y / number(b)?, z / number(c)?),
                Shape::Spheroid { a, c } => polar(x / number(a)?, y / number(a)?, z / number(c)?),
                Shape::Torus { major, .. } => [(across - number(major)?).atan2(z), y.atan2(x)],
                Shape::Cylinder { .. } => [y.atan2(x), z],
                Shape::Cone { half_angle } => [y.atan2(x), z / number(half_angle)?.cos()],
                Shape::Paraboloid { .. } => [y, x],
                Shape::Superquadric { a, b, c, e1, e2 } => {
                    let (p, q, r) = (x / number(a)?, y / number(b)?, z / number(c)?);
                    if p.min(q).min(r) <= 0.0 {
                        return None;
                    }
                    let v = q.powf(1.0 / number(e2)?).atan2(p.powf(1.0 / number(e2)?));
                    [r.powf(1.0 / number(e1)?).min(1.0).acos(), v]
                }
                Shape::Revolution(Profile::Radius { .. }) => [y.atan2(x), z],
                Shape::Revolution(Profile::Curve { .. }) | Shape::Parametric { .. } => {
                    return self.carried_or_found(g, side, values, point);
                }
                Shape::Implicit { .. } => return None,
            },
        };
        Some(swap(found, self.swapped))
    }

    /// The parameters that the model itself begins with, or those of the nearest point.
    fn carried_or_found(
        &self,
        g: &Graph,
        side: &ContactSide,
        values: &FxHashMap<Symbol, f64>,
        point: [f64; 3],
    ) -> Option<[f64; 2]> {
        if let Piece::Patch(patch) = &side.piece
            && let [p, q] = patch.coordinates()
            && let (Some(u), Some(v)) = (values.get(p), values.get(q))
        {
            return Some([*u, *v]);
        }
        let values: Vec<(Symbol, f64)> = values.iter().map(|(s, x)| (*s, *x)).collect();
        let mut numeric = NumericSurface::new(g, &self.surface, &values).ok()?;
        if let Some(size) = side.size {
            numeric = numeric.with_size(size);
        }
        if let Some(domain) = side.domain {
            numeric = numeric.with_domain(domain);
        }
        numeric.project(point)?.parameters
    }
}

fn refusal(side: &ContactSide, choice: ChartChoice, why: &str) -> Box<Diagnostic> {
    let message = format!("there is no {} chart here: the surface of `{}` {why}", choice.name(), side.name);
    Box::new(Diagnostic::error("no-chart", message).at(side.span, "").help("take the standard chart"))
}

fn swap<T: Copy>(pair: [T; 2], swapped: bool) -> [T; 2] {
    if swapped { [pair[1], pair[0]] } else { pair }
}

fn swap_kinds([u, v]: [Kind; 2], swapped: bool) -> [Kind; 2] {
    if swapped { [v, u] } else { [u, v] }
}

/// The angles of a point of the unit sphere.
fn polar(x: f64, y: f64, z: f64) -> [f64; 2] {
    [x.hypot(y).atan2(z), y.atan2(x)]
}

fn half_axes(shape: &Shape) -> Option<[Expr; 3]> {
    match *shape {
        Shape::Sphere { radius } => Some([radius; 3]),
        Shape::Ellipsoid { a, b, c } => Some([a, b, c]),
        Shape::Spheroid { a, c } => Some([a, a, c]),
        _ => None,
    }
}

/// The meridian of a plane or a paraboloid of revolution, by the distance ρ from the z axis: z = ρ²/2a.
fn profile_about_z(g: &mut Graph, shape: &Shape) -> Option<Profile> {
    let s = g.symbol("distance from the axis");
    let rho = g.var(s);
    let z = match *shape {
        Shape::Plane => g.zero(),
        Shape::Paraboloid { a, b } if a == b => {
            let square = g.powi(rho, 2);
            let ratio_to_a = g.div(square, a);
            g.scale(ratio_to_a, &ratio(1, 2))
        }
        _ => return None,
    };
    Some(Profile::Curve { s, rho, z })
}

fn placement_of(g: &Graph, surface: &Surface) -> Placement {
    surface.placement.unwrap_or(Placement { rotation: linear::identity(g), translation: linear::zero(g) })
}

/// Lᵀ (x − t) in doubles.
fn back(g: &Graph, at: &Placement, values: &FxHashMap<Symbol, f64>, point: [f64; 3]) -> Option<[f64; 3]> {
    let number = |e: Expr| g.evaluate_f64(e, values).ok();
    let mut out = [0.0; 3];
    for i in 0..3 {
        let apart = point[i] - number(at.translation[i])?;
        for j in 0..3 {
            out[j] += number(at.rotation[i][j])? * apart;
        }
    }
    Some(out)
}

/// Where the standard parameters lie, in the order of the shape's own chart.
fn kinds_of(g: &mut Graph, shape: &Shape) -> [Kind; 2] {
    let (zero, pi) = (g.zero(), g.pi());
    match shape {
        Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Spheroid { .. } => {
            [Kind::Interval(zero, pi), Kind::Angle]
        }
        Shape::Torus { .. } => [Kind::Angle, Kind::Angle],
        Shape::Cylinder { .. } | Shape::Cone { .. } | Shape::Revolution(_) => [Kind::Angle, Kind::Real],
        Shape::Superquadric { .. } => {
            let quarter = g.scale(pi, &ratio(1, 2));
            [Kind::Interval(zero, quarter), Kind::Interval(zero, quarter)]
        }
        Shape::Plane | Shape::Paraboloid { .. } | Shape::Parametric { .. } | Shape::Implicit { .. } => {
            [Kind::Real, Kind::Real]
        }
    }
}

/// An orthogonal chart mapped by an orthogonal matrix, which may be a reflection. Where the parameters are swapped, e₁ and e₂ are
/// too; on the inside of a surface the normal is reversed.
fn carried(g: &mut Graph, own: &Chart, at: &Placement, swapped: bool, side: Side) -> Chart {
    let inside = side == Side::Inside;
    let l = at.rotation;
    let turn = |g: &mut Graph, v: &[Expr; 3]| linear::mat_vec(g, &l, v);
    let signed = |g: &mut Graph, e: Expr| if inside { g.neg(e) } else { e };
    let moved = turn(g, &own.position);
    let position = linear::add(g, &moved, &at.translation);
    let outward = turn(g, &own.normal);
    let [uu, uv, vv] = own.second_derivatives.map(|w| turn(g, &w));
    let [e, f, h] = own.first;
    let [d, d1, d2] = own.second.map(|x| signed(g, x));
    let shape = linear::conjugate(g, &l, &own.shape);
    Chart {
        parameters: swap(own.parameters, swapped),
        position,
        tangents: swap(own.tangents.map(|w| turn(g, &w)), swapped),
        second_derivatives: if swapped { [vv, uv, uu] } else { [uu, uv, vv] },
        first: if swapped { [h, f, e] } else { [e, f, h] },
        second: if swapped { [d2, d1, d] } else { [d, d1, d2] },
        root_e: if swapped { own.root_g } else { own.root_e },
        root_g: if swapped { own.root_e } else { own.root_g },
        area: own.area,
        normal: outward.map(|x| signed(g, x)),
        frame: swap(own.frame.map(|w| turn(g, &w)), swapped),
        dual: swap(own.dual.map(|w| turn(g, &w)), swapped),
        shape: shape.map(|row| row.map(|x| signed(g, x))),
    }
}

//! Geometry of rolling: surfaces, curves and their contact, as exact expressions.
//!
//! A smooth body that rolls on a smooth surface needs of both no more than the outward normal ν and the shape
//! operator S = dν at the contact. Their relative curvature decides how the contact point moves:
//!
//! ```text
//! R ν = −ν₁,    K = S + Rᵀ S₁ R,    K V = ν × Ω,    ċ = V,  ċ₁ = R V
//! ```
//!
//! Surfaces have two representations with this interface ([`Patch`]): an equation f(c) = 0, without poles and
//! umbilics, for simulation; and a chart (u, v), for equations in the classical form of
//! [Voronets1911, ch. I].
//!
//! | module | what it holds |
//! | --- | --- |
//! | `surface` | [`Surface`]: named and given shapes, which side is material, where they stand |
//! | `implicit` | [`Implicit`]: f(c) = 0, ν = ∇f/\|∇f\|, S = P ∇²f P/\|∇f\| |
//! | `chart` | [`Chart`]: E, F, G, D, D′, D″, frame, connection |
//! | `patch` | [`Patch`]: either of the two |
//! | [`curvature`] | mean, Gauss and principal curvatures; principal and asymptotic directions; geodesic curvature |
//! | `bending` | [`Bending`], twisting and spinning along curves: [Voronets1911, (2)–(8)] |
//! | `rim` | [`Rim`]: curves as sharp edges |
//! | `boundary` | [`Boundary`]: a surface or an edge, what a body touches with |
//! | `contact` | [`Contact`] without charts, [`NeumannContact`] with them: [Voronets1911, (9)–(13), (56)] |
//! | `meeting` | [`Known`] contacts, and how a contact moves when both boundaries do ([`Relative`]) |
//! | `homogeneous` | homogeneous bodies and shells of any smooth shape, in doubles |
//! | [`inertia`] | homogeneous bodies; can a tensor be one of inertia? |
//! | [`numeric`] | points with a given normal, nearest points, regular points, in doubles |
//! | [`linear`] | vectors and 3×3 matrices of expressions |
//! | [`dense`] | the same in doubles |
//!
//! **Signs.** Axes are right-handed. Normals point out of the material; S is positive where the material is
//! convex (a ball has 1/r, a hollow −1/r), so that S is minus Voronets' D/E. R takes body to world.
//!
//! ```
//! use polhode_expr::Graph;
//! use polhode_geometry::{Contact, Shape, Surface, linear};
//!
//! // A ball in a spherical bowl: V = ν × Ω/(1/r − 1/R₁), here at the lowest point of both.
//! let mut g = Graph::new();
//! let (r, big) = (g.named("r"), g.named("R1"));
//! let ball = Surface::from(Shape::Sphere { radius: r });
//! let bowl = Surface::from(Shape::Sphere { radius: big }).inside();
//!
//! let c = ["c[1]", "c[2]", "c[3]"].map(|n| g.symbol(n));
//! let c1 = ["c1[1]", "c1[2]", "c1[3]"].map(|n| g.symbol(n));
//! let uv = ["u", "v"].map(|n| g.symbol(n));
//! let (body, ground) = (ball.patch(&mut g, c, uv)?, bowl.patch(&mut g, c1, uv)?);
//! let rotation = linear::identity(&g);
//! let contact = Contact::new(&mut g, &body, &rotation, &ground);
//! let omega = [g.named("p"), g.named("q"), g.named("n")];
//! let velocity = contact.velocity(&mut g, &omega);
//!
//! let at = |r: f64, big: f64| [("c[1]", 0.0), ("c[2]", 0.0), ("c[3]", -r), ("c1[1]", 0.0), ("c1[2]", 0.0), ("c1[3]", -big)];
//! let values = at(0.25, 1.0).into_iter().chain([("p", 0.0), ("q", 3.0), ("n", 7.0), ("r", 0.25), ("R1", 1.0)]);
//! let values = values.map(|(n, x)| (g.find_symbol(n).unwrap(), x)).collect();
//! // ν = −e_z and Ω = (0, 3, 7): ν × Ω = (3, 0, 0), divided by 4 − 1.
//! assert!((g.evaluate_f64(velocity[0], &values).unwrap() - 1.0).abs() < 1e-15);
//! # Ok::<(), polhode_geometry::Missing>(())
//! ```
//!
//! Not here: equations of motion, contact of two edges, self-intersection and second contacts, meshes.

mod bending;
mod boundary;
mod chart;
mod contact;
pub mod curvature;
pub mod dense;
mod homogeneous;
mod implicit;
pub mod inertia;
pub mod linear;
mod meeting;
pub mod numeric;
mod patch;
mod program;
mod rim;
mod surface;
pub use bending::Bending;
pub use boundary::{Boundary, Curve, Edge, Piece};
pub use chart::Chart;
pub use contact::{Contact, NeumannContact};
pub use curvature::Curvatures;
pub use homogeneous::NumericMass;
pub use implicit::Implicit;
pub use linear::{Mat2, Mat3, Vec2, Vec3};
pub use meeting::{Known, Relative, Stand};
pub use patch::Patch;
pub use rim::Rim;
pub use surface::{Missing, Placement, Profile, Shape, Side, Surface};

//! What a model looks like in space: meshes, poses, glTF files, pictures.
//!
//! ```text
//! Model, Compiled (with drawing: true), Film ─Scene::of→ Scene ─gltf→ .glb
//!                                                              └Drawing→ shapes of figures ─picture→ SVG
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | `scene` | [`Scene`]: meshes and objects, contacts, arrows, traces, rods; where their numbers are in a frame |
//! | `film` | [`Film`]: a motion as frames |
//! | `build` | [`Scene::of`] |
//! | `mesh` | [`Mesh`], on a [`Grid`] of parameters where there is a chart |
//! | `surfaces`, `solids`, `marching` | meshes of surfaces and edges, of solids that are drawn, of f = 0 |
//! | `functions` | functions of the parameters of a model, in doubles |
//! | `pose` | [`Placed`]: where an object is in a frame |
//! | `gltf` | [`gltf()`]: files for Blender and web pages |
//! | `parts` | everything in a frame as meshes that stand somewhere: objects, rods, arrows |
//! | `camera`, `stage` | from where it is seen, and how much of it |
//! | `paint`, `depth` | the painter: facets and lines, and what hides them |
//! | `drawing` | [`Drawing`]: shapes of figures, still and moving, with curves of contact |
//! | `picture` | [`picture()`]: SVG without a browser |
//!
//! ```
//! use polhode_mechanics::System;
//! use polhode_model::{Model, ParseOptions};
//! use polhode_scene::{Film, Scene, View, gltf, picture};
//! use polhode_simulate::{Compile, CompileOptions, Run};
//!
//! let text = r#"
//! [gravity]
//! g = 9.81
//! [body.egg]
//! mass    = 1
//! inertia = "solid"
//! surface = { spheroid = [0.3, 0.4] }
//! [ground]
//! surface = "plane"
//! [initial.egg]
//! touching = [0, 0, 0]
//! rotation = "Rx(1)"
//! Omega    = [0, 1, 5]
//! "#;
//! let (model, _) = Model::parse("egg.toml", text, &ParseOptions::default())?;
//! let (mut system, _) = System::new(&model)?;
//! let compiled = system.compile_with(&CompileOptions { drawing: true, ..CompileOptions::default() })?;
//! let motion = compiled.solve(&Run::until(2.0))?;
//! let film = Film::of(&compiled, &motion.sampled(60));
//!
//! let scene = Scene::of(&model, &compiled, &film);
//! let names: Vec<&str> = scene.objects.iter().map(|o| o.name.as_str()).collect();
//! assert_eq!((names, scene.contacts.len()), (vec!["egg", "ground"], 1));
//! assert!(gltf(&scene, &film).starts_with(b"glTF"));
//! assert!(picture(&scene, &film, &View::at(&film, 2.0)).starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Lengths are in the units of the model; meshes are in the axes of their objects.
//!
//! Not here: files, JSON for pages, and the language of drawings, which `polhode-model` reads.

mod build;
mod camera;
mod depth;
mod drawing;
mod film;
mod functions;
mod gltf;
mod marching;
mod mesh;
mod paint;
mod parts;
mod picture;
mod pose;
mod scene;
mod solids;
mod stage;
mod surfaces;

pub use camera::Camera;
pub use drawing::Drawing;
pub use film::{Film, matrix, vector};
pub use gltf::gltf;
pub use mesh::{Grid, Mesh, Rows, Ruler};
pub use picture::{View, picture};
pub use polhode_model::{ArrowKind, Look};
pub use pose::Placed;
pub use scene::{Arrow, COLOURS, ContactMark, GROUND, Object, PALETTE, Rod, Role, Scene, Trace};

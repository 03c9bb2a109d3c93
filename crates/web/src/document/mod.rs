//! The page document: everything that a page needs of a model, as one JSON value.
//!
//! ```text
//! Wish (a text, other numbers) ─prepare→ model and system ─→ parameters, starts, columns, recorded motion, engine, scene
//! ```
//!
//! | file | what it holds |
//! | --- | --- |
//! | `wish` | what is asked for, and the names that a page has for initial values |
//! | `diagnostics` | mistakes with their places |
//! | `numbers` | parameters and initial values, with the ranges of their sliders |
//! | `turns` | other orientations of the start, and what follows them |
//! | `closing` | points of contact that stay on their surface |
//! | `recorded`, `choice` | a run, its columns and samples; those that show it best |
//! | `engine` | the model as WebAssembly, or why not |
//! | `scene`, `coarse` | what it looks like; meshes that are small enough to be sent |
//! | `equations` | equations of motion as LaTeX |
//! | `facts` | what is constant, symmetries, the doctor's verdict, friction |
//! | `comments` | what the model file says beside a name |
//! | `conditions` | parameters that no body can have |
//! | `warm` | what is kept of a model between two requests |
//!
//! A text with mistakes is answered with them: `{"ok": false, "diagnostics": […]}`.

mod choice;
mod closing;
mod coarse;
mod comments;
mod conditions;
mod diagnostics;
mod engine;
mod equations;
mod facts;
mod numbers;
mod recorded;
mod scene;
mod turns;
mod warm;
mod wish;

pub use warm::Warm;
pub use wish::{BadWish, Wish, given};

use numbers::Numbers;
use recorded::Drawing;
use wish::LastRead;

use polhode::base::{Diagnostic, Diagnostics, SourceFile};
use polhode::mechanics::{Form, System};
use polhode::model::{Model, ParseOptions};
use polhode::simulate::{Plan, Ready, Resolved, Trajectory};
use polhode::tape::Scalar;
use serde_json::{Value, json};
use std::panic::resume_unwind;

/// Stack of a thread, in bytes: formulas are trees, and trees are deep.
const STACK: usize = 16 << 20;

/// The format of the document.
pub const FORMAT: u32 = 1;

/// A model that was accepted, with what there is to say about it.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) model: Model,
    pub(crate) system: System,
    pub(crate) found: Diagnostics,
    /// What is run.
    pub(crate) resolved: Resolved,
    /// Vectors of the start that were put together of wished and other numbers, by name.
    pub(crate) placed: Vec<(String, [f64; 3])>,
    /// What commands call the model.
    pub(crate) argument: String,
}

/// Why there is no document: the mistakes, and the text they are in.
#[derive(Clone, Debug)]
pub struct Mistaken {
    /// The text.
    pub source: SourceFile,
    /// What is wrong.
    pub diagnostics: Diagnostics,
}

impl Mistaken {
    pub(crate) fn with(source: &SourceFile, mut found: Diagnostics, one: Diagnostic) -> Mistaken {
        found.push(one);
        Mistaken { source: source.clone(), diagnostics: found }
    }

    /// As the document of a rejected model.
    pub fn document(&self, wish: &Wish) -> Value {
        json!({
            "format": FORMAT,
            "ok": false,
            "model": { "name": wish.short_name(), "text": wish.text },
            "diagnostics": diagnostics::list(&self.diagnostics, &self.source),
            "more_diagnostics": diagnostics::more(&self.diagnostics),
        })
    }
}

impl From<polhode::model::Rejected> for Mistaken {
    fn from(rejected: polhode::model::Rejected) -> Mistaken {
        Mistaken { source: rejected.source, diagnostics: rejected.diagnostics }
    }
}

/// Reads and resolves a model with the numbers that are wished.
pub(crate) fn prepare(wish: &Wish) -> Result<Prepared, Mistaken> {
    prepare_again(wish, &mut LastRead::default())
}

/// The same by somebody who may have read the model before.
fn prepare_again(wish: &Wish, read: &mut LastRead) -> Result<Prepared, Mistaken> {
    let plain = ParseOptions { parameters: wish.set.clone(), ..ParseOptions::default() };
    let (options, placed) = match wish.start.is_empty() {
        true => (plain, Vec::new()),
        false => {
            let (initial, placed) = wish::formulas(wish, &plain, read)?;
            (ParseOptions { initial, ..plain }, placed)
        }
    };
    let plan = Plan { values: options, ..Plan::new(&wish.file, &wish.text).settings(wish.settings.clone()) };
    let (model, found) = plan.read()?;
    let ready = Ready::new(model, found.clone(), &plan.settings)
        .map_err(|error| recorded::mistaken(error, &plan.source, &found))?;
    let Ready { model, system, found, mut resolved } = ready;
    // a page shows the whole motion, with as many samples as it has room for
    (resolved.run.samples, resolved.run.dense) = (wish.samples, false);
    resolved.run.at.clear();
    Ok(Prepared { model, system, found, resolved, placed, argument: wish.argument().to_owned() })
}

/// What is shown of the model itself.
fn heading(prepared: &Prepared, wish: &Wish) -> Value {
    let model = &prepared.model;
    let title = if model.title.is_empty() { &model.name } else { &model.title };
    json!({
        "name": model.name, "title": title, "reference": model.reference, "fact": model.fact, "text": wish.text,
        "argument": wish.argument(),
    })
}

/// "5 coordinates · 2 constraints · 3 degrees of freedom".
fn summary(prepared: &Prepared) -> String {
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    [
        count(prepared.system.configuration.dimension(), "coordinate", "coordinates"),
        match (prepared.model.in_force.count(), prepared.model.constraints.len()) {
            (some, all) if some < all => format!("{some} of {all} constraints in force"),
            (all, _) => count(all, "constraint", "constraints"),
        },
        count(prepared.system.degrees_of_freedom(), "degree of freedom", "degrees of freedom"),
    ]
    .join(" · ")
}

/// The page document, without equations and facts.
pub fn page_document(wish: &Wish) -> Result<Value, Mistaken> {
    page_and_motion(wish).map(|(document, _)| document)
}

/// The same, with the motion that is recorded in it.
pub fn page_and_motion(wish: &Wish) -> Result<(Value, Motion), Mistaken> {
    let mut prepared = prepare(wish)?;
    let (motion, numbers) = motion_and_numbers(&mut prepared, wish)?;
    Ok(page_of(prepared, motion, numbers, wish))
}

/// The motion, and on a thread of its own the numbers that a page can change: for them the model is read again and again.
fn motion_and_numbers(prepared: &mut Prepared, wish: &Wish) -> Result<(Trajectory, Numbers), Mistaken> {
    let fresh = prepared.clone();
    std::thread::scope(|scope| {
        let own = std::thread::Builder::new().stack_size(STACK);
        let beside = own.spawn_scoped(scope, || numbers::of(&mut fresh.clone(), wish));
        let motion = recorded::run(prepared, wish, Drawing::Reported)?;
        let numbers = match beside {
            Ok(beside) => beside.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => numbers::of(&mut fresh.clone(), wish),
        };
        Ok((motion, numbers?))
    })
}

/// The document of a motion.
fn page_of(prepared: Prepared, motion: Trajectory, mut numbers: Numbers, wish: &Wish) -> (Value, Motion) {
    let compiled = motion.compiled().clone();
    let (scene, surfaces) = scene::of(&prepared.model, &motion);
    let (engine, engine_why) = match engine::of(&prepared, &compiled, surfaces) {
        Ok(engine) => (engine, None),
        Err(why) => (Value::Null, Some(why)),
    };
    numbers.keep_one_of_each_velocity();
    // only a page that computes by itself can turn the start
    if !engine.is_null() {
        numbers.add_turns(&prepared);
    }
    let until = prepared.resolved.run.until.to_f64();
    let mut given = wish.given();
    // a page shows a time as a number
    if wish.settings.until.is_some() {
        given["until"] = until.into();
    }
    let document = json!({
        "format": FORMAT,
        "ok": true,
        "model": heading(&prepared, wish),
        "diagnostics": diagnostics::list(&prepared.found, &prepared.model.source),
        "more_diagnostics": diagnostics::more(&prepared.found),
        "summary": summary(&prepared),
        "parameters": numbers.parameters,
        "starts": numbers.starts,
        "until": until,
        "given": given,
        "rtol": RTOL,
        "atol": RTOL,
        "columns": recorded::columns(&prepared, &compiled),
        "energy": compiled.program.layout.energy,
        "recorded": recorded::document(&motion, wish),
        "engine": engine,
        "engine_why": engine_why,
        "scene": scene,
        "equations": Value::Null,
        "facts": Value::Null,
    });
    (document, Motion { model: prepared.model, system: prepared.system, trajectory: motion })
}

/// A motion with what it is a motion of.
#[derive(Clone, Debug)]
pub struct Motion {
    /// The model.
    pub model: Model,
    /// The system.
    pub system: System,
    /// The motion.
    pub trajectory: Trajectory,
}

impl Motion {
    /// Runs a model.
    pub fn of(wish: &Wish) -> Result<Motion, Mistaken> {
        let mut prepared = prepare(wish)?;
        let trajectory = recorded::run(&mut prepared, wish, Drawing::Reported)?;
        Ok(Motion { model: prepared.model, system: prepared.system, trajectory })
    }

    /// The scene along the motion as a glTF file, or `None` where nothing is to be seen.
    pub fn gltf(&self) -> Option<Vec<u8>> {
        scene::gltf(&self.model, &self.trajectory)
    }

    /// The meshes of its scene, of at most so many vertices each where that can be chosen.
    pub fn meshes(&self, most: usize) -> Value {
        scene::meshes(&self.model, &self.trajectory, most)
    }

    /// What a page document has of it under `recorded`.
    pub fn recorded(&self, wish: &Wish) -> Value {
        recorded::document(&self.trajectory, wish)
    }
}

/// The tolerance of motions that the page computes itself: ten digits and more in milliseconds.
const RTOL: f64 = 1e-13;

/// The equations of motion in one form, or why it does not apply.
pub fn equations_document(wish: &Wish, form: Form) -> Result<Value, Mistaken> {
    Ok(equations::of(&mut prepare(wish)?, form))
}

/// What stands in the place of equations that were not derived.
pub fn no_equations(form: Form, why: &str) -> Value {
    equations::none(form, why)
}

/// What is known about the model without its motion, and about its contacts along it: what is found until the deadline of the wish.
pub fn facts_document(wish: &Wish) -> Result<Value, Mistaken> {
    let prepared = prepare(wish)?;
    let facts = facts::begin(&prepared);
    let motion = recorded::run(&mut prepared.clone(), wish, Drawing::LeftOut).ok();
    Ok(facts.by(wish.deadline, &prepared, motion.as_ref()))
}

/// The same about a motion that was computed before.
pub fn facts_along(wish: &Wish, motion: &Trajectory) -> Result<Value, Mistaken> {
    let prepared = prepare(wish)?;
    Ok(facts::begin(&prepared).by(wish.deadline, &prepared, Some(motion)))
}

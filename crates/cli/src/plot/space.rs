//! The panels in space: the curves of contact on body and ground, and the model at some times.

use super::Study;
use super::args::PlotOptions;
use super::words::Wanted;
use crate::Refusal;
use crate::run::time;
use polhode::plot::number::short;
use polhode::plot::svg::{Panel, Shape};
use polhode::prelude::{Sample, Trajectory};
use polhode::scene::{Camera, ContactMark, Drawing, Film, Role, Scene};
use polhode::tape::Scalar;

/// Places per second of a body that moves, between which it goes straight on, and most of them.
const RATE: f64 = 12.0;
const PLACES: usize = 150;

/// How far a body is turned towards its curve, as a part of the latitude of its middle.
const TURNED: f64 = 0.65;

/// Most frames of a film: a curve in space needs no more.
const FRAMES: usize = 2001;

/// Samples of a curve that ends in a body, at least.
const FINE: usize = 200;

/// Whether something is to be drawn in space.
pub(super) fn is_wanted(wanted: &[Wanted]) -> bool {
    wanted.iter().any(|w| matches!(w, Wanted::Curves | Wanted::Scene))
}

/// What is in space shows one motion.
pub(super) fn check(wanted: &[Wanted], motions: usize) -> Result<(), Refusal> {
    match wanted.iter().find(|w| matches!(w, Wanted::Curves | Wanted::Scene)).filter(|_| motions > 1) {
        Some(w) => Err(Refusal::BadInput(format!(
            "error: `{}` shows one motion, and there are {motions}\n  = leave --vary out, or give --init once\n",
            w.kind()
        ))),
        None => Ok(()),
    }
}

/// The panels of curves of contact or of a scene.
pub(super) fn panels(options: &PlotOptions, study: &Study, k: usize) -> Result<Vec<Panel>, Refusal> {
    let Some(drawn) = study.drawn.first() else { return Ok(Vec::new()) };
    let compiled = drawn.motion.compiled();
    let every = drawn.samples.len().div_ceil(FRAMES).max(1);
    let mut samples: Vec<_> = drawn.samples.iter().step_by(every).cloned().collect();
    let mut times = Vec::new();
    for text in &options.at {
        let t = time(&study.model, "--at", text)?.to_f64();
        let Some(sample) = drawn.motion.at(t) else {
            return Err(Refusal::BadInput(format!(
                "error: `--at {text}`: the motion goes from 0 to {}\n  = choose a time in between, or another --until\n",
                drawn.motion.end()
            )));
        };
        times.push(t);
        samples.push(sample);
    }
    let in_order = |samples: &mut Vec<Sample>| samples.sort_by(|a, b| a.t().abs().total_cmp(&b.t().abs()));
    in_order(&mut samples);
    let coarse = Film::of(compiled, &samples);
    let scene = Scene::of(&study.model, compiled, &coarse);
    if matches!(study.wanted[k], Wanted::Scene) && !options.animate {
        let drawing = Drawing { scene: &scene, film: &coarse, camera: Camera::default(), arrows: false };
        let ends = if times.is_empty() { vec![drawn.motion.end()] } else { times.clone() };
        samples.extend(ends.iter().flat_map(|t| before(&drawn.motion, &drawing, *t)));
        in_order(&mut samples);
    }
    let film = Film::of(compiled, &samples);
    let view =
        Drawing { scene: &scene, film: &film, camera: camera(options, options.elevation), arrows: !options.no_arrows };
    if let Some(why) = &scene.empty_reason {
        return Err(Refusal::BadInput(format!("error: there is nothing to see: {why}\n")));
    }
    let moving = |seconds: f64| {
        let count = ((seconds * RATE) as usize).clamp(2, PLACES);
        let frames: Vec<usize> = (0..count).map(|k| k * (film.len() - 1) / (count - 1)).collect();
        view.moving(&frames)
    };
    let seconds = options.animate.then(|| super::panels::loop_seconds(drawn.motion.end().abs()));
    match &study.wanted[k] {
        Wanted::Curves => curves(options, &view, seconds.map(moving)),
        _ if seconds.is_some() => Ok(vec![Panel::space("", seconds.map(moving).unwrap_or_default())]),
        _ => {
            if times.is_empty() {
                times.push(drawn.motion.end());
            }
            let frames: Vec<usize> = times.iter().map(|t| film.nearest(*t)).collect();
            let panel = |(t, shapes)| Panel::space(format!("t = {} s", short(t, 4)), shapes);
            let mut panels: Vec<Panel> = times.into_iter().zip(view.stills(&frames)).map(panel).collect();
            Panel::share_window(&mut panels);
            Ok(panels)
        }
    }
}

/// More samples before a time where the curves in its picture would have corners: bodies go far between those of a long motion.
fn before(motion: &Trajectory, drawing: &Drawing<'_>, t: f64) -> Vec<Sample> {
    let last = drawing.film.nearest(t);
    let first = drawing.since(last);
    let from = drawing.film.times.get(first.saturating_sub(1)).copied().unwrap_or_default();
    if last - first >= FINE || from == t {
        return Vec::new();
    }
    (1..FINE).filter_map(|k| motion.at(from + (t - from) * k as f64 / FINE as f64)).collect()
}

/// From where things are seen.
fn camera(options: &PlotOptions, elevation: f64) -> Camera {
    Camera { azimuth: options.azimuth.to_radians(), elevation: elevation.to_radians(), ..Camera::default() }
}

fn is_body(view: &Drawing<'_>, object: usize) -> bool {
    view.scene.objects[object].role == Role::Body
}

/// Body and ground, a pair for each contact.
fn curves(options: &PlotOptions, view: &Drawing<'_>, moving: Option<Vec<Shape>>) -> Result<Vec<Panel>, Refusal> {
    if view.scene.contacts.is_empty() {
        return Err(Refusal::BadInput(
            "error: the model has no contact of bodies, and so no curves of contact\n  = draw the model in space, scene, or its track: track\n"
                .to_owned(),
        ));
    }
    let several = view.scene.contacts.len() > 1;
    // where there are several bodies they have their names, without those of their surfaces
    let name = |object: usize| view.scene.objects[object].name.split('.').next().unwrap_or_default();
    let title = |object: usize, what: &str, contact: &ContactMark| match several || is_body(view, contact.other) {
        false => format!("on the {what}"),
        true if contact.name.is_empty() => format!("on the {}", name(object)),
        true => format!("on the {}, {}", name(object), contact.name),
    };
    let mut panels = Vec::new();
    for (k, contact) in view.scene.contacts.iter().enumerate() {
        // a curve on the lower side of a body is seen from below, and one around its end from there
        let [x, y, z] = view.side_of_curve(k);
        let latitude = z.atan2(x.hypot(y)).to_degrees();
        let elevation = options.elevation.abs().max(TURNED * latitude.abs()).copysign(latitude);
        let body = Drawing { camera: camera(options, elevation), ..*view };
        panels.push(Panel::space(title(contact.object, "body", contact), body.on_body(k)));
        let ground = match &moving {
            Some(shapes) => shapes.clone(),
            None => view.on_other(k),
        };
        panels.push(Panel::space(title(contact.other, "ground", contact), ground));
    }
    Ok(panels)
}

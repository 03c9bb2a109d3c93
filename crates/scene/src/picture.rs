//! Pictures of scenes without a browser: one panel of a figure, with several frames in it where they are asked for.

use crate::camera::Camera;
use crate::drawing::Drawing;
use crate::film::Film;
use crate::scene::Scene;
use polhode_plot::svg::{Figure, Panel};

/// A picture that is asked for.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// From where.
    pub camera: Camera,
    /// Which frames of the film, the last one in full colours.
    pub frames: Vec<usize>,
    /// In large letters; may be empty.
    pub title: String,
    /// In small letters below; may be empty.
    pub subtitle: String,
}

impl View {
    /// The frame nearest to a time.
    pub fn at(film: &Film, t: f64) -> View {
        View { frames: vec![film.nearest(t)], ..View::default() }
    }

    /// So many frames, evenly spaced up to the last one.
    pub fn strobe(film: &Film, count: usize) -> View {
        let last = film.len().saturating_sub(1);
        let steps = count.max(2) - 1;
        let frames = if count < 2 { vec![last] } else { (0..=steps).map(|k| last * k / steps).collect() };
        View { frames, ..View::default() }
    }
}

/// The scene at frames of a film, as SVG.
pub fn picture(scene: &Scene, film: &Film, view: &View) -> String {
    let mut figure = Figure::new(&view.title);
    figure.subtitle.clone_from(&view.subtitle);
    let drawing = Drawing { scene, film, camera: view.camera, arrows: true };
    figure.panels.push(Panel::space("", drawing.strobe(&view.frames)));
    figure.svg()
}

//! Pictures of the built-in models as PNG: the font has every character of their titles, sources and names.

use polhode::plot::raster;
use polhode::plot::svg::{Curve, Figure, Panel};
use polhode::prelude::*;
use std::collections::BTreeSet;

#[test]
fn the_font_has_what_the_models_need() {
    for b in builtin::ALL {
        let (model, _) = Model::parse(b.name, b.text, &ParseOptions::default()).expect("built in");
        let mut figure = Figure::new(&model.title);
        figure.subtitle = model.reference.clone();
        // every name of the file, with its derivatives, as labels have them
        let words = b.text.split(|c: char| !(c.is_alphanumeric() || "_[]".contains(c)));
        let words: BTreeSet<&str> = words.filter(|w| w.starts_with(char::is_alphabetic) && w.len() < 14).collect();
        let names = |dots: &str| words.iter().map(|w| print::unicode_name(&format!("{w}{dots}"))).collect::<Vec<_>>();
        for dots in ["", "'", "''"] {
            let curves = names(dots).into_iter().map(|name| Curve::new(name, vec![(0.0, 0.0)])).collect();
            figure.panels.push(Panel::time("E", "kg*m^2/s^2", curves));
        }
        figure.panels.extend(model.events.iter().map(|e| Panel::time(&e.name, "", Vec::new())));
        let picture = raster::of_svg(&figure.svg()).expect("small enough");
        assert_eq!(picture.missing, [], "{}", b.name);
    }
}

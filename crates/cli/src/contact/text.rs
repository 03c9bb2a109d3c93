//! What a person sees of contacts.

use super::Finished;
use crate::args::ContactOptions;
use crate::output::{bold, dim, heading, width};
use polhode::plot::number::short;
use polhode::prelude::print;
use polhode::simulate::contact::{AffineRow, ContactState, Relative, SideState, Touching};
use std::fmt::Write;

/// Digits of a number.
const DIGITS: usize = 6;

/// Characters of a number in a row.
const NUMBER: usize = 14;

/// Characters of what stands before the numbers.
const LEFT: usize = 12;

/// The whole text.
pub(super) fn text(options: &ContactOptions, finished: &Finished) -> String {
    let mut out = heading(&finished.model, &finished.system);
    for (sample, now) in &finished.instants {
        for c in &now.contacts {
            let what = format!("{} on {}", c.sides[0].name, c.sides[1].name);
            let name = if c.name.is_empty() { String::new() } else { format!("{}: ", c.name) };
            let kind = if c.frictionless { "slides freely" } else { "no slip" };
            let _ = writeln!(
                out,
                "\n{}  {}\n",
                bold(&format!("{name}{what}")),
                dim(&format!("{kind}  ·  t = {}", short(sample.t(), 10)))
            );
            out += &kinematics(c, &now.accelerations);
            out += &jacobian(c, &finished.velocities);
        }
    }
    let mut more = vec!["--json"];
    if options.at.is_empty() {
        more.push("--at 0.5,1");
    }
    out + &format!("\n  {}\n", dim(&format!("more: {}", more.join("   "))))
}

/// Text on the right of so many characters.
fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(print::display_width(text))))
}

/// A number that is no more than rounding of others of this size is 0.
fn number(x: f64, size: f64) -> String {
    if !x.is_finite() {
        return "–".into();
    }
    short(if x.abs() <= 1e-14 * size { 0.0 } else { x }, DIGITS)
}

fn numbers(values: &[f64]) -> String {
    let size = values.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    values.iter().map(|x| right(&number(*x, size), NUMBER)).collect()
}

/// What it is, a letter, numbers, a remark.
fn row(name: &str, letter: &str, values: &[f64], remark: &str) -> String {
    let pad = " ".repeat(LEFT.saturating_sub(print::display_width(name)));
    let remark = if remark.is_empty() { String::new() } else { format!("  {}", dim(remark)) };
    format!("  {}{pad}{}{}{remark}\n", bold(name), right(letter, 5), numbers(values))
}

fn kinematics(c: &ContactState, accelerations: &[f64]) -> String {
    let [first, second] = &c.sides;
    let axes = |s: &SideState| format!("axes of {}", s.name);
    let (own, other) = (axes(first), axes(second));
    let mut out = String::new();
    out += &row("point", "p", &c.point, "world");
    out += &row("", "c", &first.point, &own);
    out += &row("", "c1", &second.point, &other);
    out += &row("normal", "n", &c.normal, &format!("world, out of {}", first.name));
    out += &row("slip", "u", &c.slip_world.value, "world");
    out += &row("velocity", "ṗ", &c.point_velocity.value, "world");
    out += &row("", "ċ", &c.rate.value, &own);
    out += &row("", "ċ₁", &c.second_rate.value, &other);
    out += &row("acceleration", "p̈", &c.point_velocity.derivative(accelerations), "world");
    out += &row("", "c̈", &c.rate.derivative(accelerations), &own);
    out += &row("", "c̈₁", &c.second_rate.derivative(accelerations), &other);
    for (i, s) in c.sides.iter().enumerate() {
        let name = if i == 0 { "curvature" } else { "" };
        match &s.touching {
            Touching::Surface { principal, .. } => {
                out += &row(name, "k", &principal.curvatures, &format!("principal, of {}", s.name));
            }
            Touching::Edge { curvature_vector, .. } => {
                out += &row(name, "κN", curvature_vector, &format!("edge of {}, {own}", s.name));
            }
        }
    }
    out += &match &c.relative {
        Relative::Surfaces { principal, .. } => row("", "K", &principal.curvatures, "principal, relative"),
        Relative::Edge { curvature } => row("", "k", &[*curvature], "relative"),
    };
    let m = c.montana();
    out += &row("Montana", "ψ, ψ̇", &[m.angle, m.angle_rate], "");
    out += &row("", "u̇_f", &m.rates[0], &first.name);
    out += &row("", "u̇_o", &m.rates[1], &second.name);
    let unique = if c.force.unique { "" } else { ", one of many: redundant constraints share it" };
    out += &row("force", "F", &c.force.world, &format!("world, on {}{unique}", first.name));
    let needed = match c.force.mu_required {
        Some(mu) if mu.is_finite() => format!("needs μ ≥ {}", number(mu, 1.0)),
        _ => String::new(),
    };
    out += &row("", "N", &[c.force.normal], &needed);
    out
}

/// The rows of J: opening, then along the tangents of the first frame; in pieces as wide as the terminal.
fn jacobian(c: &ContactState, velocities: &[String]) -> String {
    let frame = c.montana().sides[0].frame;
    let rows: [(&str, AffineRow); 3] =
        [("−n·u", c.opening.clone()), ("e₁·u", c.slip.along(&frame[0])), ("e₂·u", c.slip.along(&frame[1]))];
    let mut out = format!(
        "\n  {}  {}\n",
        bold("u = J v + j₀,  u̇ = J v̇ + J̇v + j̇₀"),
        dim("opening, and along the tangents e₁, e₂")
    );
    let mut columns: Vec<(String, [f64; 3])> = (velocities.iter().enumerate())
        .map(|(k, name)| (print::unicode_name(name), [0, 1, 2].map(|i| rows[i].1.jacobian[k])))
        .collect();
    columns.push(("j₀".into(), [0, 1, 2].map(|i| rows[i].1.rest)));
    columns.push(("J̇v + j̇₀".into(), [0, 1, 2].map(|i| rows[i].1.drift)));
    for tangents in [("e₁", frame[0]), ("e₂", frame[1])] {
        out += &row("", tangents.0, &tangents.1, &format!("axes of {}", c.sides[0].name));
    }
    let room = (width().saturating_sub(10) / NUMBER).max(3);
    for part in columns.chunks(room) {
        let _ = writeln!(out, "        {}", part.iter().map(|(name, _)| right(name, NUMBER)).collect::<String>());
        for (i, (name, _)) in rows.iter().enumerate() {
            let values: Vec<f64> = part.iter().map(|(_, column)| column[i]).collect();
            let _ = writeln!(out, "  {}{}", bold(&right(name, 6)), numbers(&values));
        }
    }
    out
}

//! What a person sees after a run.

use super::files::{bundles, ground, label, over_time};
use super::{Finished, jumps};
use crate::args::RunOptions;
use crate::output::{bold, dim, heading, width};
use polhode::model::{Contact, Setting};
use polhode::plot::braille;
use polhode::plot::number::{interval, short};
use polhode::plot::range::Extent;
use polhode::prelude::*;
use polhode::simulate::{Group, Span, Variable};
use std::fmt::Write;
use std::time::Duration;

/// Most rows of curves.
const MOST_CURVES: usize = 12;

/// Characters of a curve.
const CURVE: usize = 48;

/// Rows of a track.
const TRACK: usize = 8;

/// Most events listed one by one.
const MOST_EVENTS: usize = 8;

/// The whole text.
pub(super) fn text(options: &RunOptions, finished: &Finished, written: &[String]) -> String {
    let mut out = heading(&finished.model, &finished.system);
    out += &format!("\n  {}\n\n", run_line(finished));
    out += &curves(finished);
    out += &track(finished);
    out += &returns(finished);
    out += &balance(finished);
    out += &events(finished);
    if options.reported.has(Setting::At) || !finished.model.run.at.is_empty() {
        out += &states(finished);
    }
    for file in written {
        let _ = writeln!(out, "  wrote {file}");
    }
    out += &hints(options, &finished.model.name);
    out
}

/// A duration in the unit people would use.
fn duration(d: Duration) -> String {
    let s = d.as_secs_f64();
    match s {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 0.0995 => format!("{:.1} ms", s * 1e3),
        s if s < 0.9995 => format!("{:.0} ms", s * 1e3),
        _ => format!("{s:.2} s"),
    }
}

/// From when to when, with what, how long.
fn run_line(finished: &Finished) -> String {
    let r = &finished.motion.report;
    let mut method = r.method.title();
    if let (Some(order), Method::Taylor) = (r.order, r.method) {
        let _ = write!(method, " of order {order}");
    }
    if r.precision == Precision::DoubleDouble {
        method += " in 31 digits";
    }
    if let Some(rtol) = r.rtol {
        let _ = write!(method, ", rtol {rtol:e}");
    }
    if let Some(step) = r.step {
        let _ = write!(method, ", step {}", short(step, 6));
    }
    let form = finished.motion.compiled().program.form.title();
    let reduced = match finished.motion.compiled().reduction() {
        Some((driving, driven)) => {
            let lifted = if finished.motion.compiled().left_out().is_empty() { "" } else { ", the rest not lifted" };
            match driven.len() {
                0 if lifted.is_empty() => format!(", not reduced: all {} drive", driving.len()),
                follow if finished.motion.compiled().program.form != Form::Ldap => {
                    format!(", cheaper than the reduced one: {} drive, {follow} follow{lifted}", driving.len())
                }
                follow => format!(", reduced: {} drive, {follow} follow{lifted}", driving.len()),
            }
        }
        None => String::new(),
    };
    let charts = match r.chart_changes {
        0 => String::new(),
        1 => ", 1 change of chart".into(),
        n => format!(", {n} changes of chart"),
    };
    let steps = if r.statistics.steps == 1 { "1 step".into() } else { format!("{} steps", r.statistics.steps) };
    let times = format!("compiled in {}, ran in {}", duration(finished.compile), duration(finished.integrate));
    [format!("t 0 … {}", short(r.t, 8)), method, format!("{form} form{reduced}{charts}"), steps, times]
        .join(&dim("  ·  "))
}

/// Text made as wide as `columns` characters.
fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(print::display_width(text))))
}

/// One row of dots for each quantity, with its range.
fn curves(finished: &Finished) -> String {
    let samples = &finished.motion.samples;
    if samples.len() < 3 {
        return String::new();
    }
    let rows: Vec<(String, usize)> = bundles(finished).into_iter().flat_map(|b| b.curves).collect();
    let left = rows.iter().take(MOST_CURVES).map(|(n, _)| print::display_width(n)).max().unwrap_or(0).max(5);
    let room = CURVE.min(width().saturating_sub(left + 30)).max(16);
    let mut out = String::new();
    for (name, number) in rows.iter().take(MOST_CURVES) {
        let points = over_time(samples, *number);
        let line = braille::sparkline(&points, room, 1).pop().unwrap_or_default();
        let range = &finished.motion.report.ranges[*number];
        let extent = Extent::of(points.iter().map(|p| p.1).chain([range.low, range.high]));
        let range = extent.map_or_else(|| "not a number".to_string(), interval);
        let _ = writeln!(out, "  {}  {}  {}", bold(&pad(name, left)), pad(&line, room), dim(&range));
    }
    if rows.len() > MOST_CURVES {
        let _ = writeln!(out, "  {}", dim(&format!("and {} more: see --csv, --plot", rows.len() - MOST_CURVES)));
    }
    out + "\n"
}

/// The path on the ground.
fn track(finished: &Finished) -> String {
    let Some((x, y)) = ground(&finished.model, finished.motion.compiled()) else { return String::new() };
    let points: Vec<(f64, f64)> = finished.motion.samples.iter().map(|s| (s.number(x), s.number(y))).collect();
    let mut out = String::new();
    for (i, row) in braille::track(&points, CURVE, TRACK).iter().enumerate() {
        let _ = writeln!(out, "  {}  {row}", bold(&pad(if i == 0 { "track" } else { "" }, 5)));
    }
    if out.is_empty() { out } else { out + "\n" }
}

/// What one period of a motion that was solved does.
fn returns(finished: &Finished) -> String {
    let Some(solved) = &finished.solved else { return String::new() };
    let lines: Vec<String> = solved.holonomy().lines().into_iter().chain(solved.warning()).collect();
    lines.iter().enumerate().map(|(i, line)| row(if i == 0 { "return" } else { "" }, line)).collect::<String>() + "\n"
}

fn row(name: &str, text: &str) -> String {
    format!("  {}  {text}\n", bold(&pad(name, 12)))
}

fn range(span: &Span) -> String {
    Extent::of([span.low, span.high]).map_or_else(|| "not a number".to_string(), interval)
}

/// Energy, constraints, reaction forces, contact.
fn balance(finished: &Finished) -> String {
    let motion = &finished.motion;
    let (compiled, r) = (motion.compiled(), &motion.report);
    let mut out = String::new();
    let energy = short(r.energy, 8);
    if compiled.program.works.is_empty() {
        let change = match r.energy_error {
            0.0 => "kept exactly".to_string(),
            e if e > 1e-3 * r.energy.abs() => format!("off by up to {e:.1e}: not to be trusted"),
            e => format!("kept to {e:.1e}"),
        };
        out += &row("energy", &format!("{energy}, {change}"));
    } else {
        out += &row("energy", &format!("{energy} → {}", short(r.energy + r.energy_change, 8)));
        // where constraints come and go every work has a place, whether there is any or not
        for (name, work) in r.work.iter().filter(|(_, w)| *w != 0.0 || !compiled.switches()) {
            let whose = match *name {
                "forces" => "of the applied forces",
                "constraints" => "of the moving constraints",
                "friction" => "of sliding friction",
                "impacts" => "of jumps and collisions",
                _ => "of the Lagrangian's change in time",
            };
            out += &row("", &format!("work {whose} {}", short(*work, 8)));
        }
        if !r.work.is_empty() {
            out += &row("", &format!("balance closed to {:.1e}", r.energy_error));
        }
    }
    if !compiled.constraints.is_empty() {
        let worst = match &r.worst_constraint {
            Some(name) if compiled.constraints.len() > 1 => format!(" (\"{name}\")"),
            _ => String::new(),
        };
        let how = if r.constraint_residual == 0.0 {
            "hold exactly".into()
        } else {
            format!("hold to {:.1e}{worst}", r.constraint_residual)
        };
        out += &row("constraints", &how);
    }
    let number = |v: &Variable| &r.ranges[v.numbers.start];
    let contacts = &finished.model.contacts;
    let own = contacts.iter().map(|c| c.constraints.len()).sum();
    let reactions: Vec<&Variable> = compiled.variables.iter().filter(|v| v.group == Group::Reaction).collect();
    let names: Vec<&String> = finished.model.constraints.iter().map(|c| &c.name).skip(own).collect();
    let shown: Vec<&Variable> = reactions.iter().copied().filter(|v| names.contains(&&v.name)).collect();
    let left = shown.iter().map(|v| print::display_width(&v.name)).max().unwrap_or(0);
    for (i, v) in shown.iter().enumerate() {
        let name = if i == 0 { "reactions" } else { "" };
        out += &row(name, &format!("{}  {}", pad(&v.name, left), range(number(v))));
    }
    let missing = compiled.constraints.len() - reactions.len();
    if missing > 0 {
        out += &row("", &dim(&format!("{missing} redundant: the motion is unique, the single reactions are not")));
    }
    let derived = |name: &str| compiled.variables.iter().find(|v| v.group == Group::Derived && v.name == name);
    if let (true, Some(n)) = (contacts.is_empty(), derived("normal_force").map(number)) {
        let lifts = n.comes_to_nothing();
        let verdict = if lifts { "would lift" } else { "never lifts" };
        let mut text = format!("N {}, {verdict}", range(n));
        // where the normal force vanishes there is no bound to the friction that is needed
        if let Some(mu) = derived("mu_required").map(number).filter(|_| !lifts) {
            let _ = write!(text, "; needs μ ≥ {} (at t = {})", short(mu.high, 4), short(mu.high_at, 4));
        }
        out += &row("contact", &text);
    }
    let left = contacts.iter().map(|c| print::display_width(&c.name)).max().unwrap_or(0);
    let mut system = finished.system.clone();
    let idle = system.idle_multipliers();
    let shared = |c: &Contact| idle.iter().any(|n| n[c.constraints.range()].iter().any(|e| !system.graph.is_zero(*e)));
    for (i, contact) in contacts.iter().enumerate() {
        let title = match (i, contacts.len()) {
            (0, 1) => "contact",
            (0, _) => "contacts",
            _ => "",
        };
        let name = if left == 0 { String::new() } else { format!("{}  ", pad(&contact.name, left)) };
        out += &row(title, &format!("{name}{}", contact_line(finished, contact, shared(contact))));
    }
    out
}

/// Normal force, friction needed, and how long the curves are that the point of contact draws.
fn contact_line(finished: &Finished, contact: &Contact, shared: bool) -> String {
    let motion = &finished.motion;
    let derived = |name: &str| {
        let name = contact.part(name);
        motion.compiled().variables.iter().find(|v| v.group == Group::Derived && v.name == name)
    };
    let number = |v: &Variable| &motion.report.ranges[v.numbers.start];
    let mut parts = Vec::new();
    if let Some(n) = derived("normal_force").map(number) {
        let who = if contact.name.is_empty() { &contact.sides[0].name } else { &contact.name };
        let lifts = motion.report.events.iter().any(|e| e.name == format!("{who} would lift off"));
        // while it is open there is no force
        let opens = contact.changes.as_ref().is_some_and(|c| c.closed.is_some()) && n.low <= 0.0;
        let verdict = match (shared, contact.bilateral, lifts) {
            (true, _, _) => "if shared by the least forces",
            (false, true, _) => "held",
            _ if opens && n.high <= 0.0 => "open but for collisions",
            _ if opens => "open at times",
            (false, false, false) => "never lifts",
            (false, false, true) => "would lift",
        };
        parts.push(format!("N {}, {verdict}", range(n)));
        // where the normal force vanishes there is no bound to the friction that it needs
        if let Some(mu) = derived("mu_required").map(number).filter(|_| !lifts && !shared && !n.comes_to_nothing()) {
            parts.push(format!("needs μ ≥ {} (at t = {})", short(mu.high, 4), short(mu.high_at, 4)));
        }
    }
    let integral = |name: &str| {
        let name = contact.part(name);
        motion.report.integrals.iter().find(|(n, _)| *n == name).map(|(_, x)| *x)
    };
    let lengths = ["polhode_speed", "herpolhode_speed"].map(integral);
    match lengths {
        [Some(a), Some(b)] if (a - b).abs() <= 1e-6 * a.abs() => parts.push(format!("rolls {}", short(a, 4))),
        [Some(a), Some(b)] => {
            parts.push(format!("draws {} on `{}`", short(a, 4), contact.sides[0].name));
            parts.push(format!("{} on `{}`", short(b, 4), contact.sides[1].name));
        }
        _ => {}
    }
    parts.join("; ")
}

fn events(finished: &Finished) -> String {
    let events = &finished.motion.report.events;
    let mut out = String::new();
    for (i, e) in events.iter().take(MOST_EVENTS).enumerate() {
        let name = if i == 0 { "events" } else { "" };
        // of contacts the name says it all
        let own = finished.motion.compiled().events[e.event].cause;
        let crossing = match e.crossing {
            "falling" if own.is_some() => "",
            "approached" => "(approached)",
            crossing => crossing,
        };
        let did = match &e.jump {
            Some(jumped) => format!("{}: {}", e.name, jumps::in_words(jumped)),
            None => format!("{} {}", e.name, dim(crossing)),
        };
        out += row(name, &format!("t = {}  {did}", short(e.sample.t(), 10))).trim_end();
        out.push('\n');
    }
    if events.len() > MOST_EVENTS {
        let more = (events.len() - MOST_EVENTS) as u64 + finished.motion.report.more_events;
        out += &row("", &dim(&format!("and {more} more: see --json")));
    }
    out
}

/// A double that reads back to the same one, without three hundred zeros.
fn plain(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) { format!("{x:e}") } else { x.to_string() }
}

/// The states at the times asked for, one column for each time.
fn states(finished: &Finished) -> String {
    let compiled = finished.motion.compiled();
    let all_digits = finished.motion.report.precision == Precision::DoubleDouble;
    let wanted = [Group::Position, Group::Velocity, Group::Derived];
    let mut out = String::new();
    for s in &finished.asked {
        let _ = writeln!(out, "\n  {}", bold(&format!("t = {}", s.t())));
        let columns = compiled.variables.iter().filter(|v| wanted.contains(&v.group));
        let rows: Vec<(String, String)> = columns
            .flat_map(|v| {
                let values = s.digits(v).iter().map(|x| if all_digits { x.to_string() } else { plain(x.hi()) });
                v.columns().into_iter().zip(values.collect::<Vec<_>>()).collect::<Vec<_>>()
            })
            .map(|(name, value)| (label(&finished.model, &finished.system.graph, &name), value))
            .collect();
        let left = rows.iter().map(|(n, _)| print::display_width(n)).max().unwrap_or(0);
        for (name, value) in rows {
            let sign = if value.starts_with('-') { "" } else { " " };
            let _ = writeln!(out, "    {}  {sign}{value}", pad(&name, left));
        }
    }
    out + "\n"
}

fn hints(options: &RunOptions, name: &str) -> String {
    let mut more = Vec::new();
    if options.plot.is_none() {
        more.push(format!("--plot {name}.svg"));
    }
    if options.csv.is_none() {
        more.push(format!("--csv {name}.csv"));
    }
    let model = options.model.as_deref().unwrap_or(name);
    more.push(format!("polhode derive {model}"));
    format!("\n  {}\n", dim(&format!("more: {}", more.join("   "))))
}

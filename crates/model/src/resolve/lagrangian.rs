//! `[lagrangian]`: L = bodies + kinetic − potential + L.

use super::Resolver;
use crate::syntax::Table;
use polhode_base::{Diagnostic, Span};
use polhode_expr::Expr;
use polhode_expr::number::int;

const KEYS: &[&str] = &["kinetic", "potential", "L"];

impl Resolver<'_> {
    /// The Lagrangian and where it is written.
    pub(super) fn read_lagrangian(
        &mut self,
        root: &Table,
        bodies: Option<Expr>,
        body_span: Option<Span>,
    ) -> (Option<Expr>, Option<Span>) {
        let mut terms: Vec<_> = bodies.into_iter().map(|e| (e, int(1))).collect();
        let mut spans = [None; 3]; // in the order of KEYS
        for (section, table) in self.sections(root, &["lagrangian"]) {
            for (key, _) in table.iter() {
                self.known_key(key, KEYS, "[lagrangian]");
            }
            if table.is_empty() {
                let message = "[lagrangian] is empty";
                self.report(
                    Diagnostic::error("missing-key", message)
                        .at(section.span, "")
                        .help("write kinetic = \"…\" and potential = \"…\", or L = \"…\""),
                );
            }
            for (place, name) in KEYS.iter().enumerate() {
                let Some(value) = table.get(name) else {
                    continue;
                };
                spans[place] = Some(value.span);
                let what = match *name {
                    "kinetic" => "the kinetic energy",
                    "potential" => "the potential",
                    _ => "the Lagrangian",
                };
                let Some(e) = self.scalar_formula(value, what) else {
                    continue;
                };
                if !self.no_accelerations(&[e], value.span, what) {
                    continue;
                }
                if *name == "potential" && !self.potential_at_rest(e, value.span) {
                    continue;
                }
                terms.push((e, int(if *name == "potential" { -1 } else { 1 })));
            }
        }
        let span = spans[0].or(spans[2]).or(body_span).or(spans[1]);
        if terms.is_empty() {
            return (None, span);
        }
        (Some(self.graph.linear(terms)), span)
    }

    fn potential_at_rest(&mut self, e: Expr, span: Span) -> bool {
        let Some(s) = self.has_velocity(&[e]) else {
            return true;
        };
        let name = self.graph.name(s).to_owned();
        self.report(
            Diagnostic::error(
                "velocity-in-potential",
                format!("the potential contains the velocity `{name}`"),
            )
            .at(span, "")
            .note("a potential depends on the position and on time only")
            .help("terms with velocities, such as those of a magnetic field, go into `L`; friction goes into [forces]"),
        );
        false
    }
}

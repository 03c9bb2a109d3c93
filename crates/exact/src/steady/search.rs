//! The search for steady motions, from the initial state of the model and from states around it.
//!
//! It runs in doubles; what it finds is completed in double-doubles. Where values leave motions open, the family's motion that is nearest to
//! the initial state stands for it.

use super::NotSteady;
use super::motion::SteadyMotion;
use super::problem::Problem;
use crate::budget::STEADY_STARTS;
use polhode_base::random::Random;
use polhode_tape::{Dd, Interpreter, Scalar};

/// How far positions are moved for another start.
const SHAKE: f64 = 0.6;

impl Problem {
    /// All steady motions found, the one nearest to the initial state of the model first.
    pub fn solve(&self) -> Vec<SteadyMotion> {
        self.solve_for(&self.values)
    }

    /// The same for other values of what is prescribed.
    pub fn solve_for(&self, values: &[Dd]) -> Vec<SteadyMotion> {
        let mut found: Vec<SteadyMotion> = Vec::new();
        let mut random = Random::new(17);
        let doubles: Vec<f64> = self.start.iter().map(|x| x.to_f64()).collect();
        let mut tape = Interpreter::<f64>::new(&self.system);
        let wanted: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
        for k in 0..=STEADY_STARTS {
            let start = match k {
                0 => doubles.clone(),
                // the same places, then others too
                k => self.disturbed(&doubles, if k % 2 == 0 { SHAKE } else { 0.0 }, &wanted, &mut random),
            };
            let start = self.admitted(&mut tape, start, &wanted);
            let Some((y, xi)) = self.newton(&mut tape, &start, None, &wanted) else { continue };
            let Some(motion) = self.completed_unwound(&mut tape, &y, &xi, values) else { continue };
            if found.iter().any(|other| self.alike(other, &motion)) {
                continue;
            }
            // what is left open has a continuum of motions: the nearest one stands for it
            if motion.open > 0 {
                let nearest = self.nearest_family(values, &mut random).filter(|m| m.distance <= motion.distance);
                found.push(nearest.unwrap_or_else(|| self.nearest_of(motion, values)));
                break;
            }
            let motion = self.nearest_of(motion, values);
            found.push(motion);
            // backwards: often a steady motion too
            let mut back = y.clone();
            back[self.placed..].iter_mut().for_each(|u| *u = -*u);
            let start = self.admitted(&mut tape, back, &wanted);
            let back = self.newton(&mut tape, &start, None, &wanted);
            let back = back.and_then(|(y, xi)| self.completed_unwound(&mut tape, &y, &xi, values));
            if let Some(back) = back.filter(|m| m.open == 0 && !found.iter().any(|other| self.alike(other, m))) {
                found.push(self.nearest_of(back, values));
            }
        }
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        found
    }

    /// A solution in all digits, with angles that are near those of the initial state if that is a solution too.
    fn completed_unwound(
        &self,
        tape: &mut Interpreter<f64>,
        y: &[f64],
        xi: &[f64],
        values: &[Dd],
    ) -> Option<SteadyMotion> {
        let wound = self.at(tape, y);
        let motion = self.completed(&self.unwound(&wound, y), xi, values);
        motion.or_else(|| self.completed(y, xi, values))
    }

    /// The steady motion that Newton's method leads to from the state of another.
    pub fn near(&self, start: &SteadyMotion, values: &[Dd]) -> Option<SteadyMotion> {
        let y: Vec<f64> = start.state.iter().map(|x| x.to_f64()).collect();
        let xi: Vec<f64> = start.velocity.iter().map(|x| x.to_f64()).collect();
        let wanted: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
        let mut tape = Interpreter::<f64>::new(&self.system);
        let (y, xi) = self.newton(&mut tape, &y, Some(&xi), &wanted)?;
        self.completed(&y, &xi, values)
    }

    /// One of the prescribed quantities at several values: each branch that begins at the first value is followed. The outer list is over
    /// branches; `None` where a branch has ended.
    pub fn table(&self, quantity: &str, at: &[Dd]) -> Result<Vec<Vec<Option<SteadyMotion>>>, NotSteady> {
        let which = self.conditions.iter().position(|c| c.quantity == quantity);
        let which = which.ok_or_else(|| NotSteady::NotPrescribed(quantity.to_string()))?;
        let put = |x: Dd| {
            let mut values = self.values.clone();
            values[which] = x;
            values
        };
        let Some(first) = at.first() else { return Ok(Vec::new()) };
        let mut branches = Vec::new();
        for motion in self.solve_for(&put(*first)) {
            let mut branch = vec![Some(motion)];
            for x in &at[1..] {
                let next = branch.last().and_then(Option::as_ref).and_then(|m| self.near(m, &put(*x)));
                branch.push(next);
            }
            branches.push(branch);
        }
        Ok(branches)
    }

    /// The values that conditions were given with.
    pub fn values(&self) -> &[Dd] {
        &self.values
    }

    /// A state that is some way from another: velocities of the size that there are, positions about one.
    fn disturbed(&self, y: &[f64], shake: f64, wanted: &[f64], random: &mut Random) -> Vec<f64> {
        let speed = y.iter().chain(wanted).fold(1.0f64, |m, x| m.max(x.abs()));
        // steady motions of one kind may be much faster than those of another
        let speed = speed * 10f64.powf(random.short(-1.5, 1.5));
        let mut draw = |size: f64| random.short(-size, size);
        let positions = self.placed;
        y.iter().enumerate().map(|(k, x)| if k < positions { x + draw(shake) } else { draw(speed) }).collect()
    }
}

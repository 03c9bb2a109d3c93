//! Sparse modular interpolation of a greatest common divisor.
//!
//! Let `A, B ∈ ℤ[y][x]` with `x` the main variable, `y = (y_1, …, y_k)`, let `G`
//! be their greatest common divisor and `γ` that of their leading coefficients in
//! `x`. The leading coefficient of `G` divides `γ`, so
//!
//! ```text
//! H = γ G / lc_x(G) ∈ ℤ[y][x]                                          (Z1)
//! ```
//!
//! has a known leading coefficient, and its image at a point `y = η` modulo `p` is
//! `γ(η)` times the monic GCD of the univariate images of `A` and `B`. `H` is
//! built from such images one variable after the other \[Zippel1979\]:
//!
//! ```text
//! H_j = H(x, y_1, …, y_j, α_{j+1}, …, α_k),      α random.             (Z2)
//! ```
//!
//! `H_j` is *dense* in the new variable `y_j`, that is interpolated from values at
//! `α_j, β_1, β_2, …` until nothing changes, and *sparse* in the known ones: which
//! monomials occur in `H_{j−1}`, its skeleton, is assumed not to depend on the
//! value of `y_j`. Then `H_j` at `y_j = β` solves a linear system for the
//! coefficients on the skeleton, of transposed Vandermonde form if the known variables run
//! through powers `(v_1^s, …, v_{j−1}^s)`, and needs only as many images as the
//! longest coefficient of a power of `x` has terms. Further primes reuse the
//! skeleton of all of `H`.
//!
//! If `G` is long and `A/G` is short, the same is done for the cofactor. `γ` is
//! `lc_x(G)` times the GCD `δ` of the leading coefficients of the two cofactors. If,
//! as usual, `δ` is a single term, it divides the content `τ` of `γ` (integer and
//! monomial), so that
//!
//! ```text
//! C = (τ/δ) A/G     is a polynomial with     lc_x(C) = τ lc_x(A)/γ,    (Z3)
//! ```
//!
//! and its images are quotients of those of `A` by those of `G`. What is
//! interpolated, `H` or `C`, is called the target.
//!
//! Unlucky choices of points and primes make the result wrong or absent, never
//! more than that: [`gcd`](mod@crate::gcd) certifies it by trial division.
//!
//! The variables are renamed so that `x` is variable 0 and `y_j` variable `j`;
//! terms that agree in `x, y_1, …, y_j` are then neighbours.

use crate::modular::{Field, Newton, Vandermonde, lift, trim, univariate_divides, univariate_gcd, univariate_quotient};
use crate::mono::{MAX_EXPONENT, MAX_VARS, Monomial, set_bits};
use crate::poly::Poly;
use dashu_int::IBig;
use dashu_int::ops::BitTest;
use polhode_base::random::Random;

/// How often points are redrawn within one attempt before it is given up.
const REDRAWS: usize = 3;

/// The powers of the coordinates of a point.
struct Powers {
    variables: u32,         // that the table covers
    start: [u16; MAX_VARS], // where the powers of each variable begin
    powers: Vec<u64>,
}

impl Powers {
    /// Powers of a random point up to the given degrees.
    fn random(field: &Field, degrees: &Monomial, random: &mut Random) -> Self {
        let mut table = Self { variables: degrees.variables(), start: [0; MAX_VARS], powers: Vec::new() };
        table.powers.reserve(degrees.degree() as usize + MAX_VARS);
        for (var, degree) in degrees.iter() {
            table.start[var] = table.powers.len() as u16; // at most 32·128 entries
            table.powers.extend(field.powers(field.random(random)).take(usize::from(degree) + 1));
        }
        table
    }

    #[inline]
    fn power(&self, var: usize, exponent: u8) -> u64 {
        self.powers[usize::from(self.start[var]) + usize::from(exponent)]
    }

    /// `factor` times the value of the monomial, variables outside the table
    /// counting as 1.
    #[inline]
    fn times(&self, field: &Field, factor: u64, monomial: &Monomial) -> u64 {
        set_bits(monomial.variables() & self.variables)
            .fold(factor, |acc, var| field.mul(acc, self.power(var, monomial.exponent(var))))
    }

    /// The value of every term, variables outside the table counting as 1.
    fn term_values(&self, field: &Field, poly: &Poly) -> Vec<u64> {
        let value = |(m, c): &(Monomial, IBig)| self.times(field, field.integer(c), m);
        poly.terms().iter().map(value).collect()
    }
}

/// The univariate image in `var` of a polynomial whose terms have these values at
/// a point `α`: the coefficients of `P(α_0, …, α_var·z, …)` as a polynomial in
/// `z`. Scaling the variable by `α_var` spares dividing each value by a power of
/// it and changes neither degrees nor divisibility.
fn univariate_image(field: &Field, poly: &Poly, values: &[u64], var: usize, image: &mut Vec<u64>) {
    image.clear();
    for ((m, _), &value) in poly.terms().iter().zip(values) {
        let power = usize::from(m.exponent(var));
        if power >= image.len() {
            image.resize(power + 1, 0);
        }
        image[power] = field.add(image[power], value);
    }
}

/// An upper bound for the degree of the GCD of `a` and `b` in every variable,
/// packed as a monomial.
///
/// The bound is certain, and almost surely attained: where a leading coefficient
/// of `a` or of `b` does not vanish, neither does that of the GCD, whose image
/// then divides both images.
pub(crate) fn degree_bounds(a: &Poly, b: &Poly) -> Monomial {
    let field = &Field::FIRST;
    let (degrees_a, degrees_b) = (a.degrees(), b.degrees());
    let mut random = Random::new(0x1d3a);
    let powers = Powers::random(field, &degrees_a.lcm(&degrees_b), &mut random);
    let values_a = powers.term_values(field, a);
    let values_b = powers.term_values(field, b);
    let (mut image_a, mut image_b) = (Vec::new(), Vec::new());
    let mut bounds = degrees_a.gcd(&degrees_b);
    for (var, bound) in bounds.iter() {
        univariate_image(field, a, &values_a, var, &mut image_a);
        univariate_image(field, b, &values_b, var, &mut image_b);
        if image_a.last() == Some(&0) && image_b.last() == Some(&0) {
            continue;
        }
        trim(&mut image_a);
        trim(&mut image_b);
        univariate_gcd(field, &mut image_a, &mut image_b);
        bounds = bounds.with_exponent(var, bound.min((image_a.len() - 1) as u8));
    }
    bounds
}

/// Whether the image of the non-constant `divisor` in one variable, modulo a prime
/// at a fixed random point, divides that of `dividend`: necessary for divisibility.
pub(crate) fn image_divides(divisor: &Poly, dividend: &Poly) -> bool {
    let field = &Field::FIRST;
    let (degrees, degrees_divisor) = (dividend.degrees(), divisor.degrees());
    let lowest = set_bits(degrees_divisor.variables()).min_by_key(|&var| degrees.exponent(var));
    let Some(var) = lowest else { return true };
    let mut random = Random::new(0x5c71);
    let powers = Powers::random(field, &degrees.lcm(&degrees_divisor), &mut random);
    let image = |poly: &Poly| {
        let mut image = Vec::new();
        univariate_image(field, poly, &powers.term_values(field, poly), var, &mut image);
        image
    };
    let (mut small, mut large) = (image(divisor), image(dividend));
    trim(&mut small);
    trim(&mut large);
    small.is_empty() || univariate_divides(field, &small, &mut large)
}

/// A polynomial modulo `p`, terms in decreasing order.
type ModPoly = Vec<(Monomial, u64)>;

fn reduce(field: &Field, poly: &Poly) -> ModPoly {
    let image = poly.terms().iter().map(|(m, c)| (*m, field.integer(c)));
    image.filter(|&(_, c)| c != 0).collect()
}

/// Sets variable `var` to a value, where no later variable occurs, so that the
/// terms that become equal are neighbours.
fn set_last(field: &Field, poly: &ModPoly, var: usize, value: u64) -> ModPoly {
    let degree = poly.iter().map(|(m, _)| m.exponent(var)).max().unwrap_or(0);
    let powers: Vec<u64> = field.powers(value).take(usize::from(degree) + 1).collect();
    let mut result = ModPoly::with_capacity(poly.len());
    for (m, c) in poly {
        let c = field.mul(*c, powers[usize::from(m.exponent(var))]);
        let m = m.with_exponent(var, 0);
        match result.last_mut() {
            Some((last, sum)) if *last == m => *sum = field.add(*sum, c),
            _ => result.push((m, c)),
        }
    }
    result.retain(|&(_, c)| c != 0);
    result
}

/// The three polynomials that images are taken of.
struct Triple<T> {
    a: T,
    b: T,
    lead: T, // leading coefficient of the target, free of x
}

impl<T> Triple<T> {
    fn map<U>(&self, mut f: impl FnMut(&T) -> U) -> Triple<U> {
        Triple { a: f(&self.a), b: f(&self.b), lead: f(&self.lead) }
    }
}

/// The exponent of a variable, if one is given, and the monomial without it.
fn take_variable(m: &Monomial, var: Option<usize>) -> (u8, Monomial) {
    var.map_or((0, *m), |var| (m.exponent(var), m.with_exponent(var, 0)))
}

/// A polynomial prepared for evaluation along `(v_1^s, …, v_{j−1}^s)`, s = 1, 2, …,
/// at different values of `y_j`. Terms that differ in `y_j` only form a group, and
/// each step multiplies every group by the value of its monomial at `v`.
struct Stepper {
    terms: Vec<(u8, u64)>, // exponent of y_j, coefficient
    groups: Vec<Group>,
}

struct Group {
    end: usize,      // of its terms; they begin where those of the group before end
    power: u8,       // exponent of x
    multiplier: u64, // value at v of the monomial in y_1, …, y_{j−1}
    current: u64,    // value after the steps made so far
}

impl Stepper {
    fn new(field: &Field, poly: &ModPoly, v: &Powers, dense: Option<usize>) -> Self {
        let mut stepper = Self { terms: Vec::with_capacity(poly.len()), groups: Vec::new() };
        let mut last = None;
        for &(m, c) in poly {
            let (exponent, known) = take_variable(&m, dense);
            if last != Some(known) {
                last = Some(known);
                let multiplier = v.times(field, field.one(), &known);
                stepper.groups.push(Group { end: 0, power: m.exponent(0), multiplier, current: 0 });
            }
            stepper.terms.push((exponent, c));
            if let Some(group) = stepper.groups.last_mut() {
                group.end = stepper.terms.len();
            }
        }
        stepper
    }

    /// Returns to `s = 0` with `y_j` set to the value whose powers are given.
    fn restart(&mut self, field: &Field, powers: &[u64]) {
        let mut begin = 0;
        for group in &mut self.groups {
            let terms = &self.terms[begin..group.end];
            group.current =
                terms.iter().fold(0, |sum, &(exponent, c)| field.add(sum, field.mul(c, powers[usize::from(exponent)])));
            begin = group.end;
        }
    }

    /// Makes one step and writes the image in `x`, index = power, trimmed.
    fn step(&mut self, field: &Field, image: &mut Vec<u64>) {
        image.clear();
        let Some(first) = self.groups.first() else { return };
        image.resize(usize::from(first.power) + 1, 0);
        for equal_power in self.groups.chunk_by_mut(|a, b| a.power == b.power) {
            let power = usize::from(equal_power[0].power);
            image[power] = equal_power.iter_mut().fold(0, |sum, group| {
                group.current = field.mul(group.current, group.multiplier);
                field.add(sum, group.current)
            });
        }
        trim(image);
    }
}

/// The degrees in `x` of the operands, of their GCD and of the target.
struct Degrees {
    a: usize,
    b: usize,
    gcd: usize,
    target: usize,
    is_cofactor: bool,
}

/// Univariate images, reused from point to point.
#[derive(Default)]
struct Images {
    a: Vec<u64>,
    b: Vec<u64>,
    target: Vec<u64>,
}

impl Images {
    /// Computes the image of the target, up to a constant factor, from those of the
    /// operands, which are used up; nothing after an unlucky choice.
    fn find_target(&mut self, field: &Field, degrees: &Degrees) -> Option<()> {
        if self.a.len() != degrees.a + 1 || self.b.len() != degrees.b + 1 {
            return None;
        }
        self.target.clone_from(&self.a);
        univariate_gcd(field, &mut self.a, &mut self.b);
        if self.a.len() != degrees.gcd + 1 {
            return None;
        }
        if degrees.is_cofactor {
            std::mem::swap(&mut self.b, &mut self.target);
            univariate_quotient(field, &mut self.b, &self.a, &mut self.target);
        } else {
            std::mem::swap(&mut self.a, &mut self.target);
        }
        Some(())
    }
}

/// The monomials known to occur in the coefficients of `x^i`, `i` below the degree.
type Skeleton = Vec<Vec<Monomial>>;

/// One sparse interpolation in `y_1, …, y_{j−1}`, to be done at several values of
/// `y_j` (or with no such variable left): a random point `v` and the solvers that
/// belong to it, one for every coefficient of the skeleton.
struct Sparse<'a> {
    field: &'a Field,
    degrees: &'a Degrees,
    solvers: Vec<Vandermonde>,
    steppers: Triple<Stepper>,
    highest: u8, // degree of the operands in y_j
}

impl<'a> Sparse<'a> {
    /// Draws a point at which the monomials of each coefficient differ.
    fn new(
        field: &'a Field,
        degrees: &'a Degrees,
        triple: &Triple<ModPoly>,
        skeleton: &Skeleton,
        dense: Option<usize>,
        random: &mut Random,
    ) -> Option<Self> {
        let all = [&triple.a, &triple.b, &triple.lead].into_iter().flatten();
        let operands = all.fold(Monomial::ONE, |acc, (m, _)| acc.lcm(m));
        let (highest, known) = take_variable(&operands.with_exponent(0, 0), dense);
        let (v, solvers) = (0..REDRAWS).find_map(|_| {
            let v = Powers::random(field, &known, random);
            let node = |m: &Monomial| v.times(field, field.one(), m);
            let nodes = skeleton.iter().map(|ms| ms.iter().map(node).collect());
            let solvers = Vandermonde::prepare(field, nodes.collect())?;
            Some((v, solvers))
        })?;
        Some(Self {
            field,
            degrees,
            solvers,
            steppers: triple.map(|poly| Stepper::new(field, poly, &v, dense)),
            highest,
        })
    }

    /// The coefficients of the target on the skeleton, power of `x` by power, where
    /// `y_j` has one of the values `betas` after the other; nothing after an unlucky
    /// image.
    fn coefficients(&mut self, betas: &[u64]) -> Option<Vec<Vec<u64>>> {
        let field = self.field;
        let count = self.solvers.iter().map(Vandermonde::size).max().unwrap_or(0);
        let total = count * betas.len();
        let mut columns = vec![Vec::with_capacity(total); self.degrees.target]; // by power of x
        let (mut scales, mut leads) = (Vec::with_capacity(total), Vec::with_capacity(total));
        let (mut images, mut lead) = (Images::default(), Vec::new());
        for &beta in betas {
            let powers: Vec<u64> = field.powers(beta).take(usize::from(self.highest) + 1).collect();
            self.steppers.a.restart(field, &powers);
            self.steppers.b.restart(field, &powers);
            self.steppers.lead.restart(field, &powers);
            for _ in 0..count {
                self.steppers.a.step(field, &mut images.a);
                self.steppers.b.step(field, &mut images.b);
                self.steppers.lead.step(field, &mut lead);
                images.find_target(field, self.degrees)?;
                scales.push(images.target[self.degrees.target]);
                leads.push(*lead.first()?);
                for (column, &c) in columns.iter_mut().zip(&images.target) {
                    column.push(c);
                }
            }
        }
        field.invert_all(&mut scales);
        for (scale, lead) in scales.iter_mut().zip(leads) {
            *scale = field.mul(*scale, lead);
        }
        for (value, &scale) in columns.iter_mut().flat_map(|column| column.iter_mut().zip(&scales)) {
            *value = field.mul(*value, scale);
        }
        let solve = |at: usize| {
            let systems = self.solvers.iter().zip(&columns);
            systems.flat_map(|(solver, column)| solver.solve(field, &column[at..])).collect()
        };
        Some((0..betas.len()).map(|k| solve(k * count)).collect())
    }
}

/// The operands of a sparse interpolation, variables renamed as in the module
/// head.
pub(crate) struct Operands<'a> {
    /// One operand, of positive degree in `x`.
    pub(crate) a: &'a Poly,
    /// The other.
    pub(crate) b: &'a Poly,
    /// Whether the target is `C` of (Z3) and not `H` of (Z1).
    pub(crate) is_cofactor: bool,
    /// The leading coefficient of the target in `x`, by (Z1) or (Z3).
    pub(crate) lead: &'a Poly,
    /// The number of variables beside `x`.
    pub(crate) others: usize,
    /// The degree of the GCD in every variable.
    pub(crate) gcd_degrees: Monomial,
    /// By how much the degrees of the target may exceed those of `G` or `A/G`.
    pub(crate) excess: Monomial,
}

/// The target as far as the primes used so far tell it.
pub(crate) struct Lifted {
    field: Field,
    modulus: IBig,
    skeleton: Skeleton,
    coefficients: Vec<IBig>, // on the skeleton, power of x by power
    random: Random,
}

impl Lifted {
    /// The size of the product of the primes used so far.
    pub(crate) fn modulus_bits(&self) -> usize {
        self.modulus.bit_len()
    }
}

impl Operands<'_> {
    fn triple(&self) -> Triple<&Poly> {
        Triple { a: self.a, b: self.b, lead: self.lead }
    }

    fn degrees(&self) -> Degrees {
        let [a, b] = [self.a, self.b].map(|poly| usize::from(poly.degree(0)));
        let gcd = usize::from(self.gcd_degrees.exponent(0));
        let target = if self.is_cofactor { a - gcd } else { gcd };
        Degrees { a, b, gcd, target, is_cofactor: self.is_cofactor }
    }

    /// The target modulo one prime if each coefficient of a power of `x` is one monomial
    /// times a number, as in most short GCDs; nothing otherwise.
    ///
    /// Then one more image per variable is enough: scaling `y_j` by `r` multiplies
    /// the coefficient by `r^e`, which tells its exponent `e`.
    pub(crate) fn interpolate_monomials(&self, field: &Field, random: &mut Random) -> Option<Poly> {
        let all = self.a.degrees().lcm(&self.b.degrees()).lcm(&self.lead.degrees());
        let all = all.with_exponent(0, 0);
        let alpha = Powers::random(field, &all, random);
        let highest = all.iter().map(|(_, degree)| degree).max().unwrap_or(0);
        let r: Vec<u64> = field.powers(field.random(random)).take(usize::from(highest) + 1).collect();
        let values = self.triple().map(|poly| alpha.term_values(field, poly));
        let start = self.image(field, &values)?;
        let mut monomials = vec![Monomial::ONE; start.len()];
        for j in 1..=self.others {
            let scale = |poly: &Poly, values: &[u64]| -> Vec<u64> {
                let powers = poly.terms().iter().map(|(m, _)| r[usize::from(m.exponent(j))]);
                values.iter().zip(powers).map(|(&value, power)| field.mul(value, power)).collect()
            };
            let scaled = Triple {
                a: scale(self.a, &values.a),
                b: scale(self.b, &values.b),
                lead: scale(self.lead, &values.lead),
            };
            let image = self.image(field, &scaled)?;
            for ((m, &before), after) in monomials.iter_mut().zip(&start).zip(image) {
                let exponent = r.iter().position(|&power| field.mul(before, power) == after)?;
                *m = m.with_exponent(j, exponent as u8); // below 128 powers are compared
            }
        }
        let mut at_alpha: Vec<u64> = monomials.iter().map(|m| alpha.times(field, field.one(), m)).collect();
        field.invert_all(&mut at_alpha);
        let coefficients = start.iter().zip(at_alpha);
        let coefficients = coefficients.map(|(&c, scale)| field.to_symmetric(field.mul(c, scale)));
        Some(self.assemble_terms((0..).zip(monomials), coefficients))
    }

    /// The coefficients of the target below its leading one, at the point where the
    /// terms of the operands, `x` set to 1, have these values.
    fn image(&self, field: &Field, values: &Triple<Vec<u64>>) -> Option<Vec<u64>> {
        let mut images = Images::default();
        univariate_image(field, self.a, &values.a, 0, &mut images.a);
        univariate_image(field, self.b, &values.b, 0, &mut images.b);
        trim(&mut images.a);
        trim(&mut images.b);
        images.find_target(field, &self.degrees())?;
        let mut target = images.target;
        let lead = values.lead.iter().fold(0, |sum, &value| field.add(sum, value));
        let scale = field.mul(lead, field.inv(target.pop()?));
        target.iter_mut().for_each(|c| *c = field.mul(*c, scale));
        Some(target)
    }

    /// Interpolates the target modulo one prime; nothing after an unlucky choice or
    /// when more than `max_terms` are known before the last variable.
    pub(crate) fn interpolate(&self, field: Field, mut random: Random, max_terms: usize) -> Option<Lifted> {
        let degrees = self.degrees();
        let alpha: Vec<u64> = (0..=self.others).map(|_| field.random(&mut random)).collect();
        // The operands with y_k, y_{k−1}, … set in turn.
        let mut restricted = vec![self.triple().map(|poly| reduce(&field, poly))];
        for j in (1..=self.others).rev() {
            let last = restricted.last()?.map(|poly| set_last(&field, poly, j, alpha[j]));
            restricted.push(last);
        }
        let univariate = restricted.pop()?;
        let mut skeleton: Skeleton = vec![vec![Monomial::ONE]; degrees.target];
        let mut coefficients = Sparse::new(&field, &degrees, &univariate, &skeleton, None, &mut random)?
            .coefficients(&[field.one()])?
            .pop()?;
        for (j, triple) in (1..=self.others).zip(restricted.into_iter().rev()) {
            drop_zeros(&mut skeleton, &mut coefficients);
            if j > 1 && coefficients.len() > max_terms {
                return None;
            }
            let mut sparse = Sparse::new(&field, &degrees, &triple, &skeleton, Some(j), &mut random)?;
            let mut newton = Newton::new(&field, alpha[j], coefficients.into_iter());
            // deg G ≤ deg H ≤ deg G + deg γ: beyond deg G until a point changes nothing.
            let betas =
                |newton: &Newton, count: u8| -> Vec<u64> { newton.next_points(&field).take(count.into()).collect() };
            let degree = if self.is_cofactor {
                self.a.degree(j) - self.gcd_degrees.exponent(j)
            } else {
                self.gcd_degrees.exponent(j)
            };
            for values in sparse.coefficients(&betas(&newton, degree))? {
                newton.push(&field, values.into_iter());
            }
            for _ in 0..self.excess.exponent(j) {
                let values = sparse.coefficients(&betas(&newton, 1))?.pop()?;
                if !newton.push(&field, values.into_iter()) {
                    break;
                }
            }
            (skeleton, coefficients) = extend(&skeleton, j, newton.finish(&field))?;
        }
        drop_zeros(&mut skeleton, &mut coefficients);
        let coefficients = coefficients.into_iter().map(|c| field.to_symmetric(c)).collect();
        let modulus = IBig::from(field.modulus());
        Some(Lifted { field, modulus, skeleton, coefficients, random })
    }

    /// Adds one more prime to `lifted`. Returns whether a coefficient changed, or
    /// nothing after an unlucky choice.
    pub(crate) fn refine(&self, lifted: &mut Lifted) -> Option<bool> {
        let field = lifted.field.next();
        lifted.field = field;
        let (triple, degrees) = (self.triple().map(|poly| reduce(&field, poly)), self.degrees());
        let (skeleton, random) = (&lifted.skeleton, &mut lifted.random);
        let mut sparse = Sparse::new(&field, &degrees, &triple, skeleton, None, random)?;
        let images = sparse.coefficients(&[field.one()])?.pop()?;
        let inverse = field.inv(field.integer(&lifted.modulus));
        let mut changed = false;
        for (coefficient, image) in lifted.coefficients.iter_mut().zip(images) {
            changed |= lift(&field, coefficient, image, &lifted.modulus, inverse);
        }
        lifted.modulus *= IBig::from(field.modulus());
        Some(changed)
    }

    /// The target with the coefficients known so far.
    pub(crate) fn assemble(&self, lifted: &Lifted) -> Poly {
        let rows = (0..).zip(&lifted.skeleton);
        let monomials = rows.flat_map(|(power, ms)| ms.iter().map(move |m| (power, *m)));
        self.assemble_terms(monomials, lifted.coefficients.iter().cloned())
    }

    /// The leading coefficient times `x^d` plus terms below it, given by power of `x`, rest of the monomial and
    /// coefficient.
    fn assemble_terms(
        &self,
        monomials: impl Iterator<Item = (u8, Monomial)>,
        coefficients: impl Iterator<Item = IBig>,
    ) -> Poly {
        let monomials = monomials.map(|(power, m)| m.with_exponent(0, power));
        let degree = self.degrees().target as u8; // at most 127
        let lead = |(m, c): &(Monomial, IBig)| (m.with_exponent(0, degree), c.clone());
        let leads = self.lead.terms().iter().map(lead);
        Poly::from_terms(monomials.zip(coefficients).chain(leads))
    }
}

/// The skeleton with its monomials multiplied by powers of `y_j`, from the
/// polynomials in `y_j` that are the coefficients on it; and the new coefficients.
/// `H` divides `lc_x(A/G)·G`, whose degrees are at most those of `A`, so an exponent
/// overflows only after an unlucky choice.
fn extend(
    skeleton: &Skeleton,
    variable: usize,
    mut polynomials: impl Iterator<Item = Vec<u64>>,
) -> Option<(Skeleton, Vec<u64>)> {
    let (mut extended, mut coefficients) = (Skeleton::with_capacity(skeleton.len()), Vec::new());
    for monomials in skeleton {
        let mut row = Vec::with_capacity(monomials.len());
        for (m, polynomial) in monomials.iter().zip(&mut polynomials) {
            for (power, c) in polynomial.into_iter().enumerate().filter(|&(_, c)| c != 0) {
                let power = u8::try_from(power).ok().filter(|&power| power <= MAX_EXPONENT)?;
                row.push(m.with_exponent(variable, power));
                coefficients.push(c);
            }
        }
        extended.push(row);
    }
    Some((extended, coefficients))
}

/// Removes the monomials whose coefficient is zero.
fn drop_zeros(skeleton: &mut Skeleton, coefficients: &mut Vec<u64>) {
    let mut values = coefficients.iter();
    for monomials in skeleton {
        monomials.retain(|_| values.next() != Some(&0));
    }
    coefficients.retain(|&c| c != 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (x0² x1 + 3 x2 + 1), the common factor of the tests below.
    fn common() -> Poly {
        Poly::from_table(&[(1, &[(0, 2), (1, 1)]), (3, &[(2, 1)]), (1, &[])])
    }

    /// Two operands with that GCD: cofactors 2 x0 + x1 x2 and x0 x2 − x1.
    fn operands() -> (Poly, Poly) {
        let cofactors = [
            Poly::from_table(&[(2, &[(0, 1)]), (1, &[(1, 1), (2, 1)])]),
            Poly::from_table(&[(1, &[(0, 1), (2, 1)]), (-1, &[(1, 1)])]),
        ];
        let [a, b] = cofactors.map(|cofactor| cofactor.mul(&common()).expect("small"));
        (a, b)
    }

    #[test]
    fn degree_bounds_are_attained() {
        let (a, b) = operands();
        assert_eq!(degree_bounds(&a, &b), common().degrees());
        assert!(degree_bounds(&a, &Poly::variable(9)).is_one());
        assert!(degree_bounds(&a, &(&a + &Poly::one())).is_one());
    }

    #[test]
    fn images_tell_divisors_from_others() {
        let (a, b) = operands();
        assert!(image_divides(&common(), &a) && image_divides(&common(), &b));
        assert!(!image_divides(&a, &b));
        assert!(!image_divides(&common(), &(&a + &Poly::one())));
    }

    #[test]
    fn setting_the_last_variable_merges_neighbours() {
        let field = &Field::FIRST;
        let (a, _) = operands();
        let set = set_last(field, &reduce(field, &a), 2, field.small(5));
        let five = Poly::constant(IBig::from(5));
        assert_eq!(set, reduce(field, &a.substitute(2, &five, usize::MAX).expect("small")));
    }

    #[test]
    fn both_targets_are_interpolated() {
        // lc(a) = 2 x1, lc(b) = x1 x2, so γ = x1 = lc(G), H = G, τ = x1.
        let (a, b) = operands();
        let x1 = Poly::variable(1);
        let target = |is_cofactor: bool, lead: &Poly| {
            let operands = Operands {
                a: &a,
                b: &b,
                is_cofactor,
                lead,
                others: 2,
                gcd_degrees: common().degrees(),
                excess: x1.degrees(),
            };
            let lifted = operands.interpolate(Field::FIRST, Random::new(4), usize::MAX);
            operands.assemble(&lifted.expect("a lucky point"))
        };
        assert_eq!(target(false, &x1), common());
        let cofactor = a.div_exact(&common()).expect("a divisor");
        assert_eq!(target(true, &x1.scale(&IBig::from(2))), cofactor.mul(&x1).expect("small"));
    }
}

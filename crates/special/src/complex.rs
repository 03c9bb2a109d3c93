//! Complex numbers over any [`Scalar`].

use polhode_tape::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// re + i im.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex<S> {
    /// The real part.
    pub re: S,
    /// The imaginary part.
    pub im: S,
}

impl<S: Scalar> Complex<S> {
    /// re + i im.
    pub fn new(re: S, im: S) -> Self {
        Self { re, im }
    }

    /// The mirror image in the real axis.
    pub fn conj(self) -> Self {
        Self { re: self.re, im: -self.im }
    }

    /// Whether the imaginary part vanishes.
    pub fn is_real(self) -> bool {
        self.im == S::default()
    }

    /// Whether both parts are.
    pub fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    /// |z|².
    pub fn norm_squared(self) -> S {
        self.re * self.re + self.im * self.im
    }

    /// |z|.
    pub fn abs(self) -> S {
        if self.is_real() { self.re.abs() } else { self.norm_squared().sqrt() }
    }

    /// Times a real number.
    pub fn scale(self, s: S) -> Self {
        Self { re: self.re * s, im: self.im * s }
    }

    /// e^z.
    pub fn exp(self) -> Self {
        let r = self.re.exp();
        if self.is_real() {
            return Self::from(r);
        }
        let (s, c) = self.im.sin_cos();
        Self { re: r * c, im: r * s }
    }

    /// The principal logarithm.
    pub fn ln(self) -> Self {
        Self { re: self.abs().ln(), im: self.im.atan2(self.re) }
    }

    /// The square root with non-negative real part.
    pub fn sqrt(self) -> Self {
        let zero = S::default();
        if self.is_real() {
            let r = self.re.abs().sqrt();
            return if self.re < zero { Self { re: zero, im: r } } else { Self::from(r) };
        }
        let half = S::from_f64(0.5);
        let r = ((self.re.abs() + self.abs()) * half).sqrt();
        let other = self.im * half / r;
        match (self.re < zero, self.im < zero) {
            (false, _) => Self { re: r, im: other },
            (true, false) => Self { re: other, im: r },
            (true, true) => Self { re: -other, im: -r },
        }
    }

    /// The same number in another type, to its precision.
    pub(crate) fn convert<T: Scalar>(self) -> Complex<T> {
        Complex { re: T::constant(self.re.to_dd()), im: T::constant(self.im.to_dd()) }
    }
}

impl<S: Scalar> From<S> for Complex<S> {
    fn from(re: S) -> Self {
        Self { re, im: S::default() }
    }
}

impl<S: Scalar> Neg for Complex<S> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }
}

impl<S: Scalar> Add for Complex<S> {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self { re: self.re + b.re, im: self.im + b.im }
    }
}

impl<S: Scalar> Sub for Complex<S> {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self { re: self.re - b.re, im: self.im - b.im }
    }
}

impl<S: Scalar> Mul for Complex<S> {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Self { re: self.re * b.re - self.im * b.im, im: self.re * b.im + self.im * b.re }
    }
}

impl<S: Scalar> Div for Complex<S> {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        if b.is_real() {
            return Self { re: self.re / b.re, im: self.im / b.re };
        }
        // the larger part of b is divided out first, so that squares stay in range
        if b.re.abs() < b.im.abs() {
            let r = b.re / b.im;
            let d = b.im + b.re * r;
            return Self { re: (self.re * r + self.im) / d, im: (self.im * r - self.re) / d };
        }
        let r = b.im / b.re;
        let d = b.re + b.im * r;
        Self { re: (self.re + self.im * r) / d, im: (self.im - self.re * r) / d }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_logarithms_and_quotients() {
        for (re, im) in [(3.0, 4.0), (-3.0, 4.0), (-3.0, -4.0), (0.5, -2.0), (-2.0, 0.0), (2.0, 0.0)] {
            let z = Complex::new(re, im);
            let r = z.sqrt();
            assert!((r * r - z).abs() < 1e-15 && r.re >= 0.0);
            assert!((z.ln().exp() - z).abs() < 4e-15);
            let w = Complex::new(0.3, -0.7);
            assert!((z / w * w - z).abs() < 2e-15 && (w / z * z - w).abs() < 1e-15);
            assert_eq!((z * z.conj()).re, z.norm_squared());
        }
    }
}

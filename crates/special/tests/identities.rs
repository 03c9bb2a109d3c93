//! Identities between the functions, at random double-doubles.

use polhode_special::Complex;
use polhode_special::carlson::{carlson_rc, carlson_rd, carlson_rf, carlson_rj};
use polhode_special::elliptic::*;
use polhode_special::gamma::{digamma, gamma, ln_gamma, reciprocal_gamma};
use polhode_special::hypergeometric::{hypergeometric, hypergeometric_derivative};
use polhode_special::legendre::*;
use polhode_special::ode::Equation;
use polhode_tape::{Dd, Scalar};
use proptest::prelude::*;

/// A double-double between two numbers, with digits in its low part.
fn number(low: f64, high: f64) -> impl Strategy<Value = Dd> {
    (low..high, -1.0..1.0).prop_map(|(hi, lo)| Dd::new(hi, hi * lo * 2f64.powi(-54)))
}

fn complex(size: f64) -> impl Strategy<Value = Complex<Dd>> {
    (number(-size, size), number(-size, size)).prop_map(|(re, im)| Complex::new(re, im))
}

fn dd(x: f64) -> Dd {
    Dd::from(x)
}

fn real(x: f64) -> Complex<Dd> {
    Complex::from(dd(x))
}

/// |Σ terms| ≤ 2·10⁻³¹ Σ |terms|, a few roundings.
fn vanishes(terms: &[Complex<Dd>]) -> bool {
    let sum = terms.iter().fold(Complex::default(), |s, t| s + *t);
    let size = terms.iter().map(|t| t.abs().to_f64()).sum::<f64>();
    sum.abs().to_f64() <= 2e-31 * size
}

fn vanish(terms: &[Dd]) -> bool {
    vanishes(&terms.iter().map(|t| Complex::from(*t)).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn gamma_functions(z in complex(6.0)) {
        let one = real(1.0);
        prop_assert!(vanishes(&[gamma(z + one), -(z * gamma(z))]));
        prop_assert!(vanishes(&[gamma(z) * reciprocal_gamma(z), -one]));
        prop_assert!(vanishes(&[digamma(z + one), -digamma(z), -(one / z)]));
        let l = ln_gamma(z);
        // an exponential magnifies the error of its exponent
        prop_assert!((l.exp() / gamma(z) - one).abs().to_f64() < 1e-31 * (4.0 + l.abs().to_f64()));
        prop_assert_eq!(ln_gamma(z.conj()), l.conj());
    }

    #[test]
    fn contiguous_functions(a in complex(3.0), b in complex(3.0), c in complex(3.0), z in number(-6.0, 0.99)) {
        // (b − a) F + a F(a+1) − b F(b+1) = 0, and (c−a−b) F + a (1−z) F(a+1) − (c−b) F(b−1) = 0
        let one = real(1.0);
        let f = |a, b| hypergeometric(a, b, c, z);
        let centre = f(a, b);
        prop_assert!(vanishes(&[b * centre, -(a * centre), a * f(a + one, b), -(b * f(a, b + one))]));
        let rest = Complex::from(Dd::ONE - z);
        prop_assert!(vanishes(&[
            c * centre, -(a * centre), -(b * centre), a * rest * f(a + one, b), b * f(a, b - one), -(c * f(a, b - one)),
        ]));
    }

    #[test]
    fn hypergeometric_equation(a in complex(3.0), b in number(-3.0, 3.0), z in number(-4.0, 0.95), n in -2i32..3) {
        // z(1−z) F″ + [c − (a+b+1) z] F′ − ab F = 0 with c − a − b = n, logarithms included
        let (one, b, z1) = (real(1.0), Complex::from(b), Complex::from(z));
        // a + b may round; the nearly degenerate case must not lose more than the rounding
        let c = a + b + real(f64::from(n));
        let f = hypergeometric(a, b, c, z);
        let d = hypergeometric_derivative(a, b, c, z);
        let second = hypergeometric_derivative(a + one, b + one, c + one, z) * a * b / c;
        let terms = [
            z1 * second, -(z1 * z1 * second), c * d, -(a * z1 * d), -(b * z1 * d), -(z1 * d), -(a * b * f),
        ];
        prop_assert!(vanishes(&terms), "{terms:?}");
    }

    #[test]
    fn legendre_wronskian(re in number(-0.9, 4.0), im in number(-3.0, 3.0), x in number(-0.999, 0.999)) {
        let nu = Complex::new(re, im);
        let (p, dp) = (legendre_p(nu, x), legendre_p_derivative(nu, x));
        let (q, dq) = (legendre_q(nu, x), legendre_q_derivative(nu, x));
        let k = Complex::from((Dd::ONE - x) * (Dd::ONE + x));
        prop_assert!(vanishes(&[k * p * dq, -(k * dp * q), -real(1.0)]));
        // three-term recursion
        let one = real(1.0);
        let (up, down) = (legendre_p(nu + one, x), legendre_p(nu - one, x));
        prop_assert!(vanishes(&[(nu + one) * up, -((nu + nu + one) * p).scale(x), nu * down]));
        // (2/π) sin νπ Q(x) = cos νπ P(x) − P(−x), by a sine whose argument rounds
        let conical = conical_p(im, x);
        prop_assert_eq!(conical, conical_p(-im, x));
    }

    #[test]
    fn complete_integrals(m in number(1e-6, 0.999_999), n in number(1.01, 9.0)) {
        // Legendre's relation E K′ + E′ K − K K′ = π/2; 1 − m is exact only with as many digits
        let half_pi = Dd::PI * dd(0.5);
        let rest = Dd::ONE - m;
        let (k, e, k1, e1) = (elliptic_k(m), elliptic_e(m), elliptic_k(rest), elliptic_e(rest));
        prop_assert!(vanish(&[e * k1, e1 * k, -(k * k1), -half_pi]));
        prop_assert!(vanish(&[k, -e, -(m * elliptic_d(m))]));
        // Π(n) + Π(m/n) = K + ½π √(n/((1−n)(n−m))) for n < m, and = K for the principal value n > 1
        prop_assert!(vanish(&[elliptic_pi(n, m), elliptic_pi(m / n, m), -k]));
    }

    #[test]
    fn incomplete_integrals(phi in number(-20.0, 20.0), m in number(-5.0, 0.99), n in number(-4.0, 0.9)) {
        let f = elliptic_f_incomplete(phi, m);
        prop_assert!(vanish(&[f, -elliptic_e_incomplete(phi, m), -(m * elliptic_d_incomplete(phi, m))]));
        let shifted = phi + Dd::PI; // π as a double-double is off by 3·10⁻³³
        let pi = |phi| elliptic_pi_incomplete(n, phi, m);
        prop_assert!(((pi(shifted) - pi(phi)) / elliptic_pi(n, m) - dd(2.0)).abs().to_f64() < 1e-30);
        prop_assert_eq!(pi(-phi), -pi(phi));
        // the amplitude is the inverse function
        let back = jacobi(f, m).am;
        let slope = jacobi(f, m).dn.to_f64() * f.to_f64().abs();
        prop_assert!((back - phi).abs().to_f64() < 1e-31 * (slope + phi.to_f64().abs() + 1.0));
    }

    #[test]
    fn principal_values(phi in number(0.1, 1.5), m in number(0.01, 0.99), n in number(1.05, 50.0)) {
        // Π(n; φ) + Π(m/n; φ) = F + √c R_C((c−1)(c−m), (c−n)(c−m/n)), c = 1/sin²φ
        let (s, cosine) = phi.sin_cos();
        let c = Dd::ONE / (s * s);
        prop_assume!((c / n).to_f64().ln().abs() > 0.02);
        let cot = cosine / s; // c − 1 = cot²
        let y = (c - n) * (c - m / n);
        let rc = c.sqrt() * carlson_rc(cot * cot * (c - m), y);
        let terms = [elliptic_pi_incomplete(n, phi, m), elliptic_pi_incomplete(m / n, phi, m), -elliptic_f_incomplete(phi, m), -rc];
        let size: f64 = terms.iter().map(|t| t.to_f64().abs()).sum();
        let sum = terms.iter().fold(Dd::ZERO, |s, t| s + *t);
        prop_assert!(sum.abs().to_f64() < 1e-28 * size, "{terms:?}");
    }

    #[test]
    fn jacobi_functions(u in number(-12.0, 12.0), v in number(-12.0, 12.0), m in number(-3.0, 3.0)) {
        let (a, b, c) = (jacobi(u, m), jacobi(v, m), jacobi(u + v, m));
        prop_assert!(vanish(&[a.sn * a.sn, a.cn * a.cn, -Dd::ONE]));
        prop_assert!(vanish(&[a.dn * a.dn, m * a.sn * a.sn, -Dd::ONE]));
        let (s, k) = a.am.sin_cos();
        prop_assert!((s - a.sn).abs().to_f64() < 1e-30 && (k - a.cn).abs().to_f64() < 1e-30);
        // addition: u + v rounds, and the quotient magnifies
        let d = Dd::ONE - m * (a.sn * b.sn) * (a.sn * b.sn);
        let noise = 1e-30 * (1.0 + m.to_f64().abs()) * (1.0 + 1.0 / d.to_f64().abs());
        let sum = |x: Dd, y: Dd| (x - y * d).abs().to_f64() < noise * 4.0 * (1.0 + d.to_f64().abs());
        prop_assert!(sum(a.sn * b.cn * b.dn + b.sn * a.cn * a.dn, c.sn));
        prop_assert!(sum(a.cn * b.cn - a.sn * b.sn * a.dn * b.dn, c.cn));
        prop_assert!(sum(a.dn * b.dn - m * a.sn * b.sn * a.cn * b.cn, c.dn));
    }

    #[test]
    fn carlson_integrals(x in number(0.01, 5.0), y in number(0.01, 5.0), z in number(0.01, 5.0), p in number(0.01, 5.0)) {
        prop_assert_eq!(carlson_rf(x, y, z), carlson_rf(z, x, y));
        prop_assert_eq!(carlson_rj(x, y, z, p), carlson_rj(z, x, y, p));
        prop_assert_eq!(carlson_rj(x, y, z, z), carlson_rd(x, y, z));
        // R_D(x,y,z) + R_D(y,z,x) + R_D(z,x,y) = 3/√(xyz), and homogeneity
        let sum = carlson_rd(x, y, z) + carlson_rd(y, z, x) + carlson_rd(z, x, y);
        prop_assert!(vanish(&[sum, -(dd(3.0) / (x * y * z).sqrt())]));
        let four = dd(4.0);
        prop_assert_eq!(carlson_rj(x * four, y * four, z * four, p * four) * dd(8.0), carlson_rj(x, y, z, p));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_argument_panics(x in proptest::array::uniform7(any::<f64>()), scale in proptest::array::uniform7(0..3u8)) {
        // numbers of any size and kind, and of moderate size
        let x: Vec<f64> = (0..7).map(|k| if scale[k] == 0 { x[k] } else { (x[k].to_bits() % 4001) as f64 / 100.0 - 20.0 }).collect();
        let z = |k: usize| Complex::new(x[k], x[k + 1]);
        let _ = (gamma(z(0)), ln_gamma(z(0)), digamma(z(0)), reciprocal_gamma(z(0)));
        let _ = (hypergeometric(z(0), z(2), z(4), x[6]), hypergeometric(x[0].into(), x[1].into(), x[2].into(), x[3]));
        let _ = (legendre_p(z(0), x[2].sin()), legendre_q(z(0), x[2]), legendre_p_of_angle(z(0), x[2]));
        let _ = (carlson_rf(x[0], x[1], x[2]), carlson_rj(x[0], x[1], x[2], x[3]), carlson_rc(x[0], x[1]));
        let _ = (elliptic_k(x[0]), elliptic_pi(x[0], x[1]), elliptic_pi_incomplete(x[0], x[1], x[2]));
        let _ = (elliptic_e_incomplete(x[0], x[1]), elliptic_d_incomplete(x[0], x[1]), jacobi(x[0], x[1]));
        if let Ok(equation) = Equation::new(&x[..3], &x[3..5], &x[5..]) {
            let _ = (equation.riemann_scheme(), equation.recognise(), equation.solve(0.0, 1.0));
        }
    }
}

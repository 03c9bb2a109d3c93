"""Prints tests/functions_oracle.txt: special functions to 34 digits, from python-flint (Arb).

    python crates/special/tests/functions_oracle.py > crates/special/tests/functions_oracle.txt

A line is `function arguments = values`. A real number is one word, a complex one two. Arguments are
doubles, taken exactly. Every value comes from balls of up to 8000 bits whose radius is below the
last digit printed, part by part.
"""

import random
from fractions import Fraction

from flint import acb, arb, ctx, fmpq

random.seed(1812)  # Gauss, Disquisitiones generales circa seriem infinitam
DIGITS = 34


def real(x):
    f = Fraction(x)
    return arb(fmpq(f.numerator, f.denominator))


def number(z):
    return acb(real(z.real), real(z.imag)) if isinstance(z, complex) else acb(real(z))


def word(x, zero):
    """34 digits of a ball, or None if it is too wide."""
    if zero:
        return "0"
    if not x.is_finite() or x.rel_accuracy_bits() < 3.4 * DIGITS + 8:
        return None
    man, exp = x.mid().man_exp()
    q = Fraction(int(man)) * Fraction(2) ** int(exp)
    sign, q, e = ("-" if q < 0 else ""), abs(q), 0
    while q >= 10**40:
        q, e = q / 10**40, e + 40
    while q < Fraction(1, 10**40):
        q, e = q * 10**40, e - 40
    while q >= 10:
        q, e = q / 10, e + 1
    while q < 1:
        q, e = q * 10, e - 1
    n = round(q * 10 ** (DIGITS - 1))
    if n == 10**DIGITS:
        n, e = n // 10, e + 1
    n = str(n)
    return f"{sign}{n[0]}.{n[1:]}e{e}"


def line(name, arguments, values, real_valued):
    """`values` maps arguments as balls to a list of balls."""
    for prec in (300, 1000, 3000, 8000):
        ctx.prec = prec
        try:
            y = values(*map(number, arguments))
        except (ValueError, ZeroDivisionError):
            continue
        words = []
        for v in y:
            words.append(word(v.real, v.real == 0))
            if not real_valued:
                words.append(word(v.imag, v.imag == 0))
        if None not in words:
            if any(int(w.split("e")[1]) not in range(-290, 300) for w in words if w != "0"):
                return  # no double
            shown = []
            for a in arguments:
                shown += [repr(a.real), repr(a.imag)] if isinstance(a, complex) else [repr(a)]
            print(name, *shown, "=", *words)
            return
    raise SystemExit(f"{name} {arguments}: no value")


def u(low, high, digits=4):
    return round(random.uniform(low, high), digits)


def wide(low, high):
    """A number of random size and sign."""
    return float(f"{random.choice([1, -1]) * 10 ** random.uniform(low, high):.5g}")


# gamma functions
points = [complex(u(-9, 9), u(-9, 9)) for _ in range(60)]
points += [complex(u(0.1, 60), 0.0) for _ in range(20)] + [complex(u(-30, 0), 0.0) for _ in range(20)]
points += [complex(random.randint(-8, 3) + wide(-12, -2), wide(-12, -2)) for _ in range(20)]
points += [complex(c + wide(-15, -3), 0.0) for c in (1, 2, 1.4616321449683622, -0.504083008264455) for _ in range(5)]
points += [complex(0.5, u(0, 60)) for _ in range(8)] + [complex(u(-80, 80), u(-80, 80)) for _ in range(12)]
for z in points:
    is_real = z.imag == 0
    for name, f in [("gamma", acb.gamma), ("rgamma", acb.rgamma), ("digamma", acb.digamma), ("lngamma", acb.lgamma)]:
        if is_real and (name != "lngamma" or z.real > 0):
            line(name + "_real", [z.real], lambda w, f=f: [f(w)], True)
        elif not is_real:
            line(name, [z], lambda w, f=f: [f(w)], False)


# hypergeometric function and derivative
def f21(a, b, c, z):
    return z.hypgeom_2f1(a, b, c)


def argument():
    kind = random.randrange(8)
    if kind < 3:
        return u(-1, 0.99)
    if kind == 3:
        return 1 - float(f"{10 ** random.uniform(-14, -1):.4g}")
    if kind == 4:
        return -float(f"{10 ** random.uniform(0, 12):.4g}")
    if kind == 5:
        return wide(-20, -1)
    return u(-5, 0.999)


def dyadic(low, high):
    return random.randint(low * 8, high * 8) / 8


def hyper(a, b, c, count=1):
    for _ in range(count):
        z = argument()
        if complex(c).imag == 0 and complex(c).real <= 0 and complex(c).real == int(complex(c).real):
            continue  # a pole
        conjugate = isinstance(a, complex) and isinstance(b, complex) and a == b.conjugate()
        plain = not any(isinstance(x, complex) for x in (a, b, c))
        real_valued = plain or (conjugate and not isinstance(c, complex))
        a, b, c = complex(a), complex(b), complex(c)
        if random.random() < 0.3:
            slope = lambda a, b, c, z: [a * b / c * f21(a + 1, b + 1, c + 1, z)]
            line("f21_slope_real" if real_valued else "f21_slope", [a, b, c, z], slope, real_valued)
        else:
            line("f21_real" if real_valued else "f21", [a, b, c, z], lambda *x: [f21(*x)], real_valued)


for _ in range(150):
    hyper(u(-4, 4), u(-4, 4), u(-3, 6))
for _ in range(150):
    a = complex(u(-3, 3), u(-4, 4))
    hyper(a, a.conjugate(), u(-2, 5))
for _ in range(120):
    hyper(complex(u(-3, 3), u(-3, 3)), complex(u(-3, 3), u(-3, 3)), complex(u(-3, 5), u(-3, 3)))
for _ in range(120):  # c − a − b an integer
    a, b = dyadic(-3, 3), dyadic(-3, 3)
    hyper(a, b, a + b + random.randint(-4, 4))
for _ in range(60):
    a = complex(dyadic(-3, 3), dyadic(-3, 3))
    hyper(a, a.conjugate(), 2 * a.real + random.randint(-3, 3))
for _ in range(100):  # a − b an integer
    a = dyadic(-3, 3)
    hyper(a, a + random.randint(-3, 3), u(-2, 5))
for _ in range(40):
    a = complex(dyadic(-3, 3), dyadic(-3, 3))
    hyper(a, a + random.randint(-3, 3), complex(u(-2, 5), u(-1, 1)))
for _ in range(60):  # nearly integer differences
    a, b = dyadic(-3, 3), dyadic(-3, 3)
    hyper(a, b, a + b + random.randint(-3, 3) + wide(-15, -4))
    hyper(a, a + random.randint(-3, 3) + wide(-15, -4), dyadic(-2, 5) + 0.0625)
for _ in range(40):  # ends after few terms
    hyper(float(-random.randint(0, 8)), u(-4, 4), u(-3, 6))
for _ in range(40):
    c = dyadic(-2, 4) + 0.0625
    hyper(c + random.randint(0, 4), u(-4, 4), c)
for _ in range(40):  # larger parameters
    hyper(u(-40, 40, 2), u(-40, 40, 2), u(-20, 40, 2))


# Legendre functions on the cut
def p(n, x):
    return x.legendre_p(n)


def q(n, x):
    return x.legendre_q(n)


def slope(f):
    # (1 − x²) f′ = ν (f_{ν−1} − x f_ν)
    return lambda n, x: [n * (f(n - 1, x) - x * f(n, x)) / (1 - x * x)]


degrees = [complex(-0.5, u(0, 8)) for _ in range(50)] + [complex(u(-4, 4), u(-4, 4)) for _ in range(30)]
degrees += [u(-5, 8) for _ in range(40)] + [u(10, 60) for _ in range(10)] + [float(n) for n in range(1, 9)]
degrees += [n + wide(-14, -5) for n in range(1, 9)] + [complex(-0.5, u(8, 40)) for _ in range(10)]
for n in degrees:
    x = random.choice([u(-1, 1), u(-1, 1), 1 - 10 ** random.uniform(-12, -1), 10 ** random.uniform(-12, -1) - 1])
    if abs(x) == 1:
        continue
    conical = isinstance(n, complex) and n.real == -0.5
    plain = not isinstance(n, complex)
    degree = complex(n)
    for name, f, is_real in [
        ("legendre_p", lambda n, x: [p(n, x)], plain or conical),
        ("legendre_dp", slope(p), plain or conical),
        ("legendre_q", lambda n, x: [q(n, x)], plain),
        ("legendre_dq", slope(q), plain),
    ]:
        line(name + ("_real" if is_real else ""), [degree, x], f, is_real)

for n in degrees[::2]:
    theta = random.choice([u(0.01, 3.13), u(0.01, 3.13), wide(-8, -1), 3.14159265358979 - 10 ** random.uniform(-9, -1)])
    theta = abs(theta)
    conical = isinstance(n, complex) and n.real == -0.5
    is_real = conical or not isinstance(n, complex)

    def of_angle(n, theta):
        x = theta.cos()
        return [p(n, x), -theta.sin() * slope(p)(n, x)[0]]

    line("angle" + ("_real" if is_real else ""), [complex(n), theta], of_angle, is_real)

# Carlson's integrals
for _ in range(90):
    x, y, z, w = (abs(wide(-4, 4)) for _ in range(4))
    if random.random() < 0.25:
        x = 0.0
    line("rf", [x, y, z], lambda x, y, z: [acb.elliptic_rf(x, y, z)], True)
    line("rd", [x, y, z], lambda x, y, z: [acb.elliptic_rd(x, y, z)], True)
    line("rj", [x, y, z, w], lambda x, y, z, w: [acb.elliptic_rj(x, y, z, w)], True)
    line("rc", [x, y], lambda x, y: [acb.elliptic_rc(x, y)], True)


# Legendre's integrals
def parameter():
    kind = random.randrange(5)
    if kind == 0:
        return -abs(wide(-3, 6))
    if kind == 1:
        return 1 - float(f"{10 ** random.uniform(-15, -1):.4g}")
    return u(0, 1)


def d_complete(m):
    return (acb.elliptic_k(m) - acb.elliptic_e(m)) / m


def d_incomplete(phi, m):
    return (acb.elliptic_f(phi, m) - acb.elliptic_e_inc(phi, m)) / m


for _ in range(90):
    m, n = parameter(), random.choice([u(-3, 1), u(-3, 1), -abs(wide(0, 5)), 1 - abs(wide(-9, -1))])
    if m == 0:
        m = 0.5
    line("k", [m], lambda m: [acb.elliptic_k(m)], True)
    line("e", [m], lambda m: [acb.elliptic_e(m)], True)
    line("d", [m], lambda m: [d_complete(m)], True)
    line("pi", [n, m], lambda n, m: [acb.elliptic_pi(n, m)], True)
    phi = random.choice([u(-1.57, 1.57), u(-1.57, 1.57), u(-30, 30), wide(-8, 0), u(-1e6, 1e6)])
    line("f_inc", [phi, m], lambda phi, m: [acb.elliptic_f(phi, m)], True)
    line("e_inc", [phi, m], lambda phi, m: [acb.elliptic_e_inc(phi, m)], True)
    line("d_inc", [phi, m], lambda phi, m: [d_incomplete(phi, m)], True)
    line("pi_inc", [n, phi, m], lambda n, phi, m: [acb.elliptic_pi_inc(n, phi, m)], True)
for _ in range(30):  # a parameter above 1, the angle in its range
    m = 1 + abs(wide(-3, 2))
    phi = float(arb(1 / m).sqrt().asin().mid()) * random.choice([u(0, 1), 1 - 10 ** random.uniform(-12, -1)])
    line("f_inc", [phi, m], lambda phi, m: [acb.elliptic_f(phi, m)], True)
    line("e_inc", [phi, m], lambda phi, m: [acb.elliptic_e_inc(phi, m)], True)
    line("d_inc", [phi, m], lambda phi, m: [d_incomplete(phi, m)], True)


# Jacobi functions, from theta functions of the nome
def jacobi(w, m):
    """sn, cn, dn for 0 < m < 1; theta functions of τ = i K′/K at u/(2K)."""
    k, kp = acb.elliptic_k(m), acb.elliptic_k(1 - m)
    tau, zero = acb(0, 1) * kp / k, acb(0)
    t1, t2, t3, t4 = acb.modular_theta(w / (2 * k), tau)
    _, s2, s3, s4 = acb.modular_theta(zero, tau)
    sn, cn, dn = s3 * t1 / (s2 * t4), s4 * t2 / (s2 * t4), s4 * t3 / (s3 * t4)
    return [acb(v.real) for v in (sn, cn, dn)]


def functions(w, m):
    one = acb(1)
    if m.real > 1:
        k = m.sqrt()
        sn, cn, dn = jacobi(k * w, one / m)
        sn, cn, dn = sn / k, dn, cn
        turns = 0
    elif m.real < 0:
        k = (one - m).sqrt()
        sn, cn, dn = jacobi(k * w, -m / (one - m))
        sn, cn, dn = sn / dn / k, cn / dn, one / dn
        turns = (w / (4 * acb.elliptic_k(m))).real
    else:
        sn, cn, dn = jacobi(w, m)
        turns = (w / (4 * acb.elliptic_k(m))).real
    first = arb.atan2(sn.real, cn.real)
    if m.real < 1:
        # the angle and u/4K pass each half turn together
        turns = arb(round(float((turns - first / (2 * arb.pi())).mid())))
    return [sn, cn, dn, acb(first + 2 * arb.pi() * turns)]


for _ in range(220):
    m = random.choice([u(0.001, 1), u(0.001, 1), 1 - 10 ** random.uniform(-14, -1), -abs(wide(-2, 3)), 1 + abs(wide(-2, 2))])
    if m in (0.0, 1.0):
        continue
    argument_of = [u(-3, 3), u(-40, 40), wide(-9, 0), u(-1e5, 1e5)]
    w = random.choice(argument_of)
    ctx.prec = 300
    if random.random() < 0.2 and 0 < m < 1:  # as near to zeros as doubles can be
        w = float((acb.elliptic_k(number(m)).real * random.randint(1, 9)).mid())
    line("jacobi", [w, m], functions, True)

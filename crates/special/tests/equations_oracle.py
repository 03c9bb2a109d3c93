"""Prints tests/equations_oracle.txt: solutions of Heun equations to 34 digits, from python-flint.

    python crates/special/tests/equations_oracle.py > crates/special/tests/equations_oracle.txt

    w″ + (γ/z + δ/(z−1) + ε/(z−a)) w′ + (αβ z − q)/(z (z−1) (z−a)) w = 0,   ε = α + β + 1 − γ − δ

The solution with w(0) = 1 is summed with 600 bits at z = 1/16 by its three-term recursion, and from there
carried on by Taylor steps of a tenth of the distance to the nearest singular point, in balls, by the
recursion of the equation in w and w′, written out here once more.

A line is `a q alpha beta gamma delta z w w′`; the parameters are doubles, taken exactly.
"""

import random
from fractions import Fraction

from flint import arb, ctx, fmpq

ctx.prec = 600
random.seed(1889)  # Heun
TERMS = 190


def real(x):
    f = Fraction(x)
    return arb(fmpq(f.numerator, f.denominator))


def digits(x):
    return x.str(36, radius=False, more=True)


def at_zero(a, q, al, be, ga, de, z):
    """Σ c_k z^k: a (k+1)(k+γ) c_{k+1} = [k((k−1+γ)(1+a) + aδ + ε) + q] c_k − (k−1+α)(k−1+β) c_{k−1}."""
    ep = al + be + 1 - ga - de
    c = [arb(1)]
    for k in range(400):
        up = (k * ((k - 1 + ga) * (1 + a) + a * de + ep) + q) * c[k]
        if k > 0:
            up -= (k - 1 + al) * (k - 1 + be) * c[k - 1]
        c.append(up / (a * (k + 1) * (k + ga)))
    w = sum((c[k] * z**k for k in range(400)), arb(0))
    d = sum((k * c[k] * z ** (k - 1) for k in range(1, 400)), arb(0))
    return w, d


def times(p, r):
    out = [arb(0)] * (len(p) + len(r) - 1)
    for i, x in enumerate(p):
        for j, y in enumerate(r):
            out[i + j] += x * y
    return out


def step(parameters, x, h, w, d):
    """Taylor series at x, in z = x + t, of z(z−1)(z−a) w″ + [γ(z−1)(z−a) + …] w′ + (αβ z − q) w = 0."""
    a, q, al, be, ga, de = parameters
    ep = al + be + 1 - ga - de
    f = [[x, arb(1)], [x - 1, arb(1)], [x - a, arb(1)]]
    p2 = times(times(f[0], f[1]), f[2])
    pairs = [times(f[1], f[2]), times(f[0], f[2]), times(f[0], f[1])]
    p1 = [ga * pairs[0][k] + de * pairs[1][k] + ep * pairs[2][k] for k in range(3)]
    p0 = [al * be * x - q, al * be]
    c = [w, d]
    for n in range(TERMS):
        total = arb(0)
        for j in range(1, 4):
            m = n + 2 - j
            if m >= 2:
                total += p2[j] * m * (m - 1) * c[m]
        for j in range(3):
            m = n + 1 - j
            if m >= 1:
                total += p1[j] * m * c[m]
        for j in range(2):
            if n - j >= 0:
                total += p0[j] * c[n - j]
        c.append(-total / (p2[0] * (n + 1) * (n + 2)))
    value = sum((c[k] * h**k for k in range(len(c))), arb(0))
    slope = sum((k * c[k] * h ** (k - 1) for k in range(1, len(c))), arb(0))
    return value, slope


for case in range(12):
    u = lambda low, high: round(random.uniform(low, high), 3)
    a = random.choice([u(1.2, 3), -u(0.3, 3)])
    # the series at 0 needs room, and a exponent 0 without a logarithm
    p = [a, u(-2, 2), u(-2, 3), u(-2, 3), u(0.2, 2), u(0.2, 2)]
    balls = [real(v) for v in p]
    x = real(0.0625)
    w, d = at_zero(*balls, x)
    for target in (0.3, 0.7, 0.95):
        goal = real(target)
        while True:
            room = min(abs(float(x)), abs(1 - float(x)), abs(a - float(x))) / 10
            h = goal - x if float(goal - x) <= room else real(room)
            w, d = step(balls, x, h, w, d)
            x = x + h
            if float(goal - x) < 1e-30:
                break
        print(*p, target, digits(w), digits(d))

"""Prints tests/double_double_oracle.txt: functions of double-doubles to 40 digits, from python-flint.

    python crates/tape/tests/double_double_oracle.py > crates/tape/tests/double_double_oracle.txt

A line is `function hi lo value`, for atan2 `atan2 hi lo hi lo value` with y before x.
"""

import random
from fractions import Fraction

from flint import arb, ctx, fmpq

ctx.prec = 4000
random.seed(1971)


def exact(x):
    man, exp = x.mid().man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exp)


def pair(x):
    """The double-double nearest to a rational."""
    hi = float(x)
    return hi, float(x - Fraction(hi))


def ball(p):
    x = Fraction(p[0]) + Fraction(p[1])
    return arb(fmpq(x.numerator, x.denominator))


def digits(y):
    """40 significant digits, from the exact midpoint."""
    x = exact(y)
    if x == 0:
        return "0"
    sign, x, e = ("-" if x < 0 else ""), abs(x), 0
    while x >= 10:
        x, e = x / 10, e + 1
    while x < 1:
        x, e = x * 10, e - 1
    n = round(x * 10**39)
    return f"{sign}{n}e{e - 39}"


def spread(low, high):
    """A double-double of random size and sign."""
    x = Fraction(random.uniform(1, 10)) * Fraction(10) ** random.randint(low, high)
    x += x * Fraction(random.uniform(-1, 1)) / 2**53
    return pair(x * random.choice([1, -1]))


def line(name, *points_and_value):
    *points, value = points_and_value
    print(name, *(repr(d) for p in points for d in p), digits(value))


angles = [pair(Fraction(k, 16) + Fraction(random.uniform(-1, 1)) / 33) for k in range(-13, 14)]
angles += [spread(-20, -1) for _ in range(12)] + [spread(0, 5) for _ in range(24)] + [spread(6, 290) for _ in range(12)]
# as near to multiples of π/2 as double-doubles can be
angles += [pair(exact(arb.pi() / 2) * k) for k in [1, 2, 3, 4, -5, 7, 355, -103993, 636619, 10**12, 10**30]]
# the double nearest to a multiple of π/2, Kahan's example
angles += [(6381956970095103.0 * 2.0**797, 0.0), (1e22, 0.0)]
for p in angles:
    line("sin", p, ball(p).sin())
    line("cos", p, ball(p).cos())

exponents = [pair(Fraction(k, 16) + Fraction(random.uniform(-1, 1)) / 33) for k in range(-16, 17)]
exponents += [spread(-20, -1) for _ in range(8)] + [spread(0, 1) for _ in range(12)]
exponents += [(709.0, 1e-15), (-600.0, 3e-14), (500.5, -2e-14)]
for p in exponents:
    line("exp", p, ball(p).exp())

numbers = [pair(Fraction(k, 32) + Fraction(random.uniform(-1, 1)) / 65) for k in range(22, 50)]
numbers += [pair(abs(Fraction(a) + Fraction(b))) for a, b in (spread(-290, 300) for _ in range(20))]
numbers += [pair(abs(Fraction(a) + Fraction(b))) for a, b in (spread(-2, 2) for _ in range(12))]
numbers += [(1.0, s * 10.0**-n) for n in (17, 20, 30) for s in (1, -1)]
numbers += [pair(1 + Fraction(s * random.random()) / 10**n) for n in (1, 2, 3, 8, 15) for s in (1, -1)]
numbers += [(2.0, 1e-17), (0.5, 1e-17), (1.7976931348623157e308, 0.0)]
for p in numbers:
    line("ln", p, ball(p).log())

points = [(spread(0, 0), spread(0, 0)) for _ in range(16)]
points += [(spread(-12, 4), spread(-4, 12)) for _ in range(16)]
points += [(pair(Fraction(k, 16) + Fraction(random.uniform(-1, 1)) / 33), (1.0, 0.0)) for k in range(-16, 17)]
points += [((1.0, 0.0), pair(Fraction(k, 16) + Fraction(random.uniform(-1, 1)) / 33)) for k in range(-16, 17, 4)]
points += [(spread(200, 300), spread(200, 300)) for _ in range(6)] + [((1e-150, 1e-168), (-3e-140, 0.0))]
points += [((1e308, 0.0), (1e308, 1e290)), ((1.0, 0.0), (-1.0, -1e-20)), ((-1e-20, 0.0), (-1.0, 0.0))]
for y, x in points:
    line("atan2", y, x, arb.atan2(ball(y), ball(x)))

squares = [spread(-280, 300) for _ in range(10)] + [spread(-1, 1) for _ in range(10)]
for p in (pair(abs(Fraction(a) + Fraction(b))) for a, b in squares):
    line("sqrt", p, ball(p).sqrt())

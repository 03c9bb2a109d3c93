"""Decides with SymPy what `sympy_oracle.rs` asks: one JSON list of cases on standard input, answers on standard output.

Each case has an expression and other ways to write it, in the syntax of model files. Sines and cosines become rational functions of
the half-angle here, so nothing of the program under test is used.
"""

import json
import sys

from sympy import Poly, cancel, cos, expand_trig, fraction, gcd, sin, symbols, sympify, tan, together

NAMES = {n: symbols(n) for n in ["a", "b", "x", "y"]}
HALF = {NAMES[n]: symbols(f"u_{n}") for n in ["x", "y"]}


def read(text):
    return sympify(text.replace("^", "**"), locals=NAMES)


def rational(e):
    e = expand_trig(e)
    for angle, u in HALF.items():
        s, c = 2 * u / (1 + u**2), (1 - u**2) / (1 + u**2)
        e = e.subs({sin(angle): s, cos(angle): c, tan(angle): s / c})
    return e


def same(first, second):
    return cancel(together(rational(first) - rational(second))) == 0


def coprime(e):
    """Numerator and denominator of a canonical form have no common factor, and the denominator no sine."""
    plain = {sin(a): symbols(f"s_{a}") for a in HALF} | {cos(a): symbols(f"c_{a}") for a in HALF}
    num, den = fraction(e.subs(plain))
    if den.free_symbols & {plain[sin(a)] for a in HALF}:
        return False
    if not num.free_symbols or not den.free_symbols:
        return True
    variables = sorted(num.free_symbols | den.free_symbols, key=str)
    return not gcd(Poly(num, *variables), Poly(den, *variables)).as_expr().free_symbols


answers = []
for case in json.load(sys.stdin):
    e = read(case["expression"])
    answers.append(
        {
            "canonical": same(e, read(case["canonical"])),
            "readable": same(e, read(case["readable"])),
            "other": same(e, read(case["other"])),
            "coprime": coprime(read(case["canonical"])),
        }
    )
print(json.dumps(answers))

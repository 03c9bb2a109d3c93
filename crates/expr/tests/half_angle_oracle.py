"""Answers questions about rational functions of sines and cosines, for tests/half_angle_oracle.rs.

Each line of input is a question, its parts separated by tabs, and each line of output
its answer:

    same <formula> <formula>   ->  yes | no | undefined
    lowest <formula>           ->  yes, or what is wrong

Formulas are in model syntax, x and y angles, a and b other symbols.

"same" replaces sin x = 2 u/(1 + u^2), cos x = (1 - u^2)/(1 + u^2), and compares as
fractions of polynomials in x, y, a, b, u, v, in which x and u are independent.

"lowest" asks whether the formula, read as one fraction of polynomials in sin x, cos x,
sin y, cos y and the symbols, is in lowest terms: the denominator free of sines, and
without a common factor with the coefficients of the numerator in front of
1, sin x, sin y, sin x sin y, all sines being at most linear.
"""

import ast
import sys
from fractions import Fraction as Rational

import sympy

try:
    import flint
except ImportError:
    flint = None


def integer_polynomials(names):
    """The ring Z[names], in FLINT where it is installed and in SymPy otherwise."""
    if flint:
        context = flint.fmpz_mpoly_ctx.get(tuple(names), flint.Ordering.lex)
        return context, context.gens()
    ring, *generators = sympy.ring(names, sympy.ZZ)
    return ring, generators


def is_constant(poly):
    return all(not any(exponents) for exponents in poly.to_dict())


class Fraction:
    """p/q in lowest terms."""

    def __init__(self, p, q):
        if not q:
            raise ZeroDivisionError
        common = p.gcd(q)
        self.p, self.q = p // common, q // common

    def __add__(self, other):
        return Fraction(self.p * other.q + other.p * self.q, self.q * other.q)

    def __mul__(self, other):
        return Fraction(self.p * other.p, self.q * other.q)

    def __truediv__(self, other):
        return Fraction(self.p * other.q, self.q * other.p)

    def __neg__(self):
        return Fraction(-self.p, self.q)

    def __sub__(self, other):
        return self + -other

    def __pow__(self, n):
        if n < 0:
            return Fraction(self.q**-n, self.p**-n)
        return Fraction(self.p**n, self.q**n)

    def __eq__(self, other):
        return self.p * other.q == other.p * self.q


R, (x, y, a, b, u, v) = integer_polynomials(["x", "y", "a", "b", "u", "v"])
ONE = x**0
SINES, (X, Y, A, B, SX, CX, SY, CY) = integer_polynomials(["x", "y", "a", "b", "sx", "cx", "sy", "cy"])


def parsed(text):
    return ast.parse(text.replace("^", "**"), mode="eval").body


def number(node):
    """The rational number a node is."""
    match node:
        case ast.Constant():
            return Rational(ast.unparse(node))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -number(inner)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return number(left) / number(right)
    raise ValueError(ast.dump(node))


def angle(node):
    """Whole numbers (k, l) with node = k x + l y."""
    match node:
        case ast.Name(id="x"):
            return (1, 0)
        case ast.Name(id="y"):
            return (0, 1)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            k, l = angle(inner)
            return (-k, -l)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            n, (k, l) = int(number(left)), angle(right)
            return (n * k, n * l)
        case ast.BinOp(left=left, op=op, right=right):
            sign = -1 if isinstance(op, ast.Sub) else 1
            (k, l), (m, n) = angle(left), angle(right)
            return (k + sign * m, l + sign * n)
    raise ValueError(ast.dump(node))


def turned(k, l, first, second):
    """(cos, sin) of k x + l y from those of x and of y."""
    cos, sin = Fraction(ONE, ONE), Fraction(0 * ONE, ONE)
    for n, (c, s) in ((k, first), (l, second)):
        for _ in range(abs(n)):
            step = s if n > 0 else -s
            cos, sin = cos * c - sin * step, cos * step + sin * c
    return cos, sin


def half_angle(t):
    return Fraction(ONE - t**2, ONE + t**2), Fraction(2 * t, ONE + t**2)


NAMES = {name: Fraction(symbol, ONE) for name, symbol in zip("xyab", (x, y, a, b))}
FIRST, SECOND = half_angle(u), half_angle(v)


def value(node):
    """The fraction that a formula is."""
    match node:
        case ast.Constant():
            n = number(node)
            return Fraction(n.numerator * ONE, n.denominator * ONE)
        case ast.Name(id=name):
            return NAMES[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -value(inner)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return value(left) ** int(number(right))
        case ast.BinOp(left=left, op=op, right=right):
            p, q = value(left), value(right)
            match op:
                case ast.Add():
                    return p + q
                case ast.Sub():
                    return p - q
                case ast.Mult():
                    return p * q
                case ast.Div():
                    return p / q
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            cos, sin = turned(*angle(argument), FIRST, SECOND)
            return {"sin": lambda: sin, "cos": lambda: cos, "tan": lambda: sin / cos}[name]()
    raise ValueError(ast.dump(node))


POLYNOMIALS = {"x": X, "y": Y, "a": A, "b": B}


def fraction(node):
    """(numerator, denominator) of a formula as it is written, nothing cancelled."""
    one = X**0
    match node:
        case ast.Constant():
            n = number(node)
            return n.numerator * one, n.denominator * one
        case ast.Name(id=name):
            return POLYNOMIALS[name], one
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            p, q = fraction(inner)
            return -p, q
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            (p, q), n = fraction(left), int(number(right))
            return (p**n, q**n) if n > 0 else (q**-n, p**-n)
        case ast.BinOp(left=left, op=op, right=right):
            (p, q), (r, s) = fraction(left), fraction(right)
            match op:
                case ast.Mult():
                    return p * r, q * s
                case ast.Div():
                    return p * s, q * r
                case ast.Add():
                    return (p + r, q) if q == s else (p * s + q * r, q * s)
                case ast.Sub():
                    return (p - r, q) if q == s else (p * s - q * r, q * s)
        case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=symbol)]):
            sin, cos = {"x": (SX, CX), "y": (SY, CY)}[symbol]
            return {"sin": (sin, one), "cos": (cos, one), "tan": (sin, cos)}[name]
    raise ValueError(ast.dump(node))


def lowest(text):
    p, q = fraction(parsed(text))
    sines = (4, 6)
    if any(m[i] for m in q.to_dict() for i in sines):
        return "a sine in the denominator"
    parts = {}
    for m, c in p.to_dict().items():
        powers = tuple(int(m[i]) for i in sines)
        if max(powers) > 1:
            return "the square of a sine"
        rest = tuple(0 if i in sines else int(e) for i, e in enumerate(m))
        parts.setdefault(powers, {})[rest] = c
    common = q
    for part in parts.values():
        common = common.gcd(SINES.from_dict(part))
    return "yes" if is_constant(common) else f"common factor {common}"


def answer(line):
    question, *formulas = line.rstrip("\n").split("\t")
    if question == "lowest":
        return lowest(formulas[0])
    try:
        p, q = (value(parsed(f)) for f in formulas)
    except ZeroDivisionError:
        return "undefined"
    return "yes" if p == q else "no"


sys.setrecursionlimit(10_000)
for line in sys.stdin:
    print(answer(line), flush=True)

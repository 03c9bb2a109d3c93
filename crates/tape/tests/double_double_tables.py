"""Prints src/double_double/tables.rs: numbers for the functions of Dd, from python-flint.

    python crates/tape/tests/double_double_tables.py > crates/tape/src/double_double/tables.rs
"""

from fractions import Fraction

from flint import arb, ctx, fmpq

ctx.prec = 2000


def exact(x):
    """The midpoint of a ball of 2000 bits."""
    man, exp = x.mid().man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exp)


def parts(x, count=2):
    """The leading doubles of x, each the nearest to what is left."""
    x, out = exact(x), []
    for _ in range(count):
        out.append(float(x))
        x -= Fraction(out[-1])
    return out


def text(d):
    s = repr(d)
    return s if "." in s or "e" in s else s + ".0"


def pair(x):
    return "Dd { hi: %s, lo: %s }" % tuple(map(text, parts(x)))


def table(name, doc, xs):
    print(f"/// {doc}")
    print(f"pub(super) const {name}: [Dd; {len(xs)}] = [")
    for x in xs:
        print(f"    {pair(x)},")
    print("];\n")


def q(a, b):
    return arb(fmpq(a, b))


def reciprocal(j):
    """32/j to nine bits, the factor that brings j/32 near 1."""
    return Fraction(round(Fraction(512 * 32, j)), 512)


print("//! Numbers that the functions of double-doubles are made of.")
print("//!")
print("//! Printed by `tests/double_double_tables.py` from balls of 2000 bits; the tests of the functions")
print("//! reach every entry.")
print()
print("// digits of 2/π, π/2, … are what this file is for")
print("#![allow(clippy::approx_constant)]")
print()
print("use super::Dd;")
print()
pi, ln2 = arb.pi(), arb(2).log()
print("/// π/2.")
print(f"pub(super) const HALF_PI: Dd = {pair(pi / 2)};")
print("/// π/4.")
print(f"pub(super) const QUARTER_PI: Dd = {pair(pi / 4)};")
print("/// 3π/4.")
print(f"pub(super) const THREE_QUARTER_PI: Dd = {pair(3 * pi / 4)};")
head = Fraction(int(exact(ln2) * 2**40), 2**40)
rest = exact(ln2) - head
hi = float(rest)
print("/// The first 40 bits of ln 2: its product with an exponent is exact.")
print(f"pub(super) const LN_2_HEAD: f64 = {text(float(head))};")
print("/// ln 2 − `LN_2_HEAD`.")
print(f"pub(super) const LN_2_REST: Dd = Dd {{ hi: {text(hi)}, lo: {text(float(rest - Fraction(hi)))} }};")
print()
factorials, f = [], 1
for n in range(18):
    f *= max(n, 1)
    factorials.append(q(1, f))
table("INVERSE_FACTORIAL", "1/n! for n = 0, 1, 2, …", factorials)
table("INVERSE_ODD", "1/(2n + 1) for n = 0, 1, 2, …", [q(1, 2 * n + 1) for n in range(12)])
table("SIN", "sin(k/16) for k = 0, 1, 2, …", [q(k, 16).sin() for k in range(14)])
table("COS", "cos(k/16) for k = 0, 1, 2, …", [q(k, 16).cos() for k in range(14)])
table("EXP", "exp(k/16) for k = −6, −5, …, 6.", [q(k, 16).exp() for k in range(-6, 7)])
table("ATAN", "arctan(k/16) for k = 0, 1, 2, …, 16.", [q(k, 16).atan() for k in range(17)])
print("/// 32/k to nine bits, for k = 23, 24, …, 45: the factors that bring k/32 near 1.")
cs = [reciprocal(k) for k in range(23, 46)]
print(f"pub(super) const RECIPROCAL: [f64; {len(cs)}] = [")
for c in cs:
    print(f"    {text(float(c))},")
print("];\n")
table("MINUS_LN", "−ln of `RECIPROCAL`.", [-q(c.numerator, c.denominator).log() for c in cs])
limbs = 22
bits = int(exact(2 / pi) * 2 ** (64 * limbs))
print("/// The bits of 2/π = 0.b₁b₂b₃…, 64 a word.")
print(f"pub(super) const TWO_OVER_PI: [u64; {limbs}] = [")
for k in range(limbs):
    w = (bits >> (64 * (limbs - 1 - k))) & (2**64 - 1)
    print("    0x%s," % "_".join(f"{w:016x}"[i : i + 4] for i in range(0, 16, 4)))
print("];\n")
w = int(exact(pi / 2) * 2**127)
print("/// The first 128 bits of π/2: π/2 · 2¹²⁷.")
print("pub(super) const HALF_PI_BITS: u128 = 0x%s;" % "_".join(f"{w:032x}"[i : i + 4] for i in range(0, 32, 4)))

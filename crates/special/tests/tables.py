"""Prints src/wide/constants.rs: π, ln 2 and γ to 1280 bits, from python-flint.

    python crates/special/tests/tables.py > crates/special/src/wide/constants.rs
"""

from flint import arb, ctx

ctx.prec = 1500
LIMBS = 20


def limbs(x, exponent):
    """x / 2^exponent in [1/2, 1), cut after LIMBS words."""
    man, exp = x.mid().man_exp()
    n = int(man) << 4000
    n >>= 4000 - int(exp) + exponent - 64 * LIMBS
    words = [(n >> (64 * (LIMBS - 1 - k))) & (2**64 - 1) for k in range(LIMBS)]
    assert words[0] >> 63 == 1
    return words


print("//! Constants to 1280 bits, most significant word first; printed by `tests/tables.py`.\n")
for name, text, x, exponent in [("PI", "π/4", arb.pi(), 2), ("LN_2", "ln 2", arb(2).log(), 0), ("EULER", "Euler's constant", arb.const_euler(), 0)]:
    print(f"/// {text}.")
    print(f"pub(super) const {name}: [u64; {LIMBS}] = [")
    for w in limbs(x, exponent):
        print(f"    0x{w:016x},")
    print("];")

"""The derivations of `cargo bench -p polhode --bench derive` in SymPy, for comparison.

Prints one line per task. The disk is solved the way a user of SymPy would do it: the 5x5 system of
Lagrange-d'Alembert equations by LUsolve, then simplify on the three accelerations. The bicycle is SymPy's own
benchmark model, derived with Kane's method and linearised, when the installed SymPy ships it.
"""

import time

import sympy
from sympy import Matrix, cos, simplify, sin, symbols


def report(what, seconds, note=""):
    print(f"{what:<58} {seconds * 1e3:>9.2f} ms {note}", flush=True)


def disk():
    M, r, g, I1, I3, th, ph, a, b, v0 = symbols("M r g I1 I3 theta phi a b v0")
    s, c, sp, cp = sin(th), cos(th), sin(ph), cos(ph)
    J3, J1 = I3 + M * r**2, I1 + M * r**2
    A = Matrix(
        [
            [0, J3 * c, I3, -M * r * cp, -M * r * sp],
            [0, -(I1 * s**2 + J3 * c**2), -I3 * c, M * r * c * cp, M * r * c * sp],
            [-J1, 0, 0, -M * r * s * sp, M * r * s * cp],
            [0, 0, r * cp, 1, 0],
            [0, 0, r * sp, 0, 1],
        ]
    )
    rhs = Matrix(
        [
            (I3 + 2 * M * r**2) * a * b * s,
            2 * (I1 - J3) * a * b * s * c - I3 * a * v0 * s,
            (J3 - I1) * b**2 * s * c + I3 * b * v0 * s + M * g * r * c,
            v0 * b * r * sp,
            -v0 * b * r * cp,
        ]
    )
    start = time.perf_counter()
    solved = A.LUsolve(rhs)
    report("disk: 5x5 system by LUsolve", time.perf_counter() - start, f"{sum(e.count_ops() for e in solved)} operations")
    start = time.perf_counter()
    short = [simplify(e) for e in solved[:3]]
    report("disk: simplify of three accelerations", time.perf_counter() - start, f"{[e.count_ops() for e in short]} operations")


def bicycle():
    try:
        from sympy.physics.mechanics.tests.test_kane3 import test_bicycle
    except ImportError:
        print("SKIPPED: this SymPy has no bicycle among its tests")
        return
    start = time.perf_counter()
    test_bicycle()
    report("bicycle: SymPy's own, derived and linearised (Kane)", time.perf_counter() - start)


if __name__ == "__main__":
    print(f"SymPy {sympy.__version__}")
    disk()
    bicycle()

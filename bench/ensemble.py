"""Many motions of the rolling disk in heyoka and in other programs, at equal median error.

Usage: ensemble.py [--motions N] [--rounds N] [--goals E,E] COMMAND...

Each COMMAND is a program as bench/README.md describes it; there are the equations and the initial values too. Errors
are against heyoka in long doubles. For every goal, the tolerance is the loosest of a grid of eighths of decades that
meets it; then everybody is timed in turn, round after round, and the least time counts. Compiling is not counted.
"""

import argparse
import json
import os
import shlex
import subprocess
import tempfile
import time

import heyoka
import numpy

END = 10.0
# About what a local tolerance of 1e-10 gives, and near to what doubles allow. The error of heyoka falls by jumps, with
# its order: these goals are just above two of its errors, so that it wastes nothing.
GOALS = "2e-9,6e-13"
GRID = [10 ** (-k / 8) for k in range(56, 145)]
LONG = numpy.longdouble
# motions that heyoka is timed with at a time: about as long as a whole run of the program written by hand
PART = 256


def starts(motions):
    """The rule of bench/README.md; every number is rounded once."""
    i = numpy.arange(1, motions + 1, dtype=numpy.uint64)
    roots = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A)
    u = [(i * numpy.uint64(m) % numpy.uint64(2**32)).astype(float) / 2**32 - 0.5 for m in roots]
    y = numpy.zeros((motions, 8))
    y[:, 0] = (5 + 2 * u[0]) / 5
    y[:, 5] = (1 + u[1]) / 5
    y[:, 6] = 1.5 + u[2]
    y[:, 7] = 2.5 + u[3]
    return y


def system(number):
    """The equations, with constants of the given type."""
    theta, phi, psi, x, y, a, b, c = heyoka.make_vars("theta", "phi", "psi", "x", "y", "a", "b", "c")
    s, k = heyoka.sin(theta), heyoka.cos(theta)
    phi_2 = number(2) * a * c / s
    return [
        (theta, a),
        (phi, b),
        (psi, c),
        (x, -c * heyoka.cos(phi)),
        (y, -c * heyoka.sin(phi)),
        (a, -(number(981) / number(125)) * k - b * s * (number(6) / number(5) * c + b * k)),
        (b, phi_2),
        (c, number(5) / number(3) * a * (b * s) - phi_2 * k),
    ]


def reference(begin):
    """The final states; between tolerances 1e-18 and 1e-19 their median changes by 1.3e-16."""
    taylor = heyoka.taylor_adaptive(system(LONG), begin[0].astype(LONG), fp_type=LONG, tol=LONG("1e-19"))
    final = numpy.empty(begin.shape, LONG)
    for k, y in enumerate(begin):
        taylor.time = LONG(0)
        taylor.state[:] = y
        taylor.propagate_until(LONG(END))
        final[k] = taylor.state
    return final


class Heyoka:
    """heyoka with one motion at a time (width 1) or a batch; one integrator is made per tolerance and used again."""

    def __init__(self, width, fast_math, begin):
        how = "one by one" if width == 1 else f"batches of {width}"
        self.name = f"heyoka {heyoka.__version__}, {how}" + (", fast_math" if fast_math else "")
        self.kind = "heyoka" if width == 1 else "heyoka batch"
        self.width, self.begin, self.threads = width, begin, (1,)
        self.made, self.least = {}, {}
        self.options = {"fast_math": fast_math, "force_avx512": True}
        # the last batch is filled up with the first motions
        rows = numpy.resize(numpy.arange(len(begin)), -(-len(begin) // width) * width).reshape(-1, width)
        self.groups = [numpy.ascontiguousarray(begin[r].T) for r in rows]

    def integrator(self, tolerance):
        if tolerance not in self.made:
            make = heyoka.taylor_adaptive if self.width == 1 else heyoka.taylor_adaptive_batch
            state = self.groups[0][:, 0] if self.width == 1 else self.groups[0]
            self.made[tolerance] = make(system(float), state, tol=tolerance, **self.options)
        return self.made[tolerance]

    def run(self, tolerance, threads, repetitions):
        """The time is the sum over parts of the least time of each, as a noisy machine is seldom quiet for long."""
        taylor = self.integrator(tolerance)
        groups = [g[:, 0] for g in self.groups] if self.width == 1 else self.groups
        final = numpy.empty((len(groups), *self.groups[0].shape))
        parts = range(0, len(groups), PART // self.width)
        least = self.least.setdefault(tolerance, dict.fromkeys(parts, float("inf")))
        for _ in range(repetitions):
            for part in parts:
                clock = time.thread_time()
                for k, group in enumerate(groups[part : part + PART // self.width], part):
                    if self.width == 1:
                        taylor.time = 0.0
                    else:
                        taylor.set_time(0.0)
                    taylor.state[:] = group
                    taylor.propagate_until(END)
                    final[k] = taylor.state.reshape(final[k].shape)
                least[part] = min(least[part], time.thread_time() - clock)
        states = final.transpose(0, 2, 1).reshape(-1, 8)[: len(self.begin)]
        return {"us_per_motion": sum(least.values()) * 1e6 / len(self.begin)}, states


class Program:
    """A program with the arguments and the output of bench/README.md."""

    def __init__(self, command, motions):
        self.command, self.motions, self.name = shlex.split(command), motions, command
        self.threads = (1, 2) if len(os.sched_getaffinity(0)) > 1 else (1,)

    @property
    def kind(self):
        return "by hand" if "by hand" in self.name else "program"

    def run(self, tolerance, threads, repetitions):
        with tempfile.NamedTemporaryFile(suffix=".states") as file:
            words = (self.motions, END, f"{tolerance:.17g}", threads, repetitions, file.name)
            done = subprocess.run([*self.command, *map(str, words)], stdout=subprocess.PIPE, text=True, check=True)
            answer = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
            self.name = answer["name"]
            return answer, numpy.fromfile(file.name).reshape(-1, 8)


def contest(entrants, begin, goals, rounds):
    """For every goal its rows, found by search and filled with times."""
    exact = reference(begin)

    def median_error(states):
        return float(numpy.median(abs(states - exact).max(axis=1)))

    def search(entrant, goal, first):
        for tolerance in GRID[first:]:
            error = median_error(entrant.run(tolerance, 1, 1)[1])
            if error <= goal:
                return tolerance, error
        return None

    tables = [[] for _ in goals]
    shared = {}
    for entrant in entrants:
        first = 0
        for table, goal in zip(tables, goals):
            # width and fast_math change the error of heyoka by roundoff only: one search for all of them
            key = (heyoka if isinstance(entrant, Heyoka) else entrant, goal)
            if key not in shared:
                shared[key] = search(entrant, goal, first)
            if shared[key] is None:
                print(f"{entrant.name}: no tolerance of the grid gives a median error of {goal:g}")
                break
            first = GRID.index(shared[key][0])
            table.append({"entrant": entrant, "tolerance": shared[key][0], "cpu": {}, "wall": {}})
    for _ in range(rounds):
        for row in (r for table in tables for r in table):
            for threads in row["entrant"].threads:
                repetitions = 4 if isinstance(row["entrant"], Heyoka) else 10
                answer, states = row["entrant"].run(row["tolerance"], threads, repetitions)
                for key, name in (("cpu", "us_per_motion"), ("wall", "wall_us_per_motion")):
                    if name in answer:
                        row[key][threads] = min(row[key].get(threads, float("inf")), answer[name])
                row["error"] = median_error(states)
    return tables


def show(goal, rows):
    best = [
        min((r["cpu"][1] for r in rows if r["entrant"].kind == kind), default=None)
        for kind in ("heyoka batch", "by hand")
    ]
    print(f"\nT = {END:g}, median error at most {goal:g}\n")
    ratios = ("of heyoka's batches", "of C by hand")
    cells = [("", "tolerance", "median error", "CPU, µs per motion", *ratios, "two cores: by CPU, by the clock")]
    for r in sorted(rows, key=lambda r: r["cpu"][1]):
        ratios = [f"{r['cpu'][1] / b:.2f}" if b else "" for b in best]
        cpu, wall = r["cpu"], r["wall"]
        gain = f"{2 * cpu[1] / cpu[2]:.2f}, {wall[1] / wall[2]:.2f}" if len(cpu) > 1 and len(wall) > 1 else ""
        reached = (f"{r['tolerance']:.1e}", f"{r['error']:.1e}", f"{cpu[1]:.1f}")
        cells.append((r["entrant"].name, *reached, *ratios, gain))
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    for i, row in enumerate(cells):
        pad = (c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths)))
        print("| " + " | ".join(pad) + " |")
        if i == 0:
            print("| " + " | ".join("-" * (w - 1) + ("-" if k == 0 else ":") for k, w in enumerate(widths)) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--motions", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--goals", default=GOALS)
    parser.add_argument("commands", nargs="*")
    given = parser.parse_args()
    heyoka.llvm_state.set_diskcache_enabled(False)
    begin = starts(given.motions)
    entrants = [Heyoka(width, fast, begin) for width in (4, 8, 1) for fast in (True, False)]
    entrants += [Program(command, given.motions) for command in given.commands]
    goals = [float(goal) for goal in given.goals.split(",")]
    for goal, rows in zip(goals, contest(entrants, begin, goals, given.rounds)):
        show(goal, rows)


main()

"""Answers questions about polynomials with FLINT, for tests/flint_oracle.rs.

Each line of input is a question, each line of output its answer:

    gcd <poly> <poly>   ->  <poly>, leading coefficient positive
    factor <poly>       ->  <content>|<poly>^<multiplicity>|...

A polynomial is written c:e0,e1,...;c:e0,e1,... with one entry per term and an
exponent for each variable. "0" is the zero polynomial.
"""

import sys

from flint import Ordering, fmpz_mpoly_ctx

CONTEXTS = {}


def context(nvars):
    if nvars not in CONTEXTS:
        names = tuple(f"x{i}" for i in range(nvars))
        CONTEXTS[nvars] = fmpz_mpoly_ctx.get(names, Ordering.lex)
    return CONTEXTS[nvars]


def read(text, nvars):
    terms = {}
    if text != "0":
        for term in text.split(";"):
            coefficient, exponents = term.split(":")
            terms[tuple(map(int, exponents.split(",")))] = int(coefficient)
    return context(nvars).from_dict(terms)


def write(poly):
    terms = [f"{c}:{','.join(map(str, e))}" for e, c in poly.to_dict().items()]
    return ";".join(terms) or "0"


def positive(poly):
    return -poly if poly.leading_coefficient() < 0 else poly


def answer(line):
    question, nvars, *polys = line.split()
    polys = [read(text, int(nvars)) for text in polys]
    if question == "gcd":
        return write(positive(polys[0].gcd(polys[1])))
    content, factors = polys[0].factor()
    parts = [f"{write(positive(f))}^{n}" for f, n in factors]
    return "|".join([str(content), *parts])


for line in sys.stdin:
    print(answer(line), flush=True)

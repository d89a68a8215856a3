#!/usr/bin/env python3
"""Fills in the results of golden value files: scripts/golden.py tests/data/golden/*.txt

A file has comment lines, one of them "# formula: EXPRESSION" in Python with the functions of MPFR
(exp, tanh, erf, erfc, sqrt, const_pi, is_nan ...), the operands x and y, and the attributes p0 p1
p2 p3, whose values stand in "# attributes: V0 V1 ..." where the op has some. Each other line is one
case: the operands as C's %a prints floats, then the result as a float and in decimal; those two are
what this script writes, whatever stood there. A case may be given by its operands alone.

At an infinite x where the formula itself gives NaN, the limit is meant: the formula at +-2^200.
Needs python3-gmpy2 (MPFR). Owner: whoever adds an op.
"""
import re
import sys

import gmpy2
from gmpy2 import mpfr

BITS = 2000  # 1 + tanh(u) of a textbook formula cancels up to about 400 bits
F32 = gmpy2.context(precision=24, emax=128, emin=-148, subnormalize=True)
FUNCTIONS = {name: getattr(gmpy2, name) for name in dir(gmpy2) if not name.startswith('_')}


def parse(text):
    """C's %a, inf, nan."""
    if 'x' not in text:
        return mpfr(text)
    sign, digits, point, exponent = re.fullmatch(
        r'([-+]?)0x([0-9a-f]+)\.?([0-9a-f]*)p([-+]?\d+)', text).groups()
    value = mpfr(int(digits + point, 16)) * mpfr(2)**(int(exponent) - 4 * len(point))
    return -value if sign == '-' else value


def rounded(value):
    with gmpy2.local_context(F32):
        return mpfr(value)


def hexadecimal(value):
    """As C's %a prints a float."""
    return (float(value).hex().replace('infinity', 'inf') if not gmpy2.is_finite(value) else
            re.sub(r'\.?0*p', 'p', float(value).hex()))


def decimal(value):
    if not gmpy2.is_finite(value) or value == 0:
        return hexadecimal(value) if value != 0 else ('-0' if gmpy2.is_signed(value) else '0')
    return '{0:.20e}'.format(value)


def result(formula, names, operands):
    def at(x):
        return mpfr(eval(formula, FUNCTIONS, dict(names, x=x, y=operands[-1])))  # our own files
    value = at(operands[0])
    if gmpy2.is_nan(value) and gmpy2.is_infinite(operands[0]) and len(operands) == 1:
        value = at(gmpy2.copy_sign(mpfr(2)**200, operands[0]))
    return value


def header(lines, key):
    return next((line.split(':', 1)[1].strip() for line in lines if line.startswith(f'# {key}:')),
                '')


def fill(path):
    lines = open(path).read().splitlines()
    formula = header(lines, 'formula')
    operand_count = 2 if re.search(r'\by\b', formula) else 1
    names = {f'p{i}': rounded(text) for i, text in enumerate(header(lines, 'attributes').split())}
    rows = []
    for line in lines:
        if line.startswith('#') or not line:
            rows.append(line)
            continue
        operands = [parse(text) for text in line.split()[:operand_count]]
        value = result(formula, names, operands)
        rows.append(' '.join([f'{hexadecimal(v):<17}' for v in operands + [rounded(value)]] +
                             [decimal(value)]))
    with open(path, 'w') as file:
        file.write('\n'.join(rows) + '\n')


if __name__ == '__main__':
    gmpy2.set_context(gmpy2.context(precision=BITS))
    for name in sys.argv[1:]:
        fill(name)

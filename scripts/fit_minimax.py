"""Minimax fits with coefficients that are floats: the tool behind scripts/fit_portable.py.

A fit is linear: weight(x) * (sum of c[j] * basis[j](x) - f(x)) is made as flat as possible on
[low, high] by Remez' exchange in multiple precision; then the coefficients are rounded to float one
by one, in the given order, and the rest fitted again so that each absorbs the rounding before it.
"""
import numpy
from mpmath import mp, mpf, matrix, lu_solve

mp.dps = 60


def to_float(value):
    return mpf(float(numpy.float32(str(mp.nstr(value, 30)))))


def nodes(low, high, count):
    """Chebyshev points, ends included."""
    middle, half = (low + high) / 2, (high - low) / 2
    return [middle - half * mp.cos(mp.pi * i / (count - 1)) for i in range(count)]


def exchange(basis, target, weight, low, high, points=800, rounds=12):
    """Coefficients and the largest weighted error."""
    n = len(basis)
    grid = nodes(mpf(low), mpf(high), points)
    rows = [[b(x) for b in basis] for x in grid]
    f = [target(x) for x in grid]
    w = [weight(x) for x in grid]
    picked = [round(i * (points - 1) / n) for i in range(n + 1)]
    for _ in range(rounds):
        a, rhs = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, p in enumerate(picked):
            for j in range(n):
                a[i, j] = rows[p][j]
            a[i, n] = (-1) ** i / w[p]
            rhs[i] = f[p]
        solved = lu_solve(a, rhs)
        c = [solved[j] for j in range(n)]
        level = abs(solved[n])
        error = [w[p] * (sum(c[j] * rows[p][j] for j in range(n)) - f[p]) for p in range(points)]
        peaks = []  # the largest of each run of one sign
        for p in range(points):
            if peaks and (error[p] > 0) == (error[peaks[-1]] > 0):
                if abs(error[p]) > abs(error[peaks[-1]]):
                    peaks[-1] = p
            else:
                peaks.append(p)
        while len(peaks) > n + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        worst = max(abs(e) for e in error)
        if len(peaks) < n + 1:
            return c, worst
        picked = peaks
        if worst < level * mpf('1.001'):
            break
    return c, worst


def fit(basis, target, weight, low, high, order=None, **options):
    """Float coefficients and the largest weighted error; order: which to round first."""
    n = len(basis)
    known = {}
    for j in order or range(n):
        free = [i for i in range(n) if i not in known]
        rest = lambda x: target(x) - sum(known[i] * basis[i](x) for i in known)
        c, worst = exchange([basis[i] for i in free], rest, weight, low, high, **options)
        if len(free) == n:
            ideal = worst
        known[j] = to_float(c[free.index(j)])
    grid = nodes(mpf(low), mpf(high), 1500)
    worst = max(abs(weight(x) * (sum(known[i] * basis[i](x) for i in known) - target(x)))
                for x in grid)
    return [known[i] for i in range(n)], worst, ideal


def powers(*exponents):
    return [lambda x, e=e: x ** e for e in exponents]


def show(name, c, worst, ideal):
    print(f'{name}: error 2^{float(mp.log(worst, 2)):.2f}, before rounding '
          f'2^{float(mp.log(ideal, 2)):.2f}')
    for value in c:
        print(f'    {float(value).hex()}  {mp.nstr(value, 10)}')

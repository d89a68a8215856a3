"""Finds the coefficients of cl/portable.h and prints them with the error of each fit.

Needs python3-mpmath and python3-numpy; ten seconds. Owner: whoever changes cl/portable.h, which
takes its coefficients from here (docs/math.md says what each form is for).
"""
from mpmath import mp, mpf

from fit_minimax import exchange, fit, powers, show, to_float

mp.dps = 40


def memo(function):
    known = {}
    return lambda x: known[x] if x in known else known.setdefault(x, function(x))


def expm1():
    """portable_expm1_curve: e^r - 1 - r = r^2 p(r). The weight asks for more precision near zero,
    where tanh and erf need a small relative error."""
    half = mp.log(2) / 2 * mpf('1.0001')
    show('expm1', *fit(powers(2, 3, 4, 5, 6), lambda r: mp.expm1(r) - r,
                       lambda r: 1 / (abs(r) + mpf('0.1')), -half, half))


def erf_slope():
    """portable_erf_slope: w in erf(a) = 1 - e^(-a - a w(a)). The weight turns an error of w into
    one of erf."""
    def w(a):
        return -mp.log(mp.erfc(a)) / a - 1 if a > 0 else 2 / mp.sqrt(mp.pi) - 1

    def weight(a):
        return a / mp.expm1(a + a * w(a)) if a > 0 else mp.sqrt(mp.pi) / 2

    show('erf slope', *fit(powers(*range(9)), w, weight, 0, mpf('3.95'), points=300))


def quotient(name, goal, scale, first, numerator, denominator, low, high):
    """goal(a) = N/(scale a N + P): an error of N counts only as far as P matters. P starts with 1,
    N with first, or is free there when first is None. Linear in the coefficients once multiplied
    by the divisor; the weight, a relative error over the divisor, is improved in each round."""
    lowest = 0 if first is None else 1
    known = lambda a: 0 if first is None else first
    basis = ([lambda a, i=i: a**i * (1 - goal(a) * scale * a)
              for i in range(lowest, numerator + 1)] +
             [lambda a, j=j: -goal(a) * a**j for j in range(1, denominator + 1)])
    target = lambda a: goal(a) - known(a) * (1 - goal(a) * scale * a)
    divisor = lambda a: (1 + a)**numerator
    for _ in range(8):
        weight = lambda a, divisor=divisor: 1 / (goal(a) * divisor(a))
        c, _ = exchange(basis, target, weight, low, high, points=260)
        n = ([] if first is None else [first]) + c[:numerator + 1 - lowest]
        p = [1] + c[numerator + 1 - lowest:]
        divisor = lambda a, n=n, p=p: (scale * a * sum(v * a**i for i, v in enumerate(n)) +
                                       sum(v * a**i for i, v in enumerate(p)))
    show(name, *fit(basis, target, weight, low, high, points=260))


def gelu():
    """portable_gelu: Phi(-a) e^(a*a/2), N = 1/2 + a q, the scale a float."""
    goal = memo(lambda a: mp.exp(a * a / 2) * mp.erfc(a / mp.sqrt(2)) / 2)
    scale = to_float(mp.sqrt(2 * mp.pi))
    print('gelu: scale', float(scale).hex())
    quotient('gelu q, then p', goal, scale, mpf('0.5'), 4, 3, mpf('0.01'), mpf('14.3'))


def erfc():
    """portable_erfc, a >= 1: e^(a*a) erfc(a) / c, c a float by which the caller multiplies."""
    c = to_float(1 / mp.sqrt(mp.pi))
    goal = memo(lambda a: mp.exp(a * a) * mp.erfc(a) / c)
    print('erfc: c', float(c).hex())
    quotient('erfc q, then p', goal, 1, None, 4, 3, mpf('0.9'), mpf('10.1'))


if __name__ == '__main__':
    expm1()
    erf_slope()
    gelu()
    erfc()

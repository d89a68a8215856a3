"""Finds the coefficients of cl/portable.h and prints them with the error of each fit.

Needs python3-mpmath and python3-numpy; a few minutes. Owner: whoever changes cl/portable.h, which
takes its coefficients from here (docs/math.md says what each form is for).
"""
from mpmath import mp, mpf

from fit_minimax import exchange, fit, powers, show, to_float

mp.dps = 40


def expm1():
    """e^r - 1 = r + r^2 p(r); the weight asks for more precision near zero, where tanh and erf
    need a small relative error."""
    half = mp.log(2) / 2 * mpf('1.0001')
    show('expm1', *fit(powers(2, 3, 4, 5, 6), lambda r: mp.expm1(r) - r,
                       lambda r: 1 / (abs(r) + mpf('0.1')), -half, half))


def erf():
    """erf(a) = 1 - e^(-a - a w(a)); the weight turns an error of w into one of erf."""
    def w(a):
        return -mp.log(mp.erfc(a)) / a - 1 if a > 0 else 2 / mp.sqrt(mp.pi) - 1

    def weight(a):
        return a / mp.expm1(a + a * w(a)) if a > 0 else mp.sqrt(mp.pi) / 2

    show('erf', *fit(powers(*range(9)), w, weight, 0, mpf('3.95'), points=300))


def quotient(name, scaled, high, numerator, denominator):
    """scaled(a) = N/(a N + P): the error of N is damped where a N is large. p[0] is 1; n and p in
    the order of powers. The weight is that of a relative error, improved in each round."""
    basis = ([lambda a, i=i: a**i * (1 - scaled(a) * a) for i in range(numerator + 1)] +
             [lambda a, j=j: -scaled(a) * a**j for j in range(1, denominator + 1)])
    divisor = [lambda a: (1 + a)**numerator]
    for _ in range(8):
        c, _ = exchange(basis, scaled, lambda a: 1 / (scaled(a) * divisor[-1](a)), 0, high,
                        points=260)
        divisor.append(lambda a, c=c: a * sum(c[i] * a**i for i in range(numerator + 1)) + 1 +
                       sum(c[numerator + j] * a**j for j in range(1, denominator + 1)))
    show(name, *fit(basis, scaled, lambda a: 1 / (scaled(a) * divisor[-1](a)), 0, high, points=260))


def memo(function):
    known = {}
    return lambda x: known[x] if x in known else known.setdefault(x, function(x))


def gelu(numerator=4, denominator=3):
    """Phi(-a) e^(a*a/2) / c with c a float near 1/sqrt(2 pi), by which the caller multiplies."""
    c = to_float(1 / mp.sqrt(2 * mp.pi))
    scaled = memo(lambda a: mp.exp(a * a / 2) * mp.erfc(a / mp.sqrt(2)) / 2 / c)
    print('gelu: c =', float(c).hex())
    quotient('gelu', scaled, mpf('14.3'), numerator, denominator)


def erfc(numerator=5, denominator=4):
    """e^(a*a) erfc(a) / c with c a float near 1/sqrt(pi)."""
    c = to_float(1 / mp.sqrt(mp.pi))
    scaled = memo(lambda a: mp.exp(a * a) * mp.erfc(a) / c)
    print('erfc: c =', float(c).hex())
    quotient('erfc', scaled, mpf('10.1'), numerator, denominator)


if __name__ == '__main__':
    expm1()
    erf()
    gelu()
    erfc()

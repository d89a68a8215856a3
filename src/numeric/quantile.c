/* Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied Statistics
   37 (1988), PPND16: rational functions. libm's log is not the same on every machine, so the one
   the tails need is made here, from + - * / as everything else. */
#include "numeric/quantile.h"

#include <math.h>

enum { DEGREE = 7 };

typedef struct rational {
    double above[DEGREE + 1], below[DEGREE + 1]; /* coefficients, constant term first */
} rational;

/* |p - 0.5| <= 0.425, in 0.425^2 - (p - 0.5)^2 */
static const rational centre = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3},
};

/* r = sqrt(-log(min(p, 1-p))) <= 5, in r - 1.6 */
static const rational tail = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9},
};

/* beyond, in r - 5 */
static const rational far_tail = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15},
};

static double rational_at(const rational *f, double x)
{
    double above = f->above[DEGREE], below = f->below[DEGREE];
    for (int i = DEGREE - 1; i >= 0; i--) {
        above = above * x + f->above[i];
        below = below * x + f->below[i];
    }
    return above / below;
}

/* log x = e log 2 + 2 artanh((m-1)/(m+1)) with x = m 2^e, m within a factor sqrt 2 of 1; the
   series' first dropped term is below 2^-57. */
static double portable_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2.0;
        exponent--;
    }
    const double s = (m - 1.0) / (m + 1.0);
    const double square = s * s;
    double sum = 0.0;
    for (int k = 21; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return exponent * 0x1.62e42fefa39efp-1 + 2.0 * s * sum;
}

double fsc__normal_quantile(double p)
{
    const double q = p - 0.5;
    if (fabs(q) <= 0.425)
        return q * rational_at(&centre, 0.180625 - q * q);
    const double r = sqrt(-portable_log(q < 0.0 ? p : 1.0 - p));
    const double x = r <= 5.0 ? rational_at(&tail, r - 1.6) : rational_at(&far_tail, r - 5.0);
    return q < 0.0 ? -x : x;
}

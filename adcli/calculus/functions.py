"""The table of functions: every function and operator that adcli knows, one row each.

To add one, add a row.  A rule is told the arithmetic `m`, the result `z` (partials only) and the arguments, and uses
`+ - * /` and `m.name(...)`, nothing else.  Formulas after the Digital Library of Mathematical Functions (DLMF) chapter 4
(elementary), 5 (gamma) and 7 (error function).
"""

from __future__ import annotations

from .primitive import (
    AND,
    ATOM,
    NOT,
    OR,
    POSTFIX,
    POWER,
    PRODUCT,
    RELATION,
    SUM,
    UNARY,
    Call,
    Check,
    Kink,
    Template,
    declare,
)

inf = float("inf")


def _infinite(holds, title, side=(None, inf)):  # type: ignore[no-untyped-def]
    """A place where the slope is infinite, with the sign that it has there."""
    return Kink(holds, title, sides=side, slope=lambda m, *_: side[1] if side[1] is not None else side[0])


# --- operators -------------------------------------------------------------------------------------------------------

declare(
    "add",
    value=lambda m, a, b: a + b,
    partials=(lambda m, z, a, b: 1, lambda m, z, a, b: 1),
    notation=Template("{0} + {1}", SUM, (SUM, PRODUCT), table_places=(SUM, SUM), turned="−"),
    folds=True,
    summary="sum",
)
declare(
    "sub",
    value=lambda m, a, b: a - b,
    partials=(lambda m, z, a, b: 1, lambda m, z, a, b: -1),
    notation=Template("{0} - {1}", SUM, (SUM, PRODUCT), table="{0} − {1}", turned="+"),
    folds=True,
    summary="difference",
)
declare(
    "mul",
    value=lambda m, a, b: a * b,
    partials=(lambda m, z, a, b: b, lambda m, z, a, b: a),
    notation=Template(
        "{0}*{1}", PRODUCT, (PRODUCT, UNARY), table="{0} × {1}", latex=r"{0} \cdot {1}",
        table_places=(PRODUCT, PRODUCT), brackets=(0, 1),
    ),
    folds=True,
    summary="product",
)
declare(
    "div",
    value=lambda m, a, b: m.div(a, b),
    partials=(lambda m, z, a, b: 1 / b, lambda m, z, a, b: -z / b),
    domain=Check(lambda m, a, b: b != 0, "division by zero", "{1} != 0", blame=1),
    sample=((-3.0, 3.0), (0.2, 3.0)),
    notation=Template("{0}/{1}", PRODUCT, (PRODUCT, UNARY), latex=r"\frac{{{0}}}{{{1}}}", latex_places=(OR, OR), brackets=(1,)),
    folds=True,
    summary="quotient",
)
declare(
    "neg",
    value=lambda m, a: -a,
    partials=(lambda m, z, a: -1,),
    notation=Template("-{0}", UNARY, (UNARY,), table="−{0}", table_places=(PRODUCT,), latex_places=(PRODUCT,), brackets=(0,)),
    folds=True,
    summary="change of sign",
)
declare(
    "pow",
    value=lambda m, a, b: m.pow(a, b),
    partials=(
        lambda m, z, a, b: m.guard(m.eq(b, 0), 0, b * m.pow(a, b - 1)),
        lambda m, z, a, b: m.guard(m.eq(z, 0), 0, z * m.log(a)),
    ),
    domain=(
        Check(lambda m, a, b: (a != 0) | (b >= 0), "division by zero", "{0} != 0"),
        Check(
            lambda m, a, b: (a >= 0) | (b == m.floor(b)),
            "a negative number has no real power that is not a whole number",
            "{0} > 0",
            advice="cbrt(x) and root(x, n) are the real roots",
        ),
    ),
    smooth=(
        _infinite(lambda m, a, b: (a != 0) | (b >= 1) | (b == 0), "a power below 1 is vertical at 0"),
        Kink(
            lambda m, a, b: (a > 0) | ((a == 0) & (b > 0)),
            "a power has no slope in its exponent unless the base is positive",
        ),
    ),
    sample=((0.1, 3.0), (-2.0, 3.0)),
    notation=Template("{0}^{1}", POWER, (POSTFIX, POWER), latex="{0}^{{{1}}}", latex_places=(POSTFIX, OR)),
    aliases=("power",),
    folds=True,
    summary="power; a negative base needs a whole exponent",
)
declare(
    "factorial",
    value=lambda m, x: m.gamma(x + 1),
    partials=(lambda m, z, x: z * m.polygamma(0, x + 1),),
    domain=Check(lambda m, x: (x > -1) | (x != m.floor(x)), "the factorial has poles at negative integers", "{0} > -1"),
    sample=(0.1, 5.0),
    notation=Template("{0}!", POSTFIX, (POSTFIX,)),
    aliases=("fact",),
    summary="factorial, gamma(x + 1)",
)
declare(
    "mod",
    value=lambda m, a, b: m.mod(a, b),
    partials=(lambda m, z, a, b: 1, lambda m, z, a, b: -m.floor(a / b)),
    domain=Check(lambda m, a, b: b != 0, "remainder of a division by zero", "{1} != 0", blame=1),
    smooth=Kink(lambda m, a, b: a != b * m.floor(a / b), "the remainder jumps where the division comes out even"),
    sample=((4.1, 4.9), (1.1, 1.3)),
    notation=Template("{0} % {1}", PRODUCT, (PRODUCT, UNARY), table="{0} mod {1}", latex=r"{0} \bmod {1}"),
    summary="remainder, with the sign of the divisor",
)

# --- powers, exponentials, logarithms --------------------------------------------------------------------------------

declare(
    "sqrt",
    value=lambda m, x: m.sqrt(x),
    partials=(lambda m, z, x: 1 / (2 * z),),
    domain=Check(lambda m, x: x >= 0, "sqrt needs an argument that is not negative", "{0} >= 0"),
    smooth=_infinite(lambda m, x: x != 0, "sqrt is vertical at 0"),
    sample=(0.1, 9.0),
    notation=Call(latex=r"\sqrt{{{0}}}"),
    summary="square root",
)
declare(
    "cbrt",
    value=lambda m, x: m.cbrt(x),
    partials=(lambda m, z, x: 1 / (3 * z * z),),
    smooth=_infinite(lambda m, x: x != 0, "cbrt is vertical at 0", side=(inf, inf)),
    sample=(0.1, 9.0),
    notation=Call(latex=r"\sqrt[3]{{{0}}}"),
    summary="cube root, of negative numbers too",
)
declare(
    "root",
    value=lambda m, x, n: m.sign(x) * m.pow(m.abs(x), m.div(1, n)),
    partials=(
        lambda m, z, x, n: z / (n * x),
        lambda m, z, x, n: m.guard(m.eq(z, 0), 0, -z * m.log(x) / (n * n)),
    ),
    domain=(
        Check(lambda m, x, n: n != 0, "there is no root of degree 0", "{1} != 0", blame=1),
        Check(lambda m, x, n: (x != 0) | (n > 0), "division by zero", "{0} != 0"),
        Check(
            lambda m, x, n: (x >= 0) | (n - 2 * m.floor(n / 2) == 1), "a negative number has no real even root", "{0} >= 0"
        ),
    ),
    smooth=(
        _infinite(lambda m, x, n: x != 0, "a root is vertical at 0"),
        Kink(lambda m, x, n: x > 0, "a root has no slope in its degree unless the radicand is positive"),
    ),
    sample=((0.2, 9.0), (1.5, 5.0)),
    notation=Call(latex=r"\sqrt[{1}]{{{0}}}"),
    summary="n-th root; odd roots of negative numbers are real",
)
declare(
    "exp",
    value=lambda m, x: m.exp(x),
    partials=(lambda m, z, x: z,),
    sample=(-3.0, 3.0),
    notation=Call(r"\exp"),
    inverse="log",
    summary="exponential function",
)
declare(
    "expm1",
    value=lambda m, x: m.expm1(x),
    partials=(lambda m, z, x: m.exp(x),),
    summary="exp(x) - 1 without cancellation",
)
declare(
    "log",
    value=lambda m, x: m.log(x),
    partials=(lambda m, z, x: 1 / x,),
    domain=Check(lambda m, x: x > 0, "log needs a positive argument", "{0} > 0"),
    sample=(0.05, 20.0),
    notation=Call(r"\log"),
    aliases=("ln",),
    inverse="exp",
    summary="natural logarithm; log(x, b) takes the base b",
)
declare(
    "log10",
    value=lambda m, x: m.log10(x),
    partials=(lambda m, z, x: 1 / (x * m.log(10)),),
    domain=Check(lambda m, x: x > 0, "log10 needs a positive argument", "{0} > 0"),
    sample=(0.05, 20.0),
    notation=Call(r"\log_{{10}}"),
    aliases=("lg",),
    summary="logarithm to base 10",
)
declare(
    "log2",
    value=lambda m, x: m.log2(x),
    partials=(lambda m, z, x: 1 / (x * m.log(2)),),
    domain=Check(lambda m, x: x > 0, "log2 needs a positive argument", "{0} > 0"),
    sample=(0.05, 20.0),
    notation=Call(r"\log_{{2}}"),
    aliases=("lb",),
    summary="logarithm to base 2",
)
declare(
    "logb",
    value=lambda m, x, b: m.div(m.log2(x), m.log2(b)),
    partials=(lambda m, z, x, b: 1 / (x * m.log(b)), lambda m, z, x, b: -z / (b * m.log(b))),
    domain=Check(
        lambda m, x, b: (x > 0) & (b > 0) & (b != 1),
        "a logarithm needs a positive argument and a positive base other than 1",
        "{0} > 0 and {1} > 0 and {1} != 1",
    ),
    sample=((0.05, 20.0), (1.5, 9.0)),
    notation=Call(latex=r"\log_{{{1}}} {0}"),
    summary="logarithm of x to base b",
)
declare(
    "log1p",
    value=lambda m, x: m.log1p(x),
    partials=(lambda m, z, x: 1 / (1 + x),),
    domain=Check(lambda m, x: x > -1, "log1p needs an argument above -1", "{0} > -1"),
    sample=(-0.9, 9.0),
    summary="log(1 + x) without cancellation",
)

# --- trigonometry ----------------------------------------------------------------------------------------------------

_finite = Check(lambda m, x: (x - x) == 0, "a trigonometric function needs a finite argument", "{0} finite")

declare(
    "sin",
    value=lambda m, x: m.sin(x),
    partials=(lambda m, z, x: m.cos(x),),
    domain=_finite,
    notation=Call(r"\sin"),
    inverse="asin",
    summary="sine (radians)",
)
declare(
    "cos",
    value=lambda m, x: m.cos(x),
    partials=(lambda m, z, x: -m.sin(x),),
    domain=_finite,
    notation=Call(r"\cos"),
    inverse="acos",
    summary="cosine (radians)",
)
declare(
    "tan",
    value=lambda m, x: m.tan(x),
    partials=(lambda m, z, x: 1 + z * z,),
    domain=_finite,
    sample=(-1.4, 1.4),
    notation=Call(r"\tan"),
    aliases=("tg",),
    inverse="atan",
    summary="tangent (radians)",
)
declare(
    "cot",
    value=lambda m, x: m.div(m.cos(x), m.sin(x)),
    partials=(lambda m, z, x: -(1 + z * z),),
    domain=Check(lambda m, x: m.sin(x) != 0, "cot has a pole here", "sin({0}) != 0"),
    sample=(0.2, 2.9),
    notation=Call(r"\cot"),
    aliases=("ctg", "cotan"),
    inverse="acot",
    summary="cotangent",
)
declare(
    "sec",
    value=lambda m, x: m.div(1, m.cos(x)),
    partials=(lambda m, z, x: z * m.tan(x),),
    domain=Check(lambda m, x: m.cos(x) != 0, "sec has a pole here", "cos({0}) != 0"),
    sample=(-1.4, 1.4),
    notation=Call(r"\sec"),
    inverse="asec",
    summary="secant, 1/cos(x)",
)
declare(
    "csc",
    value=lambda m, x: m.div(1, m.sin(x)),
    partials=(lambda m, z, x: -z / m.tan(x),),
    domain=Check(lambda m, x: m.sin(x) != 0, "csc has a pole here", "sin({0}) != 0"),
    sample=(0.2, 2.9),
    notation=Call(r"\csc"),
    aliases=("cosec",),
    inverse="acsc",
    summary="cosecant, 1/sin(x)",
)
declare(
    "asin",
    value=lambda m, x: m.asin(x),
    partials=(lambda m, z, x: 1 / m.sqrt((1 - x) * (1 + x)),),
    domain=Check(lambda m, x: (x >= -1) & (x <= 1), "asin needs an argument between -1 and 1", "-1 <= {0} <= 1"),
    smooth=_infinite(lambda m, x: (x > -1) & (x < 1), "asin is vertical at the ends of its domain"),
    sample=(-0.95, 0.95),
    notation=Call(r"\arcsin"),
    aliases=("arcsin",),
    inverse="sin",
    summary="inverse sine",
)
declare(
    "acos",
    value=lambda m, x: m.acos(x),
    partials=(lambda m, z, x: -1 / m.sqrt((1 - x) * (1 + x)),),
    domain=Check(lambda m, x: (x >= -1) & (x <= 1), "acos needs an argument between -1 and 1", "-1 <= {0} <= 1"),
    smooth=_infinite(lambda m, x: (x > -1) & (x < 1), "acos is vertical at the ends of its domain", side=(None, -inf)),
    sample=(-0.95, 0.95),
    notation=Call(r"\arccos"),
    aliases=("arccos",),
    inverse="cos",
    summary="inverse cosine",
)
declare(
    "atan",
    value=lambda m, x: m.atan(x),
    partials=(lambda m, z, x: 1 / (1 + x * x),),
    notation=Call(r"\arctan"),
    aliases=("arctan", "arctg"),
    inverse="tan",
    summary="inverse tangent",
)
declare(
    "acot",
    value=lambda m, x: m.guard(m.eq(x, 0), m.pi / 2, m.atan(m.div(1, x))),
    partials=(lambda m, z, x: -1 / (1 + x * x),),
    smooth=Kink(lambda m, x: x != 0, "acot jumps at 0"),
    sample=(0.1, 3.0),
    notation=Call(r"\operatorname{arccot}"),
    aliases=("arccot",),
    inverse="cot",
    summary="inverse cotangent, atan(1/x)",
)
declare(
    "asec",
    value=lambda m, x: m.acos(m.div(1, x)),
    partials=(lambda m, z, x: 1 / (m.abs(x) * m.sqrt((x - 1) * (x + 1))),),
    domain=Check(lambda m, x: (x <= -1) | (x >= 1), "asec needs an argument of size 1 or more", "abs({0}) >= 1"),
    smooth=_infinite(lambda m, x: (x < -1) | (x > 1), "asec is vertical at the ends of its domain"),
    sample=(1.1, 4.0),
    notation=Call(r"\operatorname{arcsec}"),
    aliases=("arcsec",),
    inverse="sec",
    summary="inverse secant",
)
declare(
    "acsc",
    value=lambda m, x: m.asin(m.div(1, x)),
    partials=(lambda m, z, x: -1 / (m.abs(x) * m.sqrt((x - 1) * (x + 1))),),
    domain=Check(lambda m, x: (x <= -1) | (x >= 1), "acsc needs an argument of size 1 or more", "abs({0}) >= 1"),
    smooth=_infinite(lambda m, x: (x < -1) | (x > 1), "acsc is vertical at the ends of its domain", side=(None, -inf)),
    sample=(1.1, 4.0),
    notation=Call(r"\operatorname{arccsc}"),
    aliases=("arccsc",),
    inverse="csc",
    summary="inverse cosecant",
)
declare(
    "atan2",
    value=lambda m, y, x: m.atan2(y, x),
    partials=(lambda m, z, y, x: x / (x * x + y * y), lambda m, z, y, x: -y / (x * x + y * y)),
    domain=Check(lambda m, y, x: (y != 0) | (x != 0), "the origin has no angle", "{0} != 0 or {1} != 0"),
    smooth=Kink(lambda m, y, x: (y != 0) | (x > 0), "atan2 jumps across the negative x axis"),
    sample=((0.2, 3.0), (-3.0, 3.0)),
    aliases=("arctan2",),
    summary="angle of the point (x, y), written atan2(y, x)",
)
declare(
    "hypot",
    value=lambda m, a, b: m.hypot(a, b),
    partials=(lambda m, z, a, b: a / z, lambda m, z, a, b: b / z),
    smooth=Kink(
        lambda m, a, b: (a != 0) | (b != 0), "hypot has a tip at the origin", sides=(-1, 1), slope=lambda m, a, b: 0
    ),
    sample=(0.2, 3.0),
    summary="sqrt(a^2 + b^2)",
)

# --- hyperbolic functions --------------------------------------------------------------------------------------------

declare(
    "sinh",
    value=lambda m, x: m.sinh(x),
    partials=(lambda m, z, x: m.cosh(x),),
    notation=Call(r"\sinh"),
    aliases=("sh",),
    inverse="asinh",
    summary="hyperbolic sine",
)
declare(
    "cosh",
    value=lambda m, x: m.cosh(x),
    partials=(lambda m, z, x: m.sinh(x),),
    notation=Call(r"\cosh"),
    aliases=("ch",),
    inverse="acosh",
    summary="hyperbolic cosine",
)
declare(
    "tanh",
    value=lambda m, x: m.tanh(x),
    partials=(lambda m, z, x: 1 / m.pow(m.cosh(x), 2),),
    notation=Call(r"\tanh"),
    aliases=("th",),
    inverse="atanh",
    summary="hyperbolic tangent",
)
declare(
    "coth",
    value=lambda m, x: m.div(1, m.tanh(x)),
    partials=(lambda m, z, x: -1 / m.pow(m.sinh(x), 2),),
    domain=Check(lambda m, x: x != 0, "coth has a pole at 0", "{0} != 0"),
    sample=(0.2, 3.0),
    notation=Call(r"\coth"),
    inverse="acoth",
    summary="hyperbolic cotangent",
)
declare(
    "sech",
    value=lambda m, x: m.div(1, m.cosh(x)),
    partials=(lambda m, z, x: -z * m.tanh(x),),
    notation=Call(r"\operatorname{sech}"),
    inverse="asech",
    summary="hyperbolic secant",
)
declare(
    "csch",
    value=lambda m, x: m.div(1, m.sinh(x)),
    partials=(lambda m, z, x: -z / m.tanh(x),),
    domain=Check(lambda m, x: x != 0, "csch has a pole at 0", "{0} != 0"),
    sample=(0.2, 3.0),
    notation=Call(r"\operatorname{csch}"),
    aliases=("cosech",),
    inverse="acsch",
    summary="hyperbolic cosecant",
)
declare(
    "asinh",
    value=lambda m, x: m.asinh(x),
    partials=(lambda m, z, x: 1 / m.hypot(x, 1),),
    notation=Call(r"\operatorname{arsinh}"),
    aliases=("arsinh", "arcsinh"),
    inverse="sinh",
    summary="inverse hyperbolic sine",
)
declare(
    "acosh",
    value=lambda m, x: m.acosh(x),
    partials=(lambda m, z, x: 1 / (m.sqrt(x - 1) * m.sqrt(x + 1)),),
    domain=Check(lambda m, x: x >= 1, "acosh needs an argument of 1 or more", "{0} >= 1"),
    smooth=_infinite(lambda m, x: x != 1, "acosh is vertical at 1"),
    sample=(1.1, 5.0),
    notation=Call(r"\operatorname{arcosh}"),
    aliases=("arcosh", "arccosh"),
    inverse="cosh",
    summary="inverse hyperbolic cosine",
)
declare(
    "atanh",
    value=lambda m, x: m.atanh(x),
    partials=(lambda m, z, x: 1 / ((1 - x) * (1 + x)),),
    domain=Check(lambda m, x: (x > -1) & (x < 1), "atanh needs an argument between -1 and 1", "-1 < {0} < 1"),
    sample=(-0.9, 0.9),
    notation=Call(r"\operatorname{artanh}"),
    aliases=("artanh", "arctanh"),
    inverse="tanh",
    summary="inverse hyperbolic tangent",
)
declare(
    "acoth",
    value=lambda m, x: m.atanh(m.div(1, x)),
    partials=(lambda m, z, x: 1 / ((1 - x) * (1 + x)),),
    domain=Check(lambda m, x: (x < -1) | (x > 1), "acoth needs an argument of size above 1", "abs({0}) > 1"),
    sample=(1.2, 5.0),
    notation=Call(r"\operatorname{arcoth}"),
    aliases=("arcoth", "arccoth"),
    inverse="coth",
    summary="inverse hyperbolic cotangent",
)
declare(
    "asech",
    value=lambda m, x: m.acosh(m.div(1, x)),
    partials=(lambda m, z, x: -1 / (x * m.sqrt((1 - x) * (1 + x))),),
    domain=Check(lambda m, x: (x > 0) & (x <= 1), "asech needs an argument between 0 and 1", "0 < {0} <= 1"),
    smooth=_infinite(lambda m, x: x != 1, "asech is vertical at 1", side=(-inf, None)),
    sample=(0.1, 0.9),
    notation=Call(r"\operatorname{arsech}"),
    aliases=("arsech", "arcsech"),
    inverse="sech",
    summary="inverse hyperbolic secant",
)
declare(
    "acsch",
    value=lambda m, x: m.asinh(m.div(1, x)),
    partials=(lambda m, z, x: -1 / (m.abs(x) * m.hypot(x, 1)),),
    domain=Check(lambda m, x: x != 0, "acsch has a pole at 0", "{0} != 0"),
    sample=(0.2, 3.0),
    notation=Call(r"\operatorname{arcsch}"),
    aliases=("arcsch", "arccsch"),
    inverse="csch",
    summary="inverse hyperbolic cosecant",
)

# --- special functions -----------------------------------------------------------------------------------------------

declare(
    "erf",
    value=lambda m, x: m.erf(x),
    partials=(lambda m, z, x: 2 / m.sqrt(m.pi) * m.exp(-x * x),),
    notation=Call(r"\operatorname{erf}"),
    summary="error function",
)
declare(
    "erfc",
    value=lambda m, x: m.erfc(x),
    partials=(lambda m, z, x: -2 / m.sqrt(m.pi) * m.exp(-x * x),),
    notation=Call(r"\operatorname{erfc}"),
    summary="1 - erf(x) without cancellation",
)
declare(
    "gamma",
    value=lambda m, x: m.gamma(x),
    partials=(lambda m, z, x: z * m.polygamma(0, x),),
    domain=Check(
        lambda m, x: (x > 0) | (x != m.floor(x)), "gamma has poles at 0 and at the negative integers", "{0} > 0"
    ),
    sample=(0.2, 5.0),
    notation=Call(r"\Gamma"),
    summary="gamma function",
)
declare(
    "lgamma",
    value=lambda m, x: m.lgamma(x),
    partials=(lambda m, z, x: m.polygamma(0, x),),
    domain=Check(
        lambda m, x: (x > 0) | (x != m.floor(x)), "lgamma has poles at 0 and at the negative integers", "{0} > 0"
    ),
    sample=(0.2, 9.0),
    aliases=("loggamma", "gammaln"),
    summary="logarithm of the size of gamma(x)",
)
declare(
    "digamma",
    value=lambda m, x: m.polygamma(0, x),
    partials=(lambda m, z, x: m.polygamma(1, x),),
    domain=Check(
        lambda m, x: (x > 0) | (x != m.floor(x)), "digamma has poles at 0 and at the negative integers", "{0} > 0"
    ),
    sample=(0.2, 9.0),
    notation=Call(r"\psi"),
    aliases=("psi",),
    summary="derivative of lgamma(x)",
)
declare(
    "polygamma",
    value=lambda m, n, x: m.polygamma(n, x),
    partials=(None, lambda m, z, n, x: m.polygamma(n + 1, x)),
    domain=Check(
        lambda m, n, x: (n >= 0) & (n == m.floor(n)) & ((x > 0) | (x != m.floor(x))),
        "polygamma needs a whole order and an argument that is no pole",
        "{1} > 0",
        blame=1,
    ),
    sample=((1.0, 1.0), (0.5, 9.0)),
    summary="n-th derivative of digamma, polygamma(n, x)",
)

# --- machine learning ------------------------------------------------------------------------------------------------

declare(
    "sigmoid",
    value=lambda m, x: m.choose(m.ge(x, 0), 1, m.exp(-m.abs(x))) / (1 + m.exp(-m.abs(x))),
    partials=(lambda m, z, x: z * m.sigmoid(-x),),
    notation=Call(r"\sigma"),
    aliases=("logistic", "expit"),
    summary="1/(1 + exp(-x)), safe for large x",
)
declare(
    "softplus",
    value=lambda m, x: m.max(x, 0) + m.log1p(m.exp(-m.abs(x))),
    partials=(lambda m, z, x: m.sigmoid(x),),
    summary="log(1 + exp(x)), safe for large x",
)
declare(
    "relu",
    value=lambda m, x: m.max(x, m.number(0)),
    partials=(lambda m, z, x: m.gt(x, 0),),
    smooth=Kink(lambda m, x: x != 0, "relu has a corner at 0", sides=(0, 1)),
    sample=(0.2, 3.0),
    notation=Call(r"\operatorname{relu}"),
    summary="max(x, 0), slope 0 at 0",
)

# --- corners and steps -----------------------------------------------------------------------------------------------

declare(
    "abs",
    value=lambda m, x: m.abs(x),
    partials=(lambda m, z, x: m.sign(x),),
    smooth=Kink(lambda m, x: x != 0, "abs has a corner at 0", sides=(-1, 1)),
    sample=(0.2, 3.0),
    notation=Template("abs({0})", ATOM, (OR,), table="|{0}|", latex=r"\left|{0}\right|"),
    summary="absolute value, also written |x|; slope 0 at 0",
)
declare(
    "sign",
    value=lambda m, x: m.sign(x),
    partials=(None,),
    smooth=Kink(lambda m, x: x != 0, "sign jumps at 0"),
    sample=(0.2, 3.0),
    notation=Call(r"\operatorname{sign}"),
    aliases=("sgn", "signum"),
    summary="-1, 0 or 1",
)
declare(
    "floor",
    value=lambda m, x: m.floor(x),
    partials=(None,),
    smooth=Kink(lambda m, x: x != m.floor(x), "floor jumps at whole numbers"),
    sample=(0.1, 0.9),
    notation=Call(latex=r"\lfloor {0} \rfloor"),
    summary="largest whole number not above x",
)
declare(
    "ceil",
    value=lambda m, x: m.ceil(x),
    partials=(None,),
    smooth=Kink(lambda m, x: x != m.ceil(x), "ceil jumps at whole numbers"),
    sample=(0.1, 0.9),
    notation=Call(latex=r"\lceil {0} \rceil"),
    aliases=("ceiling",),
    summary="smallest whole number not below x",
)
declare(
    "round",
    value=lambda m, x: m.round(x),
    partials=(None,),
    smooth=Kink(lambda m, x: (2 * x != m.floor(2 * x)) | (x == m.floor(x)), "round jumps half way"),
    sample=(0.1, 0.4),
    notation=Call(r"\operatorname{round}"),
    summary="nearest whole number, halves away from zero",
)


def _shares(m, z, *xs):  # type: ignore[no-untyped-def]
    """What each argument has of the largest (or smallest) value: ties share equally."""
    hits = [m.eq(x, z) for x in xs]
    count = hits[0]
    for hit in hits[1:]:
        count = count + hit
    return [hit / count for hit in hits]


def _one_winner(m, *xs):  # type: ignore[no-untyped-def]
    """Whether no two arguments tie for the largest value (or, with all signs changed, the smallest)."""
    best = m.max(*xs)
    return sum(1 for x in xs if x == best) == 1


declare(
    "max",
    value=lambda m, *xs: m.max(*xs),
    partials=_shares,
    smooth=Kink(_one_winner, "a tie has no slope of its own", sides=(0, 1)),
    sample=((0.1, 1.0), (1.1, 2.0), (2.1, 3.0)),
    notation=Call(r"\max"),
    aliases=("maximum",),
    least=2,
    summary="largest argument; ties share the slope equally",
)
declare(
    "min",
    value=lambda m, *xs: m.min(*xs),
    partials=_shares,
    smooth=Kink(lambda m, *xs: _one_winner(m, *(-x for x in xs)), "a tie has no slope of its own", sides=(1, 0)),
    sample=((0.1, 1.0), (1.1, 2.0), (2.1, 3.0)),
    notation=Call(r"\min"),
    aliases=("minimum",),
    least=2,
    summary="smallest argument; ties share the slope equally",
)

# --- conditions ------------------------------------------------------------------------------------------------------

declare(
    "if",
    value=lambda m, c, a, b: m.choose(c, a, b),
    partials=(None, lambda m, z, c, a, b: m.choose(c, 1, 0), lambda m, z, c, a, b: m.choose(c, 0, 1)),
    sample=((1.0, 1.0), (-3.0, 3.0), (-3.0, 3.0)),
    aliases=("where", "ifelse", "piecewise"),
    route=lambda c: (1,) if c else (2,),
    truth_arguments=(0,),
    summary="if(condition, a, b): the branch not taken is not evaluated",
)
declare(
    "and",
    value=lambda m, a, b: m.both(a, b),
    partials=(None, None),
    sample=(1.0, 1.0),
    notation=Template("{0} and {1}", AND, (AND, NOT), latex=r"{0} \land {1}"),
    route=lambda a: (1,) if a else (),
    truth=True,
    truth_arguments=(0, 1),
    summary="both conditions hold",
)
declare(
    "or",
    value=lambda m, a, b: m.either(a, b),
    partials=(None, None),
    sample=(1.0, 1.0),
    notation=Template("{0} or {1}", OR, (OR, AND), latex=r"{0} \lor {1}"),
    route=lambda a: () if a else (1,),
    truth=True,
    truth_arguments=(0, 1),
    summary="one condition or both hold",
)
declare(
    "not",
    value=lambda m, a: 1 - a,
    partials=(None,),
    sample=(1.0, 1.0),
    notation=Template("not {0}", NOT, (NOT,), latex=r"\lnot {0}"),
    truth=True,
    truth_arguments=(0,),
    summary="the condition does not hold",
)


def _relation(name, sign, latex, summary):  # type: ignore[no-untyped-def]
    rule = lambda m, a, b: getattr(m, name)(a, b)  # noqa: E731
    declare(
        name,
        value=rule,
        partials=(None, None),
        smooth=Kink(lambda m, a, b: a != b, "the condition switches exactly here"),
        sample=((0.1, 1.0), (1.1, 2.0)),
        notation=Template(
            f"{{0}} {sign} {{1}}", RELATION, (SUM, SUM), table=f"{{0}} {_SIGNS.get(sign, sign)} {{1}}",
            latex=f"{{0}} {latex} {{1}}",
        ),
        truth=True,
        summary=summary,
    )  # fmt: skip


_SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠", "==": "="}
_relation("lt", "<", "<", "less than")
_relation("le", "<=", r"\le", "at most")
_relation("gt", ">", ">", "greater than")
_relation("ge", ">=", r"\ge", "at least")
_relation("eq", "==", "=", "equal")
_relation("ne", "!=", r"\ne", "different")


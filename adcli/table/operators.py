"""Rows of the table for operators and conditions."""

from __future__ import annotations

from ..typings import TYPE_CHECKING
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
    Check,
    Kink,
    Limit,
    Shortcut,
    Slip,
    Template,
    Value,
    declare,
    infinite,
)

if TYPE_CHECKING:
    from .arithmetic import Operand

declare(
    "add",
    value=lambda m, a, b: a + b,
    partials=(lambda m, z, a, b: 1, lambda m, z, a, b: 1),
    notation=Template("{0} + {1}", SUM, (SUM, PRODUCT), table_places=(SUM, SUM), negated_sign="−"),
    signs=(1, 1),
    commutes=True,
    folds=True,
    slips=(
        Slip("sign", value=lambda m, a, b: a - b, partials=(None, lambda m, z, a, b: -1)),
        Slip("wrong_operation", value=lambda m, a, b: a * b),
    ),
    numpy="add",
    summary="sum",
)
declare(
    "sub",
    value=lambda m, a, b: a - b,
    partials=(lambda m, z, a, b: 1, lambda m, z, a, b: -1),
    notation=Template("{0} - {1}", SUM, (SUM, PRODUCT), table="{0} − {1}", negated_sign="+"),
    signs=(1, -1),
    folds=True,
    slips=(Slip("sign", value=lambda m, a, b: a + b, partials=(None, lambda m, z, a, b: 1)),),
    numpy="subtract",
    summary="difference",
)
declare(
    "mul",
    value=lambda m, a, b: a * b,
    partials=(lambda m, z, a, b: b, lambda m, z, a, b: a),
    notation=Template(
        "{0}*{1}",
        PRODUCT,
        (PRODUCT, UNARY),
        table="{0} × {1}",
        table_places=(PRODUCT, PRODUCT),
        brackets=(0, 1),
        shape="product",
    ),
    exponents=(1, 1),
    commutes=True,
    folds=True,
    slips=(
        Slip("product_rule", tangent=lambda m, dots, xs: dots[0] * dots[1]),
        Slip("wrong_operation", value=lambda m, a, b: a + b),
    ),
    numpy="multiply",
    summary="product",
)
declare(
    "div",
    partials=(lambda m, z, a, b: 1 / b, lambda m, z, a, b: -z / b),
    domain=Check(lambda m, a, b: b != 0, "division by zero", "{1} != 0", blame=1),
    sample=((-3.0, 3.0), (0.2, 3.0)),
    notation=Template("{0}/{1}", PRODUCT, (PRODUCT, UNARY), brackets=(1,), shape="fraction"),
    exponents=(1, -1),
    folds=True,
    slips=(
        Slip("quotient_sign", partials=(None, lambda m, z, a, b: z / b)),
        Slip("quotient_sign", partials=(lambda m, z, a, b: -1 / b, None), moving=(1,)),
        Slip("product_rule", tangent=lambda m, dots, xs: m.div(dots[0], dots[1])),
        Slip("factor_forgotten", partials=(None, lambda m, z, a, b: -z)),
        Slip("factor_forgotten", tangent=lambda m, dots, xs: dots[0] - m.div(xs[0], xs[1]) * dots[1]),
        Slip("operands_swapped", value=lambda m, a, b: m.div(b, a)),
    ),
    numpy="divide",
    summary="quotient",
)
declare(
    "neg",
    value=lambda m, a: -a,
    partials=(lambda m, z, a: -1,),
    notation=Template("-{0}", UNARY, (UNARY,), table="−{0}", table_places=(PRODUCT,), brackets=(0,)),
    signs=(-1,),
    folds=True,
    slips=(Slip("sign", value=lambda m, a: a, partials=(lambda m, z, a: 1,)),),
    numpy="negative",
    summary="change of sign",
)
# b·a^(b - 1) at 0^0: 0 as long as the exponent stays, and without a slope in it.
_no_power_of_zero: Limit[Operand, Operand] = Limit(
    lambda m, a, b: m.both(m.eq(a, 0), m.eq(b, 0)),
    lambda m, a, b: m.sqrt(b),
    shown=lambda m, n, a, b: m.both(m.both(m.eq(a, 0), m.eq(b, 0)), m.eq(n, 0)),
)
# a^b·log(a) at a = 0.  Its derivatives in a of an order below b are 0, the others infinite: those of a power between b
# and the whole number below it.  The factor gives the derivatives in b the signs that they have.
_power_of_zero: Limit[Operand, Operand] = Limit(
    lambda m, a, b: m.both(m.eq(a, 0), m.gt(b, 0)),
    lambda m, a, b: -m.pow(a, m.div(2 * m.ceil(b) - 1, 2)) * m.exp(-b),
    shown=lambda m, n, a, b: m.both(m.eq(a, 0), m.gt(b, n)),
)

declare(
    "pow",
    partials=(
        lambda m, z, a, b: m.guard(_no_power_of_zero, b * m.pow(a, b - 1), a, b),
        lambda m, z, a, b: m.guard(_power_of_zero, z * m.log(a), a, b),
    ),
    shortcuts=(
        Shortcut(
            lambda m, z, a, b: b * (z / a),
            unless=lambda m, z, a, b: (a == 0) | (m.abs(z) < 1e-290) | (m.abs(z) > 1e300),
            idle=lambda m, a, b: 2 * b == m.floor(2 * b),  # a product
        ),
        None,
    ),
    domain=(
        Check(lambda m, a, b: (a != 0) | (b >= 0), "division by zero", "{0} != 0"),
        Check(
            lambda m, a, b: (a >= 0) | (b == m.floor(b)),
            "a negative number has a real power only for a whole exponent",
            "{0} > 0",
            advice="cbrt(x) and root(x, n) are the real roots",
        ),
    ),
    smooth=(
        infinite(lambda m, a, b: (a != 0) | (b >= 1) | (b == 0), "a power below 1 is vertical at 0"),
        Kink(
            lambda m, a, b: (a > 0) | ((a == 0) & (b > 0)) | (b != m.floor(b)),
            "a power has no derivative with respect to its exponent unless the base is positive",
        ),
    ),
    sample=((0.1, 3.0), (-2.0, 3.0)),
    notation=Template("{0}^{1}", POWER, (POSTFIX, POWER), shape="power"),
    aliases=("power",),
    folds=True,
    where="a > 0, or b whole; b >= 0 where a = 0",
    slips=(
        Slip("power_off_by_one", partials=(lambda m, z, a, b: b * m.pow(a, b), None)),
        Slip("power_off_by_one", partials=(lambda m, z, a, b: b * m.pow(a, b - 2), None)),
        Slip("power_off_by_one", partials=(lambda m, z, a, b: b * m.pow(a, b + 1), None)),  # -3 x^-2 of x^-3
        Slip("factor_forgotten", partials=(lambda m, z, a, b: m.pow(a, b - 1), None)),
        Slip("factor_forgotten", partials=(lambda m, z, a, b: b, None)),  # 2 of x^2
        Slip("factor_forgotten", partials=(None, lambda m, z, a, b: z)),
        Slip("power_rule_for_exponential", partials=(None, lambda m, z, a, b: b * m.pow(a, b - 1))),
        Slip("power_rules_mixed", partials=(lambda m, z, a, b: b * m.pow(a, b - 1) * m.log(a),) * 2),
        Slip("wrong_operation", value=lambda m, a, b: a * b),
        Slip("operands_swapped", value=lambda m, a, b: m.pow(b, a)),
    ),
    libm="pow",
    summary="power; a negative base needs a whole exponent",
)
declare(
    "factorial",
    value=lambda m, x: m.gamma(x + 1),
    partials=(lambda m, z, x: z * m.polygamma(0, x + 1),),
    domain=Check(lambda m, x: (x > -1) | (x != m.floor(x)), "the factorial has poles at negative integers", "{0} > -1"),
    sample=(0.1, 5.0),
    notation=Template("{0}!", POSTFIX, (ATOM,)),
    aliases=("fact",),
    where="not -1, -2, …",
    summary="factorial, gamma(x + 1)",
)
# The quotient of such numbers may have become 0 in a double, which is not what is below a negative one.
_less_than_once: Limit[Operand, Operand] = Limit(
    lambda m, a, b: m.lt(m.abs(a), m.abs(b)),
    lambda m, a, b: m.choose(m.lt(m.sign(a) * m.sign(b), 0), m.one, m.zero),
    lossy=True,
)
declare(
    "mod",
    partials=(lambda m, z, a, b: 1, lambda m, z, a, b: m.guard(_less_than_once, -m.floor(a / b), a, b)),
    domain=Check(lambda m, a, b: b != 0, "remainder of a division by zero", "{1} != 0", blame=1),
    smooth=Kink(
        lambda m, a, b: (a / b != m.floor(a / b)) | ((m.floor(a / b) == 0) & (a != 0)),
        "the remainder jumps where the quotient is a whole number",
    ),
    sample=((4.1, 4.9), (1.1, 1.3)),
    notation=Template("{0} % {1}", PRODUCT, (PRODUCT, UNARY), table="{0} mod {1}"),
    continued=False,
    numpy="remainder",
    sympy="Mod",
    summary="remainder, with the sign of the divisor",
)

# --- conditions -------------------------------------------------------------------------------------------------------

declare(
    "if",
    value=lambda m, c, a, b: m.choose(c, a, b),
    partials=(None, lambda m, z, c, a, b: m.choose(c, 1, 0), lambda m, z, c, a, b: m.choose(c, 0, 1)),
    sample=((1.0, 1.0), (-3.0, 3.0), (-3.0, 3.0)),
    arguments=("condition", "a", "b"),
    aliases=("where", "ifelse", "piecewise"),
    route=lambda c: (1,) if c else (2,),
    truth_arguments=(0,),
    summary="if(condition, a, b): the branch not taken is not evaluated",
)


def _declare_connective(name: str, level: int, decides: bool, summary: str, *, value: Value[Operand, Operand]) -> None:
    """Add the row of the logical operator `and` or `or` (`name`) to the table; it has no partials.

    `level` is the precedence of the whole, the right operand binds more tightly. If the first argument is `decides`
    (False for `and`), the second is not evaluated. `value` is the rule for its truth, `summary` its description.
    """
    declare(
        name,
        value=value,
        partials=(None, None),
        sample=(1.0, 1.0),
        notation=Template(f"{{0}} {name} {{1}}", level, (level, level + 1)),
        route=lambda a: () if bool(a) is decides else (1,),
        truth=True,
        truth_arguments=(0, 1),
        numpy=f"logical_{name}",
        summary=summary,
    )


_declare_connective("and", AND, False, "both conditions hold", value=lambda m, a, b: m.both(a, b))
_declare_connective("or", OR, True, "one condition or both hold", value=lambda m, a, b: m.either(a, b))
declare(
    "not",
    value=lambda m, a: 1 - a,
    partials=(None,),
    sample=(1.0, 1.0),
    notation=Template("not {0}", NOT, (NOT,)),
    truth=True,
    truth_arguments=(0,),
    summary="the condition does not hold",
)


def _declare_relation(name: str, sign: str, numpy: str, summary: str) -> None:
    """Add the row of a comparison to the table: `name` in an arithmetic, `sign` in the language and, as ≤, ≥, ≠, =, in
    tables; `numpy` is its name in NumPy.

    Its result is a truth value without partials, and it has a kink where both sides are equal. `summary` describes it
    in lists of functions.
    """

    declare(
        name,
        partials=(None, None),
        smooth=Kink(lambda m, a, b: a != b, "the condition switches exactly here"),
        sample=((0.1, 1.0), (1.1, 2.0)),
        notation=Template(
            f"{{0}} {sign} {{1}}", RELATION, (SUM, SUM), table=f"{{0}} {_SIGNS.get(sign, sign)} {{1}}",
        ),
        truth=True,
        numpy=numpy,
        summary=summary,
    )  # fmt: skip


_SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠", "==": "="}
_declare_relation("lt", "<", "less", "less than")
_declare_relation("le", "<=", "less_equal", "at most")
_declare_relation("gt", ">", "greater", "greater than")
_declare_relation("ge", ">=", "greater_equal", "at least")
_declare_relation("eq", "==", "equal", "equal")
_declare_relation("ne", "!=", "not_equal", "different")

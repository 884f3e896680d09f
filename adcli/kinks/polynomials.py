"""Polynomials over the fractions in numbered unknowns: a dictionary from monomials to coefficients that are not 0."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

Monomial = tuple[tuple[int, int], ...]  # unknowns with their exponents, in order of the unknowns; () is 1
Polynomial = dict[Monomial, Fraction]
_MOST_TERMS = 40
_HIGHEST = 12


def add_term(terms: Polynomial, monomial: Monomial, coefficient: Fraction) -> None:
    """Add `coefficient` to that of `monomial` in `terms`, in place; a monomial whose coefficients cancel is removed."""
    total = terms.get(monomial, 0) + coefficient
    if total:
        terms[monomial] = total
    else:
        terms.pop(monomial, None)


def add_polynomials(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the sum as a new dictionary."""
    terms = dict(left)
    for monomial, coefficient in right.items():
        add_term(terms, monomial, coefficient)
    return terms


def multiply_monomials(left: Monomial, right: Monomial) -> Monomial:
    """Return the product of the monomials `left` and `right`, pairs (unknown, power) in order of the unknowns.

    Exponents may be negative, and unknowns whose exponents cancel are left out.
    """
    if not left or not right:
        return left or right
    powers = dict(left)
    for unknown, power in right:
        powers[unknown] = powers.get(unknown, 0) + power
    return tuple(sorted((unknown, power) for unknown, power in powers.items() if power))


# --- polynomials that may be unknown (None), because they got too long ------------------------------------------------


def add_known(a: Polynomial | None, b: Polynomial | None) -> Polynomial | None:
    """Return the sum of two polynomials; None if one is None, or if both together have more than 40 terms."""
    return None if a is None or b is None or len(a) + len(b) > _MOST_TERMS else add_polynomials(a, b)


def multiply_known(a: Polynomial | None, b: Polynomial | None) -> Polynomial | None:
    """Return the product of two polynomials; None if a factor is None, for more than 40 products of terms, or above the
    degree 12.
    """
    if a is None or b is None or len(a) * len(b) > _MOST_TERMS:
        return None
    if max(map(degree, a), default=0) + max(map(degree, b), default=0) > _HIGHEST:
        return None
    terms: Polynomial = {}
    for (left, c), (right, d) in product(a.items(), b.items()):
        add_term(terms, multiply_monomials(left, right), c * d)
    return terms


def negate_known(a: Polynomial | None) -> Polynomial | None:
    """Return the negative; None of None."""
    return None if a is None else {monomial: -c for monomial, c in a.items()}


def degree(monomial: Monomial) -> int:
    return sum(power for _, power in monomial)


def polynomial_key(polynomial: Polynomial) -> tuple[tuple[Monomial, Fraction], ...]:
    """Return a key that is equal for equal polynomials."""
    return tuple(sorted(polynomial.items()))

"""Polynomials over the fractions in numbered unknowns: a dictionary from monomials to coefficients that are not 0."""

from __future__ import annotations

from fractions import Fraction

Monomial = tuple[tuple[int, int], ...]  # unknowns with their exponents, in order of the unknowns; () is 1
Polynomial = dict[Monomial, Fraction]


def add_term(terms: Polynomial, monomial: Monomial, coefficient: Fraction) -> None:
    """Add a coefficient to that of a monomial, in place; a monomial whose coefficients cancel is removed."""
    total = terms.get(monomial, 0) + coefficient
    if total:
        terms[monomial] = total
    else:
        del terms[monomial]


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

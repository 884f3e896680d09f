"""Derivations: marking of formulas, that is derivatives as functions and the equal lines that lead to them.

requested        the derivatives that a problem asks for: their names, formulas and weights
parts            which lines are about which problem
meanings         the values of the names, in the true reading and in the student's
claims           the derivative, part or helper that a statement is about
discussion       equations, limits and derivatives of higher orders, which are not claims
input_functions  formulas as functions: values at sample_points of the domain; proofs shows that two are the same
equalities       which formula of a derivation is right, follows, or is wrong
verdicts         the rows and what they earn
"""

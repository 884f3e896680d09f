"""Marking formulas: derivatives as functions, and the lines of a derivation, which must equal each other.

asked         the derivatives that a problem asks for; expected writes their names and formulas
parts         which lines are about which problem
lines         lines as statements: what is said to be equal to what
spelling      formulas in the language, derivatives inside of them as names
meanings      what the names stand for, in the true reading and in the student's own
claims        what a statement is about
input_functions  formulas as functions: values at sample_points of the domain; proofs shows that two are the same
equalities    which formula of a derivation is right, follows, or is where it goes wrong
verdicts      the rows and what they earn
"""

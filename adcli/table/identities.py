"""Identities between functions of the table, as data: those by which formulas become shorter."""

from __future__ import annotations

# Quotients of two functions of one argument: sinh(u)/cosh(u). Not sin and cos: tan has no domain that excludes cos = 0.
QUOTIENTS = {("sinh", "cosh"): "tanh"}
RECIPROCAL = frozenset({"exp"})  # f(u) f(-u) = 1
COMPLEMENTARY = frozenset({"sigmoid", "normcdf"})  # f(u) + f(-u) = 1
DENSITIES = frozenset({"normpdf"})  # f(w) = f(u) e^((u^2 - w^2)/2)
SQUARES = {  # name: (partner, a, b) with name(u)^2 = a partner(u)^2 + b
    "sin": ("cos", -1, 1), "cos": ("sin", -1, 1), "cosh": ("sinh", 1, 1), "sinh": ("cosh", 1, -1),
}  # fmt: skip
SLOPES = {("cosh", -2): "tanh"}  # power of a function that is 1 - t^2, for t of the same argument
HYPOTENUSES = frozenset({"hypot"})  # roots of a sum of squares

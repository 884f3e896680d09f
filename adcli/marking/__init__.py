"""Marking answers to a problem that is worked by hand: reading them, judging their rows, saying what is wrong.

model            tasks, answers, marks as plain data; task reads a problem
reading          an answer as entries
quantities       what a problem asks for, and what that is worth
worksheet        a straight-line program as rows of a graph, and what is true of them
standards        the problem's own trace, in each way in which its rows may be counted
value_rows       the rows of values of an answer
candidates       which rows of the problem a row may be
composing        the rows put together, mended where they go astray
named_alike      results that go by the name of an input
bare_numbers     answers of nothing but numbers; numbers_alone rows of these with names
portions         what may be taken together of sums and products
mending          the one edit after which all rows together are right
alignment        which of the student's rows is which
primes           which primes are local derivatives
resolving        what the student's symbols mean on the worksheet
shown_numbers    what a written number may stand for
as_written       the student's program with what went astray in it
contributions    which part of an adjoint a row has taken together
evidence         what is true of a row, and what the student had; row_case is a row with all of that
slips            what a slip would give; diagnosis says which one it was, words what is said to a student
expected         the right formula in the student's names
scoring          what the quantities earn by the rows
judging          the verdicts; disclosure says who may see what, assessing marks all problems of an answer
derivations      formulas as answers: derivatives as functions, and the lines that lead to them
prediction       one number that somebody has typed
"""

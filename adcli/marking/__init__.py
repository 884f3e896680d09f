"""Marking answers to a problem that is solved by hand: judging their rows, explaining what is wrong.

model            rules and marks as plain data; task reads a problem
recognition      the problem that rows are about, quantities of bare numbers, names of rows without one
programs         the rows of an answer as a straight-line program, aligned with the problem's own trace
judging          quantities of a problem, evidence in an answer, verdicts on rows, scores, texts of hints
slips            what a slip would give; diagnosis finds which one explains a wrong row
derivations      formulas as answers: derivatives as functions, and the lines that lead to them
assessing        all problems of one answer; missing_point recognises numbers without a point
disclosure       which parts of a marking are shown at which level
prediction       one number that a user has typed
"""

"""Reading of formulas as people write them.

plain_formulas       formulas without LaTeX and accents
derivation_spelling  formulas in the language, derivatives inside of them as names
jacobians            the entries of matrices
own_functions        calls of functions that an answer defines
"""

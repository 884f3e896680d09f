"""Reading answers: any form of a student's trace becomes the entries of the model.

answer_model     tasks and answers as plain data
decoding         bytes as text
forms            a reader for each kind of answers, which hands over raw rows by way of
  markup         layout of Markdown and LaTeX, blanked out
  sections       headings
  chains         a line split at its equals signs
  left_sides     the symbol that begins a row
  headers        the content of table columns
  table_rows     tables of any form
collector        raw rows: left sides and pieces, each with its place in the student's own line
entries          raw rows as entries of the model, by way of
  symbols        a student's symbols as quantities
  row_grammar    derivatives, calls, pairs and dual numbers, as grammar/rows.lark has them
  numerals       numbers with their last place
  formulas       formulas as tokens of the language, which its parser takes
shown_numbers    written numbers as intervals
answer           all of this, for one answer
"""

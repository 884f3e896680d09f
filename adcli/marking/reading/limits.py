"""How much of an answer is read.  Honest ones are a hundred times smaller."""

BYTES = 4_000_000
LINES = 20_000
LINE_LENGTH = 4_000
CHARACTERS = 300_000  # of text in which rows are looked for
ROWS = 2_000
SECTIONS = 200
PIECES = 30  # of a row
CELLS = 60  # columns of a table
FORMULAS = 100_000  # characters that are parsed as formulas
SHORTEST = 25  # characters that a formula counts for at least
EXPANSION = 5_000  # operations that the sums and products of a formula may write out
OPERATIONS = 50_000  # that all formulas of an answer may have
DEPTH = 60  # of nested JSON
WORKBOOK_BYTES = 8_000_000  # of a spreadsheet when it is unpacked
WORKBOOK_PARTS = 500

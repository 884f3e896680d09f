"""How much of an answer is read.  Honest ones are a hundred times smaller."""

BYTES = 4_000_000
LINES = 20_000
LINE_LENGTH = 4_000
ROWS = 2_000
SECTIONS = 200
FORMULAS = 200_000  # characters that are parsed as formulas
EXPANSION = 20_000  # operations that sums and products of an answer may write out
DEPTH = 60  # of nested JSON
CELLS = 60  # columns of a table
WORKBOOK_BYTES = 8_000_000  # of a spreadsheet when it is unpacked

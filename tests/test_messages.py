"""Every message has its exact text on record: a broken file or a command line that produces it.

`samples/broken/NAME.txt` holds one kind of mistake, a problem a line; `NAME.expected` what standard error says and, on
its last line, the exit code.  A first comment `# Options: …` adds options.  Messages about options and files are in
COMMANDS below, whole messages of what Python raises in `python_messages.txt`.

After a message has been changed on purpose,

    ADCLI_UPDATE=1 python -m pytest tests/test_messages.py

writes the `.expected` files, COMMANDS and `python_messages.txt` anew; read the difference before it is committed.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import math
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import Mock

import expression_misuses
import kernel_misuses
import pytest
import python_misuses
from answers_unread import said
from limits import LIMITS
from running import Run, Terminal, run
from sources import parsed
from together import together

import adcli
from adcli import points
from adcli.classroom.exercise_sheet import students_of
from adcli.classroom.homework import Key
from adcli.classroom.instances import instance
from adcli.classroom.key import read_key
from adcli.classroom.roster import read_roster
from adcli.cli import main as command_line
from adcli.cli import problem_loop
from adcli.cli.arguments import split_words
from adcli.cli.commands import prompt
from adcli.cli.stream import Stream
from adcli.errors import AdcliError, RequestError
from adcli.extras import Needs, install_command
from adcli.language.advice import tables
from adcli.language.problems import read_problems
from adcli.marking.assessing import assess
from adcli.marking.model import Rules
from adcli.marking.task import task_of
from adcli.numbers.doubles import FLOAT
from adcli.symbolic import higher_orders
from adcli.table.primitive import ROWS

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
BROKEN = sorted((SAMPLES / "broken").glob("*.txt"))
UPDATE = bool(os.environ.get("ADCLI_UPDATE"))
PYTHON_MESSAGES = Path(__file__).with_name("python_messages.txt")
# What other programs say, which another version says otherwise, the versions themselves, and where Python is.
OTHERS_WORDS = re.compile(
    r"\n  = .*(?:ufunc|has no attribute|read-only|unpack).*|(?<= )\d+[.]\d+[.]\d\S*"
    r"|(?<=help: )(?:\S*python -m|uv) pip install[^'\n]*|/\S*python\S*"
)

# Command lines, run from inside the samples folder, and all that they print.
COMMANDS = r"""
$ adcli eval "evaluate x^3 - 2*x" --at x=2
error: evaluate is not part of an expression
  |
1 | evaluate x^3 - 2*x
  | ^^^^^^^^ a word before the expression
  = help: leave out evaluate
exit 2
$ adcli eval "x^2 + 1 % parabola" --at x=2
error: parabola has no value
  |
1 | x^2 + 1 % parabola
  |           ^^^^^^^^ no value is given for this name
  = note: % is read as the remainder of a division; a comment starts with #
  = help: add parabola=… to the point: after @, or with --at
exit 2
$ adcli eval "Symbol('x')^2" --at x=2
error: the character ' has no meaning here
  |
1 | Symbol('x')^2
  |        ^ names have no quotation marks
  = help: write the name itself: x
exit 2
$ adcli --at x=3 eval "x^2"
error: the command eval comes first, then its options
  = help: adcli eval … --at …
exit 2
$ adcli check "f=24, fx=21" --problem "x^2*y @ x=2,y=3"
error: the answer is not a file
  = this looks like the text of an answer
  = help: write the answer to a file and name the file, or pipe the text in: echo "f=24, fx=21" | adcli check - …
exit 2
$ adcli eval "expint(2.0000000001, x)" --at x=1
error: expint cannot be computed if its order is almost a whole number
  |
1 | expint(2.0000000001, x)
  |        ^^^^^^^^^^^^ this is 2
  = note: reached while evaluating v1 = expint(2.0000000001, x)
exit 3
$ adcli eval "expint(300.5, x)" --at x=1
error: the order of expint must lie between -100 and 100
  |
1 | expint(300.5, x)
  |        ^^^^^ this is 300.5
  = note: reached while evaluating v1 = expint(300.5, x)
exit 3
$ adcli eval "gammaincc(-1, x)" --at x=1
error: gammaincc needs 0 < a <= 1000000
  |
1 | gammaincc(-1, x)
  |           ^^ this is -1
  = note: reached while evaluating v1 = gammaincc(−1, x)
exit 3
$ adcli eval "gammaincc(2, -x)" --at x=1
error: gammaincc needs a second argument of 0 or more
  |
1 | gammaincc(2, -x)
  |              ^^ this is -1 when x = 1
  = note: reached while evaluating v2 = gammaincc(2, v1)
  = help: choose x so that -x >= 0
exit 3
$ adcli eval "gammaincprime(-1, x)" --at x=1
error: gammaincprime needs 0 < a <= 1000000
  |
1 | gammaincprime(-1, x)
  |               ^^ this is -1
  = note: reached while evaluating v1 = gammaincprime(−1, x)
exit 3
$ adcli eval "besseli(300, x)" --at x=1
error: the order of besseli must lie between -100 and 100
  |
1 | besseli(300, x)
  |         ^^^ this is 300
  = note: reached while evaluating v1 = besseli(300, x)
exit 3
$ adcli eval "besselj(300, x)" --at x=1
error: the order of besselj must lie between -100 and 100
  |
1 | besselj(300, x)
  |         ^^^ this is 300
  = note: reached while evaluating v1 = besselj(300, x)
exit 3
$ adcli eval "besselk(300, x)" --at x=1
error: the order of besselk must lie between -100 and 100
  |
1 | besselk(300, x)
  |         ^^^ this is 300
  = note: reached while evaluating v1 = besselk(300, x)
exit 3
$ adcli eval "bessely(300, x)" --at x=1
error: the order of bessely must lie between -100 and 100
  |
1 | bessely(300, x)
  |         ^^^ this is 300
  = note: reached while evaluating v1 = bessely(300, x)
exit 3
$ adcli eval "besseli(1e-9, x)" --at x=1
error: besseli cannot be computed if its order is almost a whole number
  |
1 | besseli(1e-9, x)
  |         ^^^^ this is 1e-9
  = note: reached while evaluating v1 = besseli(1e-9, x)
exit 3
$ adcli eval "gammainc(0, x)" --at x=1
error: gammainc needs 0 < a <= 1000000
  |
1 | gammainc(0, x)
  |          ^ this is 0
  = note: reached while evaluating v1 = gammainc(0, x)
exit 3
$ adcli eval "gammainc(2, x)" --at x=-1
error: gammainc needs a second argument of 0 or more
  |
1 | gammainc(2, x)
  |             ^ this is -1
  = note: reached while evaluating v1 = gammainc(2, x)
  = help: choose x so that x >= 0
exit 3
$ adcli eval "gammainc(0.5, x)" --at x=0 --kinks error
error: the graph of gammainc is vertical at 0
  |
1 | gammainc(0.5, x)
  |               ^ this is 0
  = note: reached while evaluating v1 = gammainc(0.5, x) (slope inf from the right); the slope used here is inf
  = help: choose another point, or accept the slope used here: --kinks note
exit 3
$ adcli eval "gammaincc(0.5, x)" --at x=0 --kinks error
error: the graph of gammaincc is vertical at 0
  |
1 | gammaincc(0.5, x)
  |                ^ this is 0
  = note: reached while evaluating v1 = gammaincc(0.5, x) (slope -inf from the right); the slope used here is -inf
  = help: choose another point, or accept the slope used here: --kinks note
exit 3
$ adcli eval "gammaincprime(2, x)" --at x=0
error: gammaincprime needs a positive second argument
  |
1 | gammaincprime(2, x)
  |                  ^ this is 0
  = note: reached while evaluating v1 = gammaincprime(2, x)
  = help: choose x so that x > 0
exit 3
$ adcli eval "gammainc(a, x)" --at a=1,x=1
error: the first argument of gammainc must be a constant: no derivative with respect to it is known
  |
1 | gammainc(a, x)
  |          ^ this is 1
  = note: reached while evaluating v1 = gammainc(a, x)
  = help: write a constant, as in gammainc(2, …), or compute the value alone (--mode value)
exit 3
$ adcli eval "Zeta(x)" --at x=-101
error: Zeta needs an argument of -100 or more
  |
1 | Zeta(x)
  |      ^ this is -101
  = note: reached while evaluating v1 = Zeta x
  = help: choose x so that x >= -100
exit 3
$ adcli eval "erfcx(x)" --at x=-400
error: erfcx needs an argument of -300 or more
  |
1 | erfcx(x)
  |       ^ this is -400
  = note: reached while evaluating v1 = erfcx x
  = help: choose x so that x >= -300
exit 3
$ adcli eval "hermite(-2, x)" --at x=-400
error: hermite of a negative order needs an argument of -300 or more
  |
1 | hermite(-2, x)
  |             ^ this is -400
  = note: reached while evaluating v1 = hermite(−2, x)
exit 3
$ adcli eval "besselj(1e-9, x)" --at x=1
error: besselj cannot be computed if its order is almost a whole number
  |
1 | besselj(1e-9, x)
  |         ^^^^ this is 1e-9
  = note: reached while evaluating v1 = besselj(1e-9, x)
exit 3
$ adcli eval "besselk(1e-9, x)" --at x=1
error: besselk cannot be computed if its order is almost a whole number
  |
1 | besselk(1e-9, x)
  |         ^^^^ this is 1e-9
  = note: reached while evaluating v1 = besselk(1e-9, x)
exit 3
$ adcli eval "bessely(1e-9, x)" --at x=1
error: bessely cannot be computed if its order is almost a whole number
  |
1 | bessely(1e-9, x)
  |         ^^^^ this is 1e-9
  = note: reached while evaluating v1 = bessely(1e-9, x)
exit 3
$ adcli compile x --to c --table points
error: code for C does not read a table
  = help: leave out --table and --carry, which are for --to sql
exit 2
$ adcli trace python/mistakes.py:outside --at "x=[1,2;3]"
error: x has rows of 2 and of 1 entries
  = help: give all rows the same length
exit 2
$ adcli schema trace/x
error: there is no document called trace/x
  = help: did you mean trace/1?
exit 2
$ adcli schema trace/1 --format html
error: a schema is always a JSON document
  = help: leave --format out
exit 2
$ adcli eval x --at x=1 --wdith 80
error: there is no option called --wdith
  = help: did you mean --width 80?
exit 2
$ adcli eval x --at x=1 --no-note fog
error: there is no kind of note called fog
  = in --no-note
  = help: all kinds of notes: adcli help notes
exit 2
$ adcli eval x + y --at x=1,y=2
error: adcli eval takes one EXPR
  = left over: + y
  = help: quotation marks keep the expression in one piece: "x + y"
exit 2
$ adcli eval -x^2 --at
error: option '--at' requires an argument
  = help: adcli eval --help
exit 2
$ adcli eval x --at x=1 --digits 50
error: option --digits takes a whole number from 1 to 17
  = the value is 50
  = help: for more digits: --precision 50
exit 2
$ adcli eval x --at x=1 --mode backprop
error: option --mode does not take the value backprop
  = help: did you mean --mode reverse?
exit 2
$ adcli eval x --at x=1 --no_trace
error: there is no option called --no_trace
  = help: did you mean --no-trace?
exit 2
$ adcli diff x^2 wrt x
error: adcli diff takes one EXPR
  = left over: wrt x
  = help: an option begins with two hyphens: --wrt x
exit 2
$ adcli plot x^2 '' 3
error: adcli plot takes one EXPR
  = left over: '' 3
  = help: leave out '' 3, or give one EXPR at a time
exit 2
$ adcli x^2 -at 3
error: adcli eval takes one EXPR
  = left over: -at 3
  = help: an option begins with two hyphens: --at 3
exit 2
$ adcli eval x^2 --from 0 --to 1 --step 0.1
error: there is no option called --from
  = help: values at many points: adcli map EXPR --over x=0:1:11 (11 points), or adcli plot EXPR --over x=0:1
exit 2
$ adcli plot x^2 -1 1
error: adcli plot takes one EXPR
  = left over: -1 1
  = help: an interval is an option: --over x=-1:1
exit 2
$ adcli integrate x^2
error: integrate asks for an integral
  |
1 | integrate x^2
  | ^^^^^^^^^ adcli differentiates, it does not integrate
  = help: use a computer algebra system, such as sympy.integrate
exit 2
$ adcli eval x*y --x 2 --y 3
error: there is no option called --x
  = help: did you mean --at x=2?
exit 2
$ adcli eval x --at x=1 --places many
error: option --places takes a whole number from 0 to 17
  = the value is many
  = help: adcli eval --help
exit 2
$ adcli grade --key homework/key.toml
error: there is nothing to grade
  = help: name a folder of answers, a zip archive of them, or one answer
exit 2
$ adcli eval x --file paper.txt
error: there are both an expression and a file
  = help: leave one of them out; if paper.txt is a file of points: adcli map EXPR paper.txt
exit 2
$ adcli eval - --file paper.txt
error: there are both standard input (-) and a file
  = help: leave out - or --file
exit 2
$ adcli diff 1/(0*x)
error: the output y has no value at any point, so it has no derivative
exit 3
$ adcli diff x*y --wrt x,y --order 3
error: --wrt x,y has order 2, but --order is 3
  = help: leave out --order
exit 2
$ adcli diff x*y --wrt z
error: there is no input called z
  = help: the inputs are x, y
exit 2
$ adcli diff x*y --wrt x --order 0
error: option --order takes a whole number from 1 to 100
  = the value is 0
  = help: adcli diff --help
exit 2
$ adcli taylor x*y --at x=1,y=2
error: a Taylor series has one variable, but there are 2 inputs: x, y
  = help: add a direction, such as --along x=1,y=0
exit 2
$ adcli taylor x*y --at x=1,y=2 --along x=0
error: the direction is zero
  = help: give at least one input a number other than 0, as in --along x=1
exit 2
$ adcli taylor x*y --at x=1,y=2 --along z=1
error: there is no input called z
  = help: the inputs are x, y
exit 2
$ adcli taylor sqrt(x) --at x=0
error: the graph of sqrt is vertical at 0
  |
1 | sqrt(x)
  |      ^ this is 0
  = note: reached while evaluating v1 = sqrt x (slope inf from the right); the slope used here is inf
  = help: choose another point
exit 3
$ adcli taylor 1/x --at x=inf
error: there is no Taylor series at x = inf
  = help: choose a finite point to expand at
exit 3
$ adcli taylor exp(700*x) --at x=1 --order 9
error: y has no finite coefficient of order 2 here
  = note: either the derivative of this order does not exist at the point, or the number is too large
  = help: choose another point; the highest order here is --order 1
exit 3
$ adcli taylor x^2 --at x=0 --exact --precision 9
error: --exact and --precision exclude each other
  = help: leave one of them out
exit 2
$ adcli diff a^x --assume b>0
error: there is no input called b
  = help: the inputs are a, x
exit 2
$ adcli diff a^x --assume 0<a
error: an assumption compares an input with a number
 --> --assume:1:1
  |
1 | 0<a
  | ^^^
  = help: write it as --assume "a>0"
exit 2
$ adcli diff a^x --assume a>x
error: the value of a is not a number
 --> --assume:1:3
  |
1 | a>x
  |   ^ x is a name without a value
  = help: write a number, as in a=pi/2
exit 2
$ adcli diff a^x --assume a!=1
error: an assumption needs a finite number, and with != the number 0
 --> --assume:1:1
  |
1 | a!=1
  | ^^^^
  = help: write a>1 or a!=0
exit 2
$ adcli diff a^x --assume a>2,a<2
error: no number satisfies all conditions on a
  = help: leave out a condition
exit 2
$ adcli diff a^x --assume x>2,x<3 --integer x
error: no number satisfies all conditions on x
  = help: leave out a condition
exit 2
$ adcli diff a^x --integer x --wrt x
error: x is a whole number, so there is no derivative with respect to x
  = help: leave out --integer x
exit 2
$ adcli diff a^x --assume a>0 --at a=0,x=1
error: a = 0 contradicts the conditions on a
  = help: change the point, or leave out the assumption
exit 2
$ adcli diff a^x --integer x --at a=1,x=0.5
error: x = 0.5 contradicts the conditions on x
  = help: change the point, or leave out the assumption
exit 2
$ adcli diff "sum(x)" --shape x=2 --assume x>0
error: assumptions are only for single numbers, and this problem has vectors or matrices
  = help: leave out --assume
exit 2
$ adcli diff a*b*c*d*f*g*h --order 9
error: there are more than 1000 derivatives of order 9
  = help: choose some of them with --wrt
exit 2
$ adcli diff "sum(i, 1, 400, sin(i*x*y*z))" --order 42
error: 946 derivatives of a formula with 2402 steps are too many to be written out
  = help: choose some of them with --wrt; adcli eval computes the numbers of all at once
exit 2
$ adcli eval abs(x) --at x=1 --complex
error: abs has no complex derivative
  |
1 | abs(x)
  | ^^^^^^ not holomorphic, or not known for complex numbers
  = help: leave out --complex, or use holomorphic functions instead
exit 3
$ adcli eval x --at x=1 --exact --certify
error: --certify checks computations with doubles, not those of --exact
  = help: leave out --certify or --exact
exit 2
$ adcli eval x --at x=1 --seed x=1 --mode forward --certify
error: --certify gives bounds of gradients, not of derivatives along a seed
  = help: leave out --seed
exit 2
$ adcli eval x --at x=1 --exact --precision 9
error: --exact cannot be combined with --precision or --complex
  = help: choose one of --exact, --precision and --complex
exit 2
$ adcli eval x --at x=1 --exact --complex
error: --exact cannot be combined with --precision or --complex
  = help: choose one of --exact, --precision and --complex
exit 2
$ adcli eval x^2 --at x=1 --hessian --complex
error: second derivatives are computed with real numbers
  = help: leave out --complex
exit 2
$ adcli eval x --at x=1 --standalone
error: --standalone makes a LaTeX document
  = help: add --format latex
exit 2
$ adcli eval x --at x=1 --math dollars
error: --math dollars is for Markdown
  = help: add --format markdown
exit 2
$ adcli eval x^2 --at x=1 --count --format csv
error: operation counts cannot be written as CSV
  = help: use --format json or plain
exit 2
$ adcli eval x^2 --at x=1 --hvp z=1
error: the direction names z, which is not an input
  = help: the inputs are x
exit 2
$ adcli expand sum(i,1,400,x^i)
error: an expansion of 799 operations is too long to read
  = help: adcli expand takes up to 300 operations; adcli eval has no limit
exit 2
$ adcli new x^2
error: adcli new makes its own problems and does not read any
  = help: for blank forms of your own problems: adcli template
exit 2
$ adcli new -o paper.txt
error: paper.txt is not a folder
  = help: name a folder with -o
exit 2
$ adcli new -o broken
error: the folder broken is not empty
  = archive.zip exists already
  = help: name a new folder with -o, or empty this folder
exit 2
$ adcli new --students paper.txt --secret missing.txt -o class
error: the file with the secret, missing.txt, does not exist
  = help: write 8 characters or more that only you know into this file, and keep it
exit 2
$ adcli eval "3 km + x" --at x=1
error: km looks like a unit
  |
1 | 3 km + x
  |   ^^ adcli computes with numbers alone
  = help: leave units out, and write all values in units that fit together; if km is a variable, write * before it
exit 2
$ adcli eval "20°C + x" --at x=1
error: °C looks like a unit
  |
1 | 20°C + x
  |   ^^ adcli computes with numbers alone; ° is a degree of an angle
  = help: leave units out, and write all values in units that fit together
exit 2
$ adcli eval "5€ * x" --at x=1
error: the character € looks like a unit
  |
1 | 5€ * x
  |  ^ adcli computes with numbers alone
  = help: leave units out, and write all values in units that fit together
exit 2
$ adcli propagate "x*y" x=2±0.1
error: cannot read x=2±0.1
  = No such file or directory
  = help: this is a point, not a file: --at "x=2±0.1"
exit 2
$ adcli grade answers --problem "x @ x=1"
error: there is no option called --problem
  = help: did you mean --key hw.toml (a file of problems: adcli help keys)?
exit 2
$ adcli check paper.txt --blank
error: there is no option called --blank
  = help: did you mean adcli template?
exit 2
$ adcli new --students 20
error: --students takes a class list
  = help: name a CSV file with a line for each student, such as class.csv
exit 2
$ adcli new --students paper.txt
error: sheets for a class go into a folder
  = help: name the folder: -o homework3
exit 2
$ adcli new --students paper.txt -o class
error: the exercises of a class are computed from a secret
  = help: write a secret into a file and add --secret FILE, or set the environment variable ADCLI_SECRET
exit 2
$ adcli new --students paper.txt --secret /dev/null -o class
error: the secret is too short
  = help: write 8 characters or more
exit 2
$ adcli template x^2 --at x=1 --format xlsx
error: a spreadsheet cannot be printed
  = help: name a file: -o form.xlsx
exit 2
$ adcli template x^2 --at x=1 -o form.pdf
error: the suffix of form.pdf does not select a format of this command
  = help: use one of .txt, .csv, .json, .tex, .md, .markdown, .xlsx, .ipynb, or give --format
exit 2
$ adcli template x^2 --at x=1 --key paper.txt
error: there are both a key file and other problems
  = help: leave out --key or the other problems
exit 2
$ adcli template x^2 --at x=1 --student ada
error: --student needs a key file with the problems of the students
  = help: add the file: --key hw.toml
exit 2
$ adcli check homework/submissions/ada.txt
error: no problem is given
  = help: add --problem "x^2 @ x=3", or --key hw.toml, a file with problems
exit 2
$ adcli check homework/submissions/ada.txt --problem "x^2" --key homework/key.toml
error: an answer is marked with --problem or with --key, not with both
  = help: add --problem "x^2 @ x=3", or --key hw.toml, a file with problems
exit 2
$ adcli check homework/submissions/ada.txt --problem "x^2 @ x=1" --method 3/2
error: --method 3/2 is not a fraction from 0 to 1
  = help: write --method 1/2
exit 2
$ adcli check homework/submissions/lea.txt --key homework/key.toml
Problem 1: log(x1) + x1*x2 - sin(x2) @ x1=2, x2=5

Not gradable: the answer is empty

Problem 2: x*exp(-x^2) @ x=0.5

Not gradable: the answer is empty

Total: 0 of 15 marks
error: the answer is empty
  = help: for a blank form: adcli template
exit 4
$ adcli check homework/submissions/max.md --problem "x^2 @ x=1"
x^2 @ x=1

Not gradable: there is no row of a trace in this answer
error: there is no row of a trace in this answer
  = a row is a name, an equals sign, and a formula or a number
  = help: write rows such as v1 = x^2 = 9; for a blank form: adcli template
exit 4
$ adcli check homework/roster.csv --problem "x^2"
x^2

Not gradable: there is no formula in this answer that could be marked
error: there is no formula in this answer that could be marked
  = a formula is a derivative, an equals sign and an expression
  = help: the problem has no point, so formulas are expected: write dy/dx = …; for numbers, add a point: @ x=…
exit 4
$ adcli check homework/submissions/max.md --problem "log(-1-x^2)"
log(-1-x^2)

Not gradable: there is no formula in this answer that could be marked
error: there is no formula in this answer that could be marked
  = a formula is a derivative, an equals sign and an expression
  = help: the problem has no point, so formulas are expected: write dy/dx = …; for numbers, add a point: @ x=…
exit 4
$ adcli check homework/submissions/max.md --problem "x^2 @ x=1" --order 2 --mode forward
error: --mode forward asks for first derivatives
  = help: leave out --order or --mode
exit 2
$ adcli check homework/submissions/max.md --problem "sum(x) @ x=[1,2]" --order 2
error: adcli cannot mark second derivatives of vectors and matrices
  = help: leave out --order
exit 2
$ adcli grade homework/submissions
error: there is no key to grade with
  = help: add --key, the file with the problems: --key hw.toml
exit 2
$ adcli grade missing --key homework/key.toml
error: there is no folder or file called missing
  = help: name a folder of answers, a zip archive of them, or one answer
exit 2
$ adcli grade broken/archive.zip --key homework/key.toml
error: broken/archive.zip is not a zip archive
  = help: name a folder of answers, a zip archive of them, or one answer
exit 2
$ adcli grade homework/grades/reports --key homework/key.toml -o paper.txt
error: paper.txt is not a folder
  = help: name a folder with -o
exit 2
$ adcli grade homework/submissions --key homework/key.toml --for canvas
error: Canvas needs the class list
  = help: export the gradebook from Canvas, and add the file with --roster FILE
exit 2
$ adcli grade homework/submissions --key homework/key.toml --roster paper.txt
error: paper.txt has no column for the student
  = help: call the columns student, name or email, or use the file that Canvas or Moodle exports
exit 2
$ adcli grade homework/submissions/nina --key homework/key.toml -o homework/submissions/nina
error: the output folder homework/submissions/nina contains the submissions
  = help: name another folder with -o
exit 2
$ adcli explain sum(i,1,900,sin(i*x)) --at x=1
error: 8999 steps are too many to explain
  = help: up to 2000 are explained: choose a sweep with --mode and --wrt; adcli eval has no limit
exit 2
$ adcli explain x --at x=1 --interactive --format json
error: --interactive makes an HTML page, but --format says json
  = help: leave one of them out
exit 2
$ adcli explain 2+3 --interactive
error: there is nothing to step through
  = the problem is a number, without any step
  = help: print the number with adcli eval
exit 2
$ adcli eval x --at x=1 --interactive --hessian
error: the page of --interactive does not support --hessian
  = help: leave one of them out
exit 2
$ adcli step - --predict
error: problems and predictions cannot both come from standard input
  = help: give the expression as an argument
exit 2
$ adcli graph sum(i,1,1200,sin(i*x))
error: a picture of 3600 nodes is too large to read
  = help: adcli graph takes up to 2000 nodes; adcli eval --show order has no limit
exit 2
$ adcli graph "x*y" --reachable z
error: no sweep starts from z
  = help: sweeps start from x, y, f
exit 2
$ adcli graph "length^2" --reachable lenght
error: no sweep starts from lenght
  = help: did you mean --reachable length?
exit 2
$ adcli graph "x*y" --fit A9 --format svg
error: --fit A9 is not a page size
  = help: use A3, A4, A5, A6, letter, legal, or a size such as 160x90mm
exit 2
$ adcli graph "x*y" --fit 5x9 --format svg
error: --fit 5x9 is not a page size
  = sides are 20 to 5000 millimetres
  = help: without a unit they are millimetres: --fit 160x90
exit 2
$ adcli graph "x*y" --fit A4 --format mermaid
error: the format mermaid has no pages
  = help: --fit is for pictures: -o graph.svg, .png, .tex or .dot
exit 2
$ adcli graph "x*y" --direction up --format svg
error: --direction up is not a direction
  = help: use right (left-right) or down (top-down)
exit 2
$ adcli graph "x*y" --direction top-down
error: a drawing in characters goes from left to right
  = help: write a picture: -o graph.svg
exit 2
$ adcli graph --file paper.txt --format svg
note: log is read as the natural logarithm; for other bases write log10(x) or log(x, b)
error: a picture shows one problem
  = another one is on line 8 of paper.txt
  = help: draw the problems one by one, or choose --format plain
exit 2
$ adcli propagate x --at x=1±-1
error: the uncertainty of x is not a finite number of 0 or more
 --> --at:1:5
  |
1 | x=1±-1
  |     ^^
  = help: it is a standard deviation: x1=2±0.1, or x1=2±5%
exit 2
$ adcli propagate x --at x=1±0.1,x=2
error: the input x has two values
 --> --at:1:9
  |
1 | x=1±0.1,x=2
  |         ^^^ the second value
  = help: remove one of them
exit 2
$ adcli propagate x --at ,
error: the point is empty
 --> --at:1:2
  |
1 | ,
  |  ^
  = help: write it as x1=2±0.1, x2=5±0.2
exit 2
$ adcli propagate x*y --at x=1±1,y=2 --correlation x,y=0.5
error: the input y has a correlation, but no uncertainty
  = help: write y=value±sigma
exit 2
$ adcli propagate x*y --at x=1±1,y=2±1 --correlation x,y=1.5
error: a correlation is a number from -1 to 1
 --> --correlation:1:1
  |
1 | x,y=1.5
  | ^^^^^^^
exit 2
$ adcli propagate x*y --at x=1±1,y=2±1 --correlation x=0.5
error: a correlation is between two inputs
 --> --correlation:1:1
  |
1 | x=0.5
  | ^^^^^
  = help: write it as x1,x2=0.3
exit 2
$ adcli propagate x*y --at x=1±1,y=2±1 --correlation x,y=0.5 --correlation y,x=0.2
error: y and x have two correlations
  = help: remove one of them
exit 2
$ adcli propagate x+y+z --at x=1±1,y=1±1,z=1±1 --correlation x,y=0.9 --correlation y,z=0.9 --correlation x,z=-0.9
error: these correlations contradict each other
  = help: the correlation matrix has to be positive semidefinite
exit 2
$ adcli propagate x --at x=1±1 --distribution uniform
error: --distribution uniform does not name an input
  = help: write the input first: --distribution x1=uniform
exit 2
$ adcli propagate x --at x=1±1 --distribution x=uniform
error: --distribution needs random points
  = help: add --monte-carlo 100000
exit 2
$ adcli propagate x --at x=1±1 --distribution x=cauchy --monte-carlo 1000
error: there is no distribution called cauchy
  = help: available are normal, uniform, triangular, arcsine and t(9)
exit 2
$ adcli propagate x*y --at x=1±1,y=1±1 --distribution x=t(9) --correlation x,y=0.5 --monte-carlo 1000
error: the input x has a correlation, so its distribution must be normal
  = help: leave out the distribution of x
exit 2
$ adcli compile x
error: the target language is missing
  = help: add --to c | excel | javascript | numpy | polars | sql
exit 2
$ adcli compile "polygamma(2, x)" --to c
error: adcli compile cannot translate the function polygamma to C
  = help: to compute values and derivatives at many points, use adcli map
exit 2
$ adcli compile x*X --to sql
error: SQL reads x and X as the same name
  = help: give one of them another name
exit 2
$ adcli compile --file paper.txt --to c
error: adcli compile takes one problem
  = another one is on line 8 of paper.txt
  = help: compile the problems one by one
exit 2
$ adcli plot "x*y"
error: it is not clear which input is on the axis
  = help: add --over x=-3:3
exit 2
$ adcli plot "x^2" --over x=1
error: --over x=1 is not an interval
  = help: write it as --over x=-3:3
exit 2
$ adcli plot "x^2" --over x=3:1
error: the input x cannot go from 3 to 1
  = help: write two numbers, the smaller one first: --over x=-3:3
exit 2
$ adcli plot "x^2" --over z=0:1
error: there is no input called z
  = help: the inputs are x
exit 2
$ adcli plot sum(i,1,5000,sin(i*x))
error: a plot of 20000 operations takes too long
  = help: adcli plot takes up to 9765 operations
exit 2
$ adcli plot "x^2" --tangent y=1
error: a tangent needs a value of x
  = help: write --tangent x=1
exit 2
$ adcli evl x
error: there is no command called evl
  = help: did you mean adcli eval "x"?
exit 2
$ adcli eval --file broken
error: broken is a folder, not a file
  = help: name a file
exit 2
$ adcli eval --file missing.txt
error: cannot read missing.txt
  = No such file or directory
  = help: name a file of this folder, or write the path to it
exit 2
$ adcli eval x --at x=1 -o result.xyz
error: the suffix of result.xyz does not select a format of this command
  = help: use one of .txt, .csv, .json, .ndjson, .jsonl, .html, .htm, .tex, .md, .markdown, .rst, .typ, or give --format
exit 2
$ adcli eval x --at x=1 -o missing/result.txt
error: cannot write missing/result.txt
  = No such file or directory
  = help: make the folder first, or name another file
exit 2
$ adcli eval -f paper.txt -o paper.txt
error: paper.txt is both an input and the output
  = the input and the output are paper.txt
  = help: write to another file
exit 2
$ adcli check paper.txt --key ./paper.txt -o paper.txt --format plain
error: ./paper.txt is both an input and the output
  = the input and the output are paper.txt
  = help: write to another file
exit 2
$ adcli eval -f paper.txt --max-size 10
error: a line of paper.txt is larger than 10 bytes
  = help: allow more, as in --max-size 1MB
exit 2
$ adcli eval x --at x=1 --max-size much
error: --max-size much is not a size
  = help: write it as 500kB, 64MB or 2GB
exit 2
$ adcli eval "x^2" --at x=1 --wrt z
error: there is no input called z
  = help: the inputs are x
exit 2
$ adcli eval "length^2" --at length=1 --wrt lenght
error: there is no input called lenght
  = help: did you mean --wrt length?
exit 2
$ adcli eval "x^2" --at x=1 --mode forward --seed y=1
error: the seed names y, which is not an input
  = help: with --mode forward a seed names x
exit 2
$ adcli eval "x^2" --at x=1 --mode reverse --seed x=1
error: the seed names x, which is not an output
  = help: with --mode reverse a seed names y
exit 2
$ adcli eval "x^2" --at x=1 --seed z=1
error: the seed names z, which is neither input nor output
  = help: with --mode both a seed names x or y
exit 2
$ adcli eval "x^2" --at x=1 --mode value --seed z=1
error: without derivatives there is no seed
  = help: add --mode forward or --mode reverse
exit 2
$ adcli eval "x + 1" --at 1
error: a point consists of names with values
 --> --at:1:1
  |
1 | 1
  | ^ name=value is expected here
  = help: write the name of the input, too: x=1
exit 2
$ adcli eval "x + 1" --at x=1,x=2
error: the input x has two values
 --> --at:1:5
  |
1 | x=1,x=2
  |     ^^^ the second value
  = help: remove one of them
exit 2
$ adcli eval "x + 1" --at x=y
error: the value of x is not a number
 --> --at:1:3
  |
1 | x=y
  |   ^ y is a name without a value
  = help: write a number, as in x=pi/2
exit 2
$ adcli eval "x + 1" --at x=1/0
error: the value of x is infinite
 --> --at:1:3
  |
1 | x=1/0
  |   ^^^
  = help: write inf if you mean infinity
exit 2
$ adcli eval "x + 1" --at x=2*
error: the expression ends too soon
 --> --at:1:5
  |
1 | x=2*
  |     ^ something is missing after *
  = help: write a number, a name or a bracket here
exit 2
$ adcli eval "x + y" --at x=1
error: y has no value
  |
1 | x + y
  |     ^ no value is given for this name
  = help: add y=… to the point: after @, or with --at
exit 2
$ adcli eval "x +" --at x=1
error: the expression ends too soon
  |
1 | x +
  |    ^ something is missing after +
  = help: write a number, a name or a bracket here
exit 2
$ adcli eval "2*log(x - 3)" --at x=2
error: log needs a positive argument
  |
1 | 2*log(x - 3)
  |       ^^^^^ this is -1 when x = 2
  = note: reached while evaluating v2 = log v1
  = help: choose x so that x - 3 > 0
exit 3
$ adcli eval "2*log(x - 3)" --at x=2 --ascii
error: log needs a positive argument
  |
1 | 2*log(x - 3)
  |       ^^^^^ this is -1 when x = 2
  = note: reached while evaluating v2 = log v1
  = help: choose x so that x - 3 > 0
exit 3
$ adcli eval "a = x - 3; 2*log(a)" --at x=2 --format plain
error: log needs a positive argument
  |
1 | a = x - 3; 2*log(a)
  |                  ^ this is -1 when x = 2
  = note: reached while evaluating v2 = log a
  = help: choose x so that a > 0
exit 3
$ adcli eval x --at x=1 --mode value --show order
error: --show order needs a forward or reverse sweep
  = help: choose --mode forward, reverse or both
exit 2
$ adcli eval ""
error: there is no problem in the input
  = help: write one per line, such as x^2 @ x=3
exit 2
$ adcli eval "|x|" --at x=0 --kinks error
error: abs has a corner at 0
  |
1 | |x|
  |  ^ this is 0
  = note: reached while evaluating v1 = |x| (slope -1 from the left and 1 from the right); the slope used here is 0
  = help: choose another point, or accept the slope used here: --kinks note
exit 3
$ adcli functions norm
error: adcli functions lists only functions of numbers, not norm
  = norm is for arrays: Euclidean norm, of a matrix the Frobenius norm
  = help: functions of vectors and matrices: adcli help arrays
exit 2
$ adcli propagate "norm(x) @ x=[1±0.1, 2]"
error: only numbers have uncertainties, but this point has a vector or matrix
  |
1 | norm(x) @ x=[1±0.1, 2]
  |             ^ the array starts here
  = help: name the entries: norm([a, b]) @ a=1±0.1, b=2±0.2
exit 2
$ adcli functions sine
error: there is no function called sine
  = help: did you mean sin?
exit 2
$ adcli eval x --at x=1 --format md
error: option --format does not take the value md
  = help: did you mean --format markdown?
exit 2
$ adcli eval x --at x=1 --mode rev
error: option --mode does not take the value rev
  = help: did you mean --mode reverse?
exit 2
$ adcli eval x --at x=1 --json
error: there is no option called --json
  = help: did you mean --format json?
exit 2
$ adcli eval x --at x=1 -m reverse
error: there is no option called -m
  = help: did you mean --mode reverse?
exit 2
$ adcli eval x*y --at x=3 y=4
error: adcli eval takes one EXPR
  = left over: y=4
  = help: join the point with commas: --at x=3,y=4
exit 2
$ adcli eval x^2 x=3
error: adcli eval takes one EXPR
  = left over: x=3
  = help: a point is an option: --at x=3
exit 2
$ adcli eval prob.txt
error: prob.txt is not an expression
  = it looks like the name of a file
  = help: problems are read from a file with -f prob.txt
exit 2
$ adcli jacobian "(x+1)*y, x^2" --at x=1,y=2
error: there is no command called jacobian
  = help: did you mean adcli diff "(x+1)*y; x^2" --at x=1,y=2?
exit 2
$ adcli completion tcsh
error: there is no completion for tcsh
  = help: use one of bash, zsh, fish
exit 2
$ adcli prompt x^2
error: adcli prompt takes no arguments
  = help: start adcli prompt alone, then type the problem
exit 2
$ adcli help pictuers
error: nothing in the manual is about pictuers
  = help: did you mean adcli help pictures?
exit 2
$ adcli help --format man
error: all pages of the manual go to a folder
  = help: adcli help --format html -o FOLDER, or --format man
exit 2
$ adcli functions -o list.ndjson
error: the suffix of list.ndjson does not select a format of this command
  = help: use one of .txt, .csv, .json, .html, .htm, .tex, .md, .markdown, .rst, .typ, or give --format
exit 2
$ adcli trace python/mistakes.py --at x=2
error: the name of the function is missing after python/mistakes.py
  = help: write the file and the function, such as model.py:loss
exit 2
$ adcli trace nowhere.py:f --at x=2
error: there is no file called nowhere.py
  = help: name a Python file
exit 2
$ adcli trace paper.txt:f --at x=2
error: paper.txt is not a Python file
  = help: name a file that ends in .py
exit 2
$ adcli trace python/mistakes.py:out --at x=2
error: python/mistakes.py has no function called out
  = help: the functions in python/mistakes.py are outside, lost, counted, words, nothing, broken, endless
exit 2
$ adcli trace python/mistakes.py:outside --at x=2
error: log needs a positive argument
  --> python/mistakes.py:13:16
   |
13 |     return 2 * log(y)
   |                ^^^^^^ log was given -1.0
exit 3
$ adcli trace python/mistakes.py:lost --at x=2
error: a plain number would lose its derivative
  --> python/mistakes.py:17:12
   |
17 |     return math.sin(x) * x
   |            ^^^^^^^^^^^ Python needs the plain number of <Recorded 2.0> here
   = help: use the functions of adcli.python or NumPy, such as numpy.sin for math.sin; x.value is the plain number
exit 2
$ adcli trace python/mistakes.py:counted --at x=2,n=3
error: a traced value cannot be an index or a count
  --> python/mistakes.py:21:30
   |
21 |     return sum(x**k for k in range(n))
   |                              ^^^^^^^^ Python needs <Recorded 3.0> as a whole number here
   = help: leave this argument out of argnum, or give it to adcli trace as --fixed n=3: then it is a plain number
exit 2
$ adcli trace python/mistakes.py:counted --at x=2
error: the argument n has no value
  = help: add n=… to the point, or fix an argument that is not an input: --fixed n=3
exit 2
$ adcli trace python/mistakes.py:outside --at z=2
error: the function has no parameter called z
  = help: the parameters are x
exit 2
$ adcli trace python/mistakes.py:words --at x=2
error: the function returns something that is not a number
  = y is of type str
  = help: return a number, or a tuple, a list or a dict of numbers
exit 2
$ adcli trace python/mistakes.py:nothing --at _x=2
error: the function returns nothing
  = help: return a number
exit 2
$ adcli trace python/mistakes.py:broken --at x=2
error: broken fails
  --> python/mistakes.py:33:12
   |
33 |     return x / "two"
   |            ^^^^^^^^^ TypeError: unsupported operand type(s) for /: 'Recorded' and 'str'
   = help: correct the Python code, or choose another point
exit 2
$ adcli eval x --at x=1 --functions python/nothing.py
error: there is no file called python/nothing.py
  = help: name a Python file
exit 2
$ adcli map x1*x2 broken/points.csv
id,y,dy_dx1,dy_dx2
a,10.0,5.0,2.0
b,NaN,NaN,NaN
c,NaN,NaN,NaN
d,NaN,NaN,NaN
e,NaN,NaN,NaN
f,NaN,NaN,NaN
g,-10.0,5.0,-2.0
h,NaN,NaN,NaN
i,NaN,NaN,NaN
error: the value of x1 is not a number
 --> broken/points.csv:3:3
  |
3 | b,two,5
  |   ^^^ this is text
  = help: write a number, as in 1.5 or 2e-3
error: the column x1 has no value here
 --> broken/points.csv:4:3
  |
4 | c,,5
  |   ^ this cell is empty
  = help: write a number, or nan for a missing one
error: the value of x1 is too large for a double
 --> broken/points.csv:5:3
  |
5 | d,1e400,5
  |   ^^^^^ this number
  = help: write inf if you mean infinity
error: a row has 4 cells, but the header has 3
 --> broken/points.csv:6:1
  |
6 | e,1,000,5
  | ^^^^^^^^^ this row
  = help: write a cell for every column, and quote cells that hold a separator
error: a row has 2 cells, but the header has 3
 --> broken/points.csv:7:1
  |
7 | f,2
  | ^^^ this row
  = help: write a cell for every column, and quote cells that hold a separator
error: 2 more rows could not be read
exit 2
$ adcli map sqrt(x1)*x2 points.csv --fail-fast
id,y,dy_dx1,dy_dx2
a,7.0710678118654755,1.7677669529663687,1.4142135623730951
b,0.7071067811865476,0.7071067811865475,0.7071067811865476
error: sqrt needs an argument that is not negative
  |
1 | sqrt(x1)*x2
  |      ^^ this is -1
  = note: reached while evaluating v1 = sqrt x1
  = note: points.csv:4 has the point x1 = -1, x2 = 0.5
  = help: choose x1 so that x1 >= 0
exit 3
$ adcli map sqrt(x1)*x2 points.csv -q --format ndjson
{"id": "a", "y": 7.0710678118654755, "dy_dx1": 1.7677669529663687, "dy_dx2": 1.4142135623730951}
{"id": "b", "y": 0.7071067811865476, "dy_dx1": 0.7071067811865475, "dy_dx2": 0.7071067811865476}
{"id": "c", "y": null, "dy_dx1": null, "dy_dx2": null}
{"id": "d", "y": 0.09486832980505139, "dy_dx1": 0.004743416490252569, "dy_dx2": 3.1622776601683795}
exit 3
$ adcli map x1*x2 broken/points-decimal-comma.csv
error: the column x1 has decimal commas
 --> broken/points-decimal-comma.csv:3:3
  |
3 | b;2,5;5
  |   ^^^ this has a comma
  = help: add --decimal comma
exit 2
$ adcli map x1*x2 broken/points-no-header.csv
error: broken/points-no-header.csv does not name its columns
 --> broken/points-no-header.csv:1:1
  |
1 | 2,5
  | ^^^ the first line holds numbers
  = help: write names into the first line, such as x1,x2
exit 2
$ adcli map x1*x2 broken/points-quotation.csv
error: a quotation mark is never closed
 --> broken/points-quotation.csv:3:1
  |
3 | "b,3,6
  | ^ opened here
  = help: add " where the cell ends
exit 2
$ adcli map x1*x2 points.csv --shard abc -o out.csv
error: --shard cannot be abc
  = help: --shard 3/16 is the third of 16 parts; at most 99,999 are allowed
exit 2
$ adcli map x1*x2 points.csv --shard 4/3 -o out.csv
error: there is no part 4 of 3
  = help: --shard 3/16 is the third of 16 parts; at most 99,999 are allowed
exit 2
$ adcli map x1*x2 points.csv --shards 3
error: --shards needs the name of an output file
  = help: add one, such as -o out.parquet
exit 2
$ adcli map x1*x2 points.csv --resume -o out.csv
error: --resume needs --shards or --dask
  = help: compute in parts, such as --shards 16 --resume
exit 2
$ adcli map x1*x2 points.csv --shards 3 --shard 1/3 -o out.csv
error: --shard computes one part, --shards all of them
  = help: leave one of them out
exit 2
$ adcli map x1*x2 points.csv --shards 3 --reduce mean -o out.csv
error: --shards writes rows, --reduce writes statistics
  = help: leave one of them out
exit 2
$ adcli map x1*x2 - --shards 3 -o out.csv
error: parts need a file; standard input can be read only once
  = help: save it in a file
exit 2
$ adcli map x1*x2 missing-points.csv --shard 1/3 -o out.csv
error: cannot read missing-points.csv
  = No such file or directory
exit 2
$ adcli map x1*x2 points.csv --dask nowhere -o out.csv
error: no Dask cluster answers at nowhere
  = missing port number in address 'nowhere'
  = help: give the address of the scheduler of the cluster, such as tcp://127.0.0.1:8786
exit 2
$ adcli map x1*x2 broken/points-twice.csv
error: two columns of broken/points-twice.csv are called x1
  = help: rename one of them
exit 2
$ adcli map x1*x2 broken/points-latin-1.csv
error: broken/points-latin-1.csv:2 is not UTF-8
  = help: convert the file: iconv -f WINDOWS-1252 -t UTF-8
exit 2
$ adcli map x1*x2 broken/points.xlsx
error: broken/points.xlsx is a spreadsheet or an archive, from which no points can be read
  = help: save the points as CSV
exit 2
$ adcli map x1*x2 broken/points-empty.csv
error: broken/points-empty.csv is empty
  = help: the first line names the columns, as in x1,x2
exit 2
$ adcli map x^2 broken/open-list.json
error: broken/open-list.json ends inside a list
  = help: end it with ]
exit 2
$ adcli map x1*x2 broken/points.ndjson
y,dy_dx1,dy_dx2
10.0,5.0,2.0
NaN,NaN,NaN
NaN,NaN,NaN
NaN,NaN,NaN
error: the value of x1 is not a number
 --> broken/points.ndjson:2:2
  |
2 | {"x1": "two", "x2": 5}
  |  ^^^^ this is text
  = help: write a number, as in 1.5 or 2e-3
error: a line is not a JSON object
 --> broken/points.ndjson:3:1
  |
3 | [2, 5]
  | ^ this is not an object
  = help: write one on each line: {"x1": 2, "x2": 5}
error: a line is not a JSON object
 --> broken/points.ndjson:4:17
  |
4 | {"x1": 2, "x2":
  |                 ^ expecting value
  = help: write one on each line: {"x1": 2, "x2": 5}
exit 2
$ adcli map x1*x3 points.csv
error: the points have no column called x3
  |
1 | x1*x3
  |    ^^ did you mean x2?
  = help: use the names of the columns, or add a value for all points: --at x3=…
exit 2
$ adcli map x1*x2 points.csv --wrt x3
error: there is no input called x3
  = help: did you mean --wrt x2?
exit 2
$ adcli map x1*x2 points.csv --carry ids
error: there is no column called ids to copy
  = help: did you mean id?
exit 2
$ adcli map x1*x2 points.csv points.csv
error: adcli map takes an expression and one file of points
  = left over: points.csv
  = help: put quotation marks around an expression with blanks
exit 2
$ adcli map x1*x2
error: standard input is empty
  = help: the first line names the columns, as in x1,x2
exit 2
$ adcli map - -
error: there are no points
  = help: name a file with points: adcli map "x1*x2" points.csv
exit 2
$ adcli map '' points.csv
error: there is no expression
  = help: write one, such as "x1*x2"
exit 2
$ adcli map -f paper.txt points.csv
error: a file of points takes one expression
  = there are 15 expressions
  = help: write the outputs in one line, with semicolons between them
exit 2
$ adcli map 'id = x1*x2; id' points.csv
error: the result would have two columns called id
  = help: name the output, as in z = x1*x2; z, or choose the columns to copy: --carry id
exit 2
$ adcli map x1*x2 nothing.csv
error: cannot read nothing.csv
  = No such file or directory
  = help: name a file of this folder, or write the path to it
exit 2
$ adcli map x1*x2 broken
error: broken is a folder, not a file
  = help: name a file
exit 2
$ adcli map x1*x2 points.csv -o out.xls
error: the suffix of out.xls does not select a format of this command
  = help: use one of .csv, .ndjson, .jsonl, .parquet, .arrow, .feather, or give --format
exit 2
$ adcli map x1*x2 points.csv -o nowhere/out.csv
error: cannot write nowhere/out.csv
  = No such file or directory
  = help: make the folder first, or name another file
exit 2
$ adcli map x1*x2 points.csv --over x1=0:1:5
error: there are both a file of points and generated points
  = the file is points.csv
  = help: leave out the file, or the options that generate points (--over, --sample)
exit 2
$ adcli map x1*x2 --over x1=0:1
error: a grid needs a name, both ends and a number of points
 --> --over:1:1
  |
1 | x1=0:1
  | ^^^^^^ a part is missing or too much
  = help: write it as --over x1=0:10:1000
exit 2
$ adcli map x1*x2 --over x1=0:inf:5
error: the grid of x1 is infinite
 --> --over:1:1
  |
1 | x1=0:inf:5
  | ^^^^^^^^^^
  = help: write finite numbers
exit 2
$ adcli map x1*x2 --over x1=0:nan:5
error: in --over a value of x1 is not a number
  = nan
  = help: write numbers in --over
exit 2
$ adcli map x1*x2 --over x1=0:1:2.5
error: the number of points of x1 is not a whole number of 1 or more
  = 2.5
  = help: write it as 1000 or 1e6
exit 2
$ adcli map x1*x2 --over x1=0:1:1e9 --over x2=0:1:1e9
error: the grid has too many points
  = 1,000,000,000,000,000,000 points
  = help: at most 1,000,000,000,000,000 are allowed
exit 2
$ adcli map x1*x2 --over x1=0:1:5 --sample x1=normal
error: the input x1 has two values
  = help: name each input only once in --over and --sample
exit 2
$ adcli map x1*x2 --over x1=0:1:5 --sample x2=normal --n 5
error: --n cannot be combined with --over
  = help: leave out --n: --sample then draws one number for each point of the grid
exit 2
$ adcli map x1*x2 --sample normal(0,1)
error: the number of random points is missing
  = help: add it with --n, such as --n 1e6
exit 2
$ adcli map x1*x2 --sample normal --sample uniform --n 5
error: two distributions do not name their inputs
  = help: write --sample "x1=normal(0,1), x2=uniform(0,1)"
exit 2
$ adcli map x1*x2 --sample norml(0,1) --n 5
error: there is no distribution called norml
 --> --sample:1:1
  |
1 | norml(0,1)
  | ^^^^^^^^^^ did you mean normal?
  = help: use one of normal, lognormal, uniform, triangular, exponential, t
exit 2
$ adcli map x1*x2 --sample normal(0) --n 5
error: the distribution normal has 2 parameters
 --> --sample:1:1
  |
1 | normal(0)
  | ^^^^^^^^^ this has 1
  = help: write normal(mean, sigma)
exit 2
$ adcli map x1*x2 --sample normal(0,-1) --n 5
error: the distribution normal needs a sigma that is not negative
 --> --sample:1:1
  |
1 | normal(0,-1)
  | ^^^^^^^^^^^^
exit 2
$ adcli map x1*x2 points.csv --n 5
error: --n is only for random points
  = help: add the distribution of the inputs, such as --sample "normal(0,1)", or leave out --n
exit 2
$ adcli map x1*x2 points.csv --reduce mode
error: there is no reduction called mode
  = help: use one of mean, std, min, max, histogram
exit 2
$ adcli map x1*x2 points.csv --reduce mean --carry id
error: --reduce writes no rows, so --carry has no effect
  = help: leave --carry out
exit 2
$ adcli propagate x1*x2 points.csv
error: no input has an uncertainty
  = help: add a column called sigma_x1, or give one uncertainty for all rows: --sigma x1=0.1
exit 2
$ adcli propagate x1*x2 points.csv points.csv
error: adcli propagate takes an expression and one file of points
  = left over: points.csv
  = help: put quotation marks around an expression with blanks
exit 2
$ adcli propagate - -
error: there are no points
  = help: name a file with points: adcli propagate "x1*x2" points.csv
exit 2
$ adcli propagate x1*x2 points.csv --sigma x1=-1
error: the uncertainty of x1 is not a finite number of 0 or more
  = help: write it as --sigma x1=0.1
exit 2
$ adcli propagate x1*x2 points.csv --sigma x3=1
error: there is no input called x3
  = help: did you mean x2?
exit 2
$ adcli propagate x1*x2 points.csv --sigma x1=1 --correlation x1,x2=0.5
error: the input x2 has a correlation, but no uncertainty
  = help: write x2=value±sigma
exit 2
$ adcli propagate x1*x2 points.csv --sigma x1=1 --monte-carlo 5000000
error: there are too many random points
  = 5,000,000 for each row of the file
  = help: at most 1,000,000 are allowed
exit 2
$ adcli propagate x1*x2 points.csv --sigma x1=1 --format table
error: results of many rows are not written in the format table
  = help: use one of csv, ndjson, parquet, arrow
exit 2
$ adcli propagate x1*x2 --at x1=1,x2=2 --sigma x1=1
error: --sigma and --carry are for a file of points
  = help: at one point: --at "x1=2±0.1"
exit 2
$ adcli map x1*x2 points.csv --engine fortran
error: option --engine does not take the value fortran
  = help: --engine takes auto, numpy, native
exit 2
$ adcli eval "sum(A) @ A=@broken/large.csv"
error: a number in A is too large
  |
1 | sum(A) @ A=@broken/large.csv
  |            ^^^^^^^^^^^^^^^^^ the number is 1e400
  = help: write inf if you mean infinity
exit 2
$ adcli eval "sum(A) @ A=@broken/ragged.json"
error: A is not a vector or matrix of numbers
  |
1 | sum(A) @ A=@broken/ragged.json
  |            ^^^^^^^^^^^^^^^^^^^
  = help: write rows of the same length, of numbers only
exit 2
$ adcli diff "A x" --shape A=2x2,x=2
error: the output y is an array, but only a number has a gradient
  = help: compute a number from it, such as sum(y)
exit 2
$ adcli graph "A x" --shape A=2x2,x=2 --reachable x
error: --reachable needs a graph of single numbers
  = help: add --scalars, which draws each number
exit 2
$ adcli eval "sum(x) @ x=[1,2]" --show order
error: --show order lists rows of single numbers, and this problem has vectors or matrices
  = help: add --scalars: every entry becomes a row
exit 2
$ adcli diff "sum(x) @ x=[1,2]" --order 2
error: adcli diff does not write second derivatives of vectors and matrices
  = help: for their values: adcli eval --hessian
exit 2
$ adcli diff "sum(x) @ x=[1,2]" --trace
error: --trace does not show sweeps of arrays
  = help: leave out --trace, or use adcli eval
exit 2
$ adcli check homework/submissions/ada.txt --problem "norm(x)^2" --shape x=2 --mode reverse
error: a mode needs a problem with a point
 --> --problem:1:1
  |
1 | norm(x)^2
  | ^^^^^^^^^
  = help: leave out --mode
exit 2
$ adcli check homework/submissions/ada.txt --problem "2 x @ x=[1,2]" --mode reverse
error: adcli marks adjoints of arrays only if the result is one number
 --> --problem:1:1
  |
1 | 2 x @ x=[1,2]
  | ^^^^^^^^^^^^^
  = help: use --mode value
exit 2
$ adcli check homework/submissions/ada.txt --problem "norm(x)^2 @ x=[1,2]" --mode forward
error: adcli cannot mark tangents of arrays
 --> --problem:1:1
  |
1 | norm(x)^2 @ x=[1,2]
  | ^^^^^^^^^^^^^^^^^^^
  = help: use --mode reverse or --mode value
exit 2
$ adcli check homework/submissions/ada.txt --problem "norm(x)^2 @ x=[1,2]" --wrt z
error: there is no input called z
  = help: the inputs are x[1], x[2]
exit 2
$ adcli diff "sum(x)" --shape x=two
error: a shape is a number of entries, or rows x columns
 --> --shape:1:1
  |
1 | x=two
  | ^^^^^
  = help: write it as --shape "A=3x2, x=2"
exit 2
$ adcli diff "sum(if(x > 0, x, -x))" --shape x=2
error: the derivative of the function if has no formula in vectors and matrices
  = help: for numbers at a point: adcli eval
exit 2
"""

# What Python callers see: the call, the error's class and its title.


def picture_on_a_terminal() -> None:
    """Writes the bytes of a picture to a terminal."""
    with contextlib.redirect_stdout(Terminal(io.BytesIO(), encoding="utf-8")):
        Stream().write(b"\x89PNG")


def kernel_where_llvm_fails() -> None:
    """Compiles where LLVM does not know the processor."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("adcli.engine.native._machine", Mock(side_effect=RuntimeError("no such processor")))
        adcli.parse("x^2").kernel("native")


def undecided_formula() -> None:
    """An answer that differs from the derivative by less than can be told, and by more than can be proved."""
    answer = b"f'(x) = 2x + 10^30 (erf(x) - erf(x + 10^-60))"
    (marking,) = assess(answer, "a.txt", [task_of("x^2", formulas=True)], Rules())
    assert marking.problem is not None
    raise marking.problem


CALLS: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: adcli.log(adcli.Node(-1.0)), "DomainProblem", "log needs a positive argument"),
    (lambda: adcli.sin(adcli.Node(1.0), 2.0), "ArityProblem", "sin takes 1 argument, got 2"),
    (lambda: adcli.max(adcli.Node(1.0)), "ArityProblem", "max takes 2 or more arguments, got 1"),
    (lambda: adcli.parse("x^2").trace({"x": 1.0}, "sideways"), "RequestError", "there is no mode called sideways"),
    (lambda: adcli.parse("x^2").taylor(x=1.0, order=-1), "RequestError", "a Taylor series has no order -1"),
    (lambda: adcli.parse("x^2").derivative("x", order=0), "RequestError", "there is no derivative of order 0"),
    (lambda: adcli.parse("x^2").propagate({"x": 1.0}, {"x": -0.5}), "RequestError", "the uncertainty of x is -0.5"),
    (
        lambda: adcli.parse("x^2").propagate({"x": 1.0}, {"x": 0.5}, monte_carlo=-1),
        "RequestError",
        "there are too few random points",
    ),
    (lambda: points.polars("2+3"), "RequestError", "the expression 2+3 has no inputs that could be columns"),
    (
        lambda: adcli.parse("x^2").trace({"x": 1.0}, numbering="upside down"),
        "RequestError",
        "there is no numbering called upside down",
    ),
    (
        lambda: adcli.parse("polygamma(2, x)").kernel("native"),
        "NoNativeForm",
        "polygamma cannot be compiled to machine code",
    ),
    (
        lambda: prompt.Session(Stream(), prompt.PromptRequest()).run_line("forget q"),
        "RequestError",
        "there is no value or definition called q",
    ),
    (lambda: adcli.parse("2").explain(detail="long"), "RequestError", "there is no detail called long"),
    (lambda: adcli.parse("2").graph().to("docx"), "RequestError", "there is no format called docx here"),
    (
        lambda: prompt.Session(Stream(), prompt.PromptRequest()).run_line("prompt"),
        "RequestError",
        "adcli prompt is running already",
    ),
    (kernel_where_llvm_fails, "RequestError", "LLVM cannot compile on this machine"),
    (picture_on_a_terminal, "OutputProblem", "this document cannot be shown on a terminal"),
    (lambda: adcli.parse("x +"), "SyntaxProblem", "the expression ends too soon"),
    (lambda: adcli.parse("x*y").value({"x": 1.0}), "NameProblem", "y has no value"),
    (lambda: split_words('eval "x'), "RequestError", "a quotation mark is never closed"),
    (lambda: task_of("# nothing"), "RequestError", "there is no problem here"),
    (lambda: task_of("x @ x=1\ny @ y=1"), "RequestError", "a task is one problem"),
    (lambda: task_of("x*y"), "RequestError", "the problem has no point"),
    (undecided_formula, "NotGradable", "it cannot be decided whether a formula is the derivative"),
    (
        lambda: read_key("[[problem]]\ntext = 'x^2 @ x=3'\nweights = {v9 = 2}"),
        "RequestError",
        "the problem has no quantity called v9",
    ),
    (lambda: read_key(""), "RequestError", "the key file has no problem"),
    (lambda: read_key("title = "), "RequestError", "the key file is not valid TOML"),
    (lambda: read_key("title = " + "[" * 9999), "RequestError", "the key file is not valid TOML"),
    (lambda: Key("", ()).tasks_for("alice"), "RequestError", "the key file has no problem for the student alice"),
    (lambda: Key("", ()).tasks_for(None), "RequestError", "the key file has only problems for individual students"),
    (lambda: instance(b"", 1, "reverse", attempts=0), "RequestError", "no exercise of level 1 was found"),
    (lambda: students_of(read_roster("id,name\n", "class.csv")), "RequestError", "the class list has no students"),
    (
        lambda: students_of(read_roster("id\na\na\n", "class.csv")),
        "RequestError",
        "the id a appears 2 times in the class list",
    ),
    *python_misuses.CALLS,
    *kernel_misuses.CALLS,
    *expression_misuses.CALLS,
]


def inside(*arguments: str) -> Run:
    """Runs a command line inside the samples folder, where the paths in messages are short and stable."""
    with contextlib.chdir(SAMPLES):
        return run(*arguments)


@cache
def broken(name: str) -> Run:
    """What a broken file gets; the records of its errors are the document."""
    text = (SAMPLES / "broken" / f"{name}.txt").read_text(encoding="utf-8")
    options = re.findall(r"^# Options: (.*)$", text, re.MULTILINE)
    arguments = shlex.split(options[0]) if options else []
    return inside("eval", "--file", f"broken/{name}.txt", "--format", "ndjson", *arguments)


def records(name: str) -> list[dict[str, Any]]:
    """The document of a broken file, one record for each of its problems."""
    return [json.loads(line) for line in broken(name).out.splitlines()]


def commands() -> Iterator[tuple[str, str]]:
    """The command lines of COMMANDS and what follows each."""
    for part in re.split(r"^\$ ", COMMANDS, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def command_text(command: str) -> str:
    """What a command line of COMMANDS prints, and its exit code."""
    answer = inside(*shlex.split(command)[1:])
    return f"{answer.out}{answer.err}exit {answer.code}\n"


def raised(call: Callable[[], Any]) -> AdcliError:
    with pytest.raises(AdcliError) as caught:
        call()
    return caught.value


def words_of_jax(call: Callable[[], Any]) -> bool:
    """Whether a message has words of JAX, which may be missing, or another version."""
    return getattr(call, "__qualname__", "").startswith("_jax")


def whole(error: AdcliError) -> str:
    return OTHERS_WORDS.sub("", str(error)) + "\n\n"


@pytest.fixture(scope="session", autouse=True)
def updated() -> None:
    """Writes all snapshots anew where that is asked for."""
    if not UPDATE:
        return
    for path in BROKEN:
        answer = broken(path.stem)
        path.with_suffix(".expected").write_text(f"{answer.err}exit {answer.code}\n", encoding="utf-8")
    recorded = "".join(whole(raised(call)) for call, _, _ in CALLS if not words_of_jax(call))
    for reach, _ in LIMITS:
        with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            recorded += whole(raised(partial(reach, patch)))
    PYTHON_MESSAGES.write_text(f"\n{recorded}", encoding="utf-8")
    here = Path(__file__)
    renewed = "".join(f"$ {command}\n{command_text(command)}" for command, _ in commands())
    here.write_text(here.read_text(encoding="utf-8").replace(COMMANDS, "\n" + renewed), encoding="utf-8")


# --- broken files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [path.stem for path in BROKEN])
def test_a_broken_file_gets_its_exact_messages(name: str) -> None:
    expected = (SAMPLES / "broken" / f"{name}.expected").read_text(encoding="utf-8")
    answer = broken(name)
    assert expected == f"{answer.err}exit {answer.code}\n"


@pytest.mark.parametrize("name", [path.stem for path in BROKEN])
def test_each_broken_line_is_one_error_in_its_place(name: str) -> None:
    lines = (SAMPLES / "broken" / f"{name}.txt").read_text(encoding="utf-8").split("\n")
    expected = [problem.span.source.first_line if isinstance(problem, AdcliError) and problem.span else problem.line
                for problem in read_problems(lines)]  # fmt: skip
    assert [("error/1", line) for line in expected] == [(r["schema"], r.get("line")) for r in records(name)]


@pytest.mark.parametrize("name", [path.stem for path in BROKEN])
def test_the_exit_code_is_3_for_the_mathematics_and_2_for_the_rest(name: str) -> None:
    kinds = {record.get("kind") for record in records(name)}
    assert broken(name).code == (3 if "domain" in kinds else 2)
    assert name.startswith(("domain-", "kink-")) == ("domain" in kinds)


@pytest.mark.parametrize("name", [path.stem for path in BROKEN])
def test_a_mistake_of_the_user_is_never_reported_as_one_of_adcli(name: str) -> None:
    assert "made a mistake" not in broken(name).err
    assert "Traceback" not in broken(name).err


def test_every_snapshot_has_its_broken_file() -> None:
    snapshots = {path.stem for path in (SAMPLES / "broken").glob("*.expected")}
    assert snapshots == {path.stem for path in BROKEN}


def test_every_broken_file_says_what_is_wrong_with_it() -> None:
    silent = [path.name for path in BROKEN if not path.read_text(encoding="utf-8").startswith("# ")]
    assert not silent


# --- command lines and Python ----------------------------------------------------------------------------------------


@together(("command", "expected"), list(commands()))
def test_a_command_line_gets_its_exact_message(command: str, expected: str) -> None:
    assert UPDATE or expected == command_text(command)


@pytest.mark.parametrize(("call", "kind", "title"), CALLS)
def test_python_raises_what_the_command_line_prints(call: Callable[[], Any], kind: str, title: str) -> None:
    error = raised(call)
    assert (kind, title) == (type(error).__name__, error.title)
    assert words_of_jax(call) or f"\n{whole(error)}" in PYTHON_MESSAGES.read_text("utf-8")


MISUSES = [
    ("eval x --at x=1 --mode sideways", "adcli eval"),
    ("eval x --at x=1 --places 99", "adcli eval"),
    ("eval x --at x=1 --places many", "adcli eval"),
    ("eval --at x=1 x --mode", "adcli eval"),
    ("eval x --at x=1 --cse=yes", "adcli eval"),
    ("eval x --at x=1 --frobnicate", "adcli eval"),
    ("functions --format ndjson", "adcli functions"),
]


@pytest.mark.parametrize(("command", "asked"), MISUSES)
def test_a_misused_option_is_answered_in_the_same_form(command: str, asked: str) -> None:
    answer = inside(*command.split())
    first, *_, last = answer.err.splitlines()
    assert re.match(r"error: [a-z].*[^.]\Z", first)
    option = re.escape(command.split()[-2])
    assert re.fullmatch(rf"  = help: ({asked} --help|did you mean {option} \w+\?|{option} takes [a-z, ]+)", last)
    assert not answer.out
    assert answer.code == 2


ACCIDENTS = [
    (MemoryError(), "the problem is too large for this machine's memory", 2),
    (RecursionError(), "the problem is too large for this machine's memory", 2),
    (ZeroDivisionError("a slip"), "adcli has made a mistake", 2),
    (ImportError("cannot import name 'x' from 'adcli.trace'", name="adcli.trace"), "adcli has made a mistake", 2),
    (ModuleNotFoundError("No module named 'lark'", name="lark"), "the library lark does not load", 2),
]


@pytest.mark.parametrize(
    ("statement", "title", "label"),
    [
        (
            "from adcli.errors import no_such_name",
            "adcli has made a mistake",
            "its module adcli.errors does not load: cannot import name 'no_such_name'",
        ),
        (
            "import adcli.no_such_module",
            "adcli has made a mistake",
            "its module adcli.no_such_module does not load: No module named 'adcli.no_such_module'",
        ),
        ("from json import no_such_name", "the library json does not load", "cannot import name 'no_such_name'"),
    ],
)
def test_an_import_error_names_the_module_of_adcli_or_the_library(
    statement: str, title: str, label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_line, "_run", lambda *_: exec(statement))  # noqa: S102 - each is written above
    answer = inside("eval", "x")
    assert f"error: {title}" == answer.err.splitlines()[0]
    assert label in answer.err
    own = "adcli" in statement
    with pytest.raises(ImportError if own else RequestError), Needs("this needs a library", "scipy"):
        exec(statement)  # noqa: S102


@pytest.mark.parametrize(("accident", "title", "code"), ACCIDENTS)
def test_an_accident_is_a_message_and_no_traceback(
    accident: Exception, title: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise accident

    monkeypatch.setattr(command_line, "_run", fail)
    answer = inside("eval", "x")
    assert f"error: {title}" == answer.err.splitlines()[0]
    assert (code, "") == (answer.code, answer.out)


@pytest.mark.parametrize(("accident", "title", "code"), ACCIDENTS)
def test_an_accident_costs_one_problem_of_many(
    accident: Exception, title: str, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    posed = problem_loop.ProblemLoop._prepare

    def fail(loop: Any, problem: Any, *more: Any) -> Any:
        if problem.label == "b":
            raise accident
        return posed(loop, problem, *more)

    monkeypatch.setattr(problem_loop.ProblemLoop, "_prepare", fail)
    file = tmp_path / "problems.txt"
    file.write_text("a: x @ x=1\nb: x @ x=2\nc: x @ x=3\n")
    answer = inside("eval", "--file", str(file), "--format", "ndjson", "--no-trace")
    assert code == answer.code
    first, second, third = map(json.loads, answer.out.splitlines())
    assert [1.0, 3.0] == [record["outputs"][0]["value"] for record in (first, third)]
    assert ("error/1", title, 2) == (second["schema"], second["title"], second["line"])


# What is said where an optional library is missing, and what asks for it.
WITHOUT = {
    "flint": ("eval x^2 --at x=1 --certify", "certified numbers need python-flint, which is not installed", "certify"),
    "mpmath": (
        "eval x^2 --at x=1 --precision 30", "numbers of many digits need mpmath, which is not installed", "precise",
    ),
    "openpyxl": ("template x^2 --at x=1 -o form.xlsx", "spreadsheets need openpyxl, which is not installed", "xlsx"),
    "resvg_py": ("graph x^2 --format png", "PNG pictures need resvg-py, which is not installed", "png"),
    "pyarrow": (
        "map x1 broken/points.parquet", "Parquet and Arrow files need pyarrow, which is not installed", "arrow",
    ),
    "numpy": ("map x1 points.csv --hessian", "files of points need NumPy, which is not installed", "numpy"),
    "matplotlib": ("plot x^2 --format svg", "pictures of plots need matplotlib, which is not installed", "plot"),
}  # fmt: skip


@pytest.mark.parametrize("library", WITHOUT)
def test_a_missing_library_is_named_with_the_extra_that_brings_it(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, title, extra = WITHOUT[library]
    monkeypatch.setitem(sys.modules, library, None)
    answer = inside(*command.split())
    with contextlib.chdir(SAMPLES):  # the command names the Python that runs as it is seen from there
        assert f"error: {title}\n  = help: {install_command(extra)}\n" == answer.err
    assert f" -m pip install 'adcli[{extra}]'\n" in answer.err
    assert (2, "") == (answer.code, answer.out)


def test_a_formula_beyond_use_ends_in_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(higher_orders, "_LARGEST", 5)
    monkeypatch.setattr(higher_orders, "_CASES", 0)  # no case is looked at by itself
    answer = inside("diff", "if(x > 0, x^3, sin(x))", "--order", "2")
    advice = "  = help: ask for a lower order; adcli taylor computes high orders as numbers"
    assert [f"error: {GROWN}", advice] == answer.err.splitlines()[:2]
    assert (2, "") == (answer.code, answer.out)


GROWN = "the derivative of order 1 already has 9 operations"


@pytest.mark.parametrize(("reach", "title"), LIMITS, ids=[title for _, title in LIMITS])
def test_a_limit_that_no_sample_reaches_has_its_message(
    reach: Callable[[pytest.MonkeyPatch], None], title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    error = raised(partial(reach, monkeypatch))
    assert (title, "request") == (error.title, error.kind)
    assert f"\n{whole(error)}" in PYTHON_MESSAGES.read_text("utf-8")


# --- no message without a snapshot -----------------------------------------------------------------------------------

KINDS = {
    "AdcliError": "request", "RequestError": "request", "SyntaxProblem": "syntax", "NameProblem": "name",
    "ArityProblem": "arity", "DomainProblem": "domain", "OutputProblem": "request", "TracingProblem": "request",
    "NotGradable": "request", "OtherCommand": "syntax",
    "MissingRule": "request", "NoNativeForm": "request", "Unsupported": "request", "WrongDerivative": "request",
}  # fmt: skip
# The rule for sec stands in the table because it is true; the cosine of a double is never exactly 0.
NO_DOUBLE_GETS_THERE = {"sec has a pole here"}
# Titles that are no text in the source, and where theirs come from: click (the first two), or the tables that
# `titles` reads itself. NOTHING is never raised: it is the reason in the gradebook for a mark without an answer.
ELSEWHERE = {
    "error.format_message().rstrip('.').replace('\\n', ' ')", "title[:1].lower() + title[1:]",
    "NOTHING", "title", "title.format(**words)", "check.title", "broken.title", "corner.kink.title", "titles[0]",
    "lost.title",
}  # fmt: skip


def patterns(title: ast.expr, path: Path, function: ast.AST | None = None) -> Iterator[str]:
    """The regular expressions for what a title's expression in the file `path` can become.

    A name is a constant of the module, its own or imported, or a variable of the `function` around the title.
    """
    if isinstance(title, ast.Constant):
        yield re.escape(str(title.value))
    elif isinstance(title, ast.JoinedStr):
        yield "".join(re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".+" for p in title.values)
    elif isinstance(title, ast.IfExp):
        yield from patterns(title.body, path, function)
        yield from patterns(title.orelse, path, function)
    elif isinstance(title, ast.Name) and title.id.isupper() and title.id not in ELSEWHERE:
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        yield re.escape(getattr(module, title.id))
    elif isinstance(title, ast.Name) and function is not None and (values := list(assigned(title.id, function))):
        for value in values:
            yield from patterns(value, path)
    elif ast.unparse(title) not in ELSEWHERE:
        yield f"tests do not know what titles {ast.unparse(title)} stands for"


def assigned(name: str, function: ast.AST) -> Iterator[ast.expr]:
    """The expressions that a function assigns to a variable, also as one of several: `title, advice = a, b`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=True))
                yield from [value for one, value in pairs if isinstance(one, ast.Name) and one.id == name]


def calls_of(tree: ast.AST) -> Iterator[tuple[ast.Call, ast.AST | None]]:
    """Every call, with the innermost function around it; None outside of functions."""
    stack: list[tuple[ast.AST, ast.AST | None]] = [(tree, None)]
    while stack:
        node, function = stack.pop()
        if isinstance(node, ast.Call):
            yield node, function
        inner = node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
        stack += [(child, inner) for child in ast.iter_child_nodes(node)]


def titles() -> Iterator[tuple[str, str]]:
    """The kind and the pattern of every title that can be printed."""
    for path in parsed():
        text = path.read_text(encoding="utf-8")
        for node, function in calls_of(parsed()[path].tree) if any(name in text for name in KINDS) else ():
            if isinstance(node.func, ast.Name) and node.func.id in KINDS and node.args:
                for pattern in patterns(node.args[0], path, function):
                    yield KINDS[node.func.id], pattern
    for table, entries in tables().items():
        for title in [entry.title for entry in entries if entry.title]:
            kind = "name" if table in ("names", "calls") else "syntax"
            yield kind, ".+".join(re.escape(piece) for piece in re.split(r"\{[\w.]+\}", title))
    for row in ROWS.values():
        for check in row.domain:
            if check.title not in NO_DOUBLE_GETS_THERE:
                yield "domain", re.escape(check.title)
        for kink in row.smooth if isinstance(row.smooth, tuple) else (row.smooth,):
            if kink is not None:
                yield "domain", re.escape(kink.title)


@cache
def seen() -> frozenset[tuple[str, str]]:
    """The kind and the title of every message on record; a command line's kind is not printed."""
    errors = [record for path in BROKEN for record in records(path.stem) if record["schema"] == "error/1"]
    found = {(error["kind"], error["title"]) for error in errors}
    found |= {("", line.removeprefix("error: ")) for _, text in commands() for line in text.splitlines()}
    found |= {(KINDS[kind], title) for _, kind, title in CALLS}
    found |= {("request", title) for _, title, _ in WITHOUT.values()} | {("request", GROWN)}
    found |= {("request", title) for _, title in LIMITS}
    return frozenset(found | said() | {("request", title) for _, title, _ in ACCIDENTS})


@cache
def met() -> frozenset[str]:
    """The titles that functions of the table meet at some point: outside a domain, and where kinks are errors."""
    found: set[str] = set()
    for row in ROWS.values():
        count, reasons = len(row.ranges()), set[object]()
        ends = [x for x in row.monotone.domain[:2] if math.isfinite(x)] if row.monotone else []
        for point in product((-1.0, 0.0, 0.5, 1.0, 2.0, *ends), repeat=min(count, 3)):
            violation = row.find_violation(FLOAT, point)
            reason = (
                violation.title
                if violation
                else tuple(
                    k for k in range(count) if (kink := row.kink(k)) is not None and not kink.holds(FLOAT, *point)
                )
            )
            if row.truth_arguments or not reason or reason in reasons:
                continue
            reasons.add(reason)
            names = [f"x{k}" for k in range(count)]
            if row.has_order:
                names[0] = str(point[0])
            call = f"{row.name}({', '.join(names)})"
            at = ",".join(f"x{k}={x}" for k, x in enumerate(point))
            found |= {
                line.removeprefix("error: ")
                for line in run("eval", call, "--at", at, "--kinks", "error").err.splitlines()
            }
    return frozenset(found)


@pytest.mark.slow
def test_every_title_in_the_source_is_on_record() -> None:
    without = []
    for kind, pattern in sorted(set(titles())):
        matching = [title for other, title in seen() if other in (kind, "") and re.fullmatch(pattern, title)]
        if not matching and kind == "domain":
            matching = [title for title in met() if re.fullmatch(pattern, title)]
        if not matching:
            without.append((kind, pattern))
    assert [] == without, "no sample in samples/broken and no command in COMMANDS leads there"

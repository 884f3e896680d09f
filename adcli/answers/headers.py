"""Headers of tables: the content of each column, by the words and symbols in common use. A role says what cells are
(name, formula, numbers, result, …), a kind which quantity they are about (value, tangent DOT, adjoint BAR, DERIVATIVE),
a key its input or output."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from ..language.advice import synonyms
from ..patterns import pattern
from ..records import NamedTuple, grouped
from ..table.primitive import lookup
from .answer_model import BAR, DERIVATIVE, DOT, VALUE, Quantity, may_be_derivative
from .chains import begins_with_relation
from .collector import Cut
from .line_rewriting import row_pattern
from .markup import unescape, without_markup
from .numerals import numeral
from .row_grammar import parse
from .row_tokens import names_in, words_of
from .sessions import is_loop
from .symbols import Names, separate_accents

NAME, ALIAS, PROBLEM, LABEL, KIND = "name", "alias", "problem", "label", "kind"
FORMULA, NUMBERS, RESULT = "formula", "numbers", "result"


@lru_cache(maxsize=2)
def _words(table: str) -> dict[str, str]:
    """Return {word: its meaning} of a table of grammar/synonyms.txt, with folded case and blanks for `_` in words; the
    first meaning counts."""
    return {word.replace("_", " ").casefold(): meanings[0] for word, meanings in synonyms(table).items()}


def is_column_word(text: str) -> bool:
    """Return whether `text`, which must be in lower case and stripped, is a word of headers; single letters, which may
    be names of rows, are not.
    """
    return len(text) > 1 and (text == "data" or text in _words("columns") or text in _words("derivatives"))


_JOINS, _SEED = row_pattern("{HEADER_JOINS}"), row_pattern("{SEED}")
_OF_RESULTS = (FORMULA, NUMBERS, RESULT)
_AT = frozenset(("at", "bei", "für", "en", "in", "à", "per", "op"))  # before a point in a header
_BY_THE_RULE = "by the rule"
# The letter of all rows, v_i, and its derivatives.
_ANY_ROW = pattern(r"d?[^\W\d_](?:_?i|_[jkn]|_\{[ijkn]\})?(?:'|dot|bar)?\Z")
_FORWARD = "forward"
_COUNTERS = ("i", "j", "k", "n")  # of rows
_MARKS = (("", "bar", BAR), ("d", "", DOT), ("", "dot", DOT), ("", "'", DOT))


class Column(NamedTuple):
    """The content of a table column: the role of its cells, the kind of quantity, and its input or output.

    `role` is one of the constants of this module (a column of KIND says for each row of which kind its result is),
    "step", "contributions", or empty for a column to ignore; `key` is None if the header names no input or output.
    `guess` marks a column of numbers whose header is unknown: of derivatives or values.
    """

    role: str
    kind: str = VALUE
    key: str | None = None
    guess: bool = False


Cells = Sequence[Cut]
_CONTRIBUTIONS = Column("contributions")
_SIGNS_OF_DERIVATIVES = "'∂\u0307\u0304\u0305"


def columns(header: Sequence[str], names: Names) -> list[Column | None] | None:
    """Return the content of each column by the cells of a header, None for unknown words; None if it is not a header.

    A header needs a column of names, and one of formulas, numbers or results. A column of step numbers (also a first
    one headed i before one of names), a first column with a blank header, or an unknown first one next to two or more
    of these, counts as names. Next to a column of problems the first of several formulas is the problem's text (no
    role). The only column with unknown words is a guess at derivatives if all formulas, numbers and results are of
    values, and a guess at values if none is. `Forward` next to derivatives has the values if no column does. Formulas
    and numbers of derivatives without an input or output get that of the results of their kind (`arrange`). No cell
    after the first begins with an equals sign or arrow, but for a sign alone next to a word.
    """
    relations = {text.strip() for text in header[1:] if begins_with_relation(text)}
    if relations - {"="} or (relations and not any(is_column_word(text.strip().lower()) for text in header)):
        return None
    contents = [column(text, names) for text in header]
    if header[0].strip(" *$") in _COUNTERS and Column(NAME) in contents[1:]:
        contents[0] = Column("step")
    return arrange(header, contents)


def arrange(header: Sequence[str], contents: list[Column | None]) -> list[Column | None] | None:
    """Return the columns of a header, as `columns` does, from the `contents` of its cells; None if it is not a header.

    A header has a column of names (or one that may have names, `_place_of_names`), and a column of formulas, numbers or
    results. `header` has the texts of the cells. `contents` has what each cell says on its own, None for unknown words;
    it is changed in place: the problem's own text (no role), then the column of names, then a guess at the only unknown
    column if all results are values (derivatives) or none is (values). After that come `_with_forward_values`,
    `_with_parts_of_derivatives` and `_with_keys`, in a new list.
    """
    _find_values_of_any_row(header, contents)
    roles = [each.role if each else None for each in contents]
    if PROBLEM in roles and roles.count(FORMULA) > 1:  # the problem's own text
        contents[roles.index(FORMULA)] = Column("")
    results = [each for each in contents if each and each.role in _OF_RESULTS]
    place = _place_of_names(roles, has_blank=not header[0].strip(), count=len(results))
    if place is None or not results:
        return None
    if roles[place] != NAME:
        contents[place] = Column(NAME)
    kinds = {each.kind for each in results}
    if kinds == {VALUE} or VALUE not in kinds:
        _guess_column(header, contents, DERIVATIVE if VALUE in kinds else VALUE)
    return _with_keys(_with_parts_of_derivatives(_with_forward_values(header, contents)))


def _with_parts_of_derivatives(contents: list[Column | None]) -> list[Column | None]:
    """Return the columns; one of formulas or values right after a column of derivatives gets its kind and key.

    The first column of formulas, and the first of values, stay, wherever they are: of `operation, value, adjoint, how`
    the last has the formulas of adjoints. The column before must be one of results in `contents`, as it was given.
    """
    moved: dict[int, Column] = {}
    for role in (FORMULA, RESULT):
        alike = [k for k, each in enumerate(contents) if each and (each.role, each.kind) == (role, VALUE)]
        for k in alike[1:]:
            before = contents[k - 1]
            if before and before.role == RESULT and before.kind != VALUE:
                moved[k] = before._replace(role=role)
    return [moved.get(k, each) for k, each in enumerate(contents)]


def _find_values_of_any_row(header: Sequence[str], contents: list[Column | None]) -> None:
    """Replace the column of `v_k`, next to one for its derivatives and one that may have names, by one of values.

    `contents` is changed in place, unless a column has values, none has derivatives, or several are headed by symbols
    as names. The column of names is before that of `v_k`.
    """
    kinds = {each.kind for each in contents if each and each.role == RESULT}
    symbols = [k for k, text in enumerate(header) if k and contents[k] == Column(NAME) and not column_of_word(text)]
    if not kinds or VALUE in kinds or len(symbols) != 1:
        return
    before = [each.role if each else None for each in contents[: symbols[0]]]
    if _place_of_names(before, has_blank=not header[0].strip(), count=2) is not None:
        contents[symbols[0]] = Column(RESULT)


def _guess_column(header: Sequence[str], contents: list[Column | None], kind: str) -> None:
    """Replace the column with unknown words in `contents` by a guess at results of `kind` if there is exactly one."""
    unknown = [k for k, text in enumerate(header) if contents[k] is None and text.strip()]
    if len(unknown) == 1:
        contents[unknown[0]] = Column(RESULT, kind, guess=True)


def _with_forward_values(header: Sequence[str], contents: list[Column | None]) -> list[Column | None]:
    """Return the columns; each column of tangents whose header begins with `Forward`, in any capitals, becomes one of
    values.

    Its role is then RESULT, and its key is dropped. This happens only if no column has results that are values, and
    besides tangents there are adjoints or derivatives. Otherwise return `contents`.
    """
    kinds = {each.kind for each in contents if each and each.role == RESULT}
    if VALUE in kinds or not kinds > {DOT}:
        return contents
    return [
        Column(RESULT) if each and each.kind == DOT and _is_forward(text) else each
        for text, each in zip(header, contents, strict=True)
    ]


def _is_forward(header: str) -> bool:
    """Return whether a header begins with `Forward`, in any capitals, also in bold."""
    return header.replace("*", " ").strip().casefold().startswith(_FORWARD)


def _place_of_names(roles: Sequence[str | None], *, has_blank: bool, count: int) -> int | None:
    """Return the index of the column of names, by the roles of all columns; None if there is none.

    The first that applies:

    - the first column with the role NAME;
    - the last column of step numbers ("step"): `# | Step` has names below Step;
    - the first column of all, if its header is blank (`has_blank`), or if its role is None (unknown words) and there
      are two or more columns of formulas, numbers or results (`count`).
    """
    if NAME in roles:
        return roles.index(NAME)
    if "step" in roles:
        return max(k for k, role in enumerate(roles) if role == "step")
    return 0 if has_blank or (count > 1 and roles[0] is None) else None


def _with_keys(contents: list[Column | None]) -> list[Column | None]:
    """Return the columns with a key (input or output) for each column of derivatives that has none, such as formulas.

    It is the key that all columns of results of that kind have in common. If one of these has none, or another, columns
    of that kind stay as they are.
    """
    keys = grouped((each.kind, each.key) for each in contents if each and each.role == RESULT)
    common = {kind: names[0] for kind, names in keys.items() if kind != VALUE and len({*names}) == 1}
    return [each and (each._replace(key=common.get(each.kind)) if each.key is None else each) for each in contents]


def column(header: str, names: Names) -> Column | None:
    """Return the content of a column by its header, without markup; None if the words are unknown.

    The first that applies:

    - the point, `at x=2, y=3`, whose column has values;
    - a seed (`_column_of_seed`, even if it returns None);
    - a word for a role;
    - a symbol, whose column has its results, or its formulas if "by the rule" follows; not if the first word is one for
      derivatives;
    - several words (`_column_of_words`).

    Of `ẋ1 = 1, ẋ2 = 0` only the symbol with 1 counts. Text in brackets at the end is a remark. It may name an input or
    output, `v̇ (x2)`, a symbol or a role, `dot (formula)`; every other remark, as in `value (3 d.p.)`, is ignored.
    """
    text = " ".join(unescape(without_markup(header)).strip(" *_:").split())
    text = _with_one_seed(text, names)
    if _is_at_point(text, names):
        return column_of_word("value")
    if seed := _SEED.search(text):
        return _column_of_seed(seed, names)
    if (known := column_of_word(text)) is not None:
        return known
    is_kind = text.split(" ")[0].casefold() in _words("derivatives")
    symbol = None if is_kind else _column_of_symbol(text, names)
    if symbol is None and text.casefold().endswith(_BY_THE_RULE):
        symbol = _column_of_symbol(text[: -len(_BY_THE_RULE)].strip(), names)
        symbol = symbol and symbol._replace(role=FORMULA)
    if symbol is not None:
        return symbol
    start = next((place for place, sign in enumerate(text) if sign in "(["), len(text))
    remark = text[start + 1 : -1].strip() if text.endswith((")", "]")) else ""
    main = text[:start] if remark else text
    is_by = any(join["by"] for join in _JOINS.finditer(text))
    return _column_of_words(_JOINS.sub(" ", main).split(), remark, names, DERIVATIVE if is_by else "")


def _is_at_point(text: str, names: Names) -> bool:
    """Return whether a header names the point, `at x=2, y=3`, with inputs that have a value there."""
    word, _, point = text.partition(" ")
    inputs = [part.partition("=")[0].strip() for part in point.split(",")]
    return word.casefold() in _AT and "=" in point and names.point.keys() >= {*inputs}


def _with_one_seed(text: str, names: Names) -> str:
    """Return the header without seeds: ẋ1 for `ẋ1 = 1, ẋ2 = 0`, ∂v/∂x1 for `tangent (dx1=1, dx2=0)`; else unchanged.

    In brackets the symbol with 1 must be the tangent of an input, since `value (x = 1)` names the point.
    """
    before, _, seeds = text.rpartition("(")
    seeds = seeds.rstrip(") ")
    if not seeds.replace(" ", "").endswith(("=1", "=0")):
        return text
    one = next((part for part in seeds.split(",") if part.rstrip().endswith("1")), "").partition("=")[0].strip()
    seed = names.quantity(separate_accents(one)[0])
    if not before:
        return one
    is_tangent = seed is not None and seed.kind == DOT and seed.name in names.inputs
    return f"∂v/∂{seed.name}" if seed is not None and is_tangent else text


def _column_of_seed(seed: re.Match[str], names: Names) -> Column | None:
    """Return the column of a header with a seed, `(0, 1)` or `seed e2`; None if its other words are unknown.

    These words, before and after the seed and without the word seed, say the content; without them it is tangents. The
    key becomes the input with the 1 (in the order of `names.inputs`), or the output with the 1 in a column of adjoints;
    `e2` is the second one. The key stays as the words say if there are fewer inputs or outputs, the seed has another
    length or not exactly one 1 (the others are 0), and in a column of values.
    """
    rest = seed.string.replace(seed[0], " ").replace("seed", " ").strip(" ,:=$")
    rest_column = column(rest, names) if rest else Column(RESULT, DOT)
    values = seed["vector"].replace(",", " ").replace(";", " ").split() if seed["vector"] else []
    place = int(seed["number"]) - 1 if seed["number"] else values.index("1") if values.count("1") == 1 else -1
    keys = names.outputs if rest_column and rest_column.kind == BAR else names.inputs
    if rest_column is None or not 0 <= place < len(keys) or len(values) not in (0, len(keys)):
        return rest_column
    return rest_column._replace(key=keys[place]) if rest_column.kind != VALUE else rest_column


def column_of_word(title: str) -> Column | None:
    """Return the content of a column whose header is one of the words for roles and kinds; None for another header."""
    role, kind = (_words(table).get(title.casefold()) for table in ("columns", "derivatives"))
    return Column(RESULT if role is None else role, kind or VALUE) if role is not None or kind else None


def title_of_results(line: str, names: Names) -> Column | None:
    """Return the column of results that a line above rows heads: `Gradient:`, `## Values`, `Reverse sweep (adjoints)`.

    The line must end in a colon or begin with #; or it consists of words and round brackets alone, at least one of them
    usual in headers (`is_column_word`), and then it may not name an input or output. None for another line, for a loop
    of a program, for seeds without brackets, `x' = 0, y' = 1:`, and if `column` reads the line, without # and colon, as
    another header (of formulas, numbers or names) or as none.
    """
    words = line.casefold().replace("(", "").replace(")", "").split()
    is_words = all(map(str.isalpha, words)) and any(map(is_column_word, words))
    if is_loop(line) or not (line.endswith(":") or line.lstrip().startswith("#") or is_words):
        return None
    header = column(line.strip("#: "), names)
    are_seeds = header is not None and header.kind == DOT and "=" in line and "(" not in line
    if header is None or are_seeds or header.role != RESULT or (is_words and header.key is not None):
        return None  # `tangents wrt k` names k
    return header


def _column_of_symbol(text: str, names: Names) -> Column | None:
    """Return the column whose header is a symbol: `v̇`, `∂v/∂x1`, `dy/dv`, `d/dx1`, `vbar`; None for other text.

    The first that applies:
    - a name with two primes, `v''`, whose column is ignored;
    - a ratio of differentials, if `_column_of_ratio` does not return None;
    - a letter for all rows that is not an input, `v_i`, also with a mark: `_column_of_any_row`. v with a mark is for
      all rows even if an input is called v, except `dv`;
    - a derivative that `names` knows: what `_column_of_derivative` returns;
    - a symbol with a dot: tangents, with the name as key if it is an input; with a bar: adjoints, with the name as key
      if it is an output (not for `x̄1`);
    - a single letter without a mark, even an input: the column of names.

    A longer name of a value gives None.
    """
    plain = separate_accents(text)[0]
    known = _column_of_second_derivatives(plain) or _column_of_ratio(plain, names)
    if known is not None:
        return known
    quantity = names.quantity(plain)
    if len(plain) > 1 and _ANY_ROW.match(plain) and not _is_of_input(quantity, plain, names):
        return _column_of_any_row(plain)
    if quantity is None:
        return None
    kind, name, key = quantity
    if kind == DERIVATIVE:
        return _column_of_derivative(name, "v" if plain.rstrip(" })")[-1:] == "v" else key or "", names)
    if kind == VALUE:
        return Column(NAME) if len(plain) == 1 and plain.isalpha() else None
    return Column(RESULT, kind, name if name in (names.inputs if kind == DOT else names.outputs) else None)


def _column_of_second_derivatives(text: str) -> Column | None:
    """Return the column headed by a name with two primes, `v''`, which is ignored; None for other text."""
    return Column("") if text.endswith("''") and text[:-2].isidentifier() else None


def _is_of_input(quantity: Quantity | None, text: str, names: Names) -> bool:
    """Return whether the symbol `text` of a `quantity` is about an input; one with v only if it is `dv`."""
    return quantity is not None and quantity.name in names.inputs and (quantity.name != "v" or text == "dv")


def _column_of_any_row(text: str) -> Column:
    """Return the column for `v_i`, names, or for one of its derivatives such as `v_i'`, `v_ibar`, `dv_i`."""
    kind = next((kind for before, after, kind in _MARKS if text.startswith(before) and text.endswith(after)), None)
    return Column(RESULT, kind) if kind else Column(NAME)


def _column_of_ratio(text: str, names: Names) -> Column | None:
    """Return the column headed by a ratio of differentials; None for other text and for `d/dq` of a name that is no
    input.

    A sign for every node below, `∂y/∂•`, gives adjoints without a key, even if y is an output, `d/dx1` and `∂_x1`
    tangents with the input x1, in any spelling, as key. Each other ratio has what `_column_of_derivative` returns.
    """
    before, sign, below = text.replace("\\partial", "∂").partition("∂_")
    ratio = parse("ratio", f"∂/∂{below.strip('{ }')}" if sign and not before.strip() else text)
    if ratio is None:
        return None
    if "any_node" in ratio:
        return Column(RESULT, BAR)
    if "above" in ratio:
        return _column_of_derivative(names.own(ratio["above"]), ratio["below"], names)
    below = names.own(ratio["below"])
    return Column(RESULT, DOT, below) if below in names.inputs else None


def _column_of_derivative(above: str, by: str, names: Names) -> Column:
    """Return the column of the derivative of `above` (an output as the problem spells it) with respect to `by` (as
    written).

    The first that applies:

    - `by` is "v" and `above` an output: adjoints that belong to `above`; v means any row, even if an input is called v.
    - `by` is an input x1, in any spelling, as in ∂v/∂x1 and ∂y/∂x1: tangents that belong to x1.
    - `above` is an output, or `by` is not a name of the point, as in ∂y/∂v: adjoints that belong to `above`, which need
      not be an output.
    - Otherwise a column with the role "", which is ignored.
    """
    below = names.own(by)
    if by == "v" and above in names.outputs:
        return Column(RESULT, BAR, above)
    if below in names.inputs:
        return Column(RESULT, DOT, below)
    return Column(RESULT, BAR, above) if above in names.outputs or below not in names.point else Column("")


def _column_of_words(words: Sequence[str], remark: str, names: Names, kind_of_key: str) -> Column | None:
    """Return the column of a header with several words, `dot x1`, `adjoint of y`, `step / name`; else None.

    `words` come without joining words such as `of` and `/`; `remark` is what stood in brackets, "" for nothing. Each of
    the words, and then the remark as one word (or as several, if they state a key and no role), may state a kind, a
    role, an input or output (the key), or be the symbol of a derivative (`_read_word`). The first role counts, but one
    in `remark` replaces it; of kinds and keys the last one counts. An unknown remark is ignored. None for another word,
    for more than six words, and if neither a kind nor a role is stated. The column is:

    - With a key but no kind: one of the kind `kind_of_key`, if that is not "" (it is DERIVATIVE after words such as
      `with respect to`).
    - With a kind: one with the role RESULT, unless FORMULA or NUMBERS is stated. But tangents that begin with `forward`
      and have the role RESULT are values, without a key: `forward value`.
    - With a role alone: one of values, without a key.
    """
    if len(words) > 6:
        return None
    stated = _merge_words(words, Column("", ""), names, is_alone=len(words) == 1 and not remark)
    if stated is None:
        return None
    in_remark = _read_word(remark, stated.kind, names) if remark else None
    if in_remark is None:  # but not `value (forward pass)`
        several = _merge_words(_JOINS.sub(" ", remark).split(), Column("", stated.kind), names)
        in_remark = several if several is not None and several.key and not several.role else stated
    role, kind, key, _ = _merge(stated, in_remark)
    kind = kind or (kind_of_key if key else "")
    if not kind or [kind, role, *map(str.casefold, words[:1])] == [DOT, RESULT, _FORWARD]:
        return Column(role) if role else None
    return Column(role if role in _OF_RESULTS else RESULT, kind, key)


def _merge_words(words: Sequence[str], stated: Column, names: Names, *, is_alone: bool = False) -> Column | None:
    """Return what `stated` and each of `words` (`_read_word`) state together, the first role, and of kinds and keys the
    last; None if a word is unknown."""
    for word in words:
        part = _read_word(word, stated.kind, names, is_alone=is_alone)
        if part is None:
            return None
        stated = _merge(stated, part)._replace(role=stated.role or part.role)
    return stated


def _merge(one: Column, other: Column) -> Column:
    """Return what two parts of a header state together; if both state the same field, that of `other`."""
    return Column(other.role or one.role, other.kind or one.kind, other.key or one.key)


def _read_word(word: str, kind: str, names: Names, *, is_alone: bool = False) -> Column | None:
    """Return what one word of a header states, as a Column whose other fields are "" (the key None); None for unknown
    words.

    The first that applies:

    - A word for a kind, in any capitals.
    - `dx` or `∂x`, x an input, if the words before stated the `kind` DOT or DERIVATIVE: the kind DOT with the key x.
    - A word for a role, in any capitals.
    - An input or output (`names.own`): the key.
    - A symbol whose column has results, `ẋ` or `∂v/∂x` (`_column_of_symbol`): its kind and key; nothing for `v_i`, the
      letter of all rows. This is not tried if `is_alone`.
    """
    folded, name = word.casefold(), names.own(word)
    by = names.own(word[1:]) if word[:1] in ("d", "∂") and kind in (DOT, DERIVATIVE) else None
    if meaning := _words("derivatives").get(folded):
        return Column("", meaning)
    if by in names.inputs:  # tangent (dx)
        return Column("", DOT, by)
    if role := _words("columns").get(folded):
        return Column(role, "")
    if name in names.inputs or name in names.outputs:
        return Column("", "", name)
    symbol = None if is_alone else _column_of_symbol(word, names)
    if symbol == Column(NAME) and _ANY_ROW.match(word):
        return Column("", "")
    return symbol._replace(role="") if symbol is not None and symbol.role == RESULT else None


# --- columns whose cells show that they hold something else than their headers say -----------------------------------


def adjust_columns(
    contents: list[Column | None], header: Cells, rows: Sequence[Cells], *, is_first: bool
) -> list[Column | None]:
    """Return the contents of the columns of a table, changed where its cells show something else than its header.

    These are, in this order: formulas below Forward, values in a single column Forward (if the table `is_first` in its
    section), formulas below an unknown header, formulas before their numbers, and sums of contributions.
    """
    contents = _with_forward_formulas(contents, header, rows)
    if is_first and _has_forward_alone(contents, header):
        contents = [each and each._replace(kind=VALUE) for each in contents]
    contents = _with_guessed_formulas(contents, rows)
    return _with_sums(_with_numbers_of_formulas(contents, rows), rows)


def _with_forward_formulas(contents: list[Column | None], header: Cells, rows: Sequence[Cells]) -> list[Column | None]:
    """Return `contents` with the first column of `| forward | value |` as formulas of values; all others stay.

    It is a column of tangents without a key, right before one of results that are values. Its header begins with
    `Forward`, in any capitals, at least one cell has the name of a row, and no cell has a name that is spelled as a
    derivative."""
    changed = list(contents)
    for k, (each, following) in enumerate(pairwise(contents)):
        if each is None or each[1:3] != (DOT, None) or following != Column(RESULT) or not _is_forward(header[k].text):
            continue
        filled = [cells[k] for cells in rows if k < len(cells)]
        has_rows = any(lookup(name) is None for cell in filled for name in names_in(cell.text))
        if has_rows and not any(map(has_derivatives, filled)):
            changed[k] = Column(FORMULA)
    return changed


def _has_forward_alone(contents: list[Column | None], header: Cells) -> bool:
    """Return whether the only column of results begins with `Forward`, so that a first table has values in it."""
    results = [k for k, each in enumerate(contents) if each is not None and each.role == RESULT]
    return len(results) == 1 and contents[results[0]] == Column(RESULT, DOT) and _is_forward(header[results[0]].text)


def _with_numbers_of_formulas(contents: list[Column | None], rows: Sequence[Cells]) -> list[Column | None]:
    """Return `contents` with values as the numbers of derivatives, in `| p | ∂y/∂p = q | 2 |`; unchanged otherwise.

    The columns of results and formulas must be exactly two, the first of derivatives and a later one of values, which
    are results. No cell of the first is a number alone, unless the second has the same number there, as for a seed, and
    not all are. Then the first becomes the formulas of the derivatives, and the second their results, with the kind and
    key of the first.
    """
    results = [(k, each) for k, each in enumerate(contents) if each is not None and each.role in (RESULT, FORMULA)]
    if len(results) != 2 or results[1][1].role == FORMULA:
        return contents
    (first, derivative), (second, value) = results
    pairs = [(numeral(cells[first].text), numeral(cells[second].text)) for cells in rows if len(cells) > second]
    are_formulas = all(number in (None, other) for number, other in pairs) and not all(number for number, _ in pairs)
    if derivative.kind == VALUE or value.kind != VALUE or not are_formulas:
        return contents
    changed = {first: derivative._replace(role=FORMULA), second: derivative._replace(role=RESULT)}
    return [changed.get(k, each) for k, each in enumerate(contents)]


def _with_guessed_formulas(contents: list[Column | None], rows: Sequence[Cells]) -> list[Column | None]:
    """Return `contents` with the column of derivatives with an unknown header, if no cell is a number, as formulas of
    values; as unknown if a cell has two words of four letters or more, as remarks have."""
    place = next((k for k, each in enumerate(contents) if each and each.guess and each.kind == DERIVATIVE), -1)
    texts = [cells[place].text for cells in rows if 0 <= place < len(cells)]
    if not texts or any(map(numeral, texts)):
        return contents
    is_remark = any(sum(len(word) > 3 for word in words_of(text)) > 1 for text in texts)
    return [(None if is_remark else Column(FORMULA)) if k == place else each for k, each in enumerate(contents)]


def _with_sums(contents: list[Column | None], rows: Sequence[Cells]) -> list[Column | None]:
    """Return `contents` with columns of contributions that show sums as formulas of the first column of adjoints.

    They show sums if a cell has + or :, or is a number or a list of numbers (`2, 3`, whose text no formula can be read
    from), and no cell ends in a round bracket; as unknown (None) if there is no column of adjoints. Other columns of
    contributions, as of names of rows, stay."""
    places = [(k, cell.text.rstrip()) for cells in rows for k, cell in enumerate(cells)]
    sums = {k for k, text in places if "+" in text or ":" in text or numeral(text.partition(", ")[0])}
    sums -= {k for k, text in places if text.endswith(")")}
    formula = next((each._replace(role=FORMULA) for each in contents if each is not None and each.kind == BAR), None)
    return [formula if k in sums and each == _CONTRIBUTIONS else each for k, each in enumerate(contents)]


def has_derivatives(cell: Cut) -> bool:
    """Return whether a cell is not a number and has a name that is spelled as a derivative, `p_bar`, `p'` or `p̄`."""
    is_marked = any(sign in separate_accents(cell.text)[0] for sign in _SIGNS_OF_DERIVATIVES)
    return numeral(cell.text) is None and (is_marked or any(map(may_be_derivative, names_in(cell.text))))

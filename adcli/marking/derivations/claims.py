"""Claims of an answer: which derivative, named part or helper each of its statements is about. A Claim says that a
derivative equals some formulas (its items); a Naming defines a name. A place is the index of a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from unicodedata import normalize

from ...answers.collector import Cut
from ...answers.corrections.differentials import result_of, slopes_of
from ...answers.derivations.derivation_lines import Statement
from ...answers.formula_reading.derivation_spelling import InnerDerivative, Meaning, NamedCall, NoFormula
from ...answers.formula_reading.jacobians import (
    hessian_entries,
    is_printed,
    jacobian_entries,
    last_list,
    rows_of_matrix,
    title_of_list,
)
from ...answers.formula_reading.plain_formulas import other_readings, plain
from ...answers.row_tokens import BY, DERIVATIVE_IN_WORDS
from ...answers.vectors import MATRIX_NAME, components_of_units, parts
from ...errors import AdcliError, Span
from ...graph.graph import Graph
from ...patterns import pattern
from ...records import NamedTuple
from ...table.primitive import lookup
from .meanings import Meanings, NamedPart, Viewpoint

Wrt = tuple[str, ...]

_WORD = pattern(r"(?<![\\\w{])[^\W\d_]{2,}(?![\w(])")
_BY = pattern(rf"(?:{BY}|for|by)\s+\$?\\?([^\W\d_]\w*)", re.IGNORECASE)
_NAME_WITH_ARGUMENTS = pattern(r"([^\W\d]\w*)(\s*\([^()]*\))?")
_GRADIENT = pattern(
    r"(?is:(?:.*[\s:])?(?:∇|\\nabla|(?:grad(?:ient)?|\\operatorname\{grad\})(?![a-z])).{0,20}\Z)|(?:.*\s)?(?:Df|J|f'|y')"
)
_INDEXED = pattern(r"(?:(?<=\s)|\A)([^\W\d_])([^\W\d_]\d*[^\W\d_]?\d*)(?=\s*(?:\([^()]*\))?\s*\Z)")
_ADJOINT = pattern(
    r"\s*(?:(\w+?)(?:_?bar|\u0304)|\\(?:bar|overline)\s*\{?(\w+)\}?)\s*\Z", signs=("bar", "overline", "\u0304")
)
_OR = pattern(r"(?<![\w\\])(?:either|entweder|soit|or|oder|ou)(?!\w)", re.IGNORECASE)
_OPERATOR_D = pattern(r"\AD(?=[^\W\d_]\s*(?:\(|\Z)|\s*[(\[](?!.*,))")
_TRAILING = pattern(  # a remark of words, or a condition; behind a gap everything in brackets, such as a unit
    r"(?:\s\s+[(\[]|\s*[(\[](?=[^()\[\]=]*(?:[^\W\d_]{3}|[<>≠≤≥∈]|\\(?:neq?|geq?|leq?|gt|lt|in)(?![A-Za-z]))))[^()\[\]=]*[)\]]\s*\Z"
)
_BOX = pattern(r"\\(?:boxed|mathbf|underline)(?=\s*\{)")
_FIRST_WORD = pattern(r"\s*[^\s\w]*(?=[^\W\d_](?:['’][^\W\d_])?[^\W\d_])[^\W\d_]+(?:[-–'’][^\W\d_]+)*[.,:]?\s+")
_MARKS = pattern(r"[\s.!?,;:✓✔☑✅]+\Z|\\checkmark\s*\Z|\\(?:square|blacksquare|qed)\s*\Z")


def _of_one_factor(match: re.Match[str]) -> str:
    """Return a function applied to the name after it, `sin(x)*` (a callback of re.sub); other names stay unchanged."""
    function, argument = match.groups()
    return f"{function}({argument})*" if lookup(function.lstrip("\\")) else match.group()


_APART = pattern(  # sin x e^x, with e^x as a factor
    r"(?<![^\W_])(\\?[^\W\d_]{2,8}+)\s++([^\W\d_](?:_?\d)?)(?:\s|\\[,;:! ])++(?=\\?[^\W\d_]|\(|√)"
)
_FACTOR = pattern(r"(?:σ|\\?sigma)\s*+(?:\\left\s*+)?(?=\()")  # σ(1 - σ), with σ as a factor
_BETWEEN = dict.fromkeys(map(ord, " $_/{}"))


class ChainItem(NamedTuple):
    """A formula of a chain of equal ones: its text, and its graphs, one for each way to read it, the likeliest first.

    If it cannot be read, `graphs` is empty and `problem` the reason. `choice` says that it is one of several
    alternatives joined by `or`; if these differ, the student has given no answer."""

    piece: Cut
    graphs: tuple[Graph, ...] = ()
    problem: AdcliError | None = None
    choice: bool = False


class Claim(NamedTuple):
    """A statement that a derivative equals the `items`, each equal to the next.

    `wrt` has the inputs or symbols to differentiate by. If `output` is set, the claim is about the derivative of this
    output of the problem. If it is None, the claim is about a derivative of the formula `of`, a part of the function;
    if `of` is None too, it is not known what is differentiated. `place` is the index of the statement, `name` the name
    of what is differentiated ("" if it has none). A `bare` claim has no left side."""

    output: str | None
    wrt: Wrt
    of: Graph | None
    items: tuple[ChainItem, ...]
    place: int
    span: Span
    name: str = ""
    bare: bool = False

    def view(self, *, own: bool = False) -> Viewpoint:
        """Return the view of the claim's formulas, in which primes differentiate by its input, if it has exactly one.

        With `own` it is that of the student's reading.
        """
        return Viewpoint(self.place, self.wrt[0] if len(set(self.wrt)) == 1 else None, own)


class Naming(NamedTuple):
    """A statement that defines a name, or restates the problem's function, as the `items`."""

    definition: NamedPart
    items: tuple[ChainItem, ...]
    span: Span


class ClaimReader:
    """A reader of the statements of an answer.

    `targets` are the requested derivatives as pairs (output, inputs to differentiate by); `inputs` are those of the
    problem."""

    def __init__(self, meanings: Meanings, targets: Sequence[tuple[str, Wrt]]) -> None:
        self.meanings = meanings
        self.targets = tuple(targets)
        self.inputs = tuple(meanings.functions.inputs)

    def items(self, pieces: Sequence[Cut]) -> tuple[ChainItem, ...]:
        """Return `pieces` as formulas, in order.

        A piece with the word `or` (`_OR`: in four languages, or `either`) gives one item for each alternative, all with
        `choice` set; empty alternatives are dropped. If an alternative cannot be read, or none is left, the whole piece
        is a single item without graphs, with a problem and `choice`."""
        chain: list[ChainItem] = []
        for piece in pieces:
            texts = [text.strip(" ,;") for text in _OR.split(piece.text)]
            items = [self.item(piece._replace(text=text)) for text in texts if text]
            if len(texts) > 1 and items and all(item.graphs for item in items):
                chain += [item._replace(choice=True) for item in items]
            else:
                chain.append(self.item(piece))
        return tuple(chain)

    def item(self, piece: Cut) -> ChainItem:
        """Return a piece as a formula with the graph of every way to read it, the likeliest first.

        The text is tried in the versions of `_shorter`: without signs such as ✓ at its end, and with further parts left
        out. The item always has the whole `piece`, and graphs of the first version that can be read without unknown
        words of several letters, which are a problem too. If no version can, it has no graphs and the first problem. If
        a version contains `or` when it is its turn: no graphs, the problem that neither answer counts, and `choice`."""
        problem: AdcliError | None = None
        for text in _shorter(piece.text):
            if _OR.search(text):
                return ChainItem(piece, (), NoFormula("neither of two different answers counts"), choice=True)
            try:
                graph = self.meanings.read(text)
            except AdcliError as error:
                problem = problem or error
                continue
            if any(len(name) > 1 and name.isalpha() for name in self.meanings.unknowns(graph)):
                problem = problem or NoFormula("these words are not a formula")
                continue
            return ChainItem(piece, (graph, *self._graphs_of_other_readings(text, graph)))
        return ChainItem(piece, (), problem)

    def _graphs_of_other_readings(self, text: str, first: Graph) -> Iterator[Graph]:
        """Yield the graphs of other readings of the formula `text`, whose usual reading is the graph `first`.

        They come in this order, if they differ from `text`:
        - `1/2x` with x below the line, `e^2x` with x in the exponent, then both;
        - `sin x e^x` with e^x as a factor, then `σ(1 - σ)` with σ as a factor.

        A reading is skipped if it cannot be read, or has unknown names that `first` does not have (x1 is not x times
        1)."""
        known = {*self.meanings.unknowns(first)}
        for other in dict.fromkeys((*other_readings(text), _APART.sub(_of_one_factor, text), _FACTOR.sub(" σ·", text))):
            if other != text:
                with suppress(AdcliError):
                    graph = self.meanings.read(other)
                    if known.issuperset(self.meanings.unknowns(graph)):
                        yield graph

    def left(self, text: str) -> Graph | None:
        """Return the graph of the formula or name at the end of the left side `text`; None if no version can be read.

        The versions, in this order:
        - the text after the last colon, with `fx` as `f_x`, `∂x f` as `∂_x f`, `xbar` of an input as `∂_x f` and, for a
          single input x, `Df(x)` and `D[…]` as `D_x f(x)` and `D_x […]`;
        - `text` itself;
        - the text after the last colon;
        - this text without its first word, without its first two words, and so on up to eight (`_without_first_words`).

        The first version counts that can be read without unknown words of several letters (`_has_unknown_words`)."""
        tail = text.rpartition(":")[2] if ":" in text else text
        indexed = _INDEXED.sub(self._add_index, tail)  # fx for f_x
        if len(self.inputs) == 1 and "D" not in self.meanings.speller.symbols:  # Df(x) or D[…] for f'(x)
            indexed = _OPERATOR_D.sub(f"D_{self.inputs[0]} ", indexed.strip())
        for name in self.inputs:  # ∂x f for ∂_x f
            indexed = f"∂_{indexed.lstrip()[1:]}" if indexed.lstrip().startswith(f"∂{name} ") else indexed
        adjoint = _ADJOINT.match(normalize("NFD", tail))
        if adjoint and (adjoint[1] or adjoint[2]) in self.inputs:
            indexed = f"∂_{adjoint[1] or adjoint[2]} {self.meanings.output}"
        for candidate in dict.fromkeys((indexed, text, tail, *_without_first_words(tail))):
            with suppress(AdcliError):
                graph = self.meanings.read(candidate)
                if isinstance(meaning := self.meanings.meaning(graph), InnerDerivative):
                    self.meanings.again(_bare_function(meaning) or meaning.of)  # no formula in (sin)'
                if not self._has_unknown_words(graph):
                    return graph
        return None

    def _has_unknown_words(self, graph: Graph) -> bool:
        """Return whether a left side has unknown names of several letters, also in derivatives (that's f'(x) is not a
        product) if it is not a single one. Names in capitals that the answer defines are known."""
        meanings, speller = self.meanings, self.meanings.speller
        words = {name for name in meanings.unknowns(graph) if name not in speller.symbols or not name.isupper()}  # FV
        if meanings.meaning(graph) is None:
            words |= {name for name in meanings.names(graph) if not speller.is_known(name)}
        return any(len(name) > 1 and name.isalpha() for name in words)

    def _add_index(self, match: re.Match[str]) -> str:
        """Return `f_x` for `fx` in `match` (a callback of re.sub); `f_xy` for `fxy`.

        Unchanged if `f` may not mean the problem's function (`is_function`), if `x` or `xy` does not consist of
        inputs of the problem, or if `fx` is itself a name of the answer or of the table of functions."""
        name, by = match[1], match[2]
        speller = self.meanings.speller
        known = match[1] + match[2] in speller.symbols or lookup(match[1] + match[2]) is not None
        is_partial = self.meanings.is_function(name) and not known and speller.names_in_index(by)
        return f"{name}_{by}" if is_partial else match.group()

    def claims(self, statement: Statement, place: int) -> list[Claim | Naming]:
        """Return what a statement claims, in order: Claims about derivatives and Namings (definitions of names).

        `place` is the index of the statement. Words are text without signs of formulas (`_is_prose`), or `d/dx` alone.
        The first that applies:
        - The left side begins with `or`: the claims of the statement without it, with `choice` set in all items.
        - The left side is `derivative of u`: it is read as `u'` (`_of_phrase`).
        - The left side is a gradient, Hessian matrix or differential, or there is only a list: `_vector`, if it gives
          any.
        - The left side is neither a formula nor words: [].
        - The left side is missing, or is words and two or more pieces follow; and the first piece is a derivative: this
          piece is the left side (`_about`).
        - The left side is missing or words: a `bare` claim, or [] (`_bare`).
        - The left side is a formula or name: `_about`."""
        left, pieces = statement.left, list(statement.pieces)
        if left is not None and _OR.match(left.text):  # or f'(x) = …
            rest = statement._replace(left=left._replace(text=_without_first_or(left.text)))
            claims = self.claims(rest, place)
            return [each._replace(items=tuple(item._replace(choice=True) for item in each.items)) for each in claims]
        of = DERIVATIVE_IN_WORDS.match(left.text) if left is not None else None
        if left is not None and of and of["of"]:
            return self._of_phrase(of, left, pieces, place)
        graph, wrt = None, None
        title = left or title_of_list(pieces)
        if title is not None and (vector := self._vector(title, pieces, place)):
            return vector
        if left is not None:
            graph, wrt = self._target(left.text)
            if graph is None and not self._is_label(left.text):
                return []
        if graph is None and pieces and (len(pieces) > 1 or left is None):
            first = self.left(pieces[0].text)
            if first is not None and self._is_derivative(first):
                graph, left, pieces = first, pieces[0], pieces[1:]
        if graph is None or left is None:
            return self._bare(statement, wrt, place)
        return self._about(graph, left, pieces, place)

    def _of_phrase(self, match: re.Match[str], left: Cut, pieces: Sequence[Cut], place: int) -> list[Claim | Naming]:
        """Return the claims of `derivative of u is 2x`, read as `u'` or `(u)'`; [] if u cannot be read.

        `match` is the match of `DERIVATIVE_IN_WORDS`, `left` the left side, `place` the index of the statement. In
        `derivative of u = x^2 is 2x` (a sign before the first of `pieces`, a word before the second) the first piece
        defines u, and the claims of `u = x^2` come first. With `with respect to t` the left side is read as `d/dt (u)`.
        """
        of, by = match["of"].strip(" $:"), match["input"]
        if self.left(of) is None:
            return []
        text, named = left.span.source.text, _NAME_WITH_ARGUMENTS.fullmatch(of)
        joints = [text[one.span.end : next_one.span.start] for one, next_one in pairwise([left, *pieces])]
        claims: list[Claim | Naming] = []
        if len(joints) > 1 and not any(map(str.isalpha, joints[0])) and any(map(str.isalpha, joints[1])):
            claims, pieces = self.claims(Statement(left._replace(text=of), [pieces[0]], place), place), pieces[1:]
        primed = f"{named[1]}'{named[2] or ''}" if named and lookup(named[1]) is None else f"({of})'"
        graph = self.left(f"d/d{by} ({of})" if by else primed)
        return claims + (self._about(graph, left, pieces, place) if graph is not None else [])

    def _target(self, text: str) -> tuple[Graph | None, str | None]:
        """Return (graph, input) of the left side `text` of an equation: what it denotes, differentiated by what.

        For `d/dx`, `∂/∂x` or `∂_x` alone it is (None, x). Words of differentiation are `wrt`, `with respect to`, `by`
        or `for` followed by a name; they stay in the text that is read. `graph` is the formula at the end of `text`
        (`left`); None if `text` has no formula. With such words it is also None if the formula is only an input of the
        problem, as in `derivative with respect to x`. `input` is None if there are no such words, or if the first of
        them do not name an input."""
        if by := self._input_of_operator(text):
            return None, by
        graph, hint = self.left(text), _BY.search(text)
        if hint and graph is not None and self.meanings.meaning(graph) in self.inputs:
            graph = None
        return graph, hint[1] if hint and hint[1] in self.inputs else None

    def _input_of_operator(self, text: str) -> str | None:
        """Return the input x of a left side that is only `d/dx`, `∂/∂x` or `∂_x`; None for any other one."""
        signs = plain(text, self.inputs).translate(_BETWEEN).replace("\\dfrac", "").replace("\\frac", "")
        return next((name for name in self.inputs if signs in (f"∂∂{name}", f"dd{name}", f"∂{name}")), None)

    def _is_label(self, text: str) -> bool:
        """Return whether a left side is only words, or an operator such as `d/dx`."""
        return _is_prose(text) or self._input_of_operator(text) is not None

    def _bare(self, statement: Statement, wrt: str | None, place: int) -> list[Claim | Naming]:
        """Return [the `bare` claim] of a statement whose left side is missing or only words; [] if it is not a claim.

        `wrt` is the input that the words name (None: no input), `place` the index of the statement. It is not a claim
        if no piece can be read. A statement without a left side whose first piece looks like words (`_is_prose`) is
        not one if a readable formula, in its first reading, has unknown names, if all are numbers and no requested
        derivative is constant, or if all are inputs and an equals sign is before them in the line. The claim is about
        the derivative of `_only_target`. It is about no output, with `wrt` alone (() if it is None), if there is no
        such derivative, or if the first piece looks like words and cannot be read."""
        items = self.items(statement.pieces)
        if not (graphs := [item.graphs[0] for item in items if item.graphs]):
            return []
        is_prose = statement.left is None and _is_prose(statement.pieces[0].text)
        is_behind = is_prose and "=" in (span := statement.first.span).source.text[: span.start]  # 2x, y drops out
        are_names = statement.left is None and self._are_names(graphs, is_behind and not items[0].choice)
        if are_names or (is_prose and not self._may_be_bare_claim(graphs)):
            return []
        unknown: tuple[str | None, Wrt] = None, (wrt,) if wrt else ()
        output, by = unknown if is_prose and not items[0].graphs else self._only_target(wrt) or unknown
        return [Claim(output, by, None, items, place, statement.first.span, bare=True)]

    def _are_names(self, graphs: Sequence[Graph], may_be_inputs: bool) -> bool:
        """Return whether each formula is a single name, not that of an input unless `may_be_inputs`: `f_z analog`."""
        names = [set(graph.inputs.values()) for graph in graphs if not any(True for _ in graph.operations())]
        inputs = () if may_be_inputs else self.inputs
        return len(names) == len(graphs) and all(each and each.isdisjoint(inputs) for each in names)

    def _may_be_bare_claim(self, graphs: Sequence[Graph]) -> bool:
        """Return whether formulas behind words may be a derivative: False if they have unknown names (words of which
        one letter is left), and for numbers (`they add up to 1`) unless a requested derivative is constant."""
        functions = self.meanings.functions
        has_input = any(graph.inputs for graph in graphs)
        is_number_possible = not all(map(functions.depends, functions.truths.values()))
        return not any(map(self.meanings.unknowns, graphs)) and (has_input or is_number_possible)

    def _is_derivative(self, graph: Graph) -> bool:
        meaning = self.meanings.meaning(graph)
        return isinstance(meaning, InnerDerivative) or (isinstance(meaning, NamedCall) and meaning.order > 0)

    def _about(self, graph: Graph, left: Cut, pieces: Sequence[Cut], place: int) -> list[Claim | Naming]:
        """Return the claims of a statement whose left side `left` can be read as the formula `graph`.

        `pieces` are the other sides, `place` is the index of the statement. The first that applies:
        - A name, or a function applied to arguments, without primes: `_about_name`.
        - A derivative of a text, `(x^2)'`, `y''` or `d/dx …` (InnerDerivative): `_about_derivative`.
        - A call with primes, such as `g'(x)`, of a function of the answer: [the claim about it], by its only argument
          once for each prime, or by what a prime means (`_inputs_meant_by_prime`) if it has several. If the only
          argument is not a name: the next case.
        - Every other formula: [a claim with `output` None and `wrt` ()], whose first item is the left side."""
        meaning = self.meanings.meaning(graph)
        if meaning is not None and not self._is_derivative(graph):
            return self._about_name(meaning, left, pieces, place)
        claim = Claim(None, (), graph, self.items(pieces), place, left.span)
        if isinstance(meaning, InnerDerivative):
            return self._about_derivative(claim, meaning)
        speller = self.meanings.speller
        if isinstance(meaning, NamedCall) and meaning.name in speller.symbols | speller.functions:
            inner = self.meanings.again(meaning.name)
            wrt = tuple(map(str.strip, meaning.arguments)) if len(meaning.arguments) == 1 else ()
            if all(name.isidentifier() and name[0] != "_" for name in wrt):
                return [self._derivative(claim, inner, wrt * meaning.order, meaning.order, meaning.name)]
        return [claim._replace(items=(ChainItem(left, (graph,)), *claim.items))]

    def _about_derivative(self, claim: Claim, meaning: InnerDerivative) -> list[Claim | Naming]:
        """Return [`claim` as one about the derivative `meaning`]; [] if it cannot be one.

        The result has the function, inputs and order of `meaning`, and the function's name, "" without one. It is about
        no output if an expression is differentiated. [] if the function is a mere name (g in dg/dx), no output."""
        bare = _bare_function(meaning)
        inner = self.meanings.again(bare or meaning.of)
        of = self.meanings.meaning(inner)
        name = of if isinstance(of, str) else of.name if isinstance(of, NamedCall) and not of.order else ""
        derivative = self._derivative(claim, inner, meaning.wrt, meaning.order, name)
        return [] if bare and derivative.output is None else [derivative]

    def _about_name(self, meaning: Meaning | str, left: Cut, pieces: Sequence[Cut], place: int) -> list[Claim | Naming]:
        """Return [the Naming] of a name or call on a left side; [] if it defines nothing, as `f(2) = 4` (`_naming`).

        If the first of several pieces is a derivative, as in `MU1 = ∂U/∂x1 = …`, the claims about it follow, and the
        Naming has no items."""
        namings = self._naming(meaning, left, pieces, place)
        first = self.left(pieces[0].text) if namings and len(pieces) > 1 else None
        if first is None or not self._is_derivative(first):
            return [*namings]
        about = self._about(first, pieces[0], pieces[1:], place)
        return [*(each._replace(items=()) for each in namings), *about]

    def _naming(self, meaning: Meaning | str, left: Cut, pieces: Sequence[Cut], place: int) -> list[Naming]:
        """Return [the Naming] of a name or call on a left side; [] if the name is an input, no piece can be read or an
        argument is not a name (`f(2) = 4`).

        `meaning` is the name, or the call with the parameters as arguments; `left` is the left side, `place` the index
        of the statement. The items are those of `_items_of_name`. The definition is the first readable one without a
        derivative or call in it (2x in `u = f' = 2x`), or else the first readable one. Of several readings of a piece
        the `likeliest` one counts."""
        call = meaning if isinstance(meaning, NamedCall) else None
        name = call.name if call is not None else str(meaning)
        parameters = tuple(map(str.strip, call.arguments)) if call is not None else ()
        items = self._items_of_name(name, parameters, pieces) if name not in self.inputs else ()
        graphs = [self.meanings.likeliest(item.graphs, place) for item in items if item.graphs]
        if not graphs or not all(map(str.isidentifier, parameters)):
            return []
        marks = self.meanings.speller.marks  # u = f' = 2x is 2x
        plain_ones = (each for each in graphs if marks.keys().isdisjoint(each.inputs.values()))
        return [Naming(NamedPart(name, parameters, next(plain_ones, graphs[0]), place), items, left.span)]

    def _items_of_name(self, name: str, parameters: Sequence[str], pieces: Sequence[Cut]) -> tuple[ChainItem, ...]:
        """Return `pieces`, which define `name` with these parameters, as items.

        Those that cannot be read or have names that the answer does not explain (`E = T + V`) are dropped if others
        remain, or if `name` may mean the problem's function."""
        items, speller = self.items(pieces), self.meanings.speller
        readable = ((item, item.graphs[0].inputs.values()) for item in items if item.graphs)
        clear = (item for item, names in readable if all(map(speller.is_known, {*names}.difference(parameters))))
        return tuple(clear) or (() if name in speller.functions else items)

    def _derivative(self, claim: Claim, inner: Graph, wrt: Wrt, order: int, name: str) -> Claim:
        """Return `claim` as one about the derivative of `inner` (then its `of`) with respect to `wrt`, of the name
        `name`.

        If `wrt` is empty, the derivative is written with `order` primes and is by `_inputs_meant_by_prime`. `name` is
        "" for a formula. If `inner` is an output of the problem and all of `wrt` are inputs, `output` is set and `wrt`
        sorted; else `output` is None. In `dk/dT`, if k is an input, T are others and the problem has one output (the
        student calls it k), the claim is about that output."""
        wrt = wrt or self._inputs_meant_by_prime(order)
        output = self.output(name, inner, claim.place) if all(each in self.inputs for each in wrt) else None
        is_input = name in self.inputs and bool(wrt) and name not in wrt and set(wrt) <= set(self.inputs)
        if output is None and is_input and len(self.meanings.functions.outputs) == 1:  # k = k*exp(-E/T)
            output, inner = self.meanings.output, self.meanings.again(self.meanings.output)
        return claim._replace(output=output, wrt=wrt if output is None else tuple(sorted(wrt)), of=inner, name=name)

    def _inputs_meant_by_prime(self, order: int) -> Wrt:
        """Return the input that a prime on a left side differentiates by, `order` times; () if there are several.

        It is the only input of the problem, or the only one by which derivatives are requested."""
        if len(self.inputs) == 1:
            return self.inputs * order
        targets = {name for _, wrt in self.targets for name in wrt}
        return tuple(targets) * order if len(targets) == 1 else ()

    def output(self, name: str, graph: Graph, place: int) -> str | None:
        """Return the name of the problem's output that a name or formula equals, the first of several; None for a part.

        `name` is the name, "" for a formula; `graph` is the graph of either. `place` is the index of the statement, by
        which definitions are valid. A name without a definition in the answer is compared by name: it is an output, or,
        if there is one output, a name that may mean the problem's function. A formula is compared by its values at the
        sample points; so is a name with a definition: `graph` first, then the definition. What cannot be resolved
        equals none."""
        meanings, functions = self.meanings, self.meanings.functions
        definition = meanings.definition(name, place) if name else None
        if name and definition is None:
            if name in functions.outputs:
                return name
            return meanings.output if meanings.is_function(name) and len(functions.outputs) == 1 else None
        view = Viewpoint(place)
        slots = [meanings.slot_or_none(graph, view)]
        if definition is not None:  # f(u) = sin u, u a part: substituted if differentiated with respect to x
            slots.append(meanings.slot_or_none(definition.graph, view))
        for slot in slots:
            for output, function in functions.outputs.items():
                if slot is not None and functions.same(function, slot):
                    return output
        return None

    def _only_target(self, wrt: str | None) -> tuple[str, Wrt] | None:
        """Return the derivative (output, inputs) that a statement without a left side is about; None if unclear.

        Without `wrt` the task must ask for a single derivative. With `wrt` it must ask for a single one by this input
        alone, of whatever order."""
        targets = [target for target in self.targets if wrt is None or set(target[1]) == {wrt}]
        return targets[0] if len(targets) == 1 else None

    def _vector(self, left: Cut, pieces: Sequence[Cut], place: int) -> list[Claim | Naming]:
        """Return the claims of a gradient, Hessian matrix or differential, one for each component; [] otherwise.

        The components are in the last of `pieces`; `place` is the index of the statement. By the left side `left`:
        - `df`: the factors of dx, dy, … in all pieces, in the order written (`slopes_of`).
        - `H` or `∇²f`: the entries of a matrix in brackets or LaTeX, both of a mixed derivative in one claim.
        - `∇f`, `grad f`, `Df`, `J`, `f'`, or what `is_printed` accepts: entries in brackets or factors of i, j, k, by
          the order of the inputs or, if that makes more of them right, of their sorted names (shorter ones first).
        Of several outputs only the last kind is read. [] without pieces, for one input (not `df`), too few entries."""
        text, names, output = left.text.strip(), self.inputs, self.meanings.output
        size, outputs = len(names), list(self.meanings.functions.outputs)
        is_gradient = _GRADIENT.match(text) is not None or is_printed(text)
        if not pieces:
            return []
        last = last_list(pieces)
        if len(outputs) > 1:
            entries_of = jacobian_entries(text, last, outputs, names) if is_gradient else []
            return [Claim(each, (by,), None, (self.item(cut),), place, left.span) for each, by, cut in entries_of]
        if self._is_differential(text.rpartition(":")[2].strip(), place):
            slopes = slopes_of(pieces, names, {name for _, wrt in self.targets for name in wrt})
            return [Claim(output, (name,), None, self.items(cuts), place, left.span) for name, cuts in slopes.items()]
        entries = parts(last, size) or components_of_units(last, [f"∂{name}" for name in names]) or []
        matrix = MATRIX_NAME.match(text)
        rows = rows_of_matrix(last, size, size) if matrix and matrix["hessian"] else []
        if size < 2 or (len(entries) != size and not rows):
            return []
        components: list[tuple[Wrt, tuple[ChainItem, ...]]] = []
        if rows:
            components = [(wrt, self.items(each)) for wrt, each in hessian_entries(rows, names)]
        elif is_gradient:
            items = [self.item(entry) for entry in entries]
            orders = (names, tuple(sorted(names, key=lambda name: (len(name), name))))
            fitting = max(orders, key=lambda order: self._count_right_components(output, order, items, place))
            components = [((name,), (item,)) for name, item in zip(fitting, items, strict=True)]
        return [Claim(output, wrt, None, items, place, left.span) for wrt, items in components]

    def _is_differential(self, text: str, place: int) -> bool:
        """Return whether a left side is the differential of the problem's function, `df`, `df(x, y)` or `d(x*y)`.

        The formula or name must be an `output`. With several inputs it may also be a name that is not an input, defined
        or differentiated. `place` is that of the statement."""
        if text[:2] in ("d(", "d[") and (graph := self.left(text[2:-1])) is not None:
            return self.output("", graph, place) is not None
        name, meanings = result_of(text) or "", self.meanings
        if len(self.inputs) > 1 and name not in meanings.speller.symbols.union(self.inputs, [""]):
            return True
        is_known = name in meanings.definitions or meanings.is_function(name)
        return is_known and self.output(name, meanings.again(name), place) is not None

    def _count_right_components(self, output: str, names: Sequence[str], items: Sequence[ChainItem], place: int) -> int:
        """Return how many of `items` are the derivative of `output` by the input at the same position in `names`.

        Only the first reading of an item is compared, in the true reading and at the sample points; an item that cannot
        be read or resolved does not count. `place` is the index of the statement. Raises ValueError if `names` and
        `items` differ in length."""
        functions, fitting = self.meanings.functions, 0
        for name, (graph, *_) in [(name, item.graphs) for name, item in zip(names, items, strict=True) if item.graphs]:
            slot = self.meanings.slot_or_none(graph, Viewpoint(place, name))
            truth = functions.differentiate(functions.outputs[output], (name,))
            fitting += slot is not None and functions.same(truth, slot)
        return fitting


def _bare_function(meaning: InnerDerivative) -> str:
    """Return `tanh(x)` for the derivative `d/dx tanh`, of a function of the table without an argument; "" for others,
    also for `(tanh)'`, which names no input."""
    name = meaning.of.strip(" ()")
    return f"{name}({meaning.wrt[0]})" if meaning.wrt and lookup(name.lstrip("\\")) is not None else ""


def _without_first_or(text: str) -> str:
    while match := _OR.match(text):
        text = text[match.end() :].lstrip()
    return text


def _is_prose(text: str) -> bool:
    """Return whether a text has a word of two or more letters (not a call) and none of ^ * / + √ ' ∂ and `\\frac`."""
    return _WORD.search(text) is not None and not any(sign in text for sign in (*"^*/+√'∂", "\\frac"))


def _shorter(text: str) -> Iterator[str]:
    r"""Yield the text without punctuation, ✓ or □ at its end (t), then up to four shorter versions, likeliest first.

    - t without a bracket at its end that has three letters in a row or a comparison, and no other bracket or `=` in it;
    - t without the commands `\boxed`, `\mathbf` and `\underline`, if it begins with one (the braces stay);
    - t up to its first unknown word (excluded), if no digit and none of ^ * / + = √ \ follows that word's beginning;
    - t after its last unknown word, if none of these precedes that word's end. Words have two letters or more; all that
      the table of functions lacks are unknown, names of the problem too; signs next to it are left out."""
    text = _MARKS.sub("", text)
    yield text
    if remark := _TRAILING.search(text):
        yield text[: remark.start()]
    if text.lstrip().startswith(("\\boxed", "\\mathbf", "\\underline")):
        yield _BOX.sub("", text)
    words = list(_WORD.finditer(text))
    strange = [word for word in words if lookup(word[0]) is None and lookup(word[0].lower()) is None]
    if strange:
        first, last = strange[0], strange[-1]
        if not _is_mathematical(text[first.start() :]):
            yield text[: first.start()].rstrip(" ([-–—:,")
        if not _is_mathematical(text[: last.end()]):
            yield text[last.end() :].lstrip(" )]-:,")


def _is_mathematical(text: str) -> bool:
    return any(character in "^*/+=\\√" or character.isdecimal() for character in text)


def _without_first_words(text: str) -> Iterator[str]:
    """Yield the text without its first word, its first two, and so on up to eight; it stops before what is not a word.

    A word has two or more letters, perhaps with an apostrophe after the first (`d'où`), and ends with blanks, at most
    one of `.,:` before them (`sin(x)` is none); signs may precede it."""
    for _ in range(8):
        if not (match := _FIRST_WORD.match(text)):
            return
        text = text[match.end() :]
        yield text

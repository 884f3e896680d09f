"""Claims of an answer: which derivative, named part or helper each of its statements is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from ...errors import AdcliError, Span
from ...graph.graph import CONSTANTS, Graph
from ...patterns import pattern
from ...records import NamedTuple
from ...table.primitive import lookup
from .lines import Fragment, Statement
from .meanings import Meanings, NamedPart, Viewpoint
from .spelling import InnerDerivative, NamedCall, NoFormula, plain

Wrt = tuple[str, ...]

_WORD = pattern(r"(?<![\\\w{])[^\W\d_]{2,}(?![\w(])")
_DEFINED = pattern(r"(?:^|[\s:(])([^\W\d_](?:_?\d+)?|[fghuvwy][a-z])\s*(\(\s*[^()]*\))?\s*$")
_DIFFERENTIATED = pattern(
    r"(?<![\w\\])[d∂]\s*(?:\^\s*\d\s*)?([^\W\d_]\d*)(?:\s*\([^()]*\))?\s*/\s*[d∂]\s*([^\W\d_]\d*)"
    r"|\\[dt]?frac\s*\{\s*[d∂](?:\^\{?\d\}?)?\s*([^\W\d_]\d*)(?:\s*\([^()]*\))?\s*\}\s*\{\s*[d∂]\s*([^\W\d_]\d*)"
    r"|(?<![^\W\d_])([^\W\d_]\d*)'+|(?<![^\W\d_])([^\W\d_])_\{?[^\W\d_]|[D∂]_\{?[^\W_]+\}?\s*\(?([^\W\d_])(?![\w])"
)
_BY = pattern(
    r"(?:with\s+respect\s+to|w\.?\s?r\.?\s?t\.?|wrt|respect\s+to|nach|in\s+direction\s+of|for|by)\s+\$?\\?([^\W\d_]\w*)",
    re.IGNORECASE,
)
_GRADIENT = pattern(
    r"(?:.*[\s:])?(?:∇|\\nabla|(?:grad(?:ient)?|\\operatorname\{grad\})(?![a-z])).{0,20}\Z", re.IGNORECASE | re.S
)
_SECOND = pattern(r"(?:.*[\s:])?(?:H|∇\^?2|Hess(?:ian)?)(?:_?\{?[a-z]\}?)?\s*(?:\([^()]*\))?\Z", re.IGNORECASE | re.S)
_VECTOR = pattern(
    r"\s*(?:\\(?:left|big|Big)?\s*)?(?P<open>[(\[⟨{]|\\langle|\\\{|<)(?P<inside>.*)(?:[)\]⟩}]|\\rangle|>)\s*(?:\^\s*\{?\s*(?:T|\\top|\\mathsf\{T\}|t)\s*\}?)?\s*\Z",
    re.S,
)
_UNIT_VECTOR = pattern(
    r"(?:\\(?:mathbf|hat|vec|bm|boldsymbol|mathrm)\s*+\{?\s*+(?:\\(?:mathbf|hat)\s*+\{?\s*+)?\\?(?P<tex>[ijk])(?:math)?"
    r"|(?<![\w\\])(?P<letter>[ijk])\u0302?)(?!\w)[\s}]*+"
)
_INDEXED = pattern(r"(?:(?<=\s)|\A)([^\W\d_])([^\W\d_]\d*[^\W\d_]?\d*)(?=\s*(?:\([^()]*\))?\s*\Z)")
_OR = pattern(r"(?<![\w\\])(?:either|entweder|soit|or|oder|ou)(?!\w)", re.IGNORECASE)
_COMPARED = pattern(r"[<>≠≤≥∈]|\\(?:neq?|geq?|leq?|gt|lt|in)(?![A-Za-z])")
_OPERATOR_D = pattern(r"\AD(?=[^\W\d_]\s*(?:\(|\Z))")
_TRAILING = pattern(r"\s*[(\[]([^()\[\]=]*)[)\]]\s*\Z")
_MARKS = pattern(r"[\s.!?,;:✓✔☑✅]+\Z|\\checkmark\s*\Z|\\(?:square|blacksquare|qed)\s*\Z")
_MATHEMATICAL = pattern(r"[\d^*/+=\\√]")
_JUXTAPOSED = pattern(
    r"/\s*((?:\d+(?:\.\d+)?\s*)?(?:sqrt|√|[^\W\d_]+)(?:\s*\([^()]*\))?(?:\s*\^\s*\w+)?(?:\s*(?:sqrt|√|[^\W\d_]+)?\s*\([^()]*\))?)"
)
_APPLIED_TO_MORE = pattern(  # sin x e^x
    r"(?<![^\W_])(\\?[^\W\d_]{2,8}+)\s++([^\W\d_](?:_?\d)?)(?:\s|\\[,;:! ])++(?=\\?[^\W\d_]|\(|√)"
)
_POWERED = pattern(r"\^\s*(-?\d+(?:\.\d+)?\s*[^\W\d_])(?![\w(])")


class ChainItem(NamedTuple):
    """A formula of a chain: its graphs, one for each way to read it, or the `problem` why it cannot be read.

    `choice` says that it is one of several alternatives joined by `or`: if it differs from the others, there is no
    answer.
    """

    piece: Fragment
    graphs: tuple[Graph, ...] = ()
    problem: AdcliError | None = None
    choice: bool = False


class Claim(NamedTuple):
    """A statement that a derivative equals the `items`, one equal to the next.

    `output` and `wrt` name a derivative of the problem's function; if `output` is None it is one of `of`, a part (None:
    unknown). `place` is the index of the statement, `name` the name of what is differentiated. `bare` claims have no
    left side.
    """

    output: str | None
    wrt: Wrt
    of: Graph | None
    items: tuple[ChainItem, ...]
    place: int
    span: Span
    name: str = ""
    bare: bool = False


class Naming(NamedTuple):
    """A statement that defines a name, or restates the problem's function, as the `items`."""

    definition: NamedPart
    items: tuple[ChainItem, ...]
    span: Span


def symbols_of(
    statements: Sequence[Statement], inputs: Collection[str], outputs: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return two sets of names: those that an answer defines or differentiates, and those that may be the problem's
    function.

    `inputs` and `outputs` are the problem's names. Inputs, names of known functions and constants are left out, and
    names such as `f_1`, `f_2` if they enumerate the derivatives. The second set has the outputs, f, y, F, and names
    that are differentiated but not defined.
    """
    defined: set[str] = set()
    used: set[str] = set()
    texts = [
        piece.text
        for statement in statements
        for piece in (*([statement.left] if statement.left else []), *statement.pieces)
    ]
    for statement in statements:
        if statement.left is not None:
            match = _DEFINED.search(plain(statement.left.text, inputs))
            if match:
                defined.add(re.sub(r"_(?=\d)", "_", match[1]))
    for text in texts:
        for match in _DIFFERENTIATED.finditer(plain(text, inputs)):
            used.update(name for name in match.groups() if name)
    own = {name for name in defined | used if _is_free(name, inputs)} - _numbered(defined, inputs)
    functions = {name for name in {*outputs, "f", "y", "F", *(used - defined & used)} if name not in inputs}
    return own, {name for name in functions if name in outputs or _is_free(name, inputs)}


def _numbered(defined: Collection[str], inputs: Collection[str]) -> set[str]:
    """Return the names `f_1`, `f_2`, …, if there is exactly one for each input: the derivatives by the inputs in order.

    Empty if the answer defines no such names, or more of them.
    """
    for name in ("f", "y", "F", "z"):
        own = {f"{name}_{k}" for k in range(1, len(inputs) + 1)}
        if len(own) > 1 and own <= {*defined} and f"{name}_{len(own) + 1}" not in defined and name not in inputs:
            return own
    return set()


def _is_free(name: str, inputs: Collection[str]) -> bool:
    return name not in inputs and lookup(name) is None and name not in CONSTANTS and name not in ("d", "D", "∂")


class ClaimReader:
    """A reader of the statements of an answer; `asked` are the requested derivatives as (output, inputs)."""

    def __init__(self, meanings: Meanings, asked: Sequence[tuple[str, Wrt]]) -> None:
        self.meanings = meanings
        self.asked = tuple(asked)
        self.inputs = tuple(meanings.functions.inputs)

    # --- formulas -----------------------------------------------------------------------------------------------------

    def items(self, pieces: Sequence[Fragment]) -> tuple[ChainItem, ...]:
        """Return pieces as formulas; a piece with `or` in it gives one item for each alternative if all of them can be
        read.
        """
        found: list[ChainItem] = []
        for piece in pieces:
            parts = [text.strip(" ,;") for text in _OR.split(piece.text)]
            items = [self.item(Fragment(text, piece.span)) for text in parts if text]
            if len(parts) > 1 and items and all(item.graphs for item in items):
                found += [item._replace(choice=True) for item in items]
            else:
                found.append(self.item(piece))
        return tuple(found)

    def item(self, piece: Fragment) -> ChainItem:
        """Return a piece as a formula in every way it may be read, the likeliest first; words around it are removed if
        needed.

        If it cannot be read, the item has no graphs and the first problem; a piece with `or` in it is such an item,
        with `choice`.
        """
        problem: AdcliError | None = None
        for text in _shorter(piece.text):
            if _OR.search(text):
                return ChainItem(piece, (), NoFormula("two answers are none"), choice=True)
            try:
                graph = self.meanings.read(text)
            except AdcliError as error:
                problem = problem or error
                continue
            if any(len(name) > 1 and name.isalpha() for name in self.meanings.unknown(graph)):
                problem = problem or NoFormula("these words are no formula")
                continue
            return ChainItem(piece, (graph, *self._otherwise(text, graph)))
        return ChainItem(piece, (), problem)

    def _otherwise(self, text: str, first: Graph) -> Iterator[Graph]:
        """Yield the graphs of other readings of the formula `text`: `1/2x` with x below the line, `e^2x` with x in the
        exponent, `sin x e^x` with e^x as a factor.

        `first` is the graph of the usual reading; one with unknown names that `first` does not have is skipped: x1 is
        not x times 1.
        """
        known = {*self.meanings.unknown(first)}
        below, raised = _JUXTAPOSED.sub(r"/(\1)", text), _POWERED.sub(r"^(\1)", text)
        single = _APPLIED_TO_MORE.sub(_of_one_factor, text)
        for other in dict.fromkeys((below, raised, _POWERED.sub(r"^(\1)", below), single)):
            if other != text:
                with suppress(AdcliError):
                    graph = self.meanings.read(other)
                    if known.issuperset(self.meanings.unknown(graph)):
                        yield graph

    def left(self, text: str) -> Graph | None:
        """Return the graph of the formula or name that the left side `text` ends with; None if it is only words.

        A heading before a colon and first words are removed; `fx` is read as `f_x`, and `Df(x)` as f'(x) for a single
        input.
        """
        tail = text.rpartition(":")[2] if ":" in text else text
        indexed = _INDEXED.sub(self._indexed, tail)  # fx for f_x
        if len(self.inputs) == 1:  # Df(x) for f'(x)
            indexed = _OPERATOR_D.sub(f"D_{self.inputs[0]} ", indexed.strip())
        for candidate in dict.fromkeys((indexed, text, tail, *_without_first_words(tail))):
            if not candidate.strip():
                continue
            try:
                graph = self.meanings.read(candidate)
            except AdcliError:
                continue
            if not any(len(name) > 1 and name.isalpha() for name in self.meanings.unknown(graph)):
                return graph
        return None

    def _indexed(self, match: re.Match[str]) -> str:
        """Return `fx` as `f_x` (a callback of re.sub); unchanged unless f is the function, x an input, and `fx` not a
        known name.
        """
        name, by = match[1], match[2]
        speller = self.meanings.speller
        known = match[1] + match[2] in speller.symbols or lookup(match[1] + match[2]) is not None
        return (
            f"{name}_{by}"
            if name in speller.functions and not known and speller.wrt(by, lines=False)
            else match.group()
        )

    # --- statements ---------------------------------------------------------------------------------------------------

    def claims(self, statement: Statement, place: int) -> list[Claim | Naming]:
        """Return what a statement claims: derivatives (Claim) and definitions (Naming); [] if it is only words.

        `place` is the statement's index, by which definitions before and after it are distinguished. A gradient gives
        one claim for each component. A statement without a readable left side is a `bare` claim about the only
        derivative of the task, or the one whose input it mentions.
        """
        left, pieces = statement.left, list(statement.pieces)
        if left is not None and _OR.match(left.text):  # or f'(x) = …
            rest = left.text
            while match := _OR.match(rest):
                rest = rest[match.end() :].lstrip()
            claims = self.claims(statement._replace(left=left._replace(text=rest)), place)
            return [_as_choice(claim) for claim in claims]
        wrt_hint: str | None = None
        graph: Graph | None = None
        if left is not None:
            vector = self._vector(left, pieces, place)
            if vector:
                return vector
            graph = self.left(left.text)
            hint = _BY.search(left.text)
            if hint and graph is not None and self.meanings.meaning(graph) in self.inputs:
                graph = None
            if graph is None:
                wrt_hint = hint[1] if hint and hint[1] in self.inputs else None
                if not _is_prose(left.text):
                    return []
        if graph is None and pieces and (len(pieces) > 1 or left is None):
            first = self.left(pieces[0].text)
            meaning = None if first is None else self.meanings.meaning(first)
            if first is not None and self._is_target(meaning, first):
                graph, left, pieces = first, pieces[0], pieces[1:]
        span = (left or statement.first).span
        if graph is None:
            items = self.items(pieces)
            if not any(item.graphs for item in items):
                return []
            if (
                left is None
                and any(len(self.meanings.unknown(item.graphs[0])) for item in items if item.graphs)
                and _is_prose(pieces[0].text)
            ):
                return []  # words of which one letter is left
            quantity = self._default(wrt_hint)
            if quantity is None or (left is None and _is_prose(pieces[0].text) and not items[0].graphs):
                return [Claim(None, (wrt_hint,) if wrt_hint else (), None, items, place, span, bare=True)]
            return [Claim(*quantity, None, items, place, span, bare=True)]
        return self._about(graph, left or statement.first, pieces, place, span)

    def _is_target(self, meaning: object, graph: Graph) -> bool:
        return isinstance(meaning, InnerDerivative) or (isinstance(meaning, NamedCall) and meaning.order > 0)

    def _about(
        self, graph: Graph, left: Fragment, pieces: Sequence[Fragment], place: int, span: Span
    ) -> list[Claim | Naming]:
        """Return the claims of a statement whose left side has the graph `graph` and the text `left`.

        A name, or a function applied to arguments, is a definition (Naming; [] if it is an input, or if no piece can be
        read), a derivative of something known is a claim about that. Any other formula is a claim without a target
        whose first item is the left side. `place` is the statement's index, `span` its place in the text.
        """
        meaning = self.meanings.meaning(graph)
        if isinstance(meaning, str) or (isinstance(meaning, NamedCall) and not meaning.order):
            name = meaning if isinstance(meaning, str) else meaning.name
            if name in self.inputs:
                return []
            parameters = () if isinstance(meaning, str) else tuple(text.strip() for text in meaning.arguments)
            items = self.items(pieces)
            graphs = [item.graphs[0] for item in items if item.graphs]
            if not graphs:
                return []
            marks = self.meanings.speller.marks  # u = f' = 2x is 2x
            readable = next((g for g in graphs if marks.keys().isdisjoint(g.inputs.values())), graphs[0])
            return [Naming(NamedPart(name, parameters, readable, place), items, span)]
        items = self.items(pieces)
        if isinstance(meaning, NamedCall):
            wrt = meaning.arguments if len(meaning.arguments) == 1 else ()
            inner = (
                self.meanings.again(meaning.name)
                if meaning.name in self.meanings.speller.symbols | self.meanings.speller.functions
                else None
            )
            if inner is None or (wrt and not re.fullmatch(r"\s*[^\W\d_]\w*\s*", wrt[0])):
                return [Claim(None, (), graph, (ChainItem(left, (graph,)), *items), place, span)]
            return self._derivative(
                inner,
                tuple(name.strip() for name in wrt) * meaning.order,
                meaning.order,
                items,
                place,
                span,
                meaning.name,
            )
        if isinstance(meaning, InnerDerivative):
            inner = self.meanings.again(meaning.of)
            of = self.meanings.meaning(inner)
            called = of if isinstance(of, str) else of.name if isinstance(of, NamedCall) and not of.order else ""
            return self._derivative(inner, meaning.wrt, meaning.order, items, place, span, called)
        return [Claim(None, (), graph, (ChainItem(left, (graph,)), *items), place, span)]

    def _derivative(
        self, inner: Graph, wrt: Wrt, order: int, items: tuple[ChainItem, ...], place: int, span: Span, name: str
    ) -> list[Claim | Naming]:
        """Return the one claim that `items` are the derivative of `inner` with respect to `wrt`, or of `order` if `wrt`
        is empty.

        `name` is what `inner` is called, empty if it is not a name; `place` is the index of the statement, `span` its
        place in the text. The claim has an output only if `inner` is an output of the problem and all of `wrt` are
        inputs.
        """
        wrt = wrt or self._meant(order)
        output = self.output(name, inner, place) if all(n in self.inputs for n in wrt) or not wrt else None
        if output is not None:
            return [Claim(output, tuple(sorted(wrt)), inner, items, place, span, name)]
        return [Claim(None, wrt, inner, items, place, span, name)]

    def _meant(self, order: int) -> Wrt:
        """Return the inputs that a prime on a left side differentiates by, repeated `order` times; () if that is
        ambiguous.

        It is the only input, or the only one whose derivative the task asks for.
        """
        if len(self.inputs) == 1:
            return self.inputs * order
        asked = {name for _, wrt in self.asked for name in wrt}
        return tuple(asked) * order if len(asked) == 1 else ()

    def output(self, name: str, graph: Graph, place: int) -> str | None:
        """Return the problem's output that equals a name or a formula; None if it is a part.

        `name` is empty for a formula without one; `place` is the index of the statement, for which the definition of
        the name is looked up.
        """
        meanings, functions = self.meanings, self.meanings.functions
        definition = meanings.definition(name, place) if name else None
        if name and definition is None:
            if name in functions.outputs:
                return name
            return meanings.output if meanings.is_function(name) and len(functions.outputs) == 1 else None
        view = Viewpoint(place, None, False)
        slots = [meanings.found(graph, view)]
        if definition is not None:  # f(u) = sin u, u a part: substituted if differentiated by x
            slots.append(meanings.found(definition.graph, view))
        return next(
            (
                output
                for slot in slots
                for output, own in functions.outputs.items()
                if slot is not None and functions.same(own, slot)
            ),
            None,
        )

    def _default(self, wrt: str | None) -> tuple[str, Wrt] | None:
        """Return the derivative (output, inputs) that an answer without a left side is about; None if that is
        ambiguous.

        It is the only one that the task asks for, with `wrt` the only one by that input alone.
        """
        if wrt is not None:
            found = [quantity for quantity in self.asked if set(quantity[1]) == {wrt}]
            return found[0] if len(found) == 1 else None
        return self.asked[0] if len(self.asked) == 1 else None

    def _vector(self, left: Fragment, pieces: Sequence[Fragment], place: int) -> list[Claim | Naming]:
        """Return the claims of a gradient or a Hessian matrix, one for each component; [] if the statement is neither.

        The components are those of the last piece, in brackets or as a sum of unit vectors; of a matrix only i ≤ j. The
        inputs come in the problem's order or in the order of their names, whichever makes more components right.
        `place` is the index of the statement.
        """
        text = left.text.strip()
        functions = self.meanings.functions
        if not pieces or len(functions.outputs) > 1:
            return []
        last = pieces[-1]
        parts = _components(last.text) or _by_unit_vectors(last.text, self.inputs)
        rows = [_components(part) for part in parts]
        names, output = self.inputs, self.meanings.output
        if _SECOND.match(text) and len(parts) == len(names) and all(len(row) == len(names) for row in rows):
            entries = [(names[i], names[j], part) for i, row in enumerate(rows) for j, part in enumerate(row) if i <= j]
            return [
                Claim(output, tuple(sorted((a, b))), None, (self.item(Fragment(part, last.span)),), place, left.span)
                for a, b, part in entries
            ]
        if (_GRADIENT.match(text) or re.match(r"(?:.*\s)?(?:Df|J|f'|y')", text)) and len(parts) == len(names) > 1:
            items = [self.item(Fragment(part, last.span)) for part in parts]
            orders = (names, tuple(sorted(names, key=lambda name: (len(name), name))))
            fitting = max(orders, key=lambda order: self._fits(output, order, items, place))
            return [
                Claim(output, (name,), None, (item,), place, left.span)
                for name, item in zip(fitting, items, strict=True)
            ]  # fmt: skip
        return []

    def _fits(self, output: str, names: Sequence[str], items: Sequence[ChainItem], place: int) -> int:
        """Return how many `items` are the derivative of `output` with respect to the input at the same position of
        `names`.

        `place` is the index of the statement.
        """
        functions, meanings = self.meanings.functions, self.meanings
        fitting = 0
        for name, item in zip(names, items, strict=True):
            slot = meanings.found(item.graphs[0], Viewpoint(place, name, False)) if item.graphs else None
            truth = functions.derived(functions.outputs[output], (name,))
            fitting += slot is not None and functions.same(truth, slot)
        return fitting


def _of_one_factor(match: re.Match[str]) -> str:
    """Return a function applied to the one name after it, `sin(x)*` (a callback of re.sub); unchanged if it is not a
    function.
    """
    function, argument = match.groups()
    return f"{function}({argument})*" if lookup(function.lstrip("\\")) else match.group()


def _as_choice(claim: Claim | Naming) -> Claim | Naming:
    """Return the claim with all its items marked as alternatives."""
    return claim._replace(items=tuple(item._replace(choice=True) for item in claim.items))


def _components(text: str) -> list[str]:
    """Return the texts between the outer commas or semicolons of a bracketed text; [] if it is not in brackets."""
    match = _VECTOR.match(text)
    if match is None:
        return []
    found, depth, begin = [], 0, 0
    inside = match["inside"]
    for place, character in enumerate(inside):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth < 0:
                return []
        elif character in ",;" and depth == 0:
            found.append(inside[begin:place])
            begin = place + 1
    return [*found, inside[begin:]]


def _by_unit_vectors(text: str, inputs: Collection[str]) -> list[str]:
    """Return the components of a text such as `2x i + 3y j`; [] if it is not a sum over i, j, k in that order.

    Also [] if i or j is one of `inputs`. At least two components are required.
    """
    found: list[str] = []
    depth, begin = 0, 0
    vectors = {} if {"i", "j"} & {*inputs} else {match.start(): match for match in _UNIT_VECTOR.finditer(text)}
    for place, character in enumerate(text):
        letter = (vectors[place]["tex"] or vectors[place]["letter"]) if depth == 0 and place in vectors else ""
        if letter and "ijk".index(letter) == len(found):
            found.append(text[begin:place].strip().removeprefix("+").rstrip(" *·") or "1")
            begin = vectors[place].end()
        depth += (character in "([{") - (character in ")]}")
    return found if len(found) > 1 and not text[begin:].strip() else []


def _is_prose(text: str) -> bool:
    """Return whether a left side is words without any operators."""
    return _WORD.search(text) is not None and not re.search(r"[\^*/+√'∂]|\\frac", text)


def _shorter(text: str) -> Iterator[str]:
    """Yield the text without marks such as ✓ at its end, then shorter versions of it.

    These lack a remark in brackets at the end, a LaTeX box, the words from the first unknown one on, or those up to the
    last.
    """
    text = _MARKS.sub("", text)
    yield text
    remark = _TRAILING.search(text)
    if remark and (re.search(r"[^\W\d_]{3}", remark[1]) or _COMPARED.search(remark[1])):
        yield text[: remark.start()]
    if re.match(r"\\(?:boxed|mathbf|underline)", text.lstrip()):
        yield re.sub(r"\\(?:boxed|mathbf|underline)(?=\s*\{)", "", text)
    words = list(_WORD.finditer(text))
    strange = [word for word in words if not _is_known(word.group())]
    if strange:
        first, last = strange[0], strange[-1]
        if not _MATHEMATICAL.search(text[first.start() :]):
            yield text[: first.start()].rstrip(" ([-–—:,")
        if not _MATHEMATICAL.search(text[: last.end()]):
            yield text[last.end() :].lstrip(" )]-:,")


def _is_known(word: str) -> bool:
    return lookup(word) is not None or lookup(word.lower()) is not None


def _without_first_words(text: str) -> Iterator[str]:
    """Yield the text without its first word, without its first two, and so on, up to eight words of two or more
    letters.
    """
    rest = text
    for _ in range(8):
        match = re.match(r"\s*[^\s\w]*[^\W\d_]{2,}[.,:]?\s+", rest)
        if not match:
            return
        rest = rest[match.end() :]
        yield rest

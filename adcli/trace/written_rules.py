"""Written rules: the functions of the table with their derivatives as formulas, as data for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..documents import STRING, TRUTH, WHOLE, const, record
from ..errors import NameProblem
from ..graph.graph import Graph
from ..notation.display_formula import Formula
from ..notation.formula import TABLE, TEXT, Leaf, render
from ..notation.table_formulas import unfold
from ..records import NamedTuple
from ..symbolic.terms import partial_slots
from ..table.functions import EVERYDAY
from ..table.primitive import ROWS, Call, Primitive, lookup, spellings
from ..table.suggest import did_you_mean
from ..typings import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..notation.formula_pieces import Piece


class FunctionRecord(NamedTuple):
    """A function of the table in texts; `derivatives` are those by each argument, or one sentence for all."""

    name: str
    aliases: tuple[str, ...]
    arity: int | None
    call: Formula
    derivatives: tuple[str, ...]
    domain: str
    operator: bool
    summary: str


def function_records(names: Sequence[str] = ()) -> list[FunctionRecord]:
    """Return the records of the functions called `names` (or their aliases), in this order.

    Without names they are those of all rows of the table, operators and conditions too: first the everyday ones in the
    order of EVERYDAY, then the others in the order of the table. Raises NameProblem for a name that is not a function.
    """
    for name in names:
        if lookup(name) is None:
            advice = did_you_mean(name, spellings(), "adcli functions")
            raise NameProblem(f"there is no function called {name}", help=advice)
    rows = map(lookup, names or dict.fromkeys((*EVERYDAY, *ROWS)))
    return [_function_record(row) for row in rows if row is not None]


def _function_record(row: Primitive) -> FunctionRecord:
    """Return the texts of one function, as a FunctionRecord.

    `call` is in plain text (`sin(x)`, `a^b`); `derivatives` has a formula for each argument as tables write it (`cos
    x`), one sentence for functions of any number of arguments, and is ("none",) for a condition.
    `domain` is the text of the table or, if this is empty, the conditions of the checks joined by "and" ("" if every
    argument is allowed). `operator` is False for calls such as sin(x) and for abs. `arity` None means any number of
    arguments.
    """
    arguments = row.arguments
    rule = rule_of(row, TEXT)
    return FunctionRecord(
        name=row.name,
        aliases=row.aliases,
        arity=row.arity,
        call=rule.call,
        derivatives=rule.derivatives or ("none",),
        domain=row.where or " and ".join(c.condition.format(*arguments) for c in row.domain if c.condition),
        operator=not isinstance(row.notation, Call) and row.name != "abs",
        summary=row.summary,
    )


FUNCTIONS: Final = record(
    schema=const("functions/1"),
    functions=record(
        name=STRING,
        aliases=STRING.array,
        arity=WHOLE.or_null,
        call=STRING,
        derivatives=STRING.array,
        domain=STRING,
        operator=TRUTH,
        summary=STRING,
    ).array.here(),
)


class WrittenRule(NamedTuple):
    """The derivative rule of a function: how a call is written, and the derivative with respect to each argument.

    A condition has no derivatives; a function of any number of arguments has one sentence for all of them.
    """

    name: str
    call: Formula
    arguments: tuple[str, ...]
    derivatives: tuple[str, ...]


def rule_of(row: Primitive, style: str = TABLE) -> WrittenRule:
    """Return the WrittenRule of a row: name, call and derivatives as formulas, and the names of its arguments.

    `style` is the style of the call (one of `notation.formula`); derivatives are written as in tables. The derivatives
    are the text of the table as a single item, if it has one; () for a condition; one formula for each argument of a
    function with a fixed number of arguments, "not known" for an order. A function of any number of arguments has one
    sentence, `DERIVATIVES of x1, x2 alone`, and its call ends in "…": `max(x1, x2, …)`.
    """
    graph, z, partials = partial_slots(row, row.arguments)
    leaves = {slot: Leaf(name) for slot, name in graph.inputs.items()}
    derivatives: tuple[str, ...] = ()
    if row.slopes:
        derivatives = (row.slopes,)
    elif not row.truth:
        derivatives = tuple([_formula(graph, slot, TABLE, leaves, first=False) for slot in partials])
        derivatives = ("not known", *derivatives[1:]) if row.has_order else derivatives
        if row.arity is None:
            derivatives = (f"{'; '.join(derivatives)} of {', '.join(row.arguments)} alone",)
    call = _formula(graph, z, style, leaves)
    if row.arity is None:
        call = Formula(f"{call[:-1]}, …)", _and_more, call)
    return WrittenRule(row.name, call, row.arguments, derivatives)


def _formula(graph: Graph, slot: int, style: str, leaves: Mapping[int, Leaf], first: bool = True) -> Formula:
    return unfold(render(graph, slot, style, leaves.get, first), graph, slot, leaves, first)


def _and_more(call: Formula) -> Piece:
    """Return a call with an ellipsis after the arguments that are written; another piece unchanged."""
    from ..notation.formula_pieces import ALONE, Application, Sign

    piece = call.piece
    return piece._replace(arguments=(*piece.arguments, Sign("…", ALONE))) if isinstance(piece, Application) else piece

"""What most programs consist of: numbers, inputs and operations on numbers, straight into the columns of a graph.

The machine could do the same; here it happens without a call for each step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from ..graph.graph import Constant, Graph
from .recorder import Code, Instruction

# A value on the machine's stack: its slot, the name if a name alone was written, and where it was written (start, end).
Value = tuple[int, str, int, int]


def straight(
    code: Code,
    graph: Graph,
    stack: list[Value],
    inputs: Mapping[str, int],
    numbers: Mapping[str, Constant],
    read: Callable[[str, Instruction], Constant],
    conditions: Collection[int],
) -> Iterator[Instruction]:
    """Runs the code as far as nothing has to be looked at, and gives every other instruction to be run in its turn.

    It runs numbers, inputs that have occurred, and operations while no value is true or false.  `read` makes the
    constant of a number that is not among the `numbers` yet.
    """
    rows, parents, spans, literal, constants = graph.rows, graph.parents, graph.spans, graph.literal, graph.constants
    pop, push = stack.pop, stack.append
    for step in code:
        start, end, argument, action = step
        slot = len(rows)
        if action == "NAME" and argument in inputs:
            slot = inputs[argument]
        elif action == "operate" and argument.arity == 2 and not conditions:
            right = pop()[0]
            left = pop()[0]
            rows.append(argument)
            parents.append((left, right))
            spans.append((start, end))
            literal.append(literal[left] and literal[right] and argument.folds)
        elif action == "operate" and argument.arity == 1 and not conditions:
            below = pop()[0]
            rows.append(argument)
            parents.append((below,))
            spans.append((start, end))
            literal.append(literal[below] and argument.folds)
        elif action == "NUMBER":
            constants[slot] = numbers.get(argument) or read(argument, step)
            rows.append(None)
            parents.append(())
            spans.append((start, end))
            literal.append(1)
        else:
            yield step
            continue
        push((slot, "", start, end))

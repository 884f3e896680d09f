"""Primes of functions: `σ' = σ(1-σ)` before `∂σ/∂a = σ'·b` is the derivative with respect to the argument, not a
tangent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .answer_model import BAR, DERIVATIVE, DOT, VALUE, Answer, Entry, Quantity, Task

_NOTE = "a prime is read as the derivative of a row with respect to the row that it uses"


def with_local_primes(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with primes such as `σ'` read as local derivatives ∂σ/∂a, and a note on it; None if none is
    one.

    A prime is one if its row uses exactly one other row or input, a, and if products with it as a factor continue the
    chain rule (`_local_primes`). Its quantity is replaced in all entries and formulas. None also if the task asks for
    forward mode; a task without a mode counts as reverse.
    """
    meanings = _local_primes(answer, task) if task.mode in ("reverse", None) else {}
    return answer.renamed(meanings, _NOTE) if meanings else None


def _local_primes(answer: Answer, task: Task) -> dict[Quantity, Quantity]:
    """Return {prime: local derivative} for each prime such as `σ'` that is ∂σ/∂a, where σ is computed from a alone.

    The keys are the quantities as which the primes were read: tangents without an input, and adjoints whose formulas
    have values alone. The row of values of σ must use exactly one name besides σ: another row, or also an input if the
    prime is spelled with '. A product is a formula of more than one name in a row of any derivative. Some product must
    have the prime. If a has a prime too, as a(x) has, every product with the prime of σ must have that of a as well
    (the chain rule); then this is also a key, for ∂a/∂x, if the row of a uses one input x alone.
    """
    primes = {
        entry.quantity: entry.span.text
        for entry in answer.entries
        if entry.quantity.key is None and (entry.quantity.kind == DOT or _is_of_values(entry))
    }
    products = list(_products(answer))
    point = frozenset(task.at)
    rows = frozenset(entry.quantity.name for entry in answer.entries if entry.quantity.kind == VALUE) - point
    known: dict[Quantity, Quantity] = {}
    for prime, text in primes.items():
        allowed = (rows, rows | point)[text.endswith("'")]
        used = _only_name_used(answer, prime.name, allowed)
        inside = {other for other in primes if other.name == used}
        if used and _are_factors(prime, inside, products):
            among = {prime: allowed} | dict.fromkeys(inside, point)
            names = {each: _only_name_used(answer, each.name, among[each]) for each in among}
            known |= {each: Quantity(DERIVATIVE, each.name, name) for each, name in names.items() if name}
    return known


def _is_of_values(entry: Entry) -> bool:
    """Return whether an adjoint, `ds = s(1-s)`, has a formula of values alone, as a local derivative has."""
    return entry.quantity.kind == BAR and {quantity.kind for quantity in entry.symbols} == {VALUE}


def _are_factors(prime: Quantity, inside: set[Quantity], products: Sequence[set[Quantity]]) -> bool:
    """Return whether some of the `products` have the factor `prime`, and these the factors `inside` too."""
    factors = [product for product in products if prime in product]
    return bool(factors) and all(inside <= product for product in factors)


def _products(answer: Answer) -> Iterator[set[Quantity]]:
    """Yield the set of quantities in each formula of a derivative of any kind that is more than one name."""
    for entry in answer.entries:
        for piece in entry.pieces if entry.quantity.kind != VALUE else ():
            if piece.graph is not None and len(piece.graph) > 1:
                yield set(piece.quantities.values())


def _only_name_used(answer: Answer, name: str, among: frozenset[str]) -> str:
    """Return the name that the formulas of the row of values `name` use besides itself; empty if they use several or
    none, or one that is not in `among`.
    """
    rows = [entry for entry in answer.entries if entry.quantity == Quantity(VALUE, name)]
    used = {quantity.name for entry in rows for quantity in entry.symbols} - {name}
    return used.pop() if len(used) == 1 and used <= among else ""

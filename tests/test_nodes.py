"""The paper's own interface from Python: Node, wrapping functions, the two sweeps and their orders; and Expression."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from running import run

import adcli
from adcli import (
    Node,
    add,
    div,
    forward,
    log,
    mul,
    reverse,
    sin,
    sub,
    topological_order_forward,
    topological_order_reverse,
)
from adcli.errors import AdcliError
from adcli.graph.graph import CONSTANTS, Constant, Graph
from adcli.graph.recording import Recording
from adcli.graph.rules import constant_partials
from adcli.numbers.complexes import Complex
from adcli.numbers.double_intervals import SPREAD
from adcli.numbers.doubles import FLOAT, apply
from adcli.numbers.precise import Precise
from adcli.table.primitive import ROWS, Primitive, spellings
from tests.benchmarks import work

LN2, SIN5, COS5 = math.log(2), math.sin(5), math.cos(5)
TEXT = "log(x1)+x1*x2-sin(x2)"
AT = {"x1": 2, "x2": 5}


class Example:
    """The paper's running example, log(x1) + x1*x2 - sin(x2) at (2, 5), numbered as in the paper."""

    def __init__(self) -> None:
        self.x1, self.x2 = Node(2, name="x1"), Node(5, name="x2")
        self.v1 = log(self.x1)
        self.v2 = mul(self.x1, self.x2)
        self.v3 = sin(self.x2)
        self.v4 = add(self.v1, self.v2)
        self.v5 = sub(self.v4, self.v3)

    def all(self) -> list[Node]:
        return [self.x1, self.x2, self.v1, self.v2, self.v3, self.v4, self.v5]

    def slopes(self) -> list[float]:
        return [node.partial_derivative for node in self.all()]

    def names(self, nodes: list[Node]) -> list[str]:
        names = dict(zip(map(id, self.all()), ["x1", "x2", "v1", "v2", "v3", "v4", "v5"], strict=True))
        return [names[id(node)] for node in nodes]


# --- the node --------------------------------------------------------------------------------------------------------


def test_node_of_the_product_has_the_members_of_the_paper() -> None:
    example = Example()
    assert 10 == example.v2.value
    assert [example.x1, example.x2] == example.v2.parent_nodes
    assert [example.v4] == example.v2.child_nodes
    assert "mul" == example.v2.operator
    assert [5, 2] == example.v2.grad_wrt_parents


def test_every_node_of_the_example_has_its_value_and_gradient() -> None:
    example = Example()
    assert [2, 5, LN2, 10, SIN5, LN2 + 10, LN2 + 10 - SIN5] == [node.value for node in example.all()]
    assert ["input", "input", "log", "mul", "sin", "add", "sub"] == [node.operator for node in example.all()]
    assert [[], [], [1 / 2], [5, 2], [COS5], [1, 1], [1, -1]] == [node.grad_wrt_parents for node in example.all()]


def test_node_has_no_state_outside_itself() -> None:
    assert {"name", "span"} == {name for name in vars(Node) if name[0] != "_"} - {
        "value", "parent_nodes", "child_nodes", "operator", "grad_wrt_parents", "partial_derivative",
        "operate", "backward", *spellings(),
    }  # fmt: skip
    one, other = Node(1), Node(1)
    assert one.parent_nodes is not other.parent_nodes
    assert one.child_nodes is not other.child_nodes
    assert not hasattr(one, "__dict__")


def test_repr_of_a_node_names_it_and_shows_value_and_slope() -> None:
    x = Node(2.0, name="x1")
    reverse(x)
    assert "<Node x1: input value=2.0 partial_derivative=1.0>" == repr(x)
    assert "<Node input value=2.0 partial_derivative=0.0>" == repr(Node(2.0))
    assert x.__add__("text") is NotImplemented


# --- orders ----------------------------------------------------------------------------------------------------------


def test_forward_tape_is_the_one_of_the_paper() -> None:
    example = Example()
    assert ["x1", "v2", "v1", "v4", "v5"] == example.names(topological_order_forward(example.x1))


def test_reverse_tape_is_the_one_of_the_paper() -> None:
    example = Example()
    assert ["v5", "v3", "v4", "v2", "x2", "v1", "x1"] == example.names(topological_order_reverse(example.v5))


def test_every_node_stands_once_on_a_tape_and_before_those_it_leads_to() -> None:
    x = Node(1.5)
    y = x
    for _ in range(6):
        y = mul(add(y, x), y)
    ahead, back = topological_order_forward(x), topological_order_reverse(y)
    for tape, neighbours in ((ahead, lambda n: n.child_nodes), (back, lambda n: n.parent_nodes)):
        place = {id(node): k for k, node in enumerate(tape)}
        assert 13 == len(tape) == len(place)
        assert all(place[id(node)] < place[id(other)] for node in tape for other in neighbours(node))


def test_output_that_is_no_ancestor_is_not_on_the_tape_and_gives_nothing() -> None:
    example = Example()
    v6 = mul(example.v3, 7)
    assert v6 not in topological_order_reverse(example.v5)
    reverse(example.v5)
    assert [5.5, 2 - COS5, 1, 1, -1, 1, 1] == example.slopes()
    assert 0 == v6.partial_derivative


# --- sweeps ----------------------------------------------------------------------------------------------------------


def test_forward_from_the_first_input_gives_the_table_of_the_paper() -> None:
    example = Example()
    forward(example.x1)
    assert [1, 0, 0.5, 5, 0, 5.5, 5.5] == example.slopes()


def test_forward_from_the_second_input() -> None:
    example = Example()
    forward(example.x2)
    assert [0, 1, 0, 2, COS5, 2, 2 - COS5] == example.slopes()


def test_reverse_gives_the_table_of_the_paper() -> None:
    example = Example()
    reverse(example.v5)
    assert [5.5, 2 - COS5, 1, 1, -1, 1, 1] == example.slopes()


@pytest.mark.parametrize("sweep", [lambda e: forward(e.x1), lambda e: reverse(e.v5)], ids=["forward", "reverse"])
def test_second_sweep_does_not_see_the_first(sweep: Callable[[Example], None]) -> None:
    example = Example()
    sweep(example)
    first = example.slopes()
    sweep(example)
    assert first == example.slopes()


def test_sweeps_of_both_kinds_do_not_see_each_other() -> None:
    example = Example()
    forward(example.x1)
    ahead = example.slopes()
    reverse(example.v5)
    back = example.slopes()
    forward(example.x1)
    assert ahead == example.slopes()
    reverse(example.v5)
    assert back == example.slopes()


def test_sweep_clears_what_another_input_or_output_left() -> None:
    example = Example()
    v6 = mul(example.v3, 7)
    reverse(v6)
    assert [0, 7 * COS5, 0, 0, 7, 0, 0] == example.slopes()
    reverse(example.v5)
    assert [5.5, 2 - COS5, 1, 1, -1, 1, 1] == example.slopes()
    forward(example.x2)
    forward(example.x1)
    assert [1, 0, 0.5, 5, 0, 5.5, 5.5] == example.slopes()
    assert 0 == v6.partial_derivative


def test_several_outputs_have_their_own_gradients() -> None:
    x1, x2 = Node(3), Node(4)
    product, quotient = mul(x1, x2), div(x1, x2)
    expected = {product: (4, 3), quotient: (0.25, -3 / 16)}
    for _ in range(2):
        for output, gradient in expected.items():
            reverse(output)
            assert gradient == (x1.partial_derivative, x2.partial_derivative)
    forward(x1)
    assert (4, 0.25) == (product.partial_derivative, quotient.partial_derivative)


def test_input_that_nothing_uses_has_slope_zero() -> None:
    x, unused = Node(2), Node(9)
    y = mul(x, x)
    reverse(y)
    assert 0 == unused.partial_derivative
    forward(unused)
    assert 1 == unused.partial_derivative
    assert 4 == x.partial_derivative, "a sweep of a graph of its own leaves other graphs alone"
    z = Node(3, [x, unused], "pow", [5, math.nan])
    x.child_nodes.append(z)
    forward(x)
    assert 5 == z.partial_derivative, "a partial with respect to what does not move does not count"


def test_sweep_from_an_input_alone_is_the_derivative_by_itself() -> None:
    x = Node(2)
    reverse(x)
    assert 1 == x.partial_derivative
    forward(x)
    assert 1 == x.partial_derivative


# --- one node as both parents ----------------------------------------------------------------------------------------

TWICE = {
    "x - x": (lambda x: sub(x, x), 0, 0),
    "x + x": (lambda x: add(x, x), 6, 2),
    "x * x": (lambda x: mul(x, x), 9, 6),
    "x / x": (lambda x: div(x, x), 1, 0),
    "x ^ x": (lambda x: adcli.pow(x, x), 27, 27 * (math.log(3) + 1)),
    "atan2(x, x)": (lambda x: adcli.atan2(x, x), math.pi / 4, 0),
    "hypot(x, x)": (lambda x: adcli.hypot(x, x), 3 * math.sqrt(2), math.sqrt(2)),
    "max(x, x, x)": (lambda x: adcli.max(x, x, x), 3, 1),
}


@pytest.mark.parametrize("case", TWICE)
def test_one_node_as_every_parent_contributes_by_position(case: str) -> None:
    build, value, slope = TWICE[case]
    x = Node(3)
    y = build(x)
    # two partials and one sum: three roundings
    assert pytest.approx(value, rel=1e-15, abs=0) == y.value
    reverse(y)
    assert pytest.approx(slope, rel=1e-15, abs=1e-15) == x.partial_derivative
    forward(x)
    assert pytest.approx(slope, rel=1e-15, abs=1e-15) == y.partial_derivative
    assert len(y.parent_nodes) == x.child_nodes.count(y), "one edge for each position"


def test_diamonds_count_every_path() -> None:
    # y = (x*x) + (x*x)*(x*x), both squares one node: y = x^2 + x^4
    x = Node(3)
    square = mul(x, x)
    y = add(square, mul(square, square))
    assert 90 == y.value
    reverse(y)
    assert 2 * 3 + 4 * 27 == x.partial_derivative
    forward(x)
    assert 2 * 3 + 4 * 27 == y.partial_derivative


def test_number_of_paths_may_double_at_every_level() -> None:
    x = Node(1)
    y = x
    for _ in range(60):
        y = add(y, y)
    reverse(y)
    assert 2**60 == y.value == x.partial_derivative


# --- members that are set --------------------------------------------------------------------------------------------


def test_value_that_is_set_counts_for_what_is_computed_from_then_on() -> None:
    x, y = Node(2.0), Node(5.0)
    before = x * y
    x.value = 3.0
    after = x * y
    reverse(before)
    assert (10, 2, 5) == (before.value, y.partial_derivative, x.partial_derivative)
    reverse(after)
    assert (15, 3, 5) == (after.value, y.partial_derivative, x.partial_derivative)
    x.value = 4
    assert [8, 3] == [(x * 2).value, after.grad_wrt_parents[1]]


def test_derivative_that_is_set_does_not_reach_the_next_sweep() -> None:
    x = Node(2.0)
    y = x * x
    x.partial_derivative = y.partial_derivative = 100.0
    reverse(y)
    assert 4 == x.partial_derivative
    y.partial_derivative = 100.0
    forward(x)
    assert 4 == y.partial_derivative


def test_partials_parents_and_operators_may_be_put_in_by_hand() -> None:
    x = Node(2.0)
    y = sin(x) * 3.0
    y.grad_wrt_parents = [10.0, None]
    reverse(y)
    assert 10 * math.cos(2) == x.partial_derivative
    y.parent_nodes[0].grad_wrt_parents[0] = 7.0
    reverse(y)
    assert 70 == x.partial_derivative
    x.operator = "constant"
    assert [None, 1] == (x + y).grad_wrt_parents


def test_wrapping_function_of_the_paper_works_beside_ours() -> None:
    def square(node: Node) -> Node:
        new = Node(node.value * node.value, [node], "square")
        new.grad_wrt_parents = [2 * node.value]
        node.child_nodes.append(new)
        return new

    x, y = Node(3.0), Node(4.0)
    z = square(x * y) + y
    assert ["square", "input"] == [node.operator for node in z.parent_nodes]
    reverse(z)
    assert (96, 73) == (x.partial_derivative, y.partial_derivative)
    forward(y)
    assert 73 == z.partial_derivative
    assert [y, x * y][0] is topological_order_forward(y)[0]


def test_node_with_more_partials_than_parents_is_an_error() -> None:
    x = Node(3.0)
    with pytest.raises(ValueError, match="1 parents and 2 partials"):
        reverse(Node(1.0, [x], "odd", [1.0, 2.0]))


def test_graph_that_nobody_holds_is_let_go() -> None:
    class Watched(Node):
        __slots__ = ("__weakref__",)

    x = Watched(2.0)
    there = weakref.ref(x)
    y = x * Node(3.0) + sin(x)
    reverse(y)
    del x
    gc.collect()
    assert there() is y.parent_nodes[1].parent_nodes[0]
    del y
    gc.collect()
    assert there() is None


def test_graphs_of_threads_are_their_own() -> None:
    def gradient(k: int) -> float:
        x = Node(float(k))
        y = x * 1.0
        for _ in range(2000):
            y = y + x * x
        reverse(y)
        return x.partial_derivative

    with ThreadPoolExecutor(4) as pool:
        assert [1 + 4000 * k for k in range(8)] == list(pool.map(gradient, range(8)))


def test_graphs_that_meet_late_are_one_graph() -> None:
    x, u = Node(2.0), Node(3.0)
    y, v = x * x, u * u * u
    reverse(y)
    assert 0 == u.partial_derivative
    with pytest.raises(adcli.AdcliError):
        div(y, sub(u, u))
    reverse(v)
    assert 4 == x.partial_derivative, "what failed has connected nothing"
    z = y * v
    reverse(z)
    assert (4 * 27, 4 * 27) == (x.partial_derivative, u.partial_derivative)


def test_node_is_copied_with_its_lists() -> None:
    x = Node(2.0, name="x")
    y = x * 3.0
    for twin in (copy.copy(y), copy.deepcopy(y), pickle.loads(pickle.dumps(y))):  # noqa: S301
        assert (6, "mul", [3, None]) == (twin.value, twin.operator, twin.grad_wrt_parents)
        assert ["x", ""] == [node.name for node in twin.parent_nodes]
        reverse(twin)
        assert 3 == twin.parent_nodes[0].partial_derivative


# --- numbers, depth, loops -------------------------------------------------------------------------------------------


def test_numbers_may_stand_for_arguments_and_are_not_differentiated_by() -> None:
    x = Node(4)
    y = adcli.pow(x, 2)
    assert (16, [8, None]) == (y.value, y.grad_wrt_parents)
    assert ["input", "constant"] == [parent.operator for parent in y.parent_nodes]
    z = sub(10, mul(2, y))
    reverse(z)
    assert (-22, -16) == (z.value, x.partial_derivative)
    forward(x)
    assert -16 == z.partial_derivative


def test_power_with_a_number_above_never_looks_at_the_logarithm_of_the_base() -> None:
    x = Node(-3)
    y = adcli.pow(x, 3)
    reverse(y)
    assert (-27, 27) == (y.value, x.partial_derivative)


def test_numbers_alone_make_a_node_without_slopes() -> None:
    y = add(2, 3)
    assert (5, [None, None]) == (y.value, y.grad_wrt_parents)
    reverse(y)
    assert [0, 0] == [parent.partial_derivative for parent in y.parent_nodes]


@pytest.mark.slow
def test_chain_of_twenty_thousand_nodes_needs_no_stack() -> None:
    x = Node(1)
    y = x
    for _ in range(20_000):
        y = add(y, x)
    assert 20_001 == y.value
    assert 20_001 == len(topological_order_forward(x)) == len(topological_order_reverse(y))
    reverse(y)
    assert 20_001 == x.partial_derivative
    forward(x)
    assert 20_001 == y.partial_derivative


def power_loop(x: float, n: int) -> tuple[Node, Node]:
    """The paper's loop: y = x·x·…·x, n factors."""
    root = Node(x)
    y: Node | float = 1.0
    for _ in range(n):
        y = mul(y, root)
    return root, y


def test_loop_of_the_paper_differentiates_the_third_power() -> None:
    x, y = power_loop(2.0, 3)
    assert 8 == y.value
    reverse(y)
    assert 12 == x.partial_derivative
    forward(x)
    assert 12 == y.partial_derivative


def test_branch_of_python_differentiates_the_side_that_ran() -> None:
    def bent(x: Node) -> Node:
        return mul(x, x) if x.value > 0 else sub(0, x)

    for number, slope in ((3, 6), (-3, -1)):
        x = Node(number)
        reverse(bent(x))
        assert slope == x.partial_derivative


def test_every_function_of_the_table_is_a_wrapping_function() -> None:
    x = Node(0.5)
    y = adcli.tanh(x)
    reverse(y)
    assert pytest.approx(1 - math.tanh(0.5) ** 2, rel=1e-15, abs=0) == x.partial_derivative
    assert "tanh" == adcli.tanh.__name__ == y.operator
    assert adcli.ln(Node(2)).value == adcli.log(Node(2)).value
    with pytest.raises(AttributeError):
        adcli.no_such_function  # noqa: B018 - asking is the test


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: log(Node(-1)), "log needs a positive argument"),
        (lambda: log(Node(0)), "log needs a positive argument"),
        (lambda: div(1, Node(0)), "division by zero"),
        (lambda: adcli.sqrt(Node(-4)), "sqrt needs an argument that is not negative"),
        (lambda: adcli.pow(Node(0), -1), "division by zero"),
        (lambda: adcli.pow(Node(-8), 1 / 3), "whole exponent"),
        (lambda: adcli.root(Node(-8), 2), "even root"),
        (lambda: adcli.asin(Node(1.5)), "between -1 and 1"),
        (lambda: sin(Node(math.inf)), "finite"),
    ],
)
def test_outside_a_domain_there_is_an_error_and_no_node(call: Callable[[], Node], said: str) -> None:
    with pytest.raises(adcli.AdcliError, match=said) as caught:
        call()
    assert "domain" == caught.value.kind
    assert 3 == caught.value.exit_code


def test_what_tells_of_itself_that_it_has_no_value_is_an_error_for_nodes_too() -> None:
    for row in ROWS.values():
        for x in (math.inf, -math.inf, math.nan, 1.5, -1.5, 0.5, 1e300, -1e300):
            if any(check.gives_nan for check in row.domain) and row.find_violation(FLOAT, (x,)):
                with pytest.raises(AdcliError):
                    getattr(adcli, row.name)(Node(x))


def test_what_a_rule_raises_is_no_number_or_infinity() -> None:
    def row(rule: Callable[..., float]) -> Primitive:
        return Primitive("raising", value=lambda _, x: rule(x), partials=(None,))

    found = [apply(row(rule), FLOAT, (0.0,)) for rule in (lambda x: 1 / x, math.log, lambda x: math.exp(x + 999))]
    assert [math.nan, math.nan, math.inf] == pytest.approx(found, nan_ok=True)
    assert 0.4 == adcli.parse("x/(x^2 + 1)").kernel("numpy")(x=2.0)[0]
    assert ((0,), (1, -1), None) == tuple(constant_partials(ROWS[name]) for name in ("floor", "sub", "sin"))


def test_an_order_is_a_constant_because_no_slope_with_respect_to_it_is_known() -> None:
    assert 0.2968666690 == pytest.approx(adcli.parse("besselj(2.5, x)").value(x=2.2), rel=0.2)
    assert adcli.parse("n = 2; besselj(n, x)").value(x=2) == adcli.parse("besselj(2, x)").value(x=2)
    for bessel in (adcli.parse("besselj(n, 2)"), pickle.loads(pickle.dumps(adcli.parse("besselj(n, 2)")))):  # noqa: S301
        for order in (2, 2.5):
            with pytest.raises(AdcliError, match="first argument of besselj must be a constant"):
                bessel.gradient(n=order)
            assert bessel.value(n=order) == adcli.parse(f"besselj({order}, 2)").value()
    assert adcli.parse("n = 2; polygamma(n, x)").gradient(x=2) == adcli.parse("polygamma(2, x)").gradient(x=2)
    bessel = adcli.parse("a = sqrt(2); a*besselj(a, x)")
    assert 0.38096388921470475 == pytest.approx(bessel.value(x=1.0), abs=1e-14)
    assert 0.4573527739347399 == pytest.approx(pickle.loads(pickle.dumps(bessel)).gradient(x=1.0)["x"], abs=1e-14)  # noqa: S301
    lost = "only 5 digits of y are right here"
    for text in ("gammainc(a^2-b^2, 2)", "gammainc(sqrt(100000.0001)^4-100000^2, 2)"):
        assert lost in run("eval", text, "--at", "a=100000.0001,b=100000", "--mode", "value").err
    for row in [row for row in ROWS.values() if row.has_order]:
        text = f"{row.name}({', '.join(['n', 'x', 'y'][: row.arity])})"
        with pytest.raises(AdcliError, match=f"first argument of {row.name} must be a constant"):
            adcli.parse(text).hessian({"n": 1, "x": 1.5, "y": 0.5})
        complaint = run("diff", text, "--wrt", "n").err
        assert f"is not differentiated: the first argument of {row.name} must be a constant" in complaint
    assert "besselk has no complex derivative" in run("eval", "besselk(a,x)", "--at", "a=1.5,x=1.5", "--complex").err


def test_a_recording_knows_its_lines() -> None:
    recording = Recording(Example.slopes)
    start, end = recording.whole_line(Example.slopes.__code__.co_firstlineno)
    assert "def slopes(self) -> list[float]:" == recording.source.text[start:end]
    assert (0, recording.source.text.index("\n")) == recording.whole_line(1)
    assert [(0, 0)] * 2 == [recording.whole_line(number) for number in (0, 10**6)]
    assert recording.span((0, 0)) is None
    assert (0, 0) == Recording(math.sin).current_place()
    texts: list[str] = []
    adcli.trace(lambda x: texts.extend((f"{x:.2f}", f"{x}")) or x, {"x": 2.5})
    assert ["2.50", "<Recorded 2.5>"] == texts
    found = adcli.trace(lambda x: {0.5: 2.25 * x + 1e300 - 1e17}[x] + 3, {"x": 0.5}, "reverse")
    assert ["y1", "y2"] == [output.name for output in adcli.trace(lambda x: (x, 2 * x), {"x": 1.0}).outputs]
    assert {"x": 3.0} == adcli.trace(lambda x: 3 * x if x else x, {"x": 0.5}, "reverse").outputs[0].gradient
    assert [1e300, 2.25, "3"] == [found.outputs[0].value, found.outputs[0].gradient["x"], found.rows[-1].formula[-1]]


def test_functions_of_the_table_are_methods_of_a_node() -> None:
    x = Node(0.5)
    assert math.atan(0.5) == x.atan().value == np.arctan(np.array([x]))[0].value
    with pytest.raises(AttributeError):
        x.no_such_function()


def test_error_says_the_number_that_was_found() -> None:
    with pytest.raises(adcli.AdcliError) as caught:
        log(Node(-1))
    assert "log was given -1.0" == caught.value.label


def test_failed_operation_leaves_no_edge_behind() -> None:
    x = Node(-1)
    with pytest.raises(adcli.AdcliError):
        log(x)
    with pytest.raises(adcli.AdcliError):
        add(x)
    assert [] == x.child_nodes


@pytest.mark.parametrize("count", [0, 1, 3])
def test_wrong_number_of_arguments_is_an_error_that_says_both_numbers(count: int) -> None:
    with pytest.raises(adcli.AdcliError, match=f"add takes 2 arguments, got {count}"):
        add(*[Node(1)] * count)


# --- Expression ------------------------------------------------------------------------------------------------------


def test_expression_knows_its_inputs_outputs_and_texts() -> None:
    e = adcli.parse("log(x1)+x1*x2-sin(x2)")
    assert ["x1", "x2"] == e.inputs
    assert ["y"] == e.outputs
    assert "log(x1) + x1*x2 - sin(x2)" == e.text
    assert r"\log x_1 + x_1 x_2 - \sin x_2" == e.latex
    assert "adcli.parse('log(x1) + x1*x2 - sin(x2)')" == repr(e)


def test_expression_has_the_value_and_gradient_of_the_paper() -> None:
    e = adcli.parse(TEXT)
    assert LN2 + 10 - SIN5 == e.value(AT)
    assert {"x1": 5.5, "x2": 2 - COS5} == e.gradient(AT)
    assert (LN2 + 10 - SIN5, {"x1": 5.5, "x2": 2 - COS5}) == e.value_and_gradient(AT)
    assert {"y": {"x1": 5.5, "x2": 2 - COS5}} == e.jacobian(AT)


def test_expression_gives_the_same_at_one_point_after_another_point() -> None:
    e = adcli.parse(TEXT)
    first = e.value_and_gradient(AT)
    assert first != e.value_and_gradient({"x1": 1, "x2": 1})
    assert first == e.value_and_gradient(AT)


def test_jacobian_has_a_row_for_each_output() -> None:
    e = adcli.parse("a = u*v; b = u/v; a; b; a + b")
    assert ["a", "b", "y"] == e.outputs
    assert {
        "a": {"u": 2, "v": 6},
        "b": {"u": 0.5, "v": -1.5},
        "y": {"u": 2.5, "v": 4.5},
    } == e.jacobian({"u": 6, "v": 2})


def test_value_and_gradient_are_those_of_the_first_output() -> None:
    e = adcli.parse("x^2; x^3")
    assert ["y1", "y2"] == e.outputs
    assert 4 == e.value({"x": 2})
    assert {"x": 4} == e.gradient({"x": 2})


def test_inputs_with_numbers_are_in_order_of_their_numbers() -> None:
    assert [f"x{k}" for k in range(1, 12)] == adcli.parse("+".join(f"x{k}" for k in range(11, 0, -1))).inputs
    assert ["b", "a"] == adcli.parse("b*a").inputs


def test_name_of_the_point_that_the_expression_lacks_has_slope_zero() -> None:
    assert {"x": 3, "z": 0} == adcli.parse("3x").gradient({"x": 1, "z": 9})


def test_name_that_has_no_value_is_an_error_that_names_it() -> None:
    with pytest.raises(adcli.AdcliError, match="x2 has no value"):
        adcli.parse(TEXT).value({"x1": 2})


def test_value_for_the_name_of_a_constant_makes_it_a_variable() -> None:
    e = adcli.parse("e*x")
    assert ["x"] == e.inputs
    assert math.e * 2 == e.value({"x": 2})
    assert {"e": 2, "x": 3} == e.gradient({"x": 2, "e": 3})
    assert math.e * 2 == e.value({"x": 2}), "an earlier point leaves nothing behind"


def test_names_given_to_parse_are_variables() -> None:
    e = adcli.parse("gamma*e", names=("gamma", "e"))
    assert ["gamma", "e"] == e.inputs
    assert {"gamma": 3, "e": 2} == e.gradient({"gamma": 2, "e": 3})


def test_outside_a_domain_an_expression_has_no_value_and_no_gradient() -> None:
    e = adcli.parse("log(x - 3)")
    for ask in (e.value, e.gradient, e.value_and_gradient, e.jacobian, e.trace):
        with pytest.raises(adcli.AdcliError, match="log needs a positive argument") as caught:
            ask({"x": 2})
        assert "x - 3" == caught.value.span.text
        assert "this is -1 when x = 2" == caught.value.label


@pytest.mark.parametrize("text", ["", "x +", "(x", "x)", "no_such(x)", "sin()", "1/", "x y = 2", "2 3"])
def test_text_that_is_no_expression_is_an_error_with_a_place(text: str) -> None:
    with pytest.raises(adcli.AdcliError) as caught:
        adcli.parse(text)
    assert caught.value.title
    assert caught.value.span is not None


def test_trace_has_the_rows_of_the_paper() -> None:
    trace = adcli.parse(TEXT).trace(AT)
    assert ["x1", "x2", "v1", "v2", "v3", "v4", "v5"] == [row.name for row in trace.rows]
    assert [0, 0, 1, 1, 1, 2, 3] == [row.level for row in trace.rows]
    assert ["x1", "x2", "log x1", "x1 × x2", "sin x2", "v1 + v2", "v4 − v3"] == [row.formula for row in trace.rows]
    assert ["2", "5", "log 2", "2 × 5", "sin 5", "0.693 + 10", "10.693 + 0.959"] == [
        row.substituted for row in trace.rows
    ]
    assert [5.5, 2 - COS5, 1, 1, -1, 1, 1] == [row.bar["y"] for row in trace.rows]
    assert [1, 0, 0.5, 5, 0, 5.5, 5.5] == [row.dot["x1"] for row in trace.rows]


def test_adjoint_steps_are_those_of_the_paper_in_the_order_of_time() -> None:
    trace = adcli.parse(TEXT).trace(AT, "reverse")
    assert [
        ("v5", 1), ("v4", 1), ("v3", -1), ("v1", 1), ("v2", 1), ("x2", -COS5), ("x1", 5), ("x2", 2 - COS5), ("x1", 5.5),
    ] == [(step.target, step.value) for step in trace.steps]  # fmt: skip


def test_call_order_renumbers_and_changes_no_number() -> None:
    e = adcli.parse(TEXT)
    level, call = e.trace(AT, numbering="level"), e.trace(AT, numbering="call")
    assert ["log", "mul", "sin", "add", "sub"] == [row.operator for row in level.rows[2:]]
    assert ["log", "mul", "add", "sin", "sub"] == [row.operator for row in call.rows[2:]]
    assert level.outputs[0].value == call.outputs[0].value
    assert level.outputs[0].gradient == call.outputs[0].gradient


def test_trace_takes_inputs_seeds_and_sharing() -> None:
    e = adcli.parse("sin(x)*sin(x) + y")
    at = {"x": 1, "y": 2}
    assert ["y"] == list(e.trace(at, "forward", wrt=["y"]).keys[0])
    assert 5 == len(e.trace(at, "value", cse=True).rows)
    assert 6 == len(e.trace(at, "value").rows)
    along = e.trace(at, "forward", seed={"x": 0, "y": 3}).outputs[0]
    assert 3 == along.directional


@pytest.mark.parametrize(
    "ask",
    [
        lambda e: e.trace(AT, "sideways"),
        lambda e: e.trace(AT, "forward", wrt=["x3"]),
        lambda e: e.trace(AT, "forward", seed={"x9": 1}),
    ],
)
def test_request_that_cannot_be_met_is_a_clear_error(ask: Callable[[adcli.Expression], object]) -> None:
    with pytest.raises(adcli.AdcliError):
        ask(adcli.parse(TEXT))


# --- numbers with names -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "expected"), [("pi", math.pi), ("e", math.e), ("tau", math.tau)])
def test_numbers_with_names_have_their_values_in_every_arithmetic(name: str, expected: float) -> None:
    for m in (FLOAT, Precise(30), Complex(30)):
        assert expected == pytest.approx(complex(Constant(name, named=True).read(m)), rel=1e-15)
    spread = SPREAD.number(Constant(name, named=True).read(SPREAD))
    assert spread.low <= expected <= spread.high
    assert expected == adcli.parse(name).value({})
    assert set(CONSTANTS) == {"pi", "e", "tau"}


def test_what_has_no_text_has_no_place_in_one() -> None:
    graph = Graph()
    x = graph.input("x")
    graph.apply(ROWS["sin"], (x,))
    graph.constant(Constant("2"))
    assert [(0, 0)] * 3 == graph.spans


# --- what is measured -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 100, 3000])
def test_every_operation_that_is_measured_reaches_the_output(count: int) -> None:
    nodes = [Node(x) for x in work.INPUTS]
    for name, first, second in work.operations(count):
        arguments = (nodes[first], nodes[second]) if ROWS[name].arity == 2 else (nodes[first],)
        nodes.append(getattr(adcli, name)(*arguments))
    assert set(topological_order_reverse(nodes[-1])).issuperset(nodes[len(work.INPUTS) :])

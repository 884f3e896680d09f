"""The names of `scipy.integrate`, for traced values too: differential equations by their adjoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ...graph.overloading import TracingProblem
from ...numbers.numpy_arrays import np
from ...records import NamedTuple
from ..core.containers import flatten
from ..core.evaluation import Differentiable
from ..core.traced import as_array, shape
from ..core.unsupported import Unsupported, unsupported
from ..transforms import jvp, vjp
from .stand_ins import library, stand_in, traced

if TYPE_CHECKING:
    from ..core.containers import Tree
    from ..core.traced import Array, Axis, Value


class _Flow(NamedTuple):
    """A system of differential equations: `field(y, t, parameters)`, all vectors."""

    field: Callable[[Array, Value, Array], Array]
    states: int
    times: int
    forward: Mapping[str, object]  # what the solver is told
    back: Mapping[str, object]  # the same, for the adjoint

    def opened(self, whole: Array) -> tuple[Array, Array, Array]:
        """Initial state, times and parameters, which stand in one vector."""
        y, t = self.states, self.states + self.times
        return whole[:y], whole[y:t], whole[t:]


def _solved(whole: Array, *, flow: _Flow) -> Array:
    y, t, parameters = flow.opened(whole)
    return _run(flow.field, y, t, args=(parameters,), **flow.forward)


def _run(*arguments: object, **told: object) -> Any:
    try:
        return library("integrate").odeint(*arguments, **told)
    except (TracingProblem, Unsupported):
        raise TracingProblem(
            "scipy.integrate.odeint: the function uses a traced value that it is not given",
            help="give it by args=, and let the function take it",
        ) from None


def _along(y: Array, t: Array, parameters: Array, flow: _Flow, field: Callable[..., Array]) -> Array:
    """The states of a system beside a flow."""
    whole = np.concatenate([y, t, parameters])
    return _ODEINT(whole, flow=_Flow(field, shape(y)[0], shape(t)[0], flow.back, flow.back))


def _flow_push(k: int, dot: Array, z: Array, whole: Array, *, flow: _Flow) -> Array:
    """The equation of sensitivities: ṡ = f_y·s + f_p·ṗ, beside the flow itself."""
    y, t, parameters = flow.opened(whole)
    moved_y, moved_t, moved = flow.opened(dot)
    n, p = flow.states, shape(parameters)[0]

    def beside(state: Array, now: Value, both: Array) -> Array:
        velocity, pushed = jvp(lambda y, q: flow.field(y, now, q), (0, 1))(state[:n], both[:p])((state[n:], both[p:]))
        return np.concatenate([velocity, pushed])

    start = moved_y - flow.field(y, t[0], parameters) * moved_t[0]
    found = _along(np.concatenate([y, start]), t, np.concatenate([parameters, moved]), flow, beside)
    velocities = [flow.field(z[i], t[i], parameters) * moved_t[i] for i in range(flow.times)]
    return found[:, n:] + np.stack(velocities)


def _flow_pull(k: int, g: Array, z: Array, whole: Array, *, flow: _Flow) -> Array:
    """The adjoint: ȧ = −f_yᵀ·a back from each time to the one before, where the adjoint of that state is added.

    The share of the parameters is gathered beside it.  The state is solved for again, from each of its known values.
    """
    _, t, parameters = flow.opened(whole)
    n = flow.states

    def beside(state: Array, now: Value, q: Array) -> Array:
        velocity, pull = vjp(lambda y, q: flow.field(y, now, q), (0, 1))(state[:n], q)
        by_state, by_parameters = pull(-state[n : 2 * n])
        return np.concatenate([velocity, by_state, by_parameters])

    bar, shares = g[flow.times - 1], np.zeros(shape(parameters))
    by_time = []
    for i in range(flow.times - 1, 0, -1):
        by_time.append(np.dot(g[i], flow.field(z[i], t[i], parameters)))
        start = np.concatenate([z[i], bar, shares])
        end = _along(start, np.stack([t[i], t[i - 1]]), parameters, flow, beside)[1]
        bar, shares = end[n : 2 * n], end[2 * n :]
        if i > 1:
            bar = bar + g[i - 1]
    first = -np.dot(bar, flow.field(z[0], t[0], parameters)) if flow.times > 1 else 0.0 * np.sum(g)
    if flow.times > 1:
        bar = bar + g[0]
    return np.concatenate([bar, np.stack([first, *reversed(by_time)]), shares])


_ODEINT: Final = Differentiable("integrate.odeint", _solved, pull=_flow_pull, push=_flow_push)

# Where nothing is said: SciPy bounds the error by 1.5e-8, with which differences and derivatives are 1e-5 apart.
_EXACT: Final = MappingProxyType({"rtol": 1e-10, "atol": 1e-10, "mxstep": 5000})
# What the solver is told that is about the equation itself, and not about its adjoint.
_OF_THE_EQUATION: Final = ("Dfun", "col_deriv", "ml", "mu", "tcrit")


def odeint(
    func: Callable[..., Tree], y0: Value, t: Array, args: tuple[Tree, ...] = (), *, tfirst: bool = False, **told: object
) -> Any:
    """`scipy.integrate.odeint`, differentiated by the initial state, the times and what is in `args`.

    `func` is differentiated too; what it depends on besides has to be given by `args`.  The error is bounded by 1e-10
    unless rtol and atol say otherwise, with 5000 steps for each time: the slopes of a rougher solution are not its own.
    Raises TracingProblem for a traced value that `func` uses otherwise, Unsupported for `full_output` and `Dfun` of
    traced values.
    """
    args = args if isinstance(args, tuple) else (args,)
    told = {**_EXACT, **{key: value for key, value in told.items() if value is not None}}
    if not traced(y0, t, args):
        return _run(func, y0, t, args, tfirst=tfirst, **told)
    if told.pop("full_output", 0):
        raise unsupported("scipy.integrate.odeint", "with full_output=")
    parameters, build = flatten(args)
    start, times = np.ravel(as_array(y0)), np.ravel(as_array(t))

    def field(y: Array, now: Value, q: Array) -> Array:
        found = func(now, y, *build(q)) if tfirst else func(y, now, *build(q))
        return np.ravel(as_array(found))

    if "Dfun" in told:
        raise unsupported("scipy.integrate.odeint", "with Dfun=")
    back = {key: value for key, value in told.items() if key not in _OF_THE_EQUATION}
    flow = _Flow(field, shape(start)[0], shape(times)[0], dict(told), back)
    return _ODEINT(np.concatenate([start, times, parameters]), flow=flow)


# --- integrals of samples ---------------------------------------------------------------------------------------------


def _strips(y: Array, x: Array | None, dx: Value, axis: int) -> Array:
    y = np.moveaxis(as_array(y), axis, -1)
    widths = dx
    if x is not None:
        x = as_array(x)
        widths = np.diff(x if len(shape(x)) == 1 else np.moveaxis(x, axis, -1), axis=-1)
    return widths * (y[..., 1:] + y[..., :-1]) / 2


def _trapezoid(y: Array, /, x: Array | None = None, dx: Value = 1.0, axis: int = -1) -> Value:
    return np.sum(_strips(y, x, dx, axis), axis=-1)


def _cumulative(y: Array, /, x: Array | None = None, dx: Value = 1.0, axis: int = -1, initial: Axis = None) -> Value:
    found = np.cumsum(_strips(y, x, dx, axis), axis=-1)
    if initial is not None:
        found = np.concatenate([np.zeros((*shape(found)[:-1], 1)), found], axis=-1)
    return np.moveaxis(found, -1, axis)


RULES: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType({
    "trapezoid": _trapezoid, "cumulative_trapezoid": _cumulative,
})  # fmt: skip


def __getattr__(name: str) -> Any:  # whatever SciPy has under that name
    return stand_in("integrate", name, RULES)

"""Stand-ins for `scipy.integrate` with traced values: differential equations by their adjoint, and integrals of
samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ...graph.overloading import TracingProblem
from ...numbers.numpy_arrays import np
from ...records import NamedTuple
from ...typings import Final
from ..core.containers import Tree, flatten
from ..core.evaluation import Differentiable
from ..core.traced import Array, Axis, Value, as_array, shape
from ..core.unsupported import Unsupported, unsupported
from ..numpy.signals import strips, trapezoid
from ..transforms import jvp, vjp
from .stand_ins import has_traced, library, stand_in


class _Flow(NamedTuple):
    """A system of differential equations y' = field(y, t, parameters), all vectors, with its solver options.

    states   the length of y
    times    the number of times at which it is requested
    forward  options of the solver
    back     options of the solver for the adjoint equation
    """

    field: Callable[[Array, Value, Array], Array]
    states: int
    times: int
    forward: Mapping[str, object]  # options of the solver
    back: Mapping[str, object]  # options for the adjoint equation

    def split(self, whole: Array) -> tuple[Array, Array, Array]:
        """Split the vector `whole` into (initial state, times, parameters)."""
        y, t = self.states, self.states + self.times
        return whole[:y], whole[y:t], whole[t:]


def _solve(whole: Array, *, flow: _Flow) -> Array:
    """Return the states of the flow at its times, one in each row."""
    y, t, parameters = flow.split(whole)
    return _run(flow.field, y, t, args=(parameters,), **flow.forward)


def _run(*arguments: object, **options: object) -> Tree:
    """Return the result of SciPy's `odeint` with these `arguments` and `options`.

    Each TracingProblem or Unsupported raised inside becomes a TracingProblem that names the usual cause: the function
    of the equation uses a traced value that is not one of its arguments.
    """
    try:
        return library("integrate").odeint(*arguments, **options)
    except (TracingProblem, Unsupported):
        title = "scipy.integrate.odeint: the function uses a traced value that is not one of its arguments"
        raise TracingProblem(title, help="pass the value with args=, as a parameter of the function") from None


def _along(y: Array, t: Array, parameters: Array, flow: _Flow, field: Callable[..., Array]) -> Array:
    """Return the states of the system `field` at the times t, from the state y; it extends `flow`."""
    whole = np.concatenate([y, t, parameters])
    return _ODEINT(whole, flow=_Flow(field, shape(y)[0], shape(t)[0], flow.back, flow.back))


def _flow_push(k: int, dot: Array, z: Array, whole: Array, *, flow: _Flow) -> Array:
    """Return the tangents of the states z, one row for each time, for the tangent `dot` of `whole`.

    `whole` and `dot` have initial state, times and parameters as one vector, the only argument, so that `k` is not
    used. Solves the sensitivity equation ṡ = f_y·s + f_p·ṗ together with the flow, and adds the velocity times the
    tangent of each time.
    """
    y, t, parameters = flow.split(whole)
    dot_y, dot_t, dot_p = flow.split(dot)
    n, p = flow.states, shape(parameters)[0]

    def extended_field(state: Array, now: Value, both: Array) -> Array:
        velocity, pushed = jvp(lambda y, q: flow.field(y, now, q), (0, 1))(state[:n], both[:p])((state[n:], both[p:]))
        return np.concatenate([velocity, pushed])

    start = dot_y - flow.field(y, t[0], parameters) * dot_t[0]
    solution = _along(np.concatenate([y, start]), t, np.concatenate([parameters, dot_p]), flow, extended_field)
    velocities = [flow.field(z[i], t[i], parameters) * dot_t[i] for i in range(flow.times)]
    return solution[:, n:] + np.stack(velocities)


def _flow_pull(k: int, g: Array, z: Array, whole: Array, *, flow: _Flow) -> Array:
    """Return the adjoint of the vector `whole` for the adjoint `g` of all states `z`.

    `whole` and its adjoint have initial state, times and parameters, one after the other. The adjoint equation ȧ =
    −f_yᵀ·a of the system `flow` is solved backwards from each time to the one before, and there the adjoint of that
    state is added. With it, the adjoint of the parameters is integrated, and the state is solved again from each known
    value. The adjoint of a time is that of its state in `g` times the velocity there, of the first time minus the
    adjoint that arrives there times the velocity. With a single time only the initial state has an adjoint. `k` is not
    used: there is one argument.
    """
    _, t, parameters = flow.split(whole)
    n = flow.states

    def extended_field(state: Array, now: Value, q: Array) -> Array:
        velocity, pull = vjp(lambda y, q: flow.field(y, now, q), (0, 1))(state[:n], q)
        state_part, parameter_part = pull(-state[n : 2 * n])
        return np.concatenate([velocity, state_part, parameter_part])

    bar, parameter_bar = g[flow.times - 1], np.zeros(shape(parameters))
    time_bars = []
    for i in range(flow.times - 1, 0, -1):
        time_bars.append(np.dot(g[i], flow.field(z[i], t[i], parameters)))
        start = np.concatenate([z[i], bar, parameter_bar])
        end = _along(start, np.stack([t[i], t[i - 1]]), parameters, flow, extended_field)[1]
        bar, parameter_bar = end[n : 2 * n], end[2 * n :]
        if i > 1:
            bar = bar + g[i - 1]
    first = -np.dot(bar, flow.field(z[0], t[0], parameters)) if flow.times > 1 else 0.0 * np.sum(g)
    if flow.times > 1:
        bar = bar + g[0]
    return np.concatenate([bar, np.stack([first, *reversed(time_bars)]), parameter_bar])


_ODEINT: Final = Differentiable("integrate.odeint", _solve, pull=_flow_pull, push=_flow_push)

# The default here: SciPy's error bound of 1.5e-8 makes finite differences and derivatives differ by 1e-5.
_EXACT: Final = MappingProxyType({"rtol": 1e-10, "atol": 1e-10, "mxstep": 5000})
# Options that belong to the equation itself, and not to its adjoint.
_OF_THE_EQUATION: Final = ("Dfun", "col_deriv", "ml", "mu", "tcrit")


def odeint(
    func: Callable[..., Tree], y0: Value, t: Array, args: tuple[Tree, ...] = (), *, tfirst: bool = False,
    **options: object,
) -> Tree:  # fmt: skip
    """Return `scipy.integrate.odeint(func, y0, t, args, tfirst=…)`: the states at the times, one in each row.

    `func` gets (y, t, …), or (t, y, …) with `tfirst`. The result is differentiated with respect to the initial state,
    the times and the values in `args`; other values on which `func` depends must be passed with `args`. The error bound
    is 1e-10 unless rtol and atol are given, with 5000 steps for each time, also without traced values. An option None
    counts as not given.

    Without traced values, SciPy's function runs with all its options. With traced values Unsupported is raised for
    `full_output` and `Dfun`. Raises TracingProblem if `func` uses another traced value.
    """
    args = args if isinstance(args, tuple) else (args,)
    options = {**_EXACT, **{key: value for key, value in options.items() if value is not None}}
    if not has_traced(y0, t, args):
        return _run(func, y0, t, args, tfirst=tfirst, **options)
    if options.pop("full_output", 0):
        raise unsupported("scipy.integrate.odeint", "with full_output=")
    parameters, build = flatten(args)
    start, times = np.ravel(as_array(y0)), np.ravel(as_array(t))

    def field(y: Array, now: Value, q: Array) -> Array:
        velocity = func(now, y, *build(q)) if tfirst else func(y, now, *build(q))
        return np.ravel(as_array(velocity))

    if "Dfun" in options:
        raise unsupported("scipy.integrate.odeint", "with Dfun=")
    back = {key: value for key, value in options.items() if key not in _OF_THE_EQUATION}
    flow = _Flow(field, shape(start)[0], shape(times)[0], dict(options), back)
    return _ODEINT(np.concatenate([start, times, parameters]), flow=flow)


# --- integrals of samples ---------------------------------------------------------------------------------------------


def _cumulative(y: Value, /, x: Value | None = None, dx: Value = 1.0, axis: int = -1, initial: Axis = None) -> Value:
    """Return the running integrals along an axis by the trapezoidal rule, with a 0 first if `initial` is given."""
    sums = np.cumsum(strips(y, x, dx, axis), axis=-1)
    if initial is not None:
        sums = np.concatenate([np.zeros((*shape(sums)[:-1], 1)), sums], axis=-1)
    return np.moveaxis(sums, -1, axis)


RULES: Final[Mapping[str, Callable[..., Tree]]] = MappingProxyType({
    "trapezoid": trapezoid, "cumulative_trapezoid": _cumulative,
})  # fmt: skip


def __getattr__(name: str) -> Callable[..., Tree]:
    return stand_in("integrate", name, RULES)

"""Iterations that use derivatives, and are differentiated: stochastic gradient methods, and fixed points.

Parameters may be numbers, arrays and containers of them, nested.
"""

from __future__ import annotations

from collections.abc import Callable

from ..numbers.numpy_arrays import np
from ..typings import TYPE_CHECKING
from .core.containers import Tree, flatten
from .core.evaluation import Differentiable
from .extend import vspace
from .transforms import jvp, vjp

if TYPE_CHECKING:
    from .core.traced import Array, Function, Value

    # The gradient at (parameters, number of the iteration), and the callback of (parameters, number, gradient).
    Gradient = Callable[[Tree, int], Tree]
    Callback = Callable[[Tree, int, Tree], object]
    # One step, from (vector of parameters, gradient, number of the iteration) to the next vector of parameters.
    Step = Callable[[Array, Array, int], Array]


def _iterate(grad: Gradient, x0: Tree, callback: Callback | None, num_iters: int, step: Step) -> Tree:
    """Return the parameters, in the structure of `x0`, after `num_iters` steps from x0.

    `grad(parameters, i)` returns the gradient in step i (from 0), `step(x, g, i)` the new vector from the old one and
    the gradient as a vector. `callback` is called before each step with the parameters, i, and the gradient there, both
    in the structure of x0; None for none.
    """
    x, build = flatten(x0)
    for i in range(num_iters):
        g = flatten(grad(build(x), i))[0]
        if callback is not None:
            callback(build(x), i, build(g))
        x = step(x, g, i)
    return build(x)


def sgd(
    grad: Gradient, x0: Tree, callback: Callback | None = None, num_iters: int = 200, step_size: float = 0.1,
    mass: float = 0.9,
) -> Tree:  # fmt: skip
    """Return the parameters, in the structure of `x0`, after `num_iters` steps of gradient descent with momentum.

    `grad(parameters, i)` is the gradient in step i (from 0). In each step the velocity, at first 0, becomes `mass`
    times itself minus (1 − `mass`) times the gradient; then `step_size` times the velocity is added to the parameters.
    `callback(parameters, i, gradient)`, unless None, is called before each step. `x0` is not changed.
    """
    velocity = np.zeros(len(flatten(x0)[0]))

    def step(x: Array, g: Array, i: int) -> Array:
        nonlocal velocity
        velocity = mass * velocity - (1 - mass) * g
        return x + step_size * velocity

    return _iterate(grad, x0, callback, num_iters, step)


def rmsprop(
    grad: Gradient, x0: Tree, callback: Callback | None = None, num_iters: int = 100, step_size: float = 0.1,
    gamma: float = 0.9, eps: float = 1e-8,
) -> Tree:  # fmt: skip
    """Return the parameters, in the structure of `x0`, after `num_iters` steps of RMSProp.

    Each step subtracts `step_size` times the gradient, divided by (√m + `eps`), where m is a moving mean of squared
    gradients that starts at 1; `gamma` is the weight of the previous mean. `grad(parameters, i)` is the gradient in
    step i (from 0); `callback(parameters, i, gradient)`, unless None, is called before each step. `x0` is not changed.
    """
    mean_square = np.ones(len(flatten(x0)[0]))

    def step(x: Array, g: Array, i: int) -> Array:
        nonlocal mean_square
        mean_square = gamma * mean_square + (1 - gamma) * g * g
        return x - step_size * g / (np.sqrt(mean_square) + eps)

    return _iterate(grad, x0, callback, num_iters, step)


def adam(
    grad: Gradient, x0: Tree, callback: Callback | None = None, num_iters: int = 100, step_size: float = 0.001,
    b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
) -> Tree:  # fmt: skip
    """Return the parameters, in the structure of `x0`, after `num_iters` steps of Adam (D. Kingma and J. Ba, 2015).

    `b1` and `b2` are the weights of the previous means of gradients and of their squares. Both means start at 0 and are
    corrected for that. Each step subtracts `step_size` times the mean gradient, divided by (root of the mean square +
    `eps`).
    `grad(parameters, i)` is the gradient in step i (from 0); `callback(parameters, i, gradient)`, unless None, is
    called before each step. `x0` is not changed.
    """
    first = second = np.zeros(len(flatten(x0)[0]))

    def step(x: Array, g: Array, i: int) -> Array:
        nonlocal first, second
        first = b1 * first + (1 - b1) * g
        second = b2 * second + (1 - b2) * g * g
        corrected = np.sqrt(second / (1 - b2 ** (i + 1))) + eps
        return x - step_size * first / (1 - b1 ** (i + 1)) / corrected

    return _iterate(grad, x0, callback, num_iters, step)


def fixed_point(
    f: Callable[[Tree], Callable[[Tree], Tree]], a: Tree, x0: Tree, distance: Callable[[Tree, Tree], float], tol: float
) -> Tree:
    """Return x = f(a)(x), by iteration from `x0` until `distance(new, old)` is at most `tol` (at least one step).

    It can be differentiated with respect to `a`, not x0: the implicit function theorem gives a linear fixed-point
    equation for the adjoint or tangent, which is solved by the same iteration, from 0, with the same `distance` and
    `tol`. The number of iterations is not limited: f(a) has to be a contraction. x has the structure of `x0`.
    """
    parameters, build = flatten(a)
    start, build_x = flatten(x0)

    def run(step: Callable[[Value], Value], x: Value) -> Value:
        """Return the last x of the iteration x = step(x), which stops when a step is not longer than `tol`."""
        before, x = x, step(x)
        while distance(build_x(x), build_x(before)) > tol:
            before, x = x, step(x)
        return x

    def step_vector(vector: Value, x: Value) -> Value:
        """Return f(a)(x) for a and x as vectors."""
        return flatten(f(build(vector))(build_x(x)))[0]

    def solve_linear(step: Function, vector: Value, z: Value, constant: Value) -> Value:
        """Return w = step(w) + constant for a linear `step`, by the same iteration."""
        return fixed_point(
            lambda seed: lambda w: step(w, seed[0], seed[1]) + seed[2], (vector, z, constant), vspace(start).zeros(),
            lambda x, y: distance(build_x(x), build_x(y)), tol,
        )  # fmt: skip

    def pull(k: int, g: Value, z: Value, vector: Value) -> Value:
        w = solve_linear(lambda w, v, x: vjp(step_vector, 1)(v, x)[1](w), vector, z, g)
        return vjp(step_vector, 0)(vector, z)[1](w)

    def push(k: int, dot: Value, z: Value, vector: Value) -> Value:
        _, dot_step = jvp(step_vector, 0)(vector, z)(dot)
        return solve_linear(lambda w, v, x: jvp(step_vector, 1)(v, x)(w)[1], vector, z, dot_step)

    def value(vector: Value) -> Value:
        return run(lambda x: step_vector(vector, x), start)

    return build_x(Differentiable("fixed_point", value, pull=pull, push=push)(parameters))

"""Newton's method on the function of Rosenbrock in ten dimensions, with gradient and Hessian from adcli."""

import numpy as np

from adcli.python import grad, hessian


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def minimum(f, x, rounds=100):
    """Where the gradient of f is zero, by steps that are halved until f decreases."""
    slope, curvature = grad(f), hessian(f)
    for _ in range(rounds):
        g = slope(x)
        if np.linalg.norm(g) < 1e-10:
            break
        step = np.linalg.solve(curvature(x), g)
        size = 1.0
        while f(x - size * step) > f(x) and size > 1e-8:
            size /= 2
        x = x - size * step
    return x


if __name__ == "__main__":
    print(minimum(rosenbrock, np.full(10, 1.2)))

"""Logistic regression by gradient descent; weights and bias in one dict, and the gradient is a dict as well."""

import numpy as np

from adcli.python import value_and_grad


def loss(parameters, inputs, labels):
    """The mean negative log-likelihood; labels are 0 or 1."""
    scores = inputs @ parameters["weights"] + parameters["bias"]
    return np.mean(np.logaddexp(0.0, scores) - labels * scores)


def fit(inputs, labels, rounds=200, rate=1.0):
    """The parameters after so many steps, and the losses on the way."""
    parameters = {"weights": np.zeros(inputs.shape[1]), "bias": 0.0}
    losses = []
    for _ in range(rounds):
        value, slope = value_and_grad(loss)(parameters, inputs, labels)
        parameters = {name: parameters[name] - rate * slope[name] for name in parameters}
        losses.append(value)
    return parameters, losses


def data(count=200):
    """Points of two clouds, and which cloud each is from."""
    source = np.random.RandomState(1)
    labels = np.arange(count) % 2
    return source.randn(count, 2) + 2 * labels[:, None], labels


if __name__ == "__main__":
    found, losses = fit(*data())
    print(found)
    print("loss", losses[0], "->", losses[-1])

"""The log-likelihood of sequences under a recurrent network: a loop over time steps, written as a loop."""

import numpy as np

from adcli.python import grad


def predictions(params, inputs):
    """The logarithms of the probabilities of the next symbol, for each time step."""
    state = np.zeros((inputs.shape[1], params["hidden"].shape[0]))
    found = []
    for step in inputs:
        state = np.tanh(step @ params["input"] + state @ params["hidden"] + params["bias"])
        scores = state @ params["output"]
        largest = np.max(scores, axis=1, keepdims=True)
        found.append(scores - largest - np.log(np.sum(np.exp(scores - largest), axis=1, keepdims=True)))
    return found


def log_likelihood(params, inputs, targets):
    """The mean log-likelihood of the targets, a symbol for each time step and example."""
    steps, examples, _ = inputs.shape
    total = 0.0
    for predicted, target in zip(predictions(params, inputs), targets, strict=True):
        total = total + np.sum(predicted * target)
    return total / (steps * examples)


def problem(steps=6, examples=4, symbols=3, hidden=5):
    """Parameters, inputs and targets drawn at random; a target is the symbol of the next step."""
    source = np.random.RandomState(0)
    sizes = {"input": (symbols, hidden), "hidden": (hidden, hidden), "bias": (hidden,), "output": (hidden, symbols)}
    params = {name: 0.5 * source.randn(*size) for name, size in sizes.items()}
    sequence = np.eye(symbols)[source.randint(symbols, size=(steps + 1, examples))]
    return params, sequence[:-1], sequence[1:]


if __name__ == "__main__":
    params, inputs, targets = problem()
    for _ in range(100):
        slope = grad(log_likelihood)(params, inputs, targets)
        params = {name: params[name] + slope[name] for name in params}
    print("log-likelihood after 100 steps:", log_likelihood(params, inputs, targets))

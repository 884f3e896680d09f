"""Large problems, as people have them."""

from __future__ import annotations

BLACK_SCHOLES = (
    "cdf(u) = (1 + erf(u/sqrt(2)))/2; d1 = (ln(S/K) + (r + sigma^2/2)*T)/(sigma*sqrt(T)); d2 = d1 - sigma*sqrt(T);"
    " C = S*cdf(d1) - K*exp(-r*T)*cdf(d2) @ S=100, K=105, r=0.03, sigma=0.2, T=0.75"
)


def _lstm(units: int = 2) -> str:
    """A cell of a recurrent network with four gates, and what it loses."""
    point = {"x": 0.5, "bi": 0.01, "bf": 1.0, "bo": 0.05, "bg": -0.02}
    lines, losses = [], []
    for k in range(1, units + 1):
        point |= {f"h{k}": 0.3 - 0.2 * k, f"c{k}": 0.4 * (-1) ** k}
        for gate, function in (("i", "sigmoid"), ("f", "sigmoid"), ("o", "sigmoid"), ("g", "tanh")):
            lines.append(f"{gate}{k} = {function}(w{gate}{k}*x + u{gate}{k}*h{k} + b{gate})")
            point |= {f"w{gate}{k}": round(0.9 - 0.3 * len(lines), 2), f"u{gate}{k}": round(0.1 * len(lines) - 0.4, 2)}
        lines += [f"s{k} = f{k}*c{k} + i{k}*g{k}", f"k{k} = o{k}*tanh(s{k})"]
        losses.append(f"(k{k} - {(-1) ** k})^2/2")
    at = ", ".join(f"{name}={x}" for name, x in point.items())
    return f"{'; '.join(lines)}; L = {' + '.join(losses)} @ {at}"


LSTM = _lstm()
PROBLEMS = {"Black-Scholes": BLACK_SCHOLES, "LSTM": LSTM}

r"""LaTeX as textbooks, papers and wikis have it means what Python says it means, or is refused by its name."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest
from together import together

from adcli.errors import AdcliError, Source
from adcli.expression import parse
from adcli.language.program import read_program

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # how names are read, which other tests are about

AT = {
    "x": 1.3, "y": 0.7, "z": 2.1, "a": 1.7, "b": 2.4, "c": 0.6, "d": 1.9, "k": 3.0, "m": 2.2, "n": 4.0, "r": 1.6,
    "s": 0.9, "t": 0.8, "u": 1.1, "v": 0.35, "w": 1.25, "g": 9.81, "h": 3.3, "p": 0.4, "q": 1.5, "A": 2.5, "B": 1.4,
    "C": 3.1, "D": 0.3, "E": 2.7, "F": 1.15, "G": 0.85, "I": 1.9, "K": 5.2, "L": 1.45, "M": 2.05, "N": 3.6,
    "P": 1.2, "Q": 0.95, "R": 8.3, "S": 4.4, "T": 1.75, "U": 0.65, "V": 1.05, "W": 2.3, "X": 0.45, "Z": 1.35,
    "f": 2.6, "i": 1.0, "l": 1.85, "alpha": 0.55, "beta": 1.65, "gamma": 0.75, "delta": 0.25, "epsilon": 0.15,
    "theta": 0.5, "lambda": 1.95, "mu": 0.2, "nu": 2.9, "rho": 1.55, "sigma": 0.8, "tau": 2.15, "phi": 0.9,
    "varphi": 1.0, "omega": 3.2, "eta": 0.05, "kappa": 2.45, "x_1": 1.2, "x_2": 0.4, "x_3": 2.3, "y_1": 0.6,
    "y_2": 1.9, "a_0": 0.1, "a_1": 2.2, "a_2": 0.7, "k_B": 1.38, "v_0": 3.0, "v_max": 4.5, "T_in": 2.5, "x_i": 0.3,
    "y_i": 1.6, "m_1": 2.0, "m_2": 3.5, "q_1": 1.1, "q_2": 1.7, "x_n": 0.9, "mu_0": 1.26, "epsilon_0": 8.85,
    "y_hat": 2.75, "x_bar": 1.85, "hbar": 1.05, "rate": 0.07, "Delta": 0.4, "K_m": 1.3, "V_max": 2.8,
    "varepsilon": 0.45, "x_12": 3.7, "x_ij": 1.15, "theta_1": 0.33, "E_a": 1.9, "P_0": 2.2,
}  # fmt: skip


class Values(dict[str, float]):
    """The point by attribute, as Python formulas have it."""

    __getattr__ = dict.__getitem__


V = Values(AT)
s, c, e, pi, sq, ln = math.sin, math.cos, math.exp, math.pi, math.sqrt, math.log
PASTED: dict[str, Callable[[Values], float]] = {
    # fractions, roots, powers
    r"\frac12": lambda _: 0.5,
    r"\frac x2": lambda v: v.x / 2,
    r"\frac{x}2": lambda v: v.x / 2,
    r"\frac1{x}": lambda v: 1 / v.x,
    r"\frac1x": lambda v: 1 / v.x,
    r"\frac\pi2": lambda _: pi / 2,
    r"\frac{\pi}{2}x": lambda v: pi / 2 * v.x,
    r"\dfrac{x+1}{x-1}": lambda v: (v.x + 1) / (v.x - 1),
    r"\tfrac{1}{2}mv^2": lambda v: v.m * v.v**2 / 2,
    r"\frac{1}{2}mv^2 + mgh": lambda v: v.m * v.v**2 / 2 + v.m * v.g * v.h,
    r"\cfrac{1}{1+\cfrac{1}{x}}": lambda v: 1 / (1 + 1 / v.x),
    r"\frac{\frac{x}{y}}{z}": lambda v: v.x / v.y / v.z,
    r"{x \over y}": lambda v: v.x / v.y,
    r"{x+1 \over y} + 2": lambda v: (v.x + 1) / v.y + 2,
    r"\sqrt2": lambda _: sq(2),
    r"\sqrt2x": lambda v: sq(2) * v.x,
    r"\sqrt x": lambda v: sq(v.x),
    r"\sqrt{x^2+y^2}": lambda v: math.hypot(v.x, v.y),
    r"\sqrt{\frac{x}{y}}": lambda v: sq(v.x / v.y),
    r"\sqrt\frac{x}{y}": lambda v: sq(v.x / v.y),
    r"\sqrt[3]{x}": lambda v: v.x ** (1 / 3),
    r"\sqrt[3]x": lambda v: v.x ** (1 / 3),
    r"\sqrt[n]{x+1}": lambda v: (v.x + 1) ** (1 / v.n),
    r"\sqrt{1-\frac{v^2}{c^2}}": lambda v: sq(1 - v.v**2 / v.c**2),
    r"\frac{1}{\sqrt{1-v^2/c^2}}": lambda v: 1 / sq(1 - v.v**2 / v.c**2),
    r"\frac{-b-\sqrt{b^2-4ac}}{2a}": lambda v: (-v.b - sq(v.b**2 - 4 * v.a * v.c)) / (2 * v.a),
    r"x^{10}": lambda v: v.x**10,
    r"x^{n+1}": lambda v: v.x ** (v.n + 1),
    r"x^\frac12": lambda v: sq(v.x),
    r"x^{\frac{1}{2}}": lambda v: sq(v.x),
    r"x^{-1}": lambda v: 1 / v.x,
    r"2^{x}\cdot 3^{y}": lambda v: 2**v.x * 3**v.y,
    r"x^2y^3": lambda v: v.x**2 * v.y**3,
    r"x^{2}y^{3}": lambda v: v.x**2 * v.y**3,
    r"x^{y^z}": lambda v: v.x ** (v.y**v.z),
    r"(x+1)^{2}(y-1)": lambda v: (v.x + 1) ** 2 * (v.y - 1),
    r"e^{-x}": lambda v: e(-v.x),
    r"e^{kx}": lambda v: e(v.k * v.x),
    r"e^{-x^2/2}": lambda v: e(-(v.x**2) / 2),
    r"e^{-\frac{x^2}{2}}": lambda v: e(-(v.x**2) / 2),
    r"\mathrm{e}^{-x}": lambda v: e(-v.x),
    r"\text{e}^{x}": lambda v: e(v.x),
    r"\operatorname{e}^{2x}": lambda v: e(2 * v.x),
    r"ae^{-bt}": lambda v: v.a * e(-v.b * v.t),
    r"A e^{-\lambda t}\cos(\omega t + \varphi)": lambda v: v.A * e(-v["lambda"] * v.t) * c(v.omega * v.t + v.varphi),
    r"\exp(-x^2)": lambda v: e(-(v.x**2)),
    r"\exp\left(-\frac{(x-\mu)^2}{2\sigma^2}\right)": lambda v: e(-((v.x - v.mu) ** 2) / (2 * v.sigma**2)),
    r"\exp\left\{-\frac{x}{2}\right\}": lambda v: e(-v.x / 2),
    r"10^{-3}x": lambda v: v.x / 1000,
    r"1.5\times10^{3}x": lambda v: 1500 * v.x,
    r"2\cdot 10^{-2}": lambda _: 0.02,
    r"2^{x}3^{y}": lambda v: 2**v.x * 3**v.y,
    r"2^x\,3^y": lambda v: 2**v.x * 3**v.y,
    r"\frac{1}{2}3^{x}": lambda v: 3**v.x / 2,
    r"\sqrt{2}3^{x}": lambda v: sq(2) * 3**v.x,
    r"x^{3}2^{y}": lambda v: v.x**3 * 2**v.y,
    r"v_0t\sin\theta-\frac12gt^2": lambda v: v.v_0 * v.t * s(v.theta) - v.g * v.t**2 / 2,
    r"P\left(1+\frac{r}{n}\right)^{nt}": lambda v: v.P * (1 + v.r / v.n) ** (v.n * v.t),
    r"4\epsilon\left[\left(\frac{\sigma}{r}\right)^{12}-\left(\frac{\sigma}{r}\right)^{6}\right]": lambda v: (
        4 * v.epsilon * ((v.sigma / v.r) ** 12 - (v.sigma / v.r) ** 6)
    ),
    r"\hbar\omega\left(n+\frac12\right)": lambda v: v.hbar * v.omega * (v.n + 0.5),
    r"D\left(1-e^{-a(r-s)}\right)^2": lambda v: v.D * (1 - e(-v.a * (v.r - v.s))) ** 2,
    r"A\left(\frac12\right)^{t/\tau}": lambda v: v.A * 0.5 ** (v.t / v.tau),
    r"\frac{V_{\text{max}}[S]}{K_m+[S]}": lambda v: v.V_max * v.S / (v.K_m + v.S),
    r"A\left(\alpha K^\rho+(1-\alpha)L^\rho\right)^{1/\rho}": lambda v: (
        v.A * (v.alpha * v.K**v.rho + (1 - v.alpha) * v.L**v.rho) ** (1 / v.rho)
    ),
    # functions
    r"\ln\sin(x)": lambda v: ln(s(v.x)),
    r"\exp\cos(x)y": lambda v: e(c(v.x)) * v.y,
    r"\sin x": lambda v: s(v.x),
    r"\sin(x)": lambda v: s(v.x),
    r"\sin{x}": lambda v: s(v.x),
    r"\sin\left(x\right)": lambda v: s(v.x),
    r"\sin 2x": lambda v: s(2 * v.x),
    r"\sin2x": lambda v: s(2 * v.x),
    r"\sin xy": lambda v: s(v.x * v.y),
    r"\sin\theta\cos\phi": lambda v: s(v.theta) * c(v.phi),
    r"\sin^2 x + \cos^2 x": lambda _: 1.0,
    r"\sin^2\theta": lambda v: s(v.theta) ** 2,
    r"\sin^{2}(x)\cos x": lambda v: s(v.x) ** 2 * c(v.x),
    r"\sin^{-1} y": lambda v: math.asin(v.y),
    r"\cos^{-1}(y)": lambda v: math.acos(v.y),
    r"\tan^{-1}\frac{y}{x}": lambda v: math.atan(v.y / v.x),
    r"\arctan\frac{y}{x}": lambda v: math.atan(v.y / v.x),
    r"\arcsin(y)": lambda v: math.asin(v.y),
    r"\sec\theta\tan\theta": lambda v: math.tan(v.theta) / c(v.theta),
    r"\cot x \csc x": lambda v: c(v.x) / s(v.x) ** 2,
    r"\sinh x + \cosh x": lambda v: e(v.x),
    r"\tanh(\beta x)": lambda v: math.tanh(v.beta * v.x),
    r"\coth x": lambda v: 1 / math.tanh(v.x),
    r"\ln x": lambda v: ln(v.x),
    r"\ln|x|": lambda v: ln(v.x),
    r"\ln\left|x-3\right|": lambda v: ln(abs(v.x - 3)),
    r"\ln(1+x^2)": lambda v: ln(1 + v.x**2),
    r"\ln^2 x": lambda v: ln(v.x) ** 2,
    r"x\ln x": lambda v: v.x * ln(v.x),
    r"\ln\frac{x}{y}": lambda v: ln(v.x / v.y),
    r"\ln\sqrt{x}": lambda v: ln(v.x) / 2,
    r"\ln\sin x": lambda v: ln(s(v.x)),
    r"\log_2 x": lambda v: math.log2(v.x),
    r"\log_{10} x": lambda v: math.log10(v.x),
    r"\log_{10}(x+1)": lambda v: math.log10(v.x + 1),
    r"\log_a x": lambda v: ln(v.x) / ln(v.a),
    r"\log_{a}{x}": lambda v: ln(v.x) / ln(v.a),
    r"\log_b(xy)": lambda v: ln(v.x * v.y) / ln(v.b),
    r"\lg x": lambda v: math.log10(v.x),
    r"\max(x, y)": lambda v: max(v.x, v.y),
    r"\min\{x, y\}": lambda v: min(v.x, v.y),
    r"\max\left(0, x-1\right)": lambda v: max(0, v.x - 1),
    r"\operatorname{arsinh}(x)": lambda v: math.asinh(v.x),
    r"\operatorname{sgn}(x)": lambda _: 1.0,
    r"\operatorname{erf}\left(\frac{x}{\sqrt{2}}\right)": lambda v: math.erf(v.x / sq(2)),
    r"\operatorname{sech} x": lambda v: 1 / math.cosh(v.x),
    r"\mathrm{erf}(x)": lambda v: math.erf(v.x),
    r"\mathrm{arctan}\, x": lambda v: math.atan(v.x),
    r"\Gamma(x)": lambda v: math.gamma(v.x),
    r"\Gamma\left(x+\frac12\right)": lambda v: math.gamma(v.x + 0.5),
    r"n!": lambda _: 24.0,
    r"\frac{x^n}{n!}": lambda v: v.x**v.n / 24,
    r"|x-y|": lambda v: abs(v.x - v.y),
    r"\left|y-x\right|": lambda v: v.x - v.y,
    r"\lvert y-x\rvert^2": lambda v: (v.x - v.y) ** 2,
    r"\left\lvert \frac{y-x}{2}\right\rvert": lambda v: (v.x - v.y) / 2,
    r"\vert y-x \vert": lambda v: v.x - v.y,
    r"\bigl|y-x\bigr|": lambda v: v.x - v.y,
    r"\lfloor x \rfloor": lambda _: 1.0,
    r"\left\lceil x \right\rceil": lambda _: 2.0,
    r"\sin 30^\circ": lambda _: 0.5,
    r"\cos 60^{\circ}": lambda _: 0.5,
    r"\sin(30°)": lambda _: 0.5,
    r"\tan(45\degree)": lambda _: 1.0,
    # names
    r"x_1x_2": lambda v: v.x_1 * v.x_2,
    r"x_1 x_2 + \sin x_1": lambda v: v.x_1 * v.x_2 + s(v.x_1),
    r"x_1x_2x_3\cdot 2": lambda v: 2 * v.x_1 * v.x_2 * v.x_3,
    r"\ln x_1 + x_1x_2 - \sin x_2": lambda v: ln(v.x_1) + v.x_1 * v.x_2 - s(v.x_2),
    r"\ln(x_{1})+x_{1}x_{2}-\sin(x_{2})": lambda v: ln(v.x_1) + v.x_1 * v.x_2 - s(v.x_2),
    r"x_{1}^{2}+x_{2}^{2}": lambda v: v.x_1**2 + v.x_2**2,
    r"\sqrt{x_1^2+x_2^2}": lambda v: math.hypot(v.x_1, v.x_2),
    r"x^2_1+\pi": lambda v: v.x_1**2 + pi,
    r"a_0 + a_1x + a_2x^2 \,": lambda v: v.a_0 + v.a_1 * v.x + v.a_2 * v.x**2,
    r"k_BT\ln 2": lambda v: v.k_B * v.T * ln(2),
    r"v_{\text{max}} - v_0": lambda v: v.v_max - v.v_0,
    r"v_{\mathrm{max}}t": lambda v: v.v_max * v.t,
    r"v_{\max}": lambda v: v.v_max,
    r"T_{\rm in}": lambda v: v.T_in,
    r"\frac{V_{\max}S}{K_m + S}": lambda v: v.V_max * v.S / (v.K_m + v.S),
    r"\theta_1^2": lambda v: v.theta_1**2,
    r"\mu_0\epsilon_0": lambda v: v.mu_0 * v.epsilon_0,
    r"x_{12}\cdot2": lambda v: 2 * v.x_12,
    r"x_{ij}\cdot2": lambda v: 2 * v.x_ij,
    r"\hat{y} - y": lambda v: v.y_hat - v.y,
    r"(\hat y-y)^2": lambda v: (v.y_hat - v.y) ** 2,
    r"\bar{x}+1": lambda v: v.x_bar + 1,
    r"\overline{x}+1": lambda v: v.x_bar + 1,
    r"\mathbf{x}^2": lambda v: v.x**2,
    r"\boldsymbol{x}+\bm{y}": lambda v: v.x + v.y,
    r"\mathit{x}": lambda v: v.x,
    r"\mathrm{rate}\cdot t": lambda v: v.rate * v.t,
    r"\text{rate} \times t": lambda v: v.rate * v.t,
    r"\frac{\text{rate}}{2}": lambda v: v.rate / 2,
    r"\alpha x^2+\beta x+\gamma": lambda v: v.alpha * v.x**2 + v.beta * v.x + v.gamma,
    r"\gamma x": lambda v: v.gamma * v.x,
    r"\gamma(x+1)": lambda v: v.gamma * (v.x + 1),
    r"\gamma\left(x-vt\right)": lambda v: v.gamma * (v.x - v.v * v.t),
    r"\hbar\omega": lambda v: v.hbar * v.omega,
    r"\Delta x": lambda v: v.Delta * v.x,
    r"2\pi r": lambda v: 2 * pi * v.r,
    r"\pi r^2": lambda v: pi * v.r**2,
    r"\frac43\pi r^3": lambda v: 4 / 3 * pi * v.r**3,
    r"\frac{4}{3}\pi r^{3}": lambda v: 4 / 3 * pi * v.r**3,
    r"\sin(2\pi ft)": lambda v: s(2 * pi * v.f * v.t),
    r"mc^2\cdot 1": lambda v: v.m * v.c**2,
    r"\frac{nRT}{V}": lambda v: v.n * v.R * v.T / v.V,
    r"G\frac{m_1m_2}{r^2}": lambda v: v.G * v.m_1 * v.m_2 / v.r**2,
    r"\frac{1}{4\pi\epsilon_0}\frac{q_1q_2}{r^2}": lambda v: v.q_1 * v.q_2 / (4 * pi * v.epsilon_0 * v.r**2),
    r"P_0 e^{rt}": lambda v: v.P_0 * e(v.r * v.t),
    r"A\exp\left(-\frac{E_a}{RT}\right)": lambda v: v.A * e(-v.E_a / (v.R * v.T)),
    # sums, products, cases
    r"\sum_{k=1}^3 k x^k": lambda v: sum(j * v.x**j for j in (1, 2, 3)),
    r"\sum_{k=1}^{3} k x^k + 1": lambda v: sum(j * v.x**j for j in (1, 2, 3)) + 1,
    r"\sum\limits_{i=1}^{4} i^2": lambda _: 30.0,
    r"\sum^{4}_{i=1} i": lambda _: 10.0,
    r"\sum_{n=0}^{5}\frac{x^n}{n!}": lambda v: sum(v.x**j / math.factorial(j) for j in range(6)),
    r"\sum_{k=0}^{2} (-1)^k \frac{x^{2k+1}}{(2k+1)!}": lambda v: v.x - v.x**3 / 6 + v.x**5 / 120,
    r"2\sum_{k=1}^{2} x^{k} - y": lambda v: 2 * (v.x + v.x**2) - v.y,
    r"\prod_{k=1}^{3}(x+k)": lambda v: (v.x + 1) * (v.x + 2) * (v.x + 3),
    r"\prod_{i=1}^{3} x": lambda v: v.x**3,
    r"\left(\sum_{k=1}^{2} x^k\right)^2": lambda v: (v.x + v.x**2) ** 2,
    r"\sum_{i=1}^{2}\sum_{j=1}^{2} ijx": lambda v: 9 * v.x,
    r"\sum_{i=1}^{2} \left| x - i \right|": lambda v: abs(v.x - 1) + abs(v.x - 2),
    "∑_{k=1}^{3} k": lambda _: 6.0,
    r"\begin{cases} x^2 & x > 0 \\ -x & x \le 0 \end{cases}": lambda v: v.x**2,
    r"\begin{cases} x^2, & \text{if } x > 2 \\ -x, & \text{otherwise} \end{cases}": lambda v: -v.x,
    r"\begin{cases} 0 & \text{for } x < 0, \\ x & 0 \leq x < 1, \\ 2x & \text{else.} \end{cases}": lambda v: 2 * v.x,
    r"3\begin{cases} x, & x \geq 0 \\ -x, & x<0 \end{cases}+1": lambda v: 3 * v.x + 1,
    # wrappings, spacing, sizes
    r"$x^2$": lambda v: v.x**2,
    r"$x^2 + 2xy + y^2$": lambda v: (v.x + v.y) ** 2,
    r"$$\frac{x}{y}$$": lambda v: v.x / v.y,
    r"\[ x^2 \]": lambda v: v.x**2,
    r"\( \frac{x}{y} \)": lambda v: v.x / v.y,
    r"\begin{equation} x^2+1 \end{equation}": lambda v: v.x**2 + 1,
    r"\begin{align*} x^2+1 \end{align*}": lambda v: v.x**2 + 1,
    r"\begin{aligned} f(u) &= u^2 \\ f(x) \end{aligned}": lambda v: v.x**2,
    r"\displaystyle\frac{x}{y}": lambda v: v.x / v.y,
    r"\displaystyle \sqrt{x}": lambda v: sq(v.x),
    r"x\,y": lambda v: v.x * v.y,
    r"x\!y": lambda v: v.x * v.y,
    r"x\;y\:z": lambda v: v.x * v.y * v.z,
    r"x\ y": lambda v: v.x * v.y,
    r"x \quad + \qquad y": lambda v: v.x + v.y,
    r"\left(x+1\right)^2": lambda v: (v.x + 1) ** 2,
    r"\left[x+1\right]^2": lambda v: (v.x + 1) ** 2,
    r"\left\{x+1\right\}^2": lambda v: (v.x + 1) ** 2,
    r"\mleft(x+1\mright)^2": lambda v: (v.x + 1) ** 2,
    r"\bigl(x+1\bigr)\Bigl[y\Bigr]": lambda v: (v.x + 1) * v.y,
    r"\Big(x+1\Big)\bigg(y\bigg)": lambda v: (v.x + 1) * v.y,
    r"\left.x\right.": lambda v: v.x,
    r"\boxed{x^2}": lambda v: v.x**2,
    r"{\color{red} x}+1": lambda v: v.x + 1,
    r"\textcolor{red}{x}+1": lambda v: v.x + 1,
    r"\underline{x}+1": lambda v: v.x + 1,
    r"x\cdot y": lambda v: v.x * v.y,
    r"x \times y \div z": lambda v: v.x * v.y / v.z,
    r"x \ast y": lambda v: v.x * v.y,
    r"x^2+1\text{.}": lambda v: v.x**2 + 1,
    r"\frac{x}{y}.": lambda v: v.x / v.y,
    r"\frac{x}{y},": lambda v: v.x / v.y,
    r"x^2+1 \tag{3}": lambda v: v.x**2 + 1,
    r"x^2+1 \label{eq:one}": lambda v: v.x**2 + 1,
    r"3{,}5x": lambda v: 3.5 * v.x,
    r"10\,000\cdot x": lambda v: 10000 * v.x,
    r"2xy + \frac{ab}{cd}": lambda v: 2 * v.x * v.y + v.a * v.b / (v.c * v.d),
}
# Pieces that are put together: each has to mean the same wherever it stands.
PIECES: list[tuple[str, Callable[[Values], float]]] = [
    (r"\frac{x}{2}", lambda v: v.x / 2),
    (r"\sqrt{y}", lambda v: sq(v.y)),
    (r"x_1x_2", lambda v: v.x_1 * v.x_2),
    (r"\alpha t", lambda v: v.alpha * v.t),
    (r"e^{-kx}", lambda v: e(-v.k * v.x)),
    (r"\left(a+b\right)", lambda v: v.a + v.b),
    (r"\ln z", lambda v: ln(v.z)),
    (r"3\pi", lambda _: 3 * pi),
]
FRAMES: list[tuple[str, Callable[[float, float], float]]] = [
    (r"\frac{%s}{%s}", lambda p, q: p / q),
    (r"\left(%s\right)\left(%s\right)", lambda p, q: p * q),
    (r"%s + %s", lambda p, q: p + q),
    (r"\sin\left(%s\right) - \cos\left(%s\right)", lambda p, q: s(p) - c(q)),
    (r"\sqrt{\left(%s\right)^2+\left(%s\right)^2}", lambda p, q: math.hypot(p, q)),
]
REFUSED = {
    r"50\%": r"\%", r"1+2+\cdots+n": r"\cdots", r"x_1+\ldots+x_n": r"\ldots", r"x \pm y": r"\pm",
    r"\int_0^1 x^2 dx": r"\int", r"\lim_{x\to0}\frac{\sin x}{x}": r"\lim", r"\frac{d}{dx}x^2": "derivative",
    r"\frac{\partial}{\partial x} xy": "derivative", r"\frac{\mathrm{d}y}{\mathrm{d}x}": "derivative",
    r"\nabla f": r"\nabla", r"\partial x": r"\partial", r"x \to y": r"\to", r"x \in A": r"\in",
    r"x \approx 3": r"\approx", r"\foo{x}": r"\foo", r"\bar{x+1}": r"\bar", r"\infty": "infinity",
    r"\sum_{k} x": r"\sum", r"\sum x_i": r"\sum", r"\sum_{i=1}^{n} x_i": "whole numbers", r"\oint x": r"\oint",
    r"\begin{pmatrix} 1 & 2 \end{pmatrix}": "pmatrix", r"\text{hello there} x": "words",
    r"\left.x^2\right|_{x=1}": "--at", r"\langle x, y \rangle": r"\langle", r"\Re z": r"\Re", r"\det A": r"\det",
    r"\gcd(x,y)": r"\gcd", r"A^\dagger": "dagger", r"A^\top x": "top", r"x_{n+1}": "subscript",
    r"\log_{a+1} x": "subscript", r"\mathbb{R^2}\foo": r"\foo", r"\xyz": r"\xyz",
    r"x \equiv 1 \pmod 3": r"\equiv", r"\underbrace{x}_{y}": r"\underbrace", r"\sinx": r"\sinx",
    r"\iint x": r"\iint", r"\dots": r"\dots", r"\prod_i x_i": r"\prod", r"\cup": r"\cup", r"\sup x": r"\sup",
}  # fmt: skip


@together("text", PASTED)
def test_pasted_latex_means_what_python_says(text: str) -> None:
    assert PASTED[text](V) == pytest.approx(parse(text, set(AT)).value(AT), rel=1e-12, abs=0)


@together("text", PASTED)
def test_without_a_point_it_means_the_same(text: str) -> None:
    graph = read_program(Source(text)).graph
    at = {name: AT[name] for name in graph.inputs.values()}
    assert PASTED[text](V) == pytest.approx(parse(text).value(at), rel=1e-12, abs=0)


@pytest.mark.parametrize("frame", range(len(FRAMES)))
def test_pieces_mean_the_same_wherever_they_stand(frame: int) -> None:
    form, combine = FRAMES[frame]
    for (left, first), (right, second) in itertools.product(PIECES, PIECES):
        text = form % (left, right)
        assert combine(first(V), second(V)) == pytest.approx(parse(text).value(AT), rel=1e-12, abs=0), text


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_meaning_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(AdcliError) as problem:
        read_program(Source(text))
    said = f"{problem.value.title} {problem.value.label} {problem.value.help}"
    assert REFUSED[text] in said
    span = problem.value.span
    assert span is not None
    assert 0 <= span.start < span.end <= len(text) + 1


@pytest.mark.parametrize("size", [10, 1_000])
@pytest.mark.parametrize(
    "piece",
    [r"\frac{1}{", r"{", r"}", r"\sqrt[", r"\sum_{k=1}^{2}", r"\begin{cases} x &", r"x_", r"x^", r"\left(", r"\frac",
     r"{,}", r"1\,", r"\over", r"$", r"\\", "&", r"\text{", r"\hat{", r"\sqrt", "'", r"^\prime", "ab", r"\left|", "|"],
)  # fmt: skip
def test_long_and_broken_latex_is_no_work(piece: str, size: int) -> None:
    for text in (piece * size, "\\," + piece * size, piece * size + "\\alpha" + "}" * size):
        try:
            read_program(Source(text), expansion=1000)
        except AdcliError as problem:
            assert problem.title

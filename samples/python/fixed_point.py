"""A fixed point by iteration: Kepler's equation E = M + e·sin(E), differentiated through the rounds that it took."""

from adcli.python import grad, sin


def eccentric_anomaly(mean_anomaly, eccentricity):
    """The angle E with E - e·sin(E) = M."""
    angle = mean_anomaly
    while True:
        following = mean_anomaly + eccentricity * sin(angle)
        if abs(following - angle) < 1e-14:
            return following
        angle = following


if __name__ == "__main__":
    print("E       ", eccentric_anomaly(1.0, 0.3))
    print("dE/dM   ", grad(eccentric_anomaly)(1.0, 0.3))
    print("dE/de   ", grad(eccentric_anomaly, "eccentricity")(1.0, 0.3))

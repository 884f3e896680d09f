"""`import adcli.python.scipy.stats.poisson` imports the distribution `poisson` itself."""

from . import itself

itself(__name__)

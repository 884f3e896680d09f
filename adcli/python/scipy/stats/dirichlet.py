"""`import adcli.python.scipy.stats.dirichlet` imports the distribution `dirichlet` itself."""

from . import itself

itself(__name__)

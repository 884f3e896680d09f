"""`import adcli.python.scipy.stats.multivariate_normal` imports the distribution `multivariate_normal` itself."""

from . import itself

itself(__name__)

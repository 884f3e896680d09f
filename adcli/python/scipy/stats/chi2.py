"""`import adcli.python.scipy.stats.chi2` imports the distribution `chi2` itself."""

from . import itself

itself(__name__)

"""`import adcli.python.scipy.stats.norm` imports the distribution `norm` itself."""

from . import itself

itself(__name__)

"""`import adcli.python.scipy.stats.gamma` imports the distribution `gamma` itself."""

from . import itself

itself(__name__)

"""`import adcli.python.scipy.stats.t` imports the distribution `t` itself."""

from . import itself

itself(__name__)

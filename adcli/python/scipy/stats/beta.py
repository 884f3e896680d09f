"""`import adcli.python.scipy.stats.beta` imports the distribution `beta` itself."""

from . import itself

itself(__name__)

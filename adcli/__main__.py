"""`python -m adcli`."""

import sys

from adcli.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

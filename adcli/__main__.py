"""The process `adcli`, which is `python -m adcli` too."""

import gc
import sys

_ALLOCATIONS = 100_000  # between two collections; a small evaluation makes fewer objects, nearly all of which stay


def run() -> int:
    """Runs the command line of this process and returns its exit code.

    The collector of cycles is left little to do: what an import makes is no garbage, and at the end all memory goes.
    """
    gc.set_threshold(_ALLOCATIONS)
    from adcli.cli.main import main

    code = main()
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(run())

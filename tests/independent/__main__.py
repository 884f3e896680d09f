"""`python -m tests.independent --hours 3 --seed 1`: asks until the time is up and tells what disagrees.

The exit code is 1 if anything does.  A round is asked again by its family, seed and number.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from random import Random

from .families import FAMILIES
from .process import CHECKOUT, Adcli, Fault

Found = tuple[str, int, list[Fault], float]


def asked(family: str, seed: int, number: int, package: Path) -> Found:
    """One round of a family, which follows from its seed and number alone."""
    began = time.monotonic()
    faults: list[Fault] = []
    with Adcli(package) as adcli:
        try:
            faults.extend(FAMILIES[family](adcli, Random(f"{family} {seed} {number}")))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):  # hours go on
            faults.append(Fault("this round", "a document of the known form", traceback.format_exc()))
    return family, number, faults, time.monotonic() - began


def main() -> int:
    """Runs rounds of all families in turn."""
    parser = argparse.ArgumentParser(prog="python -m tests.independent", description=__doc__)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--hours", type=float, default=0)
    parser.add_argument("--rounds", type=int, help="at most so many rounds of each family")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help=f"families, with commas: {', '.join(FAMILIES)}")
    parser.add_argument("--round", type=int, help="this round alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--package", type=Path, default=CHECKOUT, help="the folder whose adcli is asked")
    chosen = parser.parse_args()
    families = chosen.only.split(",") if chosen.only else list(FAMILIES)
    end = time.monotonic() + 60 * chosen.minutes + 3600 * chosen.hours
    rounds, faults, seconds = Counter[str](), Counter[str](), Counter[str]()
    number, waiting, told = 0, list(families), time.monotonic()
    if chosen.round is not None:
        number = chosen.round
    running: set[Future[Found]] = set()
    with ProcessPoolExecutor(chosen.jobs) as pool:
        while True:
            while len(running) < chosen.jobs and waiting:
                running.add(pool.submit(asked, waiting.pop(0), chosen.seed, number, chosen.package))
                again = chosen.round is None and number + 1 != chosen.rounds
                if not waiting and again and time.monotonic() < end:
                    number, waiting = number + 1, list(families)
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                family, k, found, spent = future.result()
                rounds[family] += 1
                seconds[family] += spent  # type: ignore[assignment]
                faults[family] += len(found)
                for fault in found:
                    where = f"--only {family.replace(' ', chr(92) + ' ')} --seed {chosen.seed} --round {k}"
                    print(f"\n{where}\n  {fault.command}", flush=True)
                    print(f"  expected  {fault.expected}\n  got       {fault.got}", flush=True)
            if time.monotonic() > end and chosen.round is None:
                waiting = [] if min(rounds.values(), default=0) and len(rounds) == len(families) else waiting
            if time.monotonic() - told > 60:
                told = time.monotonic()
                print(f"{sum(rounds.values())} rounds, {sum(faults.values())} faults", file=sys.stderr, flush=True)
    print()
    for family in families:
        print(f"{family:14} {rounds[family]:5} rounds {seconds[family]:8.1f} s {faults[family]:5} faults")
    return 1 if sum(faults.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

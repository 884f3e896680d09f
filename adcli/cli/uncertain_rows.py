"""`adcli propagate` over a file of points: a row for each, with what its uncertainties come to."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import RequestError, Source
from ..extras import Needs
from ..files.points import FORMATS, SUFFIXES
from .arguments import chosen_format, given_point, point_of, split_names
from .map import ResultsOut, RowReport, kinds_for, single_problem
from .workers import cores

if TYPE_CHECKING:
    from ..files.mapping import MappedBatch
    from ..files.propagating import Spread
    from ..trace.uncertainties import Uncertainties
    from .propagate import PropagateRequest
    from .stream import Stream


def propagate_rows(
    stream: Stream,
    asked: PropagateRequest,
    expr: str | None,
    path: str,
    values: Mapping[str, str],
    given: Uncertainties,
) -> int:
    """Carries the uncertainties of every row of a file; `values` and `given` are what is the same in all of them."""
    with Needs("files of points need NumPy", "numpy", memory=150_000_000):
        import_module("numpy")
    from ..files.mapping import named_columns, opened, program_of, results_file
    from ..files.points import Sink
    from ..files.propagating import columns_of_sigmas, propagated_rows, propagating_plan, results_of
    from ..render.data import json_text

    _only_for_one_point(asked)
    form = chosen_format(asked.wanted, asked.path, tuple(FORMATS), "csv", SUFFIXES)
    if form not in FORMATS:
        raise RequestError(f"{form} is no format for rows", help=f"take one of {', '.join(FORMATS)}")
    problem = single_problem(expr, asked.file, stream.inputs)
    at, _ = point_of(problem, given_point([f"{name}={text}" for name, text in values.items()], "--at"))
    source = stream.inputs.standard() if path == "-" else stream.inputs.opened(path)
    with opened(None if path == "-" else path, source, stream.inputs.most) as reader:
        columns = named_columns(reader)
        program = program_of(problem.source, {*columns, *at})
        for reading in program.readings:
            stream.note(reading.text, once=True, topic=reading.topic)
        inputs = list(program.graph.inputs.values())
        spread = _spread(asked, columns_of_sigmas(reader.columns, inputs), inputs, given)
        carry = split_names(asked.carry) if asked.carry else None
        plan = propagating_plan(program, at, columns, reader, spread, carry=carry)._replace(fail_fast=asked.fail_fast)
        told = RowReport(stream, program, asked.fail_fast)
        kinds = kinds_for(reader, plan, FORMATS[form])
        if asked.path is not None:
            stream.write(b"")  # where nothing can be written there is no use in computing
        names = [*plan.carried, *[name for output in plan.kernel.outputs for name in results_of(output)]]
        spelled = partial(json_text, indent=None, ascii_only=asked.path is None and stream.ascii)
        out = ResultsOut(stream, FORMATS[form].is_text)
        writer = results_file(Sink(form, names, out, asked.path is None, spelled, kinds=kinds))

        def encoded(done: MappedBatch) -> tuple[object, MappedBatch]:
            return writer.encoded(done.carried, done.found), done._replace(carried={}, found={})

        with closing(propagated_rows(reader, plan, spread, encoded, kinds=kinds, workers=cores())) as found:
            for piece, done in found:
                writer.put(piece)
                told.add(done)
                told.show_progress(reader.part())
        writer.finish()
    stream.in_vain = told.has_nothing
    stream.close()
    stream.clear_progress()
    told.finish()
    return stream.code


def _only_for_one_point(asked: PropagateRequest) -> None:
    """Raises RequestError for what is asked of a file and makes sense at one point alone."""
    for option, value in (("--monte-carlo", asked.draws), ("--distribution", asked.distribution)):
        if value:
            raise RequestError(f"{option} is for one point", help="leave it out, or give the point with --at")


def _spread(asked: PropagateRequest, columns: Mapping[str, str], inputs: list[str], given: Uncertainties) -> Spread:
    """What is known of uncertainties: columns before --sigma before --at."""
    from ..files.propagating import Spread
    from ..language.problems import pieces, read_point
    from ..trace.propagation import check_uncertainties

    sigmas, shares = dict(given.sigmas), dict[str, float]()
    for text in asked.sigma:
        for start, end in pieces(text):
            piece = text[start:end].strip()
            if piece:
                share = piece.endswith("%")
                ((name, x),) = read_point(Source(piece.removesuffix("%"), "--sigma")).items()
                if not 0 <= x < float("inf"):
                    raise RequestError(f"the uncertainty of {name} is no number from 0 on", help="as in --sigma x1=0.1")
                sigmas.pop(name, None)
                (shares if share else sigmas)[name] = x / 100 if share else x
    spread = Spread(
        columns,
        {name: x for name, x in sigmas.items() if name not in columns},
        {name: x for name, x in shares.items() if name not in columns},
        given.correlations,
    )
    if not spread.inputs:
        raise RequestError(
            "no input has an uncertainty",
            help="add a column such as sigma_x1, or say it of all rows: --sigma x1=0.1,x2=5%",
        )
    check_uncertainties(inputs, given._replace(sigmas=dict.fromkeys(spread.inputs, 1.0)))
    return spread

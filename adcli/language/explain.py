"""Syntax errors explained by example: broken snippets, each with the sentence for everything that breaks like it.

A snippet is parsed until the tables have no way on; the parser's state and the kind of token found there are the key.
A user's error with the same key gets the same sentence, whatever stands around it.
"""

from __future__ import annotations

from functools import lru_cache

from ..errors import AdcliError, Source, Span, SyntaxProblem
from .parser import Failure, Recorder, Unparsed, parse
from .scanner import scan

# (title, label, help, snippets); {before} and {found} stand for the user's own text around the place.
_EXAMPLES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "the expression ends too soon",
        "something is missing after {before}",
        "write a number, a name or a bracket here",
        (
            "x+",
            "x-",
            "x*",
            "x/",
            "x%",
            "x^",
            "-",
            "+",
            "x^-",
            "2*-",
            "√",
            "2^",
            "(x)^",
            "sin(x)^",
            "sin^",
            "sin^+",
            "x <",
            "x < 1 and",
            "x or",
            "not",
            "a=",
        ),
    ),
    (
        "{found} needs a value before it",
        "nothing stands before this",
        "write a number, a name or a bracket first, or leave {found} out",
        ("*x", "/x", "^x", "%x", "(*x)", "(/x)", "(^x)", "sin(*x)", "f(x,*y)", "!", "<x", "x=*y", ")x", "|*x|"),
    ),
    (
        "two operators meet: {before}{found}",
        "{before} is waiting for a value",
        "leave one of them out, or put brackets around a part",
        (
            "x+*y",
            "2^*x",
            "(x)^*y",
            "sin(x)^*y",
            "2^^x",
            "2^and",
            "x-*y",
            "x*/y",
            "x**/y",
            "x^*y",
            "x//y",
            "x^^y",
            "x*^y",
            "-*x",
            "+*x",
            "x^-*y",
            "2*-*x",
            "x<<y",
        ),
    ),
    (
        "the brackets are empty",
        "an expression is missing before this",
        "write what belongs inside, or leave the brackets out",
        ("()", "(())", "x*()", "2()"),
    ),
    (
        "a value is missing before {found}",
        "{before} is still waiting for one",
        "write a number, a name or a bracket here",
        (
            "(x+)",
            "2^)",
            "2^;x",
            "(x)^)",
            "(x)^;x",
            "sin(x)^)",
            "sin(x,)",
            "(x*)",
            "(x^)",
            "(x-)",
            "sin(x+)",
            "x+;y",
            "x*;y",
            "a=!",
            "f(x)=*",
            "f(x+,y)",
            "(-)",
            "x^-)",
            "(x<)",
            "a=;",
        ),
    ),
    (
        "a comma cannot stand here",
        "no function is open here",
        "a decimal point is a point: 1.5; several outputs are separated by ;",
        ("1,000", "(x,y)", "x,y", "|x,y|", "x=1,y=2", "sin x, y"),
    ),
    (
        "= cannot stand here",
        "only a name alone can be defined",
        "write name = expression; to compare, use == inside if(…)",
        ("x+1=2", "2=x", "(x=2)", "sin(x)=y", "x=y=2", "sin(x=2)", "x^2=1", "|x=1|", "2x=1", "x;=2", "=2"),
    ),
    (
        "two values stand side by side",
        "an operator is missing before this",
        "write * between them for a product",
        ("x 2", "(x)2", "sin(x)2", "x²2", "3!2", "2 x 3"),
    ),
    (
        "{found} has nothing to apply to",
        "an argument is missing before this",
        "functions take brackets: sin(x)",
        ("f(a)=a;f*x", "f(a)=a;f+x", "f(a)=a;(f)", "f(a)=a;f;x", "f(a)=a;f"),
    ),
    (
        "a factorial sign needs a value before it",
        "nothing stands before this",
        "write 5!",
        ("+!", "x+!", "(!", "x*!", "x^!"),
    ),
    (
        "a condition needs a value on both sides",
        "{before} is waiting for one",
        "write it as if(x > 0, a, b)",
        ("if(x>,1,2)", "if(>0,1,2)", "if(x and,1,2)", "x and and y", "x<<", "if(x>=,1,2)"),
    ),
    (
        "a definition needs an expression after =",
        "nothing follows",
        "write f(x) = x^2",
        ("f(x)=", "f(x,y)=", "f(x)=;", "f(x)=)"),
    ),
    (
        "the power of a function is a number or a name",
        "this cannot be read as one",
        "write (sin(x))^(…) for any other power",
        ("sin^(x+1)(x)", "sin^sin(x)", "sin^(2+1) x", "sin^-x(y)", "sin^(-x) y", "sin^√2 x", "sin^|x| y"),
    ),
    (
        "√ takes the number, name or bracket right after it",
        "this is none of these",
        "write sqrt(…)",
        ("√-x", "√sin x", "√√x", "√+x", "√*x"),
    ),
)


_ENDS = next(k for k, example in enumerate(_EXAMPLES) if example[0] == "the expression ends too soon")
_MISSING = next(k for k, example in enumerate(_EXAMPLES) if example[0] == "a value is missing before {found}")


@lru_cache(maxsize=1)
def _by_state() -> tuple[dict[tuple[int, str], int], dict[int, int]]:
    """Which example explains a state and a kind of token, and which a state alone."""
    exact: dict[tuple[int, str], int] = {}
    loose: dict[int, int] = {}
    for number, (_, _, _, snippets) in enumerate(_EXAMPLES):
        for snippet in snippets:
            failure = _failure(snippet)
            if failure is not None:
                kind = failure.found.type if failure.found else "$END"
                exact.setdefault((failure.state, kind), number)
                loose.setdefault(failure.state, number)
    return exact, loose


def _failure(snippet: str) -> Failure | None:
    source = Source(snippet)
    try:
        tokens, _ = scan(source, ("x", "y"))
        parse(tokens, Recorder(source))
    except Unparsed as unparsed:
        return unparsed.failure
    except AdcliError:
        return None
    return None


def explained(failure: Failure, source: Source) -> SyntaxProblem:
    """The message for a place where the tables had no way on."""
    exact, loose = _by_state()
    found, before = failure.found, failure.before
    if found is None:
        end = len(source.text.rstrip())
        span = Span(end, end + 1, source)
    else:
        span = Span(found.start, found.end, source)
    words = {
        "before": source.text[before.start : before.end] if before else "the start",
        "found": source.text[found.start : found.end] if found else "the end",
    }
    number = exact.get((failure.state, found.type if found else "$END"), loose.get(failure.state))
    if number == _ENDS and found is not None:
        number = _MISSING  # the same state, but the text goes on
    if number is None:
        return SyntaxProblem(
            f"{words['found']} does not fit here", span, f"not expected after {words['before']}",
            help="the language in short: adcli eval --help",
        )  # fmt: skip
    title, label, advice, _ = _EXAMPLES[number]
    return SyntaxProblem(title.format(**words), span, label.format(**words), help=advice.format(**words))

"""Sessions of an interpreter, or programs with their output: prompts, print calls, and lines of printed numbers."""

from __future__ import annotations

from ...patterns import pattern

_PROMPTS = (">", "...", "[", "(%", "sage:")
_PROMPT = pattern(
    r"\s*+(?:>>>(?=\s|\Z)|\.\.\.(?=\s|\Z)|>>(?=\s)|(?:In|Out)\s?\[\s?\d*+\]\s?[:=]|julia>|octave(?::\d++)?>|sage:|gap>|maxima>"
    r"|\(%[io]\d++\)|\[\d++\](?=\s++[-\d]))\s*+"
)
_PRINTERS = (
    "round",
    "float",
    "np",
    "print",
    "disp",
    "show",
    "echo",
    "cat",
    "console",
    "fprintf",
    "puts",
    "@show",
    "System",
    "round",
    "float",
    "np",
)
_PRINTED = pattern(
    r"\s*+(?:print(?:ln|f)?!?|disp|display|show|echo|cat|console\.log|fprintf|puts|@show|System\.out\.println|(?:np\.)?round|float)(?![\w.])"
    r"\s*+(?P<bracket>\()?+\s*+(?P<inside>.*?)\s*+(?(bracket)\))\s*+;?\s*+(?:(?:#|//|%|--)\s*+(?P<said>.*))?\Z"
)
_BARE = pattern(
    r"(?P<name>\\?[^\W\d]\w*+(?:\.grad(?!\w))?+(?:_\{\w++\})?'*+)(?:\.item\(\))?+\s*+;?\s*+"
    r"(?:(?<=\s)(?:#|//|%|--)\s*+(?P<said>[^\s].*))?\Z"
)
_LAST = pattern(r";\s*+(?P<name>[^\W\d]\w*+'*+)\s*+\Z")
_SHOWN = pattern(
    r"(?:[rfbu]*[\"'][^\"']*+[\"']\s*+(?:,\s*+|%\s*+\(?\s*+|\.format\s*+\(\s*+))?(?:(?:np\.)?(?:round|float)\s*+\(\s*+)?"
    r"(?P<name>[^\W\d]\w*+(?:\.grad(?!\w))?+'*+)(?:\.item\(\))?+(?:\s*+,\s*+\d++|\.toFixed\(\d*+\)|\s*+,(?=\s*+\)))?\s*+\)?\Z"
)
_FILLED = pattern(
    r"f[\"'][^\"'{}]*+\{(?P<name>[^\W\d]\w*+(?:\.grad(?!\w))?+)(?:\.item\(\))?+(?:[:!=][^{}]*+)?\}[^\"'{}]*+[\"']\Z"
)
_FIELD = pattern(r"\{\s*+(?P<name>[^\W\d]\w*+(?:\.grad)?+)(?:\.item\(\))?+\s*+(?:[:!=][^{}]*+)?+\}")
_LITERAL = pattern(r"\"[^\"]*+\"|'[^']*+'")
_KEYWORDS = pattern(r",\s*+(?:sep|end|file|flush)\s*+=.*+\Z")
_ITEM = pattern(
    r"[\s,()\[\]%]*+(?:\.format\s*+\(\s*+)?+(?:(?:np\.)?(?:round|float)\s*+\(\s*+)?+(?P<name>[^\W\d]\w*+(?:\.grad)?+)(?:\.item\(\))?+"
    r"(?:\s*+,\s*+\d++\s*+\))?+[\s)\]]*+(?=,|\Z)"
)
_WRAPPED = pattern(r"(?:tensor|array|np\.float64|[()\[\],;])")
_TENSORS = ("tensor", "array", "Array", "float", "Value", "Variable")
_TENSOR = pattern(
    r"(?<![\w.])(?:torch\.|np\.|numpy\.|jnp\.|tf\.)?(?:tensor|array|Array|DeviceArray|float\d*|Value|Variable|Tensor)\s*+\(\s*+"
    r"\[?+\s*+(?:data\s*+=\s*+)?(?P<number>[-−+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?)\s*+\]?+\s*+(?:,[^()]*+)?\)"
)
_COMMENT_SIGN = pattern(
    r"\s*+(?:#|//|%|--)\s*+(?:[=≈→~:]|->|=>|prints?\b|gives?\b|[Oo]utput\b|>>>)*+\s*+(?=[-−+(\[]?\s?\.?\d)"
)
_WORD = pattern(r"\S++")
_LEADING = pattern(r"(?:\s|[=≈→~]|->|=>|prints?\b|gives?\b|output:?)*+")
_ALONE = pattern(
    r"\s*+(?:ans\s*+=\s*+)?(?P<number>[-−+]?\s?(?:\d|[.,]\d)[^\s=]*+(?:\s*+[*×·]\s*+10\s*+\^?\S++)?)\s*+\Z"
)
_STOPPED = pattern(r";(?=\s*+(?:#|//|%|--|/\*|!))")
_COMMENTS = ("#", "//", "%", "--", "/*", "!")
_SAID = pattern(r"(?<=\s)(?:#|//|%|--(?=\s)|/\*|!)\s*+(?:[=≈→~]|->|=>|prints?|gives?|is|output:?)*+\s*+(?=[-−+]?\.?\d)")
_CLOSED = pattern(r"\s*+\*/\s*+\Z")
_POINTED = pattern(r"(?<=[\w)\]])\.(?=[*/^])", signs=(".*", "./", ".^"))


def without_prompt(text: str) -> tuple[str, bool]:
    """Return the text with a prompt before it replaced by blanks, and whether there was one; the length
    stays the same.
    """
    if not any(sign in text for sign in _PROMPTS):
        return text, False
    match = _PROMPT.match(text)
    return (" " * match.end() + text[match.end() :], True) if match else (text, False)


def with_bare_numbers(text: str) -> str:
    """Return the line with calls such as `tensor(2.2, grad_fn=<…>)` replaced by their number; the length stays the
    same.
    """
    if not any(word in text for word in _TENSORS):
        return text
    return _TENSOR.sub(lambda match: match["number"].ljust(len(match[0]), "\u00a0"), text)


def as_output(text: str) -> str:
    """Return a comment that begins with a number, with the comment sign blanked out; any other line as it is."""
    match = _COMMENT_SIGN.match(text)
    return text if match is None else " " * match.end() + text[match.end() :]


def as_statement(text: str) -> str:
    """Return `text`, a line of a program, in the notation of rows and with the same length.

    A semicolon before a comment and the end of a block comment are blanked out, `.*` becomes a product, and a comment
    with a number belongs to the row.
    """
    if ";" in text:
        text = _STOPPED.sub(" ", text)
    if "*/" in text:
        text = _CLOSED.sub(lambda match: " " * len(match[0]), text)
    if "." in text:
        text = _POINTED.sub("\u00a0", text)
    if any(sign in text for sign in _COMMENTS):
        text = _SAID.sub(lambda match: "#" + " " * (len(match[0]) - 1), text)
    return text


def printed(text: str) -> tuple[int, int] | None:
    """Return start and end of the name whose value the line `text` prints, by a call such as `print(y)` or as a bare
    `y`.

    (0, 0) means a print call with other content; None means a line of another kind, or a bare name whose comment is not
    a number.
    """
    match = _PRINTED.match(text) if text.lstrip().startswith(_PRINTERS) else None
    if match is None:
        bare = _BARE.match(text.lstrip()) if "=" not in text else None
        offset = len(text) - len(text.lstrip())
        if bare is not None and bare["said"] and alone(bare["said"]) is None:
            return None
        return None if bare is None else (offset + bare.start("name"), offset + bare.end("name"))
    shown = _SHOWN.match(match["inside"]) or _FILLED.match(match["inside"])
    if shown is None:
        return (0, 0)
    start = match.start("inside")
    return start + shown.start("name"), start + shown.end("name")


def remark(text: str) -> tuple[int, int] | None:
    """Return start and end of the comment after a print call or bare name in `text`, without words such as `prints`.

    None if there is no such call or name, or no comment.
    """
    match = _PRINTED.match(text) or _BARE.match(text, len(text) - len(text.lstrip()))
    if match is None or not match["said"]:
        return None
    start = _LEADING.match(text, match.start("said"))
    return (start.end() if start else match.start("said")), match.end("said")


def printed_together(text: str) -> list[tuple[int, int]]:
    """Return start and end of each name whose value the line `text` prints, if there are two or more: `print(y, dy)`.

    The list is empty for a line with fewer names, or with anything but names and string literals in the call.
    """
    match = _PRINTED.match(text) if text.lstrip().startswith(_PRINTERS) else None
    start, end = match.span("inside") if match else (0, len(text))
    inside = text[start:end].lstrip()
    start = end - len(inside)
    if inside[:2] in ("f'", 'f"'):
        places = [found.span("name") for found in _FIELD.finditer(text, start, end)]
        return places if len(places) == inside.count("{") > 1 else []
    if "," not in inside or (match is None and "=" in inside):
        return []
    plain = _KEYWORDS.sub("", _LITERAL.sub(lambda found: " " * (len(found[0]) - 1) + ",", inside))
    places, place = [], 0
    while plain[place:].strip(" ,()[]%"):
        item = _ITEM.match(plain, place)
        if item is None:
            return []
        places.append((start + item.start("name"), start + item.end("name")))
        place = item.end()
    return places if len(places) > 1 else []


def numbers_alone(text: str, labels: str) -> list[tuple[int, int]]:
    """Return start and end of each number in `text`; empty if it has a word that does not occur in the string `labels`.

    Brackets, commas and calls such as `tensor` around numbers are ignored.
    """
    plain = _WRAPPED.sub(lambda found: " " * len(found[0]), text + " ")
    found: list[tuple[int, int]] = []
    for word in _WORD.finditer(plain):
        if alone(word[0]) is not None:
            found.append(word.span())
        elif word[0] not in labels:
            return []
    return found


def last_name(text: str) -> tuple[int, int] | None:
    """Return start and end of a name after the last semicolon of a line, whose value is printed next; None if none."""
    match = _LAST.search(text) if ";" in text else None
    return match.span("name") if match else None


def alone(text: str) -> tuple[int, int] | None:
    """Return start and end of the number that a line consists of, after `ans =` if that is there; None if
    it has more.
    """
    start = text.lstrip()
    match = _ALONE.match(text) if start[:1].isalpha() <= start.startswith("ans") else None
    return match.span("number") if match else None

"""Decoding of bytes as text, and the kinds of files that are not text."""

from __future__ import annotations

import codecs

from ..patterns import pattern
from .answer_model import NotGradable
from .collector import BYTES

FORM = "for a blank form: adcli template"
# Offset, bytes there, and the kind of file that has them.
_BINARY_KINDS = (
    (0, b"\x89PNG", "a PNG picture"), (0, b"\xff\xd8\xff", "a JPEG picture"), (0, b"GIF8", "a GIF picture"),
    (0, b"BM", "a BMP picture"), (0, b"II*\0", "a TIFF picture"), (0, b"MM\0*", "a TIFF picture"),
    (0, b"%PDF", "a PDF"), (0, b"\x1f\x8b", "a gzip archive"), (0, b"Rar!", "a RAR archive"),
    (0, b"7z\xbc\xaf", "a 7z archive"), (0, b"\xd0\xcf\x11\xe0", "an old Office document"),
    (0, b"\x7fELF", "a program"), (0, b"MZ", "a program"), (0, b"{\\rtf", "an RTF document"),
    (0, b"SQLite format 3", "a database"),
    (8, b"WEBPVP8", "a WebP picture"), (4, b"ftypqt  ", "a film"), (4, b"ftypisom", "a film"),
    *((4, b"ftyp" + brand, "a HEIC picture") for brand in b"heic heix heim heis mif1 heif avif".split()),
)  # fmt: skip
_TEXT_MAY_BEGIN_SO = frozenset(("a BMP picture", "a program", "a film", "a HEIC picture"))
# Colours of a terminal.
_ESCAPES = pattern("\x1b(?:\\[[0-9;?]*+[A-Za-z]|\\][^\x07\x1b\n]*+(?:\x07|\x1b\\\\))", signs="\x1b")
_LINE_ENDS = str.maketrans("\r\x0b\x0c\x85\u2028\u2029", "\n" * 6)
# What East Asian keyboards write instead of ASCII, and their commas and full stops.
_WIDE = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {"　": " ", "，": ", ", "、": ", ", "。": ";"}
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip


def check_size(data: bytes, most: int = BYTES) -> None:
    """Raise NotGradable if an answer has more than `most` bytes (default 4,000,000)."""
    if len(data) > most:
        raise NotGradable(
            "the answer is too large",
            label=f"more than {most:,} bytes",
            help="hand in text, not a picture or a whole folder; what is larger is read with --max-size",
        )


def binary_kind(data: bytes) -> str | None:
    """Return the kind of a binary file by its signature, with article, such as "a PNG picture" or "a PDF"; None if it
    may be text or a zip archive.

    A signature is bytes at an offset, 0 for most and 4 or 8 for films and some pictures. Those that text may have too
    (BMP pictures, programs, films, HEIC pictures) count only with a zero byte among the first 200. Other data, even
    with zero bytes, gives None.
    """
    kind = next((kind for offset, start, kind in _BINARY_KINDS if data.startswith(start, offset)), None)
    return None if kind in _TEXT_MAY_BEGIN_SO and b"\0" not in data[:200] else kind


def decode_answer(data: bytes) -> str:
    """Return the text of an answer with every line end as a newline, without terminal colours, and with wide signs as
    ASCII.

    A byte order mark (UTF-8, UTF-16, UTF-32) decides the encoding; otherwise `_without_mark` does. Undecodable bytes
    become U+FFFD. Line ends are also form feeds and U+2028; wide signs those of East Asian keyboards. Raises
    NotGradable if the result has more than 20 characters, and more than a tenth, that are U+FFFD or have a code below
    9.
    """
    marked = (data[len(mark) :].decode(encoding, "replace") for mark, encoding in _MARKS if data.startswith(mark))
    text = next(marked, None)
    text = _without_mark(data) if text is None else text
    text = _ESCAPES.sub("", text.replace("\r\n", "\n").translate(_LINE_ENDS))
    if not text.isascii():
        text = text.translate(_WIDE)
    strange = sum(text.count(chr(code)) for code in range(9)) + text.count("\ufffd")
    if strange > 20 and 10 * strange > len(text):
        raise unreadable("binary data")
    return text


def _without_mark(data: bytes) -> str:
    """Return the text of `data`, bytes without a byte order mark; undecodable bytes become U+FFFD.

    The first that applies:

    - UTF-16, if zeros at even places (big-endian) or at odd places (little-endian) are more than a quarter of the first
      400 bytes (of all, if there are fewer) and more than four times as many as at the other places;
    - UTF-8, if all bytes are valid, or if a byte is zero;
    - Windows-1252.
    """
    if b"\0" in data[:400]:
        even, odd = data[:400:2].count(0), data[1:400:2].count(0)
        if max(even, odd) > 4 * min(even, odd) and 4 * max(even, odd) > len(data[:400]):
            return data.decode("utf-16-be" if even > odd else "utf-16-le", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8" if b"\0" in data else "cp1252", "replace")


def unreadable(what: str) -> NotGradable:
    """Build the error for a file that is not text; `what` names its kind, as in "a PDF"."""
    advice = f"type the rows; {FORM}"
    return NotGradable(f"this is {what}, not text", label="only written answers can be read", help=advice)

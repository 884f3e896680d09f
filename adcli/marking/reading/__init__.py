"""Reading answers: any form of a student's trace becomes the entries of the model."""

from .answer import read_answer
from .numerals import numeral

__all__ = ["numeral", "read_answer"]

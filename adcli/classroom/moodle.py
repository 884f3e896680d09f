"""Moodle's grading worksheet: the names of its columns in the languages in which it is exported.

They are texts of mod/assign (`recordid`, `maxgrade`, `lastmodifiedgrade`, …), and the name of the comments of
assignfeedback, as Moodle's language packs have them.
"""

from __future__ import annotations

from collections.abc import Collection

from ..records import NamedTuple


class WorksheetColumns(NamedTuple):
    """The names of the columns of a grading worksheet."""

    identifier: str
    name: str
    email: str
    grade: str
    most: str
    changed: str
    feedback: str


ENGLISH = WorksheetColumns(
    "Identifier", "Full name", "Email address", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments"
)
LANGUAGES = (
    ENGLISH,
    WorksheetColumns(
        "ID", "Vollständiger Name", "E-Mail-Adresse", "Bewertung", "Bestwertung", "Zuletzt geändert (Bewertung)",
        "Feedback als Kommentar",
    ),
    WorksheetColumns(
        "Identificador", "Nombre completo", "Dirección de correo", "Calificación", "Calificación máxima",
        "Última modificación (calificación)", "Comentarios de retroalimentación",
    ),
    WorksheetColumns(
        "Identifiant", "Nom complet", "Adresse de courriel", "Note", "Note maximale", "Dernière modification (note)",
        "Feedback par commentaires",
    ),
)  # fmt: skip


def worksheet_columns(header: Collection[str]) -> WorksheetColumns | None:
    """Return the columns of a class list that is a grading worksheet of Moodle; None for any other list."""
    return next((columns for columns in LANGUAGES if {columns.identifier, columns.grade} <= {*header}), None)

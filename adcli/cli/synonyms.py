"""Synonyms: what people call a command, an option or a subject of the manual; one table for errors and for `help`."""

from __future__ import annotations

from collections.abc import Collection

# The command for a word; `adcli help WORD` and "did you mean" know these words, too.
COMMANDS = {
    "eval": "evaluate calculate calc compute run value table solve trace-table",
    "diff": "derivative derive differentiate d ddx gradient grad jacobian formula chain product quotient rule "
    "ableiten ableitung dériver dérivée derivar derivada",
    "eval --mode reverse": "backprop backpropagation reverse backward vjp",
    "eval --mode forward": "forward tangent tangents jvp",
    "eval --hessian": "hessian second curvature",
    "taylor": "series expansion maclaurin",
    "step": "steps interactive",
    "graph": "draw picture dag tree",
    "plot": "curve",
    "check": "mark correct verify homework answer",
    "grade": "marks class gradebook moodle students",
    "new": "exercise exercises worksheet problems quiz exam",
    "template": "form blank",
    "map": "csv parquet batch columns dataframe points",
    "propagate": "uncertainty uncertainties error errors sigma",
    "compile": "codegen export c sql excel javascript numpy code",
    "functions": "list function",
    "eval --format latex": "latex tex",
    "help": "man manual docs documentation tutorial example examples",
    "completion": "autocomplete complete",
    "prompt": "shell repl",
    "doctor": "install installed extras",
    "--version": "version",
}
# Words of the manual for words that it does not have.
SUBJECTS = {
    "jupyter": "notebook", "colab": "notebook", "ipython": "notebook", "precision": "digits", "matrix": "matrices",
    "percent": "%", "scheme": "marks", "pytorch": "torch", "radians": "degrees", "angle": "degrees",
    "subscript": "x_1", "dataframe": "columns", "credit": "marks", "regrade": "overrides", "neural": "sigmoid",
    "handwritten": "photo", "docx": "html", "word": "html",
}  # fmt: skip
# What to write for another option; the first that the command has counts.
OPTIONS = {
    "--count": "--number --num --amount --exercises -n",
    "--to numpy": "--python --py --torch --pandas",
    "--to": "--lang --language --target --into",
    "--monte-carlo": "--mc --samples --draws --sampling --runs",
    "--over": "--range --from --xlim --domain --interval --grid --points-at",
    "--at": "--val --values --with --given --subs --around --about "
    "--point --points --where --x0 --p --eval-at --vars --inputs --input-values --set -a -x",
    "--wrt": "--var --variable --variables --by --nach --par --respect --with-respect-to --respect-to --d --dx -v",
    "--mode": "-m --direction-mode --method --type --ad",
    "--mode forward": "--forward --forward-mode --fwd --jvp --tangent --tangents",
    "--mode reverse": "--reverse-mode "
    "--reverse --rev --backward --backprop --vjp --adjoint --adjoints --grad --gradient --jacobian",
    "--mode value": "--value --value-only --no-derivatives --no-grad",
    "--hessian": "--second --second-order --second-derivative --curvature",
    "--order": "--n --nth --terms --second --degree --derivative-order --times -o2 -n",
    "--places": "--decimals --decimal-places --dp --round --rounding -p",
    "--digits": "--sig --sigfigs --significant --significant-digits --prec -n",
    "--format": "--output-format --fmt --as --type --style",
    "--format latex": "--tikz --tex --pdf",
    "--output": "--out --outfile --output-file --save --save-as --to --dest --destination --export",
    "--file": "--input --infile --input-file --problems --from -i",
    "--no-trace": "--short --brief --summary --compact --no-table --result --result-only --only-result --no-steps",
    "--all": "--full --verbose --show-all -v",
    "--quiet": "--silent --no-notes --no-warnings --no-note-all -s",
    "--color never": "--no-color --no-colour --nocolor --plain-text",
    "--color": "--colour --colors",
    "--style paper": "--paper --paper-style",
    "--key hw.toml (a file of problems: adcli help keys)": "--problem",
    "--key": "--key-file --answer-key --answers --keyfile --solution --solutions",
    "--problem": "--task --question --exercise --expr --expression --function",
    "--student": "--id --student-id --name --who",
    "--standalone": "--complete --document --full-document --preamble",
    "--workers": "--threads --jobs --parallel --processes -j",
    "--seed": "--direction --vector --random-seed --rng",
    "--decimal": "--decimal-separator --comma --locale",
    "--letters": "--implicit --single-letters --split --split-letters",
    "--complex": "--imaginary --cplx",
    "--exact": "--rational --fraction --fractions --symbolic",
    "--width": "-w --cols --columns",
    "--ascii": "--no-unicode --plain-ascii",
    "adcli template": "--blank --form --empty",
    "adcli diff --order": "--order --nth --derivative-order",
    "adcli explain": "--steps --explain --words --step-by-step",
    "adcli compile --to": "--python --numpy --code --js --javascript --sql --excel --c --lang --language --target",
    "adcli functions WORD": "--search --find --filter",
    "--help-all": "--all-options --more --help-full --usage",
}  # fmt: skip

# Options that people expect for the file of points, which `map` and `propagate` take as an argument.
POINTS_FILE = ["--input", "--infile", "--input-file", "--points", "--data", "--dataset", "--source", "-i"]

# What to do where a number is out of the range of an option.
BEYOND = {"--digits": "for more digits: --precision 50"}


def _meanings_by_word(table: dict[str, str]) -> dict[str, list[str]]:
    """Return the meanings of each synonym, in the order of the table."""
    meanings: dict[str, list[str]] = {}
    for meaning, words in table.items():
        for word in words.split():
            meanings.setdefault(word, []).append(meaning)
    return meanings


def command_of(word: str) -> str | None:
    """Return the command that a word is another name of, perhaps with an option; None if it is not one."""
    return next(iter(_meanings_by_word(COMMANDS).get(word.casefold(), ())), None)


def option_of(name: str, known: Collection[str]) -> str | None:
    """Return the option, perhaps with its value, that `name` means among the options in `known`, or, if `adcli` is in
    `known`, the command (`adcli template`) that it means; None if none does."""
    meanings = _meanings_by_word(OPTIONS).get(name, ())
    return next((meaning for meaning in meanings if meaning.partition(" ")[0] in known), None)

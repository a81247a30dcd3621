"""`lanewise completion bash|zsh|fish`: a script that completes commands, options and their values, made of the parser.

What a value is follows from the word that help shows for it: chips, passes, examples, files; others are not known.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence

from ..pipeline.passes import PASSES
from ..support.named_tuples import NamedTuple
from ..targets import CHIPS, PRODUCTS
from .examples import examples
from .main import parser_and_commands

_FILES = ("FILE", "WHAT")
_FOLDERS = ("DIR",)


class Argument(NamedTuple):
    """An option or a positional of a command.

    Attributes:
        flags: How an option is written; none for a positional.
        help: What help says.
        takes: What stands behind it: `""` nothing, `"words"` one of `words`, `"file"`, `"folder"`, `"other"`.
        words: The values that it may have, as far as they are known.
    """

    flags: tuple[str, ...]
    help: str
    takes: str
    words: tuple[str, ...]


class Command(NamedTuple):
    """A command with its options and positionals."""

    name: str
    help: str
    options: tuple[Argument, ...]
    positionals: tuple[Argument, ...]


def execute(options: argparse.Namespace) -> int:
    print(SHELLS[options.shell](commands()), end="")
    return 0


def commands() -> list[Command]:
    """All commands, in the order of help."""
    words = _words()
    return [_command(name, parser, words) for name, parser in parser_and_commands()[1].choices.items()]


def _words() -> Mapping[str, tuple[str, ...]]:
    """By the word that help shows for a value."""
    return {
        "CHIP": (*CHIPS, *PRODUCTS),
        "PASS": tuple(PASSES),
        "EXAMPLE": tuple(example.name for example in examples()),
    }


def _command(name: str, parser: argparse.ArgumentParser, words: Mapping[str, tuple[str, ...]]) -> Command:
    help = (parser.description or "").partition(". ")[0].strip(". ")
    found = [_argument(action, words) for action in parser._actions]  # pyright: ignore[reportPrivateUsage]
    return Command(name, help, tuple(a for a in found if a.flags), tuple(a for a in found if not a.flags))


def _argument(action: argparse.Action, words: Mapping[str, tuple[str, ...]]) -> Argument:
    help = " ".join((action.help or "").replace("%%", "%").split())
    flags, shown = tuple(action.option_strings), str(action.metavar or "")
    if action.nargs == 0 or (flags and isinstance(action, argparse.BooleanOptionalAction)):
        return Argument(flags, help, "", ())
    known = tuple(map(str, action.choices)) if action.choices is not None else words.get(shown.partition("[")[0], ())
    takes = "file" if shown in _FILES else "folder" if shown in _FOLDERS else "words" if known else "other"
    return Argument(flags, help, takes, known)


# -- bash


def bash(found: Sequence[Command]) -> str:
    """For bash 4 and later: `source <(lanewise completion bash)`."""
    names = " ".join(command.name for command in found)
    return _BASH.format(
        names=names,
        values="".join(_bash_values(command) for command in found),
        options="".join(f"    {c.name}) options='{' '.join(_flags(c))}' ;;\n" for c in found),
        positionals="".join(_bash_positional(command) for command in found),
    )


def _flags(command: Command) -> list[str]:
    return [flag for option in command.options for flag in option.flags]


def _bash_values(command: Command) -> str:
    lines: list[str] = []
    for option in command.options:
        if option.takes:
            pattern = "|".join(f"{command.name}:{flag}" for flag in option.flags)
            lines.append(f"    {pattern}) {_bash_answer(option)}; return ;;\n")
    return "".join(lines)


def _bash_positional(command: Command) -> str:
    first = command.positionals[0] if command.positionals else None
    return f"    {command.name}) {_bash_answer(first) if first else ':'} ;;\n"


def _bash_answer(argument: Argument) -> str:
    kind = {"file": "_lanewise_paths -f", "folder": "_lanewise_paths -d", "other": ":"}
    return kind.get(argument.takes) or f"_lanewise_words '{' '.join(argument.words)}'"


_BASH = """\
# bash completion of lanewise, made by `lanewise completion bash`
_lanewise_words() {{ mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }}
_lanewise_paths() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}}
_lanewise() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command='' options='' place
  COMPREPLY=()
  for ((place = 1; place < COMP_CWORD; place++)); do
    if [[ ${{COMP_WORDS[place]}} != -* ]]; then command="${{COMP_WORDS[place]}}"; break; fi
  done
  if [[ -z $command ]]; then _lanewise_words '{names} --help --version'; return; fi
  case "$command:$before" in
{values}  esac
  case "$command" in
{options}  esac
  if [[ $current == -* ]]; then _lanewise_words "$options"; return; fi
  case "$command" in
{positionals}  esac
}}
complete -F _lanewise lanewise
"""


# -- zsh


def zsh(found: Sequence[Command]) -> str:
    """For zsh: the file `_lanewise` in a folder of `$fpath`, or `source <(lanewise completion zsh)`."""
    described = "\n".join(f"    {_quoted(f'{c.name}:{_plain(c.help)}')}" for c in found)
    cases = "\n".join(f"    {c.name}) _arguments {' '.join(_zsh_specs(c))} ;;" for c in found)
    return _ZSH.format(described=described, cases=cases)


def _zsh_specs(command: Command) -> list[str]:
    specs: list[str] = []
    for option in command.options:
        behind = f":{_zsh_action(option)}" if option.takes else ""
        specs += [_quoted(f"{flag}[{_plain(option.help)}]{behind}") for flag in option.flags]
    specs += [_quoted(f"{number}:{_zsh_action(p)}") for number, p in enumerate(command.positionals, 1)]
    return specs


def _zsh_action(argument: Argument) -> str:
    kind = {"file": "file:_files", "folder": "folder:_files -/", "other": "value: "}
    return kind.get(argument.takes) or f"value:({' '.join(argument.words)})"


def _plain(text: str) -> str:
    """Help without what the specifications of zsh give a meaning."""
    return re.sub(r"[\[\]:\\`$]", "", text)


_ZSH = """\
#compdef lanewise
# zsh completion of lanewise, made by `lanewise completion zsh`
_lanewise() {{
  local -a commands
  commands=(
{described}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command="${{words[2]}}"
  shift words
  (( CURRENT-- ))
  case "$command" in
{cases}
  esac
}}
if [[ "${{funcstack[1]}}" == _lanewise ]]; then _lanewise "$@"; else compdef _lanewise lanewise; fi
"""


# -- fish


def fish(found: Sequence[Command]) -> str:
    """For fish: `lanewise completion fish > ~/.config/fish/completions/lanewise.fish`."""
    lines = ["# fish completion of lanewise, made by `lanewise completion fish`", "complete -c lanewise -f"]
    for command in found:
        name = command.name
        lines.append(f"complete -c lanewise -n __fish_use_subcommand -a {name} -d {_quoted(command.help)}")
        here = f"complete -c lanewise -n '__fish_seen_subcommand_from {name}'"
        lines += [f"{here} {_fish_option(option)}" for option in command.options]
        if command.positionals:
            lines.append(f"{here} {_fish_value(command.positionals[0], '')}".rstrip())
    return "\n".join(lines) + "\n"


def _fish_option(option: Argument) -> str:
    flags = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
    value = f" {_fish_value(option)}" if option.takes else ""
    return f"{flags}{value} -d {_quoted(option.help)}"


def _fish_value(argument: Argument, alone: str = "-x ") -> str:
    """`alone`: says that a value is required, and that files are none."""
    kind = {
        "file": "-r -F" if alone else "-F",
        "folder": f"{alone}-a '(__fish_complete_directories)'",
        "other": alone.strip(),
    }
    return kind[argument.takes] if argument.takes in kind else f"{alone}-a '{' '.join(argument.words)}'"


def _quoted(text: str) -> str:
    """One word of a shell, in single quotes."""
    return "'" + text.replace("\\", "").replace("'", "'\\''") + "'"


SHELLS: Mapping[str, Callable[[Sequence[Command]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}

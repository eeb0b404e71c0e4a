"""Completion scripts for shells, made from the command table as plain data.

Verbs, options and choices are in the script, so that completing them starts no process; only
names of corpora and of what is in them are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["SHELLS", "completion_script"]

_Specs = Sequence[Mapping[str, Any]]
_Param = Mapping[str, Any]
_GLOBAL = ("shell", "tui", "--help", "--version", "--maintain", "-c", "-f")
_FRONTS = (("shell", "a prompt for one command after the other"), ("tui", "the app"))
_ASK = "irtui completion corpora 2>/dev/null"
_ASK_ITEMS = "irtui completion items 2>/dev/null"


def completion_script(shell: str, commands: _Specs) -> str:
    """Return the script for ``bash``, ``zsh`` or ``fish``."""
    return SHELLS[shell](commands)


def _options(spec: Mapping[str, Any]) -> list[_Param]:
    return [param for param in spec["params"] if param["flags"]]


def _positionals(spec: Mapping[str, Any]) -> list[_Param]:
    return [param for param in spec["params"] if not param["flags"]]


def _valued(spec: Mapping[str, Any]) -> list[_Param]:
    return [param for param in _options(spec) if param["type"] != "flag"]


def _names(spec: Mapping[str, Any]) -> list[str]:
    return [spec["name"], *spec["aliases"]]


def _takes_files(param: _Param) -> bool:
    return bool(param["type"] == "path" or _takes_items(param))


def _takes_items(param: _Param) -> bool:
    return param["name"] in ("which", "target", "targets")


# --- bash -----------------------------------------------------------------------------------------


def _bash(commands: _Specs) -> str:
    verbs = [name for spec in commands for name in _names(spec)]
    cases = "\n".join(_bash_case(spec) for spec in commands)
    return f"""# bash completion for irtui; in ~/.bashrc:  eval "$(irtui completion bash)"
_irtui_words() {{
    local IFS=$'\\n'
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}}

_irtui_corpora() {{
    local IFS=$'\\n' name
    COMPREPLY=()
    while read -r name; do
        [[ $name == "$1"* ]] && COMPREPLY+=("$(printf %q "$name")")
    done < <({_ASK})
}}

_irtui_files() {{
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$1"))
}}

_irtui_items() {{
    local name typed=${{1#[\\"\\']}}
    typed=${{typed//\\\\/}}
    _irtui_files "$1"
    while IFS= read -r name; do
        [[ $name == "$typed"* && ! -e $name ]] && COMPREPLY+=("$name")
    done < <({_ASK_ITEMS})
}}

_irtui() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev= verb= at=0 i flags= valued='' before=
    COMPREPLY=()
    (( COMP_CWORD > 0 )) && prev=${{COMP_WORDS[COMP_CWORD-1]}}
    # bash takes "=" for a word of its own: --mode=lex is three.
    if [[ $cur == "=" ]]; then
        cur=
    elif [[ $prev == "=" ]]; then
        prev=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    for (( i = 1; i < COMP_CWORD; i++ )); do
        if [[ ${{COMP_WORDS[i]}} != -* ]]; then
            verb=${{COMP_WORDS[i]}}
            break
        fi
    done
    if [[ -z $verb ]]; then
        _irtui_words "{_lines([*verbs, *_GLOBAL])}" "$cur"
        return
    fi
    case $verb in
{cases}
    esac
}}
complete -F _irtui irtui
"""


def _bash_case(spec: Mapping[str, Any]) -> str:
    flags = [flag for param in _options(spec) for flag in param["flags"]] + ["--help"]
    lines = [f"    {'|'.join(_names(spec))})"]
    lines += [f'        flags="{_lines(flags)}"', "        case $prev in"]
    for param in _valued(spec):
        lines.append(f"        {'|'.join(param['flags'])})")
        lines.append(f"            {_bash_value(param)}return ;;")
    lines += [
        "        esac",
        '        if [[ $cur == -* ]]; then _irtui_words "$flags" "$cur"; return; fi',
    ]
    positionals = _positionals(spec)
    if any(_bash_value(param) for param in positionals):
        valued = "|".join(flag for param in _valued(spec) for flag in param["flags"]) or "''"
        lines += [
            "        for (( i++; i < COMP_CWORD; i++ )); do",
            "            before=${COMP_WORDS[i-1]}",
            "            case $before in",
            f"            {valued}) continue ;;",
            "            esac",
            "            [[ ${COMP_WORDS[i]} != -* ]] && (( at++ ))",
            "        done",
            "        case $at in",
        ]
        for at, param in enumerate(positionals):
            if value := _bash_value(param):
                lines.append(f"        {'*' if param['many'] else at}) {value};;")
        lines.append("        esac")
    lines.append("        ;;")
    return "\n".join(lines)


def _bash_value(param: _Param) -> str:
    if param["choices"]:
        return f'_irtui_words "{_lines(param["choices"])}" "$cur"; '
    if param["type"] == "corpus":
        return '_irtui_corpora "$cur"; '
    if _takes_items(param):
        return '_irtui_items "$cur"; '
    return '_irtui_files "$cur"; ' if _takes_files(param) else ""


def _lines(words: Sequence[str]) -> str:
    return "\n".join(words)


# --- zsh ------------------------------------------------------------------------------------------


def _zsh(commands: _Specs) -> str:
    described = [*map(_described, commands), *(f"{name}:{about}" for name, about in _FRONTS)]
    verbs = "\n".join(f"        {_zsh_quoted(each)}" for each in described)
    cases = "\n".join(_zsh_case(spec) for spec in commands)
    return f"""#compdef irtui
# zsh completion for irtui; in ~/.zshrc:  eval "$(irtui completion zsh)"
_irtui_corpora() {{
    local -a names
    names=("${{(@f)$({_ASK})}}")
    compadd -- $names
}}

_irtui_items() {{
    local -a names
    names=("${{(@f)$({_ASK_ITEMS})}}")
    compadd -- $names
    _files
}}

_irtui() {{
    local curcontext=$curcontext state line
    typeset -A opt_args
    local -a verbs
    verbs=(
{verbs}
    )
    _arguments -C '(- *)'{{-h,--help}}'[show help]' '(- *)--version[show the version]' \\
        '1:command:->verb' '*::argument:->rest'
    case $state in
    verb) _describe command verbs ;;
    rest)
        case $line[1] in
{cases}
        esac ;;
    esac
}}
if [[ $funcstack[1] == _irtui ]]; then _irtui "$@"; else compdef _irtui irtui; fi
"""


def _described(spec: Mapping[str, Any]) -> str:
    return f"{spec['name']}:{spec['summary']}"


def _zsh_case(spec: Mapping[str, Any]) -> str:
    arguments = [_zsh_option(param) for param in _options(spec)]
    for at, param in enumerate(_positionals(spec), 1):
        place = "*" if param["many"] else str(at)
        arguments.append(_zsh_quoted(f"{place}:{_zsh_plain(param['metavar'])}:{_zsh_value(param)}"))
    body = " \\\n            ".join(arguments)
    return f"        {'|'.join(_names(spec))}) _arguments \\\n            {body} ;;"


def _zsh_option(param: _Param) -> str:
    about = _zsh_plain(param["help"])
    value = ""
    if param["type"] != "flag":
        value = f":{_zsh_plain(param['metavar'])}:{_zsh_value(param)}"
    several = "*" if param["many"] else f"({' '.join(param['flags'])})"
    tail = _zsh_quoted(f"[{about}]{value}")
    if len(param["flags"]) == 1:
        return f"{_zsh_quoted(several)}{param['flags'][0]}{tail}"
    return f"{_zsh_quoted(several)}{{{','.join(param['flags'])}}}{tail}"


def _zsh_value(param: _Param) -> str:
    if param["choices"]:
        return f"({' '.join(param['choices'])})"
    if param["type"] == "corpus":
        return "_irtui_corpora"
    if _takes_items(param):
        return "_irtui_items"
    return "_files" if _takes_files(param) else " "


def _zsh_plain(text: str) -> str:
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# --- fish -----------------------------------------------------------------------------------------


def _fish(commands: _Specs) -> str:
    lines = [
        "# fish completion for irtui; in ~/.config/fish/completions/irtui.fish",
        "complete -c irtui -f",
        "complete -c irtui -n __fish_use_subcommand -l help -d 'show help'",
        "complete -c irtui -n __fish_use_subcommand -l version -d 'show the version'",
        *(
            f"complete -c irtui -n __fish_use_subcommand -a {name} -d {_fish_quoted(about)}"
            for name, about in _FRONTS
        ),
    ]
    for spec in commands:
        name, seen = spec["name"], f"'__fish_seen_subcommand_from {' '.join(_names(spec))}'"
        about = _fish_quoted(spec["summary"])
        lines.append(f"complete -c irtui -n __fish_use_subcommand -a {name} -d {about}")
        for param in _options(spec):
            flags = " ".join(
                f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
                for flag in param["flags"]
            )
            about = _fish_quoted(param["help"])
            lines.append(f"complete -c irtui -n {seen} {flags}{_fish_value(param)} -d {about}")
        for param in _positionals(spec):
            if param["type"] == "corpus":
                lines.append(f"complete -c irtui -n {seen} -a '({_ASK})'")
            elif param["choices"]:
                words = _fish_quoted(" ".join(param["choices"]))
                lines.append(f"complete -c irtui -n {seen} -a {words}")
            elif _takes_files(param):
                asked = f" -a '({_ASK_ITEMS})'" if _takes_items(param) else ""
                lines.append(f"complete -c irtui -n {seen} -F{asked}")
    return "\n".join(lines) + "\n"


def _fish_value(param: _Param) -> str:
    if param["type"] == "flag":
        return ""
    if param["choices"]:
        return f" -x -a {_fish_quoted(' '.join(param['choices']))}"
    if param["type"] == "corpus":
        return f" -x -a '({_ASK})'"
    return " -r -F" if _takes_files(param) else " -x"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: Mapping[str, Callable[[_Specs], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""The shells there are scripts for."""

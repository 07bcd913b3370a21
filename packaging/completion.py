#!/usr/bin/env python3
"""completion.py bash|zsh PROGRAM: a completion script for commands, options and the words that options take, made of
what the program's --help says. What is a place in the fabric is asked of the running daemon."""

import pathlib
import sys

from command_help import read

FILES = ("FILE", "--config", "--fabric", "--script", "--record", "--replay", "--options", "--partitions",
         "--qos-policy", "--port-sets")
DIRECTORIES = ("--dump", "--opensm", "--state-dir", "DIRECTORY", "DIR")
PLACES = ("FROM", "TO", "PLACE", "PORT", "SWITCH", "A", "B", "NODE")


def kind(option):
    """What completes the value: words, "file", "directory", "place" (of a node's name), or "" for nothing."""
    if option.choices:
        return " ".join(option.choices)
    for kind_of, names in (("file", FILES), ("directory", DIRECTORIES), ("place", PLACES)):
        if any(name in names for name in option.names):
            return kind_of
    return ""


def options_of(command, top):
    """Those that may stand behind its words: weftctl's own options may stand behind any command."""
    if command is top or top.words[0] != "weftctl":
        return command.options
    known = {name for one in command.options for name in one.names}
    return command.options + [one for one in top.options if not known & set(one.names)]


def path(command):
    return " ".join(command.words[1:])


BASH = r"""# bash completion for @NAME@, made of its --help.
_@FN@_places() {
  local names
  names=$(timeout 2 weftctl nodes --json 2>/dev/null | grep -o '"name":"[^"]*"' | cut -d'"' -f4 | cut -d' ' -f1)
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$names" -- "$1"))
}

_@FN@() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command='' word i skip='' given=0
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [ -n "$skip" ]; then skip=''; continue; fi
    case "$word" in
      @VALUED@) skip=yes; continue ;;
      -*) continue ;;
    esac
    case " @PATHS@ " in
      *"|${command:+$command }$word|"*) command="${command:+$command }$word" ;;
      *) given=$((given + 1)) ;;
    esac
  done
  local options='' words='' positionals=() values=''
  case "$command" in
@CASES@
  esac
  case "$command:$previous" in
@VALUES@
  esac
  if [ -z "$values" ] && [[ $current != -* ]]; then values=${positionals[given]-}; fi
  case "$values" in
    file) COMPREPLY=($(compgen -f -- "$current")); compopt -o filenames 2>/dev/null; return ;;
    directory) COMPREPLY=($(compgen -d -- "$current")); compopt -o filenames 2>/dev/null; return ;;
    place) _@FN@_places "$current"; return ;;
    none) return ;;
    ?*) COMPREPLY=($(compgen -W "$values" -- "$current")); return ;;
  esac
  if [[ $current == -* || -z $words ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _@FN@ @NAME@
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def bash(top):
    cases, values, valued = [], [], set()
    for command in top.all():
        every = options_of(command, top)
        names = sorted({name for one in every for name in one.names})
        words = " ".join(one.words[-1] for one in command.commands)
        positionals = " ".join(quoted(kind(one) or "none") for one in command.positionals)
        cases.append(f"    {quoted(path(command))}) options={quoted(' '.join(names))} words={quoted(words)} "
                     f"positionals=({positionals}) ;;")
        for one in every:
            if not one.value:
                continue
            valued.update(one.names)
            spelled = "|".join(quoted(f"{path(command)}:{name}") for name in one.names)
            values.append(f"    {spelled}) values={quoted(kind(one) or 'none')} ;;")
    paths = "".join(f"|{path(one)}|" for one in top.all() if one is not top)
    name = top.words[0]
    text = BASH
    for mark, value in {"@CASES@": "\n".join(cases), "@VALUES@": "\n".join(values) or "    *) ;;", "@PATHS@": paths,
                        "@VALUED@": "|".join(sorted(valued)) or "--", "@FN@": name.replace("-", "_"),
                        "@NAME@": name}.items():
        text = text.replace(mark, value)
    return text


ACTIONS = {"file": "_files", "directory": "_directories", "place": "_@FN@_places", "": " "}


def zsh_text(text):
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("'", "'\\''").replace(":", "\\:")


def zsh_action(option):
    of = kind(option)
    return ACTIONS[of] if of in ACTIONS else f"({of})"


def zsh_options(command, top):
    lines = []
    for one in options_of(command, top):
        for name in one.names:
            value = f":{one.value.lower()}:{zsh_action(one)}" if one.value else ""
            lines.append(f"'{name}[{zsh_text(one.help)}]{value}'")
    return lines


def zsh_function(command):
    return "_" + "_".join(command.words).replace("-", "_").replace("+", "_")


def zsh_command(command, top):
    lines = [f"{zsh_function(command)}() {{"]
    arguments = zsh_options(command, top)
    if not command.commands:
        arguments += [f"':{zsh_text(one.names[0].lower())}:{zsh_action(one)}'" for one in command.positionals]
        return lines + ["  _arguments -s \\", *[f"    {one} \\" for one in arguments[:-1]], f"    {arguments[-1]}", "}"]
    entries = [f"    '{one.words[-1]}:{zsh_text(one.about)}'" for one in command.commands]
    cases = [f"      {one.words[-1]}) {zsh_function(one)} ;;" for one in command.commands]
    lines += ["  local context state line", "  local -a commands=(", *entries, "  )", "  _arguments -C -s \\",
              *[f"    {one} \\" for one in arguments], "    '1: :->command' '*:: :->rest'", "  case $state in",
              "    command) _describe -t commands command commands ;;", "    rest) case $words[1] in", *cases,
              "    esac ;;", "  esac", "}"]
    return lines


def zsh(top):
    name = top.words[0]
    lines = [f"#compdef {name}", f"# zsh completion for {name}, made of its --help.", "",
             "_@FN@_places() {", "  local -a names",
             f"  names=(${{(f)\"$(timeout 2 weftctl nodes --json 2>/dev/null | grep -o '\"name\":\"[^\"]*\"' | "
             "cut -d'\"' -f4 | cut -d' ' -f1)\"})", "  compadd -a names", "}", ""]
    for command in top.all():
        lines += zsh_command(command, top) + [""]
    lines += [f'if [ "$funcstack[1]" = "_{name}" ]; then', f'  {zsh_function(top)} "$@"', "else",
              f"  compdef {zsh_function(top)} {name}", "fi", ""]
    return "\n".join(lines).replace("@FN@", name.replace("-", "_"))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("bash", "zsh"):
        sys.exit(__doc__)
    command = read(sys.argv[2], pathlib.Path(sys.argv[2]).name)
    sys.stdout.write(bash(command) if sys.argv[1] == "bash" else zsh(command))

#!/usr/bin/env python3
"""manual.py PROGRAM TEMPLATE: the manual page of a program: the hand-written TEMPLATE, with what the program's --help
says in the place of the lines @SYNOPSIS@, @OPTIONS@ and @COMMANDS@, and @VERSION@ as --version tells it."""

import pathlib
import re
import subprocess
import sys

from command_help import read


def escaped(text):
    """A text as roff shows it: no line begins with a request, hyphens stay what they are."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def spelled(option):
    names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in option.names)
    if not option.value:
        return names
    value = "|".join(f"\\fB{escaped(one)}\\fR" for one in option.choices) or f"\\fI{escaped(option.value)}\\fR"
    return f"{names} {value}"


def described(option):
    text = option.help
    if option.default:
        text = f"{text.rstrip('.')} (default: {option.default})" if text else f"Default: {option.default}"
    return escaped(text + ("" if text.endswith(".") else "."))


def is_help(option):
    return "--help" in option.names or "--version" in option.names


def options(command):
    lines = []
    for option in command.options:
        lines += [".TP", spelled(option), described(option)]
    return "\n".join(lines)


def positional(option):
    return f"\\fI{escaped(option.names[0])}\\fR"


def commands(top):
    """Every full command with its arguments, its help, and its own options."""
    lines = []
    for command in top.leaves():
        if command is top:
            continue
        words = " ".join(f"\\fB{escaped(word)}\\fR" for word in command.words[1:])
        arguments = "".join(" " + positional(one) for one in command.positionals)
        lines += [".TP", words + arguments, escaped(command.about + ".")]
        own = [one for one in command.options if not is_help(one)]
        arguments = [one for one in command.positionals if one.help]
        if not own and not arguments:
            continue
        lines.append(".RS")
        for one in arguments:
            lines += [".TP", positional(one), described(one)]
        for one in own:
            lines += [".TP", spelled(one), described(one)]
        lines.append(".RE")
    return "\n".join(lines)


def synopsis(command):
    rest = " \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]" if command.commands else ""
    return f"\\fB{escaped(command.words[0])}\\fR [\\fIOPTIONS\\fR]{rest}"


def page(program, template):
    name = pathlib.Path(template).name.split(".")[0]
    command = read(program, name)
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()
    text = pathlib.Path(template).read_text()
    for mark, value in {"@VERSION@": said[-1], "@SYNOPSIS@": synopsis(command), "@OPTIONS@": options(command),
                        "@COMMANDS@": commands(command)}.items():
        text = text.replace(mark, value)
    return text


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.stdout.write(page(sys.argv[1], sys.argv[2]))

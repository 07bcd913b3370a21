"""What a program's --help says, as values: the one source of its manual page and its shell completion.

Reads the form in which CLI11 prints help: a sentence, a Usage line, groups of options, commands, a footer."""

import re
import subprocess
from dataclasses import dataclass, field


@dataclass
class Option:
    names: list[str]  # "-c", "--config"; of a positional argument its name
    value: str  # "TEXT"; empty for a flag
    choices: list[str]  # of the value, when they are few
    default: str
    help: str


@dataclass
class Command:
    words: list[str]  # how it is called: ["weftctl", "config", "show"]
    about: str
    positionals: list[Option] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    commands: list["Command"] = field(default_factory=list)
    footer: str = ""  # what comes after all groups

    def all(self):
        """This command and all below it, in the order of the help."""
        yield self
        for command in self.commands:
            yield from command.all()

    def leaves(self):
        return [one for one in self.all() if not one.commands]


GROUP = re.compile(r"^([A-Z][A-Za-z ]*):$")
# A name column that reaches into the help column has its help on the next line.
ENTRY = re.compile(r"^  (\S.*?)(?:\s{2,}(\S.*))?$")


def entries(lines):
    """(names, help) of each entry of one group."""
    found = []
    for line in lines:
        if not line.strip():
            continue
        if line.startswith("   "):
            names, text = found[-1]
            found[-1] = (names, (text + " " + line.strip()).strip())
            continue
        match = ENTRY.match(line)
        if not match:
            raise ValueError(f"no line of a help: {line!r}")
        found.append((match.group(1), match.group(2) or ""))
    return found


def option_from(spelled, text):
    """`-n,--limit UINT:INT in [1 - 10000]=5 Needs: --x` as an Option."""
    spelled = re.sub(r"\s+(Needs|Excludes): .*$", "", spelled)
    spelled = re.sub(r"\s+REQUIRED", "", spelled)
    names, _, value = spelled.partition(" ")
    value = value.strip()
    choices = []
    if match := re.search(r":\{([^}]*)\}", value):
        choices = [choice.strip() for choice in match.group(1).split(",")]
        value = value.replace(match.group(0), "")
    value = re.sub(r"\s*\(Env:[^)]*\)", "", value)
    value = re.sub(r":[A-Z][A-Za-z]* in \[.*?\]", "", value).replace(":POSITIVE", "")
    value = value.replace(" ...", "").replace("...", "")
    value, _, default = value.partition("=")
    return Option(names.split(","), value.strip(), choices, default.strip(), text)


def parse(words, text):
    """A command of what its --help printed; the commands below it have a name and a help only."""
    about, _, rest = text.partition("\nUsage:")
    command = Command(words, " ".join(about.split()))
    groups = {}
    current = None
    footer = []
    for line in rest.split("\n")[1:]:
        group = GROUP.match(line)
        if group and not footer:
            current = groups.setdefault(group.group(1), [])
        elif line.startswith("  ") and current is not None and not footer:
            current.append(line)
        elif line.strip() or footer:
            footer.append(line)
    command.footer = "\n".join(footer).strip()
    for name, lines in groups.items():
        if name == "Subcommands":
            command.commands = [Command(words + [names], text) for names, text in entries(lines)]
        elif name == "Positionals":
            command.positionals = [option_from(*entry) for entry in entries(lines)]
        else:
            command.options += [option_from(*entry) for entry in entries(lines)]
    return command


def ask(program, words):
    done = subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=20)
    if done.returncode != 0:
        raise RuntimeError(f"{program} {' '.join(words)} --help: {done.stderr or done.stdout}")
    return done.stdout


def read(program, name, words=()):
    """The whole command line of a program, asked level by level."""
    command = parse([name, *words], ask(program, list(words)))
    command.commands = [read(program, name, (*words, one.words[-1])) for one in command.commands]
    return command

#!/usr/bin/env python3
"""Makes the programs' manual pages (man1/*.1) from what they say of themselves: the help text of a PETSc program, the arguments of
a Python script, the comment at the head of another.

Usage: make-man1.py FOLDER PROGRAM...   A PROGRAM is a source in C or a script.
"""
import ast, os, re, sys


def help_of(source):
    """What it does, its synopsis, and pairs of an option or an action and what that is"""
    text = open(source, encoding="utf-8").read()
    if source.endswith(".c"):
        literal = re.search(r'static char help\[\] = (".*?");\n', text, re.S)[1]
        lines = ast.literal_eval(literal).split("\n")
        pairs = []
        for line in lines[1:]:
            m = re.match(r"\s*(-.*?)\s+: (.*)", line)
            if m:
                pairs.append(list(m.groups()))
            elif line.strip():
                pairs[-1][1] += " " + line.strip()
        return lines[0], ["[options of PETSc]"] + [f"[{o}]" for o, _ in pairs], pairs
    if text.startswith("#!/usr/bin/env python3\n"):
        calls = [c for c in ast.walk(ast.parse(text)) if isinstance(c, ast.Call) and getattr(c.func, "attr", "") == "add_argument"]
        pairs = [(", ".join(a.value for a in c.args), next(k.value.value for k in c.keywords if k.arg == "help")) for c in calls]
        return ast.get_docstring(ast.parse(text)).split("\n")[0], ["[options]", "file..."], pairs
    head = re.match(r"#!.*\n((?:#.*\n)+)", text)[1]
    lines = [l[2:].strip() for l in head.splitlines()]
    begin = next(i for i, l in enumerate(lines) if l.startswith("Usage: "))
    pairs = [re.split(r"\s{3,}", re.sub(r"^(Usage: )?\w+ ", "", l)) for l in lines[begin:]]
    return " ".join(lines[:begin]), ["action file..."], [(p[0], p[1] if len(p) > 1 else "") for p in pairs]


def esc(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", r"\e").replace("-", r"\-"))


folder = os.path.join(sys.argv[1], "man1")
os.makedirs(folder, exist_ok=True)
for source in sys.argv[2:]:
    name = os.path.splitext(os.path.basename(source))[0]
    what, synopsis, pairs = help_of(source)
    short, _, more = what.partition(": ") if len(what.split(". ")[0]) > 100 else what.partition(". ")
    short = short.rstrip(".")
    text = [f'.TH {name} 1 "" "petscautocsr" "MATAUTOCSR"', ".SH NAME", f"{name} \\- {esc(short[0].lower() + short[1:])}", ".SH SYNOPSIS", f".B {name}"]
    text += [esc(s) for s in synopsis] + [".SH DESCRIPTION", esc(what), ".SH OPTIONS"]
    for option, meaning in pairs:
        text += [".TP", f".B {esc(option)}", esc(meaning)] if meaning else [".TP", f".B {esc(option)}", "\\&"]
    text += [".SH SEE ALSO", ".BR MATAUTOCSR (3)", ""]
    with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as file:
        file.write("\n".join(text))

#!/usr/bin/env python3
"""Makes the tables of doc/performance.md, solves.md, choosers.md and costs.md from src/benchmarks/results, and that of doc/options.md from the code: what stands between <!-- table NAME --> and <!-- end -->
is written anew. `make tables` calls it. With --check nothing is written, and a table that is not as it would be written is an error."""
import csv, math, glob, os, re, subprocess, sys

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def read(name):
    with open(os.path.join(top, "src/benchmarks/results", name + ".csv"), newline="") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def markdown(header, rows, left=1):
    rule = ["---"] * left + ["---:"] * (len(header) - left)
    return "".join(f"| {' | '.join(r)} |\n" for r in [header, *rows]).replace("\n", "\n|" + "|".join(rule) + "|\n", 1)


def startup(device):
    cells = {(r["grid"], r["points"], r.get("cache", "warm"), r["phase"]): f'{float(r["plain"]):.1f} / {float(r["autocsr"]):.1f}' for r in read(f"{device}-startup")}
    problems = [p for p in dict.fromkeys(k[:3] for k in cells) if (*p, "first") in cells]
    phases = [("initialize", "PetscInitialize(), the library loaded in it"), ("vectors", "two vectors and a norm"), ("first", "first product"), ("more", "200 more, planning counted"), ("solve", "first solve, ten iterations")]
    rows = [[text] + [cells.get((*p, phase), "") for p in problems] for phase, text in phases]
    return markdown(["phase, ms"] + [f"{n} points, {g}" + ", cold" * (cache == "cold") for g, n, cache in problems], [r for r in rows if any(r[1:])])


def large(device):
    rows, plain = [], None
    ms = lambda x: f'{float(x["product_us"]) / 1000:.2f}' if x else "fails"
    left = lambda x: f'{float(x["left_MB"]) / 1000:.2f}' if x else "-"
    for r in read(f"{device}-large"):
        if r["type"] == "aijcusparse":
            plain = r
        elif r["type"] == "autocsr:auto":
            plain = plain or {}  # PETSc's product fails
            gb = lambda x, k: f'{float(x[k]) / 1000:.1f}' if x else "fails"
            rows.append([r["matrix"], f'{float(r["nonzeros"]):.3g}', f'{ms(plain)} / {ms(r)}', f'{gb(plain, "peak_MB")} / {gb(r, "peak_MB")}', gb(r, "later_MB"), f'{left(plain)} / {left(r)}', r["setup_s"], r["kernel"]])
    return markdown(["matrix", "nonzeros", "product, ms", "peak, GB", "kept later, GB", "left, GB", "set-up, s", "kernel"], rows)


def lives(device):
    return markdown(["program", f"{'MATAIJCUSPARSE' if device.startswith('gpu') else 'MATAIJ'}, host us a step", "autocsr, host us a step", "ratio"], [[r[k] for k in ("program", "plain", "autocsr", "ratio")] for r in read(f"{device}-lives")])


def solves(device_and_problem):
    """KSPSolve() with the solvers beside the matrix over PETSc's type; one row a grid and assembly"""
    device, problem = device_and_problem.split("/")
    rows = [r for r in read(f"{device}-solves") if r["problem"] == problem]
    by = {(r["grid"], r["assembly"], r["way"]): r for r in rows}
    grids = sorted({(int(r["grid"]), r["assembly"]) for r in rows}, key=lambda g: (g[1], g[0]))
    lines = []
    for n, assembly in grids:
        plain, own, fused = (by[str(n), assembly, way] for way in ("plain", "autocsr", "fused"))
        lines.append([f"{n}^3, {assembly}", plain["its"], f'{plain["us_it"]} / {own["us_it"]} / {fused["us_it"]}', f'{fused["x_first"]}x', f'{fused["x_later"]}x', f'{fused["x_renew"]}x'])
    return markdown(["grid, assembly", "iterations", "us an iteration: plain / autocsr / fused", "first solve", "later", "after new values"], lines)


def choosers(where):
    """All choosers on each split, and the papers' figures"""
    rows = [r for r in read(f"choosers-{where}") if r["table"] == "choosers"]
    share = lambda x: f"{100 * float(x):.0f} %"
    cell = lambda r: f'{share(r["exact"])}, {share(r["within"])}; {float(r["total"]):.3f}, {float(r["worst"]):.2f}'
    splits = list(dict.fromkeys(r["split"] for r in rows))
    by = {(r["chooser"], r["split"]): r for r in rows}
    count = {s: max(int(r["matrices"]) for r in rows if r["split"] == s) for s in splits}
    names = {"matrix": "5-fold by matrix", "family": "5-fold by family", "held": "in no fold"}
    papers = [("dufrechou2021, best of six strategies, two GPUs", "82 and 89 %; 1.03 and 1.01 (3005)"), ("hou2017, its two rules", "95 and 85 % (75/25 of 2000)")]  # Table 5 there; III-C there
    return markdown(["chooser"] + [f"{names[s]} ({count[s]})" for s in splits], [[c] + [cell(by[c, s]) for s in splits] for c in dict.fromkeys(r["chooser"] for r in rows)] + [[p, c] + [""] * (len(splits) - 1) for p, c in papers])


def always(where):
    """A strategy, always the same, and the trees: over the best strategy, in all and in each fifth by entries; after dufrechou2021, table of quintiles"""
    rows = read(f"choosers-{where}")
    fifths = sorted({r["table"] for r in rows if r["table"].startswith("fifth")})
    at = {f: next(r["split"] for r in rows if r["table"] == f) for f in fifths}
    by = {(r["table"], r["chooser"]): r for r in rows}
    cell = lambda r: f'{100 * float(r["exact"]):.0f} %, {float(r["total"]):.2f}'
    total = {r["chooser"].removeprefix("always "): r for r in rows if r["table"] == "strategies"}
    total["trees"] = by["features", "all"]
    return markdown(["always", "all"] + [at[f] for f in fifths], [[s, cell(r)] + [cell(by[f, s]) for f in fifths] for s, r in sorted(total.items(), key=lambda x: float(x[1]["total"]))])


def features(where):
    cost = {"all": "a pass over the row offsets", "these and bw_avg": "a pass over the ends of rows", "m, n, m/n, nnz, nnz_avg": "none"}
    return markdown(["features of the trees", "what they cost", "exact", "within 5 %", "total", "worst"], [[r["chooser"], cost.get(r["chooser"], "a pass over the row offsets"), f'{100 * float(r["exact"]):.0f} %', f'{100 * float(r["within"]):.0f} %', f'{float(r["total"]):.3f}', f'{float(r["worst"]):.2f}'] for r in read(f"choosers-{where}") if r["table"] == "features"], left=2)


def rules(where):
    paper = {"granularity": "5 %", "kernel of a bin": "15 %"}
    return markdown(["rules", "cases", "error rate", "past 5 % of time", "hou2017", "total"], [[r["chooser"], r["matrices"], f'{100 - 100 * float(r["exact"]):.0f} %', f'{100 - 100 * float(r["within"]):.0f} %', paper[r["chooser"]], f'{float(r["total"]):.3f}'] for r in read(f"choosers-{where}") if r["table"] == "rules"])


def energy(where):
    """What the choice by each objective loses of time and of joules"""
    if not os.path.exists(os.path.join(top, f"src/benchmarks/results/choosers-{where}-energy.csv")):
        return "No joules have been counted yet.\n"
    over = lambda r, k: f'{float(r[k]):.3f}, {float(r[k + "_worst"]):.2f}' if r[k] else ""
    return markdown(["choice", "objective", "matrices", "time over the least: mean, worst", "joules over the fewest: mean, worst"], [[r["choice"], r["objective"], r["matrices"], over(r, "time"), over(r, "joules")] for r in read(f"choosers-{where}-energy")], left=2)


def loss(device):
    rows = read(f"{device}-figures-loss")
    last = rows[-1]
    names = [k[: -len(" loses")] for k in last if k.endswith(" loses")]
    return markdown(["figures", f"time of the choice over the fastest variant, geometric mean of {len(rows) - 1} matrices"], [[n, f"{1 + float(last[n + ' loses']):.2f}x"] for n in names])

def options():
    """Of the comments that begin with an option in the code that reads it; values and defaults are those of the code"""
    room = os.path.join(top, "src/mat/impls/autocsr")
    text = lambda name: open(os.path.join(room, name), encoding="utf-8").read()
    code = text("choose/options.c")
    defaults = dict(re.findall(r"settings->(\w+) += (\w+);", text("choose/settings.c")))
    strategies = "".join(open(f, encoding="utf-8").read() for f in sorted(glob.glob(os.path.join(room, "strategy/*.c"))))
    names = dict(re.findall(r'AutoCSRStrategy AutoCSRStrategy_(\w+) *= \{"([\w-]+)"', strategies))
    all_strategies = re.findall(r"F\((\w+)\)", re.search(r"#define ALL_STRATEGIES\(F\)(.*)", text("strategy/table.c"))[1])
    tick = lambda values: ", ".join(f"`{v}`" for v in values)

    def values(call):
        """The default first"""
        field = re.search(r"&?s->(\w+)", call)[1]
        if "options_enum" in call:
            *choices, _, prefix = re.findall(r'"([^"]*)"', re.search(r"%s\[\] *= \{(.*?), NULL\}" % re.search(r"\bMatAutoCSR\w+s\b", call)[0], code)[1])
            first = defaults.get(field, prefix + choices[0]).replace(prefix, "").lower()
            return tick([first] + [c for c in choices if c != first])
        if "PetscOptionsBool" in call:
            return tick(["true", "false"] if defaults.get(field) == "PETSC_TRUE" else ["false", "true"])
        if "PetscOptionsInt" in call or "PetscOptionsReal" in call:
            return tick([defaults.get(field, "0")])
        return tick(["auto", *(names[s] for s in all_strategies)] if field == "strategy" else re.search(r'": "|: ([\w, -]+)"', call)[1].split(", "))

    rows, read = [], set()
    solvers = "../../../ksp/impls/autocsr"
    for name in ["choose/options.c", "machine/machine.c", "choose/wisdom.c", "choose/learned.c", "interface/register.c", "report/view.c", "cuda/generator/compiler.c", solvers + "/fused.c"]:
        for comment, call in re.findall(r"/\* (-\w*autocsr(?:_|:).*?) \*/\n([^\n]*)", text(name), re.S):
            option, given, what = re.fullmatch(r"(-\w+): (?:\[(.*?)\] )?(\S.*)", re.sub(r"\s+", " ", comment)).groups()
            known = values(call) if "s->" in call else ""
            setter = re.search(r'"(MatAutoCSRSet\w+)"', call)
            setter = setter[1] + "()" if setter else "MatAutoCSRView()" if option == "-autocsr_view" else ""
            shown = known + (given if given.startswith(",") else f" {given}") if known and given else known or given or "off"
            rows.append([f"`{option}`", shown, what, setter])
    for f in glob.glob(os.path.join(room, "**/*.c"), recursive=True) + glob.glob(os.path.join(room, solvers, "*.c")):
        read.update(re.findall(r'(?:PetscOptions\w+|options_enum)\([^"\n]*"(-(?:mat_autocsr_|autocsr_|ksp_autocsr)\w*)"', open(f, encoding="utf-8").read()))
    missing = read - {r[0].strip("`") for r in rows}
    if missing:
        sys.exit(f"tables: options without a comment that begins with them: {' '.join(sorted(missing))}")
    return markdown(["option", "values (default first)", "what it sets", "setter"], rows, left=4)


def search(suite):
    """What a search found against the library's choice: matrices that gained 2 % and more, and the mean of all"""
    us = {(r["matrix"], r["variant"]): float(r["us"]) for r in read(suite)}
    gain = {m: us[m, "autocsr"] / us[m, v] for m, v in us if v == "autocsr_patient" and (m, "autocsr") in us}
    mean = math.exp(sum(map(math.log, gain.values())) / len(gain))
    rows = [[m, f'{us[m, "autocsr"]:.2f}', f'{us[m, "autocsr_patient"]:.2f}', f"{g:.2f}x"] for m, g in sorted(gain.items(), key=lambda x: -x[1]) if g >= 1.02]
    return markdown(["matrix", "the choice, us", "found, us", "gain"], rows + [[f"all {len(gain)}, geometric mean", "", "", f"{mean:.2f}x"], ["the least", "", "", f"{min(gain.values()):.2f}x"]])


def dense():
    """MatMatMult() over PETSc's type: geometric means by the number of columns, and the least"""
    columns, rows = [4, 8, 32, 128, 512], []
    for name, suite in [("H200, suite and real ones", "gpu-nvidia-h200-dense"), ("H200, held-out families", "gpu-nvidia-h200-heldout-dense"), ("H200, single precision", "gpu-nvidia-h200-real32-dense"), ("Xeon, over MATAIJ, a tenth of the size", "cpu-intel-r-xeon-r-processor-avx512-dense")]:
        if not os.path.exists(os.path.join(top, "src/benchmarks/results", suite + ".csv")):
            continue
        ratio = {(r["matrix"].removesuffix(".bin"), int(r["cols"])): float(r["ratio"].rstrip("x")) for r in read(suite) if r["cols"].isdigit() and r["ratio"]}
        of = {k: [r for (_, c), r in ratio.items() if c == k] for k in columns}
        least = sorted(ratio, key=ratio.get)[:2]
        rows.append([name, str(len({m for m, _ in ratio}))] + [f"{math.exp(sum(map(math.log, of[k])) / len(of[k])):.2f}x" if of[k] else "" for k in columns] + [", ".join(f"{ratio[m, c]:.2f}x {m}, {c}" for m, c in least)])
    return markdown(["over MATAIJCUSPARSE", "matrices"] + [f"{k} columns" for k in columns] + ["least"], rows)


# Of the matrices of peers(), from their sizes and doc/lab/dense.md; {} are the microseconds in which memory hands over a row of B for each entry
IN_THE_WAY = {
    "powerlaw": "rows of B from memory ({} us), uneven rows",
    "uniform16": "rows of B from memory ({} us)",
    "circuit": "rows of B from memory ({} us)",
    "road": "the copy of B, short rows",
    "rail_79841": "the copy of B",
    "bcsstk28": "few rows, launches",
    "h_631G_988": "few rows, launches",
    "ca-AstroPh": "uneven rows, the copy of B",
    "cit-HepTh": "uneven rows, the copy of B",
    "soc-Slashdot0902": "uneven rows, the copy of B",
    "wave": "the copy of B, L2",
}
REUSE = ["bcsstk28", "h_631G_988", "fem3x3", "wave", "poisson3d27", "rail_79841"]  # matrices whose tiles have reuse


def peers(product):
    """`make dense` or `make sddmm` beside the fastest public kernels and the roof: A, B and C once from memory, or for each entry a row of B from L2, whichever takes longer"""
    machine = open(os.path.join(top, "src/mat/impls/autocsr/machine/shipped_device.c"), encoding="utf-8").read()
    _, l2, _, memory = (float(b) / 1e6 for b in re.search(r"\.bandwidth = \{(.*?)\}", machine)[1].split(","))  # bytes a microsecond
    own = {(r["matrix"].removesuffix(".bin"), int(r["cols"])): r for r in read(f"gpu-nvidia-h200-{product}") if r["cols"].isdigit()}
    public = {(r["matrix"], int(r["cols"])): r for r in read("peers-h200-dense") if r["product"] == product}
    aims, matrices = {32: 1.1, 128: 1.0}, list(dict.fromkeys(m for m, _ in public))
    us = {k: float(own[k]["autocsr"]) for k in public}
    ratio = {k: float(p["us"]) / us[k] for k, p in public.items()}
    mean = lambda of, k: math.exp(sum(math.log(ratio[m, k]) for m in of) / len(of))
    number = lambda x: f"{x:,.0f}" if x >= 100 else f"{x:.1f}"
    both = lambda cells: cells[0] if cells[0] == cells[1] else " / ".join(cells)
    rows = []
    for m in matrices:
        n, nnz = int(own[m, 32]["rows"]), int(own[m, 32]["nonzeros"])  # all are square
        row_of_b = {k: 8 * nnz * k for k in aims}
        roof = {k: max(((12 * nnz + 4 * n + 16 * n * k + 8 * nnz * (product == "sddmm")) / memory, "memory"), (row_of_b[k] / l2, "L2")) for k in aims}
        share = {k: 100 * roof[k][0] / us[m, k] for k in aims}
        way = IN_THE_WAY.get(m, "L2" if min(share.values()) < 100 else "loads in flight; rows share rows of B, so not L2").format(both([number(row_of_b[k] / memory) for k in aims]))
        rows.append([m, way, both([public[m, k]["kernel"] for k in aims]), both([number(float(public[m, k]["us"])) for k in aims]), both([number(us[m, k]) for k in aims]), both([f"{ratio[m, k]:.2f}x" for k in aims]),
                     both([number(roof[k][0]) for k in aims]) + " " + both([roof[k][1] for k in aims]), both([f"{share[k]:.0f} %" for k in aims])])
    said = lambda name, of, aim: [name, "aims: " + both([f"{a}x {'met' if mean(of, k) >= a else 'missed'}" for k, a in aim.items()]), "", "", "", both([f"{mean(of, k):.2f}x" for k in aim]), "", ""]
    rows.append(said(f"geometric mean of {len(matrices)}", matrices, aims))
    if product == "dense":
        rows.append(said(f"of {len(REUSE)} with reuse", REUSE, dict.fromkeys(aims, 1.3)))
    return markdown(["matrix; 32 / 128 columns", "in the way", "fastest public kernel", "its us", "autocsr, us", "ratio", "roof, us", "share of the roof"], rows, left=3)


def unseen(suite):
    """The library's choice against PETSc's types and cuSPARSE, on matrices drawn by lot: their names begin with a number"""
    us = {(r["matrix"], r["variant"]): float(r["us"]) for r in read(suite) if r["matrix"][0].isdigit()}
    variants = list(dict.fromkeys(v for _, v in us if v != "autocsr"))
    cusparse = [v for v in variants if v.startswith("cusparse")]
    rows = []
    for name, peers in [("MATAIJCUSPARSE", ["aijcusparse"]), ("MATSELLCUDA", ["sellcuda"]), ("cuSPARSE's best CSR algorithm", cusparse), ("the best of all these", variants)]:
        least = {m: min(us[m, p] for p in peers if (m, p) in us) for m, v in us if v == "autocsr" and any((m, p) in us for p in peers)}
        if not least:
            continue
        ratio = {m: t / us[m, "autocsr"] for m, t in least.items()}
        worst = sorted(ratio, key=ratio.get)
        mean = math.exp(sum(map(math.log, ratio.values())) / len(ratio))
        rows.append([name, str(len(ratio)), f"{mean:.2f}x", str(sum(r < 1 for r in ratio.values())), str(sum(r < 0.95 for r in ratio.values())), ", ".join(f"{ratio[m]:.2f}x {m}" for m in worst[:3])])
    return markdown(["over", "matrices", "geometric mean", "below 1.00x", "below 0.95x", "the three least"], rows)


def ablation(suite):
    """What searches found with all their parts and without one of them, over the library's choice"""
    parts = {"autocsr_patient": "all parts"} | {f"autocsr_patient_without_{p}": f"without {p}" for p in ("pruning", "surrogate", "generator")}
    us = {(r["matrix"], r["variant"]): float(r["us"]) for r in read(suite)}
    matrices = [m for m in dict.fromkeys(m for m, _ in us) if all((m, v) in us for v in ("autocsr", *parts))]
    gain = {v: [us[m, "autocsr"] / us[m, v] for m in matrices] for v in parts}
    mean = lambda x: f"{math.exp(sum(map(math.log, x)) / len(x)):.3f}x"
    rows = [[m, f'{us[m, "autocsr"]:.2f}'] + [f"{gain[v][i]:.2f}x" for v in parts] for i, m in enumerate(matrices)]
    return markdown(["matrix", "the choice, us", *parts.values()], rows + [[f"all {len(matrices)}, geometric mean", ""] + [mean(gain[v]) for v in parts]])


def drop(data):
    """What each strategy is worth, of those that are ever best"""
    made = subprocess.run([os.path.join(top, "config/drop-test.py"), os.path.join(top, f"src/benchmarks/results/{data}.csv.gz")], capture_output=True, text=True, check=True).stdout
    return "".join(line for line in made.splitlines(True) if "| 0 |" not in line).lstrip("\n")


MAKE = {"peers": peers, "drop": drop, "search": search, "unseen": unseen, "dense": dense, "ablation": ablation, "startup": startup, "large": large, "lives": lives, "solves": solves, "loss": loss, "choosers": choosers, "energy": energy, "always": always, "features": features, "rules": rules, "options": options}
old = []
for name in ["doc/performance.md", "doc/solves.md", "doc/choosers.md", "doc/costs.md", "doc/options.md"]:
    path = os.path.join(top, name)
    text = open(path, encoding="utf-8").read()
    made = re.sub(r"(<!-- table (\w+)(?: (\S+))? -->\n).*?(<!-- end -->)", lambda m: m[1] + MAKE[m[2]](*filter(None, [m[3]])) + m[4], text, flags=re.S)
    if made != text:
        old.append(name)
        if "--check" not in sys.argv:
            open(path, "w", encoding="utf-8").write(made)
    print(f"{name}: {'as it was' if made == text else 'is not current: make tables' if '--check' in sys.argv else 'written anew'}")
sys.exit(1 if old and "--check" in sys.argv else 0)

#!/usr/bin/env python3
"""Runs PETSc's own tests with the type autocsr in the place of aij and compares them with the same runs of plain aij.

PETSc's harness does the work: its parser writes one script a test, the script runs the program and petscdiff. Here the
scripts run twice, with config/test-petsc-hook.sh for mpiexec and petscdiff. doc/petsc-tests.md says how tests are counted.

With --device it is the tests that name aijcusparse, on a GPU, and autocsr takes the place of that. Where the GPU is in another
machine, --pack FILE compiles here and writes an archive with all that is needed; there, --petsc-src names its folder.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import csv
import fnmatch
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

PACKAGES = ("mat", "ksp", "snes", "dm", "ts")
DEVICE_PACKAGES = PACKAGES + ("tao",)
HERE = os.path.dirname(os.path.abspath(__file__))
HOOK, NAMES = os.path.join(HERE, "test-petsc-hook.sh"), os.path.join(HERE, "test-petsc-names.h")
# A test bears these if it still passes with plain aij forced through them
PLAIN = "-mat_type aij -dm_mat_type aij"
SUBCLASS = "-mat_seqaij_type seqaijautocsr"
REPLACED = "-mat_type autocsr -dm_mat_type aijautocsr"
# Plain aij with other orders of summation
SHAKEN = " -mat_no_inode -vec_mdot_use_gemv 0 -vec_maxpy_use_gemv 1"
# Two outputs agree if each pair of floating-point numbers agrees to one of these or to one unit of the last digit printed
RTOL, ATOL = 1e-5, 1e-9
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE][-+]?\d))(?:[eE][-+]?\d+)?")
# PETSc with CUDA runs these tests even where there is no GPU
NAMES_DEVICE = re.compile(r"^(?:args=| *petsc_testrun|\w+_in=).*(?:cuda|cusparse|hip|viennacl|kokkos)", re.M)


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--petsc-src", default=os.environ.get("PETSC_DIR"), help="PETSc's source tree, with its tests, and a build in it [$PETSC_DIR]")
    p.add_argument("--petsc-arch", default=os.environ.get("PETSC_ARCH", ""), help="the build [$PETSC_ARCH]")
    p.add_argument("--lib", required=True, help="libpetscautocsr.so")
    p.add_argument("--out", required=True, help="folder of the results")
    p.add_argument("--cache", help="folder of PETSc's test programs and of the plain runs [$AUTOCSR_CACHE/petsc-tests]")
    p.add_argument("--only", metavar="PATTERN", action="append", help="tests whose label matches, as mat_tests-ex5*")
    p.add_argument("--skip", metavar="PATTERN", action="append", default=[], help="but not these")
    p.add_argument("--sample", type=int, metavar="N", help="N tests drawn at random (the same ones each time)")
    p.add_argument("--rerun-failed", action="store_true", help="run the tests again that failed last time, keep the rest")
    p.add_argument("--resume", action="store_true", help="keep all results that are there")
    p.add_argument("--side", choices=("plain", "autocsr", "both"), default="both", help="which runs to make")
    p.add_argument("--options", default="", help="further options for the runs with autocsr")
    p.add_argument("--subclass", default="", metavar="NAME",
                   help="run another subclass of PETSc's own, as aijperm, for comparison")
    p.add_argument("--ksp", action="store_true", help="with the solvers beside the matrix (without: -ksp_autocsr_default false)")
    p.add_argument("--device", action="store_true", help="the tests that name aijcusparse, in its place")
    p.add_argument("--takeover", action="store_true", help="with --device: by -mat_autocsr_takeover, the names stay")
    p.add_argument("--pack", metavar="FILE", help="write an archive instead (.tar.xz), for a machine without a compiler")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--timeout", type=int, default=60, help="seconds of a run")
    p.add_argument("--from", dest="first", type=int, default=0, metavar="N", help="leave out the first N, which an earlier run with --limit, or one without, began with")
    p.add_argument("--count", type=int, metavar="N", help="no more than N tests, as for one of several GPUs")
    p.add_argument("--split", type=int, metavar="RUNS", help="tests of more runs than that in parts, a value of an option each, beside each other")
    p.add_argument("--limit", type=float, default=math.inf, metavar="SECONDS", help="begin no test after so long")
    return p.parse_args()


class Tree:
    """PETSc's tests of one tree and build: scripts and programs, in the cache."""

    moved = {}  # folders that scripts know by other names

    def __init__(self, src, arch, cache):
        self.src, self.arch = os.path.abspath(src), arch
        if not os.path.isfile(os.path.join(self.src, "config", "gmakegentest.py")):
            sys.exit(f"test-petsc: {self.src} has no config/gmakegentest.py: name a full PETSc source tree")
        if not os.path.isfile(os.path.join(self.src, arch, "include", "petscconf.h")):
            sys.exit(f"test-petsc: {self.src} has no build '{arch}': give PETSC_ARCH (make petsc-cuda builds one)")
        version = os.path.basename(self.src.rstrip("/"))
        self.cache = os.path.join(cache, f"{version}-{arch}")
        self.gen = os.path.join(self.cache, "programs")
        self.plain = os.path.join(self.cache, "plain")
        self.set_environment(self.variable("MPIEXEC") or "mpiexec")

    def set_environment(self, mpiexec):
        self.env = dict(os.environ, PETSC_DIR=self.src, PETSC_ARCH=self.arch, OPENBLAS_NUM_THREADS="1")
        self.env.update(OMPI_MCA_ess_singleton_isolated="1")
        self.env.setdefault("TEST_MPIEXEC", mpiexec)

    def variable(self, name):
        with open(os.path.join(self.src, self.arch, "lib", "petsc", "conf", "petscvariables")) as f:
            for line in f:
                if line.startswith(name + " ="):
                    return line.split("=", 1)[1].strip()
        return ""

    def generate(self):
        if not os.path.isfile(os.path.join(self.gen, "testfiles")):
            os.makedirs(self.gen, exist_ok=True)
            subprocess.run([sys.executable, "config/gmakegentest.py", f"--petsc-dir={self.src}",
                            f"--petsc-arch={self.arch}", f"--testdir={self.gen}"],
                           cwd=self.src, env=self.env, check=True)

    def build(self, tests, jobs):
        """Compiles the programs of these tests, without optimization: it is the library that is tested."""
        todo = sorted({t.program for t in tests if not os.path.isfile(t.program)})
        if not todo:
            return
        print(f"test-petsc: compiling {len(todo)} programs", flush=True)
        with open(os.path.join(self.cache, "build.log"), "w") as log:
            subprocess.run(["make", "-k", f"-j{jobs}", "-f", "gmakefile.test", f"TESTDIR={self.gen}", "V=1",
                            f"CC_FLAGS=-fPIC -O0 -w -include {NAMES}", "PETSC_TEST_LIB=-Wl,--as-needed $(PETSC_LIB)", *todo],
                           cwd=self.src, env=self.env, stdout=log, stderr=subprocess.STDOUT)

    def tests(self, device):
        found = []
        for package in DEVICE_PACKAGES if device else PACKAGES:
            for folder, _, files in os.walk(os.path.join(self.gen, package)):
                for name in sorted(files):
                    if name.startswith("run") and name.endswith(".sh"):
                        found.append(Test(self, os.path.join(folder, name), device))
        return sorted([t for t in found if t.wanted], key=lambda t: t.label)


class PackedTree(Tree):
    """The same out of an archive of pack()."""

    def __init__(self, folder):
        self.src, self.gen, self.cache = (os.path.join(os.path.abspath(folder), n) for n in ("src", "programs", "cache"))
        self.plain = os.path.join(self.cache, "plain")
        with open(os.path.join(folder, "packed.json")) as f:
            packed = json.load(f)
        self.arch, self.moved = packed["arch"], {packed["gen"]: self.gen, packed["src"]: self.src}
        self.set_environment("mpiexec")

    def generate(self):
        pass

    def build(self, tests, jobs):
        pass


def pack(tree, tests, lib, archive):
    """Scripts, programs, expected outputs and inputs of these tests, what the scripts call, the library and PETSc's."""
    with tempfile.TemporaryDirectory() as folder:
        def add(source, target, strip=False):
            target = os.path.join(folder, target)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.isdir(source):
                shutil.copytree(source, target, dirs_exist_ok=True)
            elif strip:
                subprocess.run(["strip", "-o", target, source], check=True)
            else:
                shutil.copyfile(source, target)

        def from_src(name):
            add(os.path.join(tree.src, name), os.path.join("src", name))

        for test in tests:
            add(test.script, os.path.join("programs", os.path.relpath(test.script, tree.gen)))
            add(test.program, os.path.join("programs", os.path.relpath(test.program, tree.gen)), strip=True)
            for name in test.field("runfiles").split():
                source = os.path.join(os.path.dirname(test.script), name)
                add(source, os.path.join("programs", os.path.relpath(source, tree.gen)))
            for name in re.findall("(?:" + re.escape(tree.src) + r"|\$\{wPETSC_DIR\})/(src/[^ '\"]*|share/[^ '\"]*)", test.text):
                if os.path.exists(os.path.join(tree.src, name)):
                    from_src(name)
        from_src("config/petsc_harness.sh")
        from_src("lib/petsc/bin/petscdiff")
        add(lib, "libpetscautocsr.so", strip=True)
        for name in (os.path.abspath(__file__), HOOK):
            add(name, os.path.join("config", os.path.basename(name)))
        for name in ("lib/petsc/bin/petscdiff", *("programs/" + os.path.relpath(t.program, tree.gen) for t in tests)):
            os.chmod(os.path.join(folder, name if name[0] == "p" else "src/" + name), 0o755)
        os.chmod(os.path.join(folder, "config", os.path.basename(HOOK)), 0o755)
        with open(os.path.join(folder, "packed.json"), "w") as f:
            json.dump({"arch": tree.arch, "gen": tree.gen, "src": tree.src}, f)
        with tarfile.open(archive, "w:xz") as tar:
            tar.add(folder, arcname=".")
    print(f"test-petsc: {len(tests)} tests in {archive}, {os.path.getsize(archive) / 1e6:.1f} MB")


class Slots:
    """As many places as jobs; a test takes one for each of its processes, but no more than half of them."""

    def __init__(self, slots):
        self.slots, self.free, self.change = slots, slots, threading.Condition()

    @contextlib.contextmanager
    def take(self, wanted):
        wanted = min(wanted, max(self.slots // 2, 1))
        with self.change:
            self.change.wait_for(lambda: self.free >= wanted)
            self.free -= wanted
        try:
            yield
        finally:
            with self.change:
                self.free += wanted
                self.change.notify_all()


class Test:
    """One of PETSc's tests, which may run its program several times."""

    def __init__(self, tree, script, device, part=None):
        self.tree, self.script, self.part = tree, script, part or {}
        with open(script) as f:
            self.text = f.read()
        for old, new in tree.moved.items():
            self.text = self.text.replace(old, new)
        self.label = "+".join([self.field("label"), *(f"{name}-{value}" for name, value in self.part.items())])
        # Loops over options; of these a part has one value only
        self.loops = {name: values.split() for name, values in re.findall(r"^\w+_in=\$\{(\w+):-(.*)\}$", self.text, re.M) if name not in self.part}
        self.runs = math.prod(map(len, self.loops.values()))
        self.processes = max([int(n) for n in re.findall(r"\d+", self.part.get("nsize") or "".join(re.findall(r"^nsize_in=(.*)$", self.text, re.M)))] or [1])
        self.folder = os.path.relpath(os.path.dirname(script), tree.gen)
        self.program = os.path.normpath(os.path.join(os.path.dirname(script), "x", self.field("executable")))
        found = re.search(r'"(?:SKIP|TODO) (?!Command failed)([^"]*)"', self.text)
        self.skipped = found.group(1) if found else ""
        names = NAMES_DEVICE.findall(self.text.replace(tree.gen, "").replace(tree.src, ""))
        self.wanted = not device or bool(re.search(r"^(?:args=| *petsc_testrun|\w+_in=).*aijcusparse", self.text, re.M))
        if names and not device:
            self.skipped = self.skipped or "names a device type"

    def parts(self, runs, device):
        """The test in parts of at most so many runs, which do not wait for each other"""
        if self.runs <= runs:
            return [self]
        name, values = max(self.loops.items(), key=lambda loop: len(loop[1]))
        return [p for v in values for p in Test(self.tree, self.script, device, {**self.part, name: v}).parts(runs, device)]

    def field(self, name):
        found = re.search(rf"^{name}='(.*)'$", self.text, re.M)
        return found.group(1) if found else ""

    def run(self, root, options, words, timeout, ksp=False):
        """Runs the script in a folder of its own; returns and keeps what came of it."""
        folder = os.path.join(root, self.label)
        shutil.rmtree(folder, ignore_errors=True)
        work = os.path.join(folder, "work")
        os.makedirs(work)
        for name in self.field("runfiles").split():
            source, target = os.path.join(os.path.dirname(self.script), name), os.path.join(work, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            (shutil.copytree if os.path.isdir(source) else shutil.copyfile)(source, target)
        os.symlink(self.program, os.path.join(work, os.path.basename(self.program)))
        script = os.path.join(work, os.path.basename(self.script))
        with open(script, "w") as f:
            f.write(self.text.replace(self.tree.gen, work))
        env = dict(self.tree.env, **self.part, TEST_DIR=folder, TEST_OPTIONS=options, TEST_WORDS=words, TEST_KSP="1" if ksp else "",
                   TEST_PETSCDIFF=os.path.join(self.tree.src, "lib/petsc/bin/petscdiff"),
                   PETSCMPIEXEC=f"{HOOK} mpiexec", PETSCDIFF=f"{HOOK} petscdiff")
        start = time.time()
        done = subprocess.run(["bash", script, "-t", str(timeout)], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", text=True)
        tap = done.stdout
        with open(os.path.join(folder, "tap"), "w") as f:
            f.write(tap)
        made = collections.Counter()
        for name in os.listdir(folder):
            if name.startswith("run-"):
                with open(os.path.join(folder, name)) as f:
                    for line in f.read().split("\n")[-5:-1]:
                        kind, count = line.split()
                        made[kind] += int(count)
        result = {
            "passed": re.search(r"^ ok ", tap, re.M) is not None and not re.search(r"^not ok", tap, re.M),
            "timeout": "Exceeded timeout" in tap, "made": made, "seconds": round(time.time() - start, 2)}
        shutil.rmtree(work, ignore_errors=True)
        with open(os.path.join(folder, "result.json"), "w") as f:
            json.dump(result, f)
        return result

    def kept(self, root):
        try:
            with open(os.path.join(root, self.label, "result.json")) as f:
                return json.load(f)
        except (OSError, ValueError):
            return None

    def run_plain(self, device, timeout):
        """The run to compare with: with plain aij forced through the options if the test bears that; on a device, as it is."""
        kept = self.kept(self.tree.plain)
        if kept:
            return kept
        result = self.run(self.tree.plain, device or PLAIN, "", timeout)
        result["bears"] = result["passed"] and not device
        if not result["passed"] and not device:
            result = self.run(self.tree.plain, "", "", timeout)
            result["bears"] = False
        with open(os.path.join(self.tree.plain, self.label, "result.json"), "w") as f:
            json.dump(result, f)
        return result


def outputs(folder):
    found = {}
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if name.startswith("output-"):
            with open(os.path.join(folder, name), errors="replace") as f:
                found[int(name[7:])] = f.read()
    return found


def unit(text):
    """One unit of the last digit printed."""
    mantissa, _, exponent = text.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def disagreement(a, b):
    """The first pair of lines whose numbers do not agree, or None."""
    for x, y in zip(a.split("\n"), b.split("\n")):
        if x == y:
            continue
        p, q = NUMBER.findall(x), NUMBER.findall(y)
        if len(p) != len(q):
            return x, y
        for s, t in zip(p, q):
            u, v = float(s), float(t)
            if u != v and not abs(u - v) <= max(RTOL * max(abs(u), abs(v)), ATOL, 1.01 * max(unit(s), unit(t))):
                return x, y
    return None


def numbers(folder, other):
    """The first disagreement between the outputs of two runs of one test."""
    a, b = outputs(folder), outputs(other)
    for run in sorted(a):
        if run in b:
            found = disagreement(a[run], b[run])
            if found:
                return run, *found
    return None


def reason(folder):
    """The line of the harness's report that says most: PETSc's error message, or the first line that is too much."""
    with open(os.path.join(folder, "tap"), errors="replace") as f:
        tap = f.read()
    found = re.search(r"Error Message -+\n.*\n#\t\[\d+\]PETSC ERROR: (.*)", tap) or re.search(r"^#\t> *(.*)", tap, re.M)
    return found.group(1) if found else "see the tap file"


def judge(test, plain, args, root):
    """One test on the side of autocsr: its result ('passed', 'failed', 'numbers' or 'skipped') and what to say of it."""
    if test.skipped:
        return "skipped", test.skipped
    if plain is None:
        return "skipped", "no program"
    if not plain["passed"]:
        return "skipped", "fails with plain " + ("aijcusparse" if args.device else "aij") + (" (timeout)" if plain["timeout"] else "")
    if not plain["made"].get("aij"):
        return "skipped", "makes no AIJ matrix"
    result = test.kept(root) if args.resume or args.rerun_failed else None
    if result and args.rerun_failed and not result["passed"]:
        result = None
    if result is None:
        if args.subclass:
            options = f"-mat_seqaij_type seq{args.subclass}"
            options += f" -mat_type {args.subclass} -dm_mat_type {args.subclass}" if plain["bears"] else ""
        else:
            options = f"-dll_append {args.lib} " + (args.device or SUBCLASS + " ") + (REPLACED if plain["bears"] else "")
        if not args.subclass:
            options += f" -ksp_autocsr_default {str(args.ksp).lower()}"
        if args.takeover:
            options += " -mat_autocsr_takeover"
        words = "" if args.subclass or args.takeover else "aijcusparse" if args.device else "aij"
        result = test.run(root, f"{options} {args.options}", words, args.timeout, args.ksp)
    if not result["made"].get("subclass") and not args.takeover:
        return ("skipped", "makes no matrix of the type") if result["passed"] else ("failed", "fails before a matrix of the type is made")
    if args.ksp and result["passed"] and not result["made"].get("fused"):
        return "skipped", "no solve ran beside the matrix"
    if not result["passed"]:
        return "failed", "timeout" if result["timeout"] else reason(os.path.join(root, test.label))
    found = numbers(os.path.join(test.tree.plain, test.label), os.path.join(root, test.label))
    if found:
        # As sensitive to the order of the sums with plain aij?
        shaken = os.path.join(test.tree.cache, "shaken")
        if not test.kept(shaken):
            test.run(shaken, (PLAIN if plain["bears"] else args.device) + SHAKEN, "", args.timeout)
        if numbers(os.path.join(test.tree.plain, test.label), os.path.join(shaken, test.label)):
            return "passed", "numbers move with the order of summation, with plain aij too"
        return "numbers", "run {}: {} | {}".format(*found)
    return "passed", ""


def main():
    args = parse()
    base = os.environ.get("AUTOCSR_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "petscautocsr")
    if os.path.exists(os.path.join(args.petsc_src, "packed.json")):
        tree = PackedTree(args.petsc_src)
    else:
        tree = Tree(args.petsc_src, args.petsc_arch, args.cache or os.path.join(base, "petsc-tests"))
    args.lib = os.path.abspath(args.lib)
    args.device = "-use_gpu_aware_mpi 0" if args.device else ""
    tree.generate()
    tests = tree.tests(args.device)
    if args.only:
        tests = [t for t in tests if any(fnmatch.fnmatch(t.label, p) for p in args.only)]
    tests = [t for t in tests if not any(fnmatch.fnmatch(t.label, p) for p in args.skip)]
    if args.sample:
        tests = [t for t in tests if not t.skipped]
        tests = sorted(random.Random(1).sample(tests, min(args.sample, len(tests))), key=lambda t: t.label)
    random.Random(1).shuffle(tests)
    tests.sort(key=lambda t: t.runs if args.limit < math.inf else -t.runs)  # as many as there is time for, or the long ones not at the end
    tests = tests[args.first :][: args.count]
    if args.split:
        tests = [p for t in tests for p in ([t] if t.skipped or args.pack else t.parts(args.split, args.device))]
    runnable = [t for t in tests if not t.skipped]
    tree.build(runnable, args.jobs)
    if args.pack:
        pack(tree, [t for t in runnable if os.path.isfile(t.program)], args.lib, args.pack)
        return
    root = os.path.join(os.path.abspath(args.out), args.subclass or ("takeover" if args.takeover else "ksp" if args.ksp else "autocsr"))
    os.makedirs(root, exist_ok=True)

    slots, end = Slots(args.jobs), time.time() + args.limit

    def one(test):
        if test.skipped or not os.path.isfile(test.program):
            return judge(test, None, args, root)
        with slots.take(test.processes):
            if time.time() > end:
                return "skipped", "no time left"
            plain = test.run_plain(args.device, args.timeout)
            return judge(test, plain, args, root) if args.side != "plain" else ("plain", "passed" if plain["passed"] else "failed")

    rows, done = [], 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for test, (result, why) in zip(tests, pool.map(one, tests)):
            done += 1
            rows.append({"test": test.label, "folder": test.folder, "result": result, "why": why})
            if result in ("failed", "numbers") or done % 100 == 0:
                print(f"[{done}/{len(tests)}] {result:8} {test.label} {why[:150]}", flush=True)
    if args.side != "plain":
        report(rows, root)
        sys.exit(any(r["result"] in ("failed", "numbers") for r in rows))


def report(rows, root):
    table = collections.defaultdict(collections.Counter)
    for r in rows:
        for folder in (r["folder"], "all"):
            table[folder][r["result"]] += 1
    print(f"\n{'folder':44} passed failed numbers skipped")
    for folder in sorted(table, key=lambda k: (k == "all", k)):
        c = table[folder]
        if folder == "all" or c["passed"] + c["failed"] + c["numbers"]:
            print(f"{folder:44} {c['passed']:6} {c['failed']:6} {c['numbers']:7} {c['skipped']:7}")
    print("\nskipped:")
    for why, n in collections.Counter(re.sub(r"^[A-Z_0-9]+ requirement.*", "needs a package", r["why"]) for r in rows if r["result"] == "skipped").most_common(12):
        print(f"  {n:5} {why}")
    rows.sort(key=lambda r: r["test"])
    with open(os.path.join(root, "summary.csv"), "w", newline="") as f:
        w = csv.DictWriter(f, ["test", "folder", "result", "why"])
        w.writeheader()
        w.writerows(rows)
    print(f"\nThe tests one by one: {root}/summary.csv; outputs and differences: {root}/<test>/")


if __name__ == "__main__":
    main()

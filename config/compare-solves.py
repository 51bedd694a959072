#!/usr/bin/env python3
"""Solves of PETSc's tutorials on a GPU with aijcusparse and with autocsr: iterations, copies over the bus, times.

ex45 is a 7-point Laplacian on a DMDA, ex10 takes a matrix from a file. For each solve a line of aijcusparse / autocsr: copies
to and from the GPU in KSPSolve and in PCSetUp, times of KSPSolve (of a product too, in a run of its own, as
-log_view_gpu_time waits after each event), and what profiling and planning took in that. Of several runs the fastest counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile

PAIR = {"aijcusparse": ("aijcusparse", "aijcusparse"), "autocsr": ("autocsr", "aijautocsr")}
CG = "-ksp_type cg -ksp_rtol 1e-8 -ksp_converged_reason"
GALERKIN = "-pc_type mg -pc_mg_levels 4 -pc_mg_galerkin pmat -mg_levels_pc_type jacobi"
PCS = {"jacobi": "-pc_type jacobi", "ilu": "-pc_type ilu", "bjacobi": "-pc_type bjacobi", "gamg": "-pc_type gamg", "mg": GALERKIN}
PLANNING = ("AutoCSRProfile", "AutoCSRPlan", "AutoCSRRefresh")


def events(log):
    """name -> (seconds or None, calls, copies to, copies from, percent of flops on the GPU), summed over the stages"""
    found = {}
    for line in log.split("\n"):
        words = line.split()
        if len(words) < 20 or not words[1].isdigit():
            continue
        try:
            numbers = [int(words[1]), *(float(words[k]) for k in (-5, -3, -1))]
        except ValueError:
            continue
        seconds = None if words[3] == "n/a" else float(words[3])
        before = found.get(words[0], (0, 0, 0, 0, 0))
        found[words[0]] = (None if None in (seconds, before[0]) else seconds + before[0], *(a + b for a, b in zip(before[1:], numbers)))
    return found


class Runner:
    def __init__(self, args):
        self.args = args
        self.env = dict(os.environ, OPENBLAS_NUM_THREADS="1")

    def run(self, program, ranks, kind, options):
        mat, dm = PAIR[kind]
        library = f"-dll_append {self.args.lib}" if kind == "autocsr" else ""
        if program == "ex45":
            options += f" -dm_mat_type {dm} -dm_vec_type cuda"
        else:
            options += f" -mat_type {mat} -vec_type cuda"
        with tempfile.NamedTemporaryFile("r") as log:
            command = f"{self.args.mpiexec} -n {ranks} {self.args.programs}/{program} {options} {library} {self.args.options} -log_view :{log.name}"
            done = subprocess.run(command.split(), env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{command}\n{done.stdout[-1500:]}{done.stderr[-500:]}")
            words = done.stdout.split()
            # of -ksp_converged_reason: "... iterations N"
            iterations = next((words[k + 1] for k in range(len(words) - 1) if words[k] == "iterations"), "?")
            return iterations, events(log.read())

    def best(self, program, ranks, kind, options):
        runs = [self.run(program, ranks, kind, options) for _ in range(self.args.repeat)]
        return min(runs, key=lambda r: r[1]["KSPSolve"][0])

    def line(self, name, program, ranks, options):
        cells = {}
        for kind in PAIR:
            iterations, e = self.best(program, ranks, kind, options)
            timed = self.run(program, ranks, kind, options + " -log_view_gpu_time")[1]
            solve, mult = e["KSPSolve"], timed["MatMult"]
            setup = e["PCSetUp"][2:4]
            planned = sum(timed[name][0] for name in PLANNING if name in timed)
            cells[kind] = [iterations, f"{solve[2]:.0f}+{solve[3]:.0f}", f"{setup[0]:.0f}+{setup[1]:.0f}", f"{1e3 * solve[0]:.1f}",
                           f"{1e3 * planned:.1f}", f"{1e6 * mult[0] / mult[1]:.1f}", f"{mult[4]:.0f}"]
        pairs = [" / ".join(p) for p in zip(cells["aijcusparse"], cells["autocsr"])]
        print(f"{name:24} {ranks:2} {pairs[0]:11} {pairs[1]:19} {pairs[2]:19} {pairs[3]:17} {cells['autocsr'][4]:>8}  {pairs[5]:15} {pairs[6]}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--programs", required=True, help="folder of PETSc's ksp tutorials ex45 and ex10")
    p.add_argument("--lib", required=True, help="libpetscautocsr.so")
    p.add_argument("--mpiexec", default="mpiexec")
    p.add_argument("--options", default="-use_gpu_aware_mpi 0")
    p.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    p.add_argument("--grid", type=int, default=65, help="points of ex45's grid in each direction, for the copies; 0: none of these")
    p.add_argument("--large", type=int, default=160, help="the same for the times")
    p.add_argument("--weak", type=int, nargs="+", default=[], metavar="N", help="instead: on N ranks, a GPU each, N of the larger grids side by side")
    p.add_argument("--matrix", action="append", default=[], help="for ex10, in PETSc's binary form")
    p.add_argument("--repeat", type=int, default=2)
    args = p.parse_args()
    runner, failed = Runner(args), 0
    print(f"{'solve':24}  n {'iterations':11} {'copies, solve':19} {'copies, PCSetUp':19} {'KSPSolve, ms':17} {'plan, ms':>8}  {'product, us':15} % on GPU")

    def laplacian(pc, ranks, x, z):
        return f"ex45 {x}^2 x {z} {pc}", "ex45", ranks, f"{CG} {PCS[pc]} -da_grid_x {x} -da_grid_y {x} -da_grid_z {z}"

    lines = [laplacian(pc, n, args.grid, args.grid) for pc in PCS for n in args.ranks if args.grid and (pc != "ilu" or n == 1)]
    lines += [laplacian(pc, 1, args.large, args.large) for pc in ("jacobi", "gamg")]
    lines += [(f"ex10 {os.path.basename(m)[:18]}", "ex10", 1, f"-f {m} -ksp_type cg -pc_type jacobi -ksp_max_it 2000 -ksp_norm_type natural -ksp_converged_reason -rhs ONE") for m in args.matrix]
    if args.weak:
        lines = [laplacian("jacobi", n, args.large, n * args.large) for n in args.weak]
    for line in lines:
        try:
            runner.line(*line)
        except (RuntimeError, KeyError) as e:
            failed += 1
            print(f"{line[0]:24} {line[2]:2} failed: {e}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

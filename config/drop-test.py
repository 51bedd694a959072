#!/usr/bin/env python3
"""What each strategy is worth: how much longer products would take without it, by training data (make training-data).

  config/drop-test.py src/benchmarks/results/training-gpu.csv.gz

A line a strategy: products by the best of the other variants over products by the best of all, the mean (geometric) over the matrices less one;
how often it is best; the largest loss and its matrix. doc/papers.md tells why those of little worth stay."""
import gzip
import math
import sys


def matrices(path):
    """Name of each matrix, and the least time of each strategy on it"""
    found = []
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as f:
        for line in f:
            kind, *words = line.rstrip("\n").split(",")
            if kind == "M":
                found.append((words[0], {}))
            elif kind == "V":
                least, strategy, us = found[-1][1], words[0], float(words[-2])
                least[strategy] = min(us, least.get(strategy, math.inf))
    return [(name, least) for name, least in found if len(least) > 1]


for path in sys.argv[1:]:
    data = matrices(path)
    lines = []
    for strategy in {s for _, least in data for s in least}:
        loss = [(min(us for s, us in least.items() if s != strategy) / min(least.values()), name) for name, least in data]
        worst, name = max(loss)
        mean = math.exp(sum(math.log(x) for x, _ in loss) / len(loss)) - 1
        lines.append((mean, strategy, sum(x > 1 for x, _ in loss), worst, name if worst > 1 else ""))
    print(f"| strategy ({len(data)} matrices) | loss without it | best on | largest loss | matrix |\n|---|---:|---:|---:|---|")
    for mean, strategy, best, worst, name in sorted(lines, reverse=True):
        print(f"| {strategy} | {100 * mean:.2f} % | {best} | {worst:.2f}x | {name} |")

#!/usr/bin/env python3
"""What the choice of a processor's plans loses by figures that were not measured there: a CSV, and the means as its last line.

  autocsr_tune -out own                                                                            # on the processor, where nothing else runs
  model -scale 0.05 -measure -mat_autocsr_machine own >own.txt                                     # every variant timed (-matrices, -heldout ...: as for the benchmark)
  model -scale 0.05 -mat_autocsr_machine shipped:zen5 >zen5.txt                                    # there, too: the choice by other figures; none: by those of the nearest processor
  config/compare-figures.py own=own.txt zen5=zen5.txt >src/benchmarks/results/<date>-<processor>-figures-loss.csv
The first file's times count for all; own=own1.txt,own2.txt: the shortest of two runs. A loss is the time of the variant chosen over that of the fastest, less one; of matrices whose plan is of row ranges the best single variant counts."""
import math, sys


def read(path):
    scores, times = {}, {}
    for line in (line for name in path.split(',') for line in open(name)):
        kind, *w = line.rstrip('\n').split('\t')
        if kind == 'variant':
            scores.setdefault(w[0], {})[w[1], w[2]] = float(w[7])
        elif kind == 'time':
            times.setdefault(w[0], {})[w[1], w[2]] = min(float(w[3]), times.get(w[0], {}).get((w[1], w[2]), math.inf))
    return scores, times


if len(sys.argv) < 3 or any('=' not in a for a in sys.argv[1:]):
    sys.exit(__doc__)
runs = [(a.split('=', 1)[0], *read(a.split('=', 1)[1])) for a in sys.argv[1:]]
times = runs[0][2]
print(','.join(['matrix', 'fastest', 'us'] + [c for name, *_ in runs for c in (f'{name} chooses', f'{name} loses')]))
lost = {name: [] for name, *_ in runs}
for matrix, timed in times.items():
    fastest = min(timed, key=timed.get)
    row = [matrix, fastest[0], f'{1e6 * timed[fastest]:.4g}']
    for name, scores, _ in runs:
        known = {v: s for v, s in scores.get(matrix, {}).items() if v in timed}
        if not known:
            row += ['', '']
            continue
        chosen = min(known, key=known.get)
        loss = timed[chosen] / timed[fastest] - 1
        lost[name].append(math.log1p(loss))
        row += [chosen[0], f'{loss:.3f}']
    print(','.join(row))
print(','.join(['geometric mean', '', ''] + [c for name, *_ in runs for c in ('', f'{math.expm1(sum(lost[name]) / max(1, len(lost[name]))):.3f}')]))

#!/usr/bin/env python3
"""Trains the trees of joules (-mat_autocsr_objective energy) from training data with joules, and says what the choice loses of time and of energy by each objective.

  run-training -gpu -energy_only ... -out energy-gpu.csv         # on the device (src/benchmarks/README.md)
  make energy                                                    # energy-gpu.csv in src/benchmarks/results: trains, writes all that follows, and the tables of the documents

  build/learn/bin/python config/train-energy.py TIMES JOULES          what the choices lose: choosers-gpu-energy.csv beside JOULES
  build/learn/bin/python config/train-energy.py --write TIMES JOULES  and the tables: choose/learned_energy.c, tests/data/learned-energy.txt
  build/learn/bin/python config/train-energy.py --file FILE TIMES JOULES  and trees in a file that config/train-chooser.py --file has written, for -mat_autocsr_learned FILE

TIMES: training data by which `corrected` is trained (training-gpu.csv.gz); JOULES: data whose lines V have joules. config/train-chooser.py says how numpy and scikit-learn get there.

Few variants have joules, because counting takes long; many have seconds. So `corrected` tells a variant's seconds, and these trees its power alone: the logarithm of joules by
seconds, relative to the mean over the counted variants of its matrix, which is all that ranks them. The trees are bagged, each from matrices drawn by lot. They are written only if the choices by
them take fewer joules than those by time, by more than twice the standard error, on families that the trees have not seen.

All is among the variants that have joules: the planner's choice and the fastest, up to 1.3 of the least time. A line of the CSV is who chooses by which objective; `time` and `joules`: over the
least of the matrix, geometric means, with the worst. `counted again`: how far a second count of the same variant, three times as long, is from the first."""
import argparse, gzip, importlib.util, math, os, sys
import numpy as np
from sklearn.tree import DecisionTreeRegressor

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
spec = importlib.util.spec_from_file_location('train', os.path.join(top, 'config/train-chooser.py'))
t = importlib.util.module_from_spec(spec)
spec.loader.exec_module(t)

TREES, LEAVES, LEAST, SHARE = 40, 12, 8, 0.5  # of the forest: trees, leaves of one, variants of a leaf, share of the features of which a split takes the best
FEWEST = 20  # matrices


def read(times, joules):
    """The data by which times are told, and those with joules, of which variants without are left out"""
    counted = t.read([joules])[0]
    timed = [d for d in t.read([times]) if (d.backend, d.scalar, d.machine) == (counted.backend, counted.scalar, counted.machine)]
    if not timed:
        sys.exit(f'{times} has no {counted.machine}, by which {joules} is')
    for m in counted.matrices:
        m.variants = [v for v in m.variants if v.auto and v.uj > 0]
    counted.matrices = [m for m in counted.matrices if len(m.variants) > 1]
    if len(counted.matrices) < FEWEST:
        sys.exit(f'{joules}: {len(counted.matrices)} matrices have joules of several variants; {FEWEST} are the least to learn from')
    return timed[0], counted


def counted_again(joules):
    """What counting a variant again gives over what it gave first"""
    lines = [x.split(',') for x in (gzip.open(joules, 'rt') if joules.endswith('.gz') else open(joules)) if x.startswith('J,')]
    return [float(again) / float(first) for _, first, again in lines]


class Power:
    """Rows are variants; what is told is the logarithm of their power, relative to the mean of the matrix's"""

    def __init__(self, data):
        self.names, self.place = [n for n in t.corrected_names(data) if n not in t.LATER], data.place

    def rows(self, m):
        return np.float32([t.row(m, v, self.names, self.place) for v in m.variants])

    def fit(self, matrices):
        x = [self.rows(m) for m in matrices]
        power = [np.log([v.uj / v.us for v in m.variants]) for m in matrices]
        y = [p - p.mean() for p in power]
        rng = np.random.default_rng(1)
        self.trees = []
        for k in range(TREES):
            drawn = rng.integers(len(matrices), size=len(matrices))
            grown = DecisionTreeRegressor(max_leaf_nodes=LEAVES, min_samples_leaf=LEAST, max_features=SHARE, random_state=k)
            self.trees.append(grown.fit(np.concatenate([x[i] for i in drawn]), np.concatenate([y[i] for i in drawn])))
        return self

    def predict(self, x):
        return sum(grown.predict(x) for grown in self.trees) / TREES

    def factors(self, m):
        return np.exp(np.clip(self.predict(self.rows(m)), -t.MOST, t.MOST))


def by_family(matrices):
    return list(t.folds([m.family() for m in matrices]))


def scores(timed, counted):
    """By `corrected`, trained on other matrices"""
    bases = {m.base() for m in counted.matrices}
    names = [n for n in t.corrected_names(timed) if n not in counted.lacking]
    c = t.Corrected(timed, names).fit([m for m in timed.matrices if m.base() not in bases])
    add = lambda m: c.predict(np.float32([t.row(m, v, names, timed.place) for v in m.variants]))
    return [np.array([v.score for v in m.variants]) * np.exp(np.clip(add(m), -t.MOST, t.MOST)) for m in counted.matrices]


def voted(counted, value):
    """dufrechou2021's trees, of this objective"""
    matrices = counted.matrices
    of = [{v.strategy: v for v in sorted(m.variants, key=lambda v: -v.score)} for m in matrices]
    some = [i for i, m in enumerate(matrices) if len(t.of_strategy(m, value)) > 1]
    taken = [min(m.variants, key=lambda v: v.score) for m in matrices]
    strategies, _ = t.trees_choices(counted, [matrices[i] for i in some], t.NINE, [matrices[i].family() for i in some], value)
    for i, s in zip(some, strategies):
        taken[i] = of[i][s]
    return taken


us, uj = (lambda v: v.us), (lambda v: v.uj)
HEAD = ('machine', 'choice', 'objective', 'matrices', 'time', 'time_worst', 'joules', 'joules_worst')


def report(timed, counted, again, path):
    """The logarithms of joules of the choice by energy over those of the choice by time"""
    matrices = counted.matrices
    mean = lambda ratios: (math.exp(np.mean(np.log(ratios))), max(ratios))
    lines = []

    def add(choice, objective, taken):
        of = lambda value: mean([value(v) / min(map(value, m.variants)) for m, v in zip(matrices, taken)])
        lines.append([counted.machine, choice, objective, len(matrices), *(f'{x:.3f}' for x in of(us) + of(uj))])

    pick = lambda m, score: m.variants[int(np.argmin(score))]
    for objective, value in (('time', us), ('energy', uj)):
        add('in hindsight', objective, [min(m.variants, key=value) for m in matrices])
    told = scores(timed, counted)
    by_time = [pick(m, s) for m, s in zip(matrices, told)]
    by_energy = list(by_time)
    for train, test in by_family(matrices):
        power = Power(counted).fit([matrices[i] for i in train])
        for i in test:
            by_energy[i] = pick(matrices[i], told[i] * power.factors(matrices[i]))
    add('corrected', 'time', by_time)
    add('corrected', 'energy', by_energy)
    for objective, value in (('time', us), ('energy', uj)):
        add('trees', objective, voted(counted, value))
    if again:
        lines.append([counted.machine, 'counted again', '', len(again), '', '', *(f'{x:.3f}' for x in mean([max(x, 1 / x) for x in again]))])
    with open(path, 'w') as f:
        f.writelines(','.join(map(str, line)) + '\n' for line in [HEAD, *lines])
    for line in lines:
        print(*line)
    return np.log([e.uj / v.uj for e, v in zip(by_energy, by_time)])


def gains(change):
    mean, error = change.mean(), change.std(ddof=1) / math.sqrt(len(change))
    print(f'choices by trees of joules take {math.exp(mean):.4f} of the joules of those by time, standard error {error:.4f}: ' + ('they gain' if mean < -2 * error else 'no trees are written'))
    return mean < -2 * error


def table(counted):
    made = t.Tables(counted)
    power = Power(counted).fit(counted.matrices)
    nodes = made.forest['energy'] = t.Nodes()
    for grown in power.trees:
        nodes.add(grown.tree_, [t.number(counted, n) for n in power.names], lambda k, v=grown.tree_.value: np.float32(v[k][0][0] / TREES))
    x = np.concatenate([power.rows(m) for m in counted.matrices])
    chosen = sorted(np.random.default_rng(1).choice(len(x), min(t.SAMPLES, len(x)), replace=False))
    made.sample('energy', power.names, x[chosen], [[a] for a in power.predict(x[chosen])])
    return made


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('times')
    p.add_argument('joules')
    p.add_argument('--write', action='store_true')
    p.add_argument('--file')
    a = p.parse_args()
    timed, counted = read(a.times, a.joules)
    print(f'{counted.machine}: joules of {sum(len(m.variants) for m in counted.matrices)} variants of {len(counted.matrices)} matrices')
    where = 'gpu' if counted.backend != 'host' else 'cpu'
    gain = gains(report(timed, counted, counted_again(a.joules), os.path.join(os.path.dirname(a.joules), f'choosers-{where}-energy.csv')))
    if a.file:
        lines = open(a.file).read().split('\n')
        counted.strategies = next(x for x in lines if x.startswith('strategies ')).split()[2:]  # as the file counts them
        counted.place = {s: i for i, s in enumerate(counted.strategies)}
    tables = [table(counted)] if gain else []
    if a.write:
        t.write_c(tables, os.path.join(top, 'src/mat/impls/autocsr/choose/learned_energy.c'), 'Trees of joules, written by config/train-energy.py', 'AutoCSRLearnedEnergies')
        samples = os.path.join(top, 'tests/data/learned-energy.txt')
        t.write_samples(tables, samples)
        if not tables:
            os.remove(samples)
    if a.file and tables:
        open(a.file, 'w').write('\n'.join(lines[:lines.index('end')]) + '\n' + t.forest_lines('energy', tables[0].forest['energy']) + 'end\n')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Compares all choosers on training data, for the tables "choosers" of doc/choosers.md (config/tables.py).

  build/learn/bin/python config/report-choosers.py      reads src/benchmarks/results/{training,heldout}-{gpu,cpu}.csv.gz, writes choosers-gpu.csv and choosers-cpu.csv there

config/train-chooser.py says how numpy and scikit-learn get there, and trains the choosers that this script compares. A line of the CSV is one
chooser on one split: `matrix` and `family` are 5-fold cross-validation, `held` are matrices in no fold, `75/25` is hou2017's split. `exact`: share of
choices with the least time; `within`: within 5 % of it; `total`: sum of times over the sum of the least ones; `mean` and `worst`: of the ratios. The
least time is that of all variants (table `choosers`), of the cost model's variant of each strategy (`strategies`), or of what is told (`rules`)."""
import csv, importlib.util, math, os, sys
import numpy as np

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
spec = importlib.util.spec_from_file_location('train', os.path.join(top, 'config/train-chooser.py'))
t = importlib.util.module_from_spec(spec)
spec.loader.exec_module(t)

results = os.path.join(top, 'src/benchmarks/results')
lines = []
us = lambda v: v.us


def add(data, table, chooser, split, taken, least):
    ratio = np.array(taken) / np.array(least)
    numbers = [np.mean(ratio < 1.0001), np.mean(ratio < 1.05), np.sum(taken) / np.sum(least), math.exp(np.log(ratio).mean()), ratio.max()]
    lines.append(dict(zip(('machine', 'table', 'chooser', 'split', 'matrices', 'exact', 'within', 'total', 'mean', 'worst'), [data.machine, table, chooser, split, len(ratio), *(f'{x:.3f}' for x in numbers)])))
    print(data.backend, table, chooser, split, *lines[-1].values(), flush=True)


def splits(data, held):
    """What is trained on and what is chosen for, by the name of the split"""
    m = data.matrices
    for name, groups in (('matrix', [x.base() for x in m]), ('family', [x.family() for x in m])):
        yield name, [([m[i] for i in train], [m[i] for i in test]) for train, test in t.folds(groups)]
    if held:
        yield 'held', [(m, held.matrices)]


def least_of(m):
    return min(v.us for v in m.variants)


def all_choosers(data, held):
    model = t.Corrected(data, t.corrected_names(data))
    model.trees = []
    for split, parts in splits(data, held):
        tested = [m for _, test in parts for m in test]
        least = [least_of(m) for m in tested]
        add(data, 'choosers', 'model', split, model.choose(tested), least)
        add(data, 'choosers', 'the best that the planner looks at', split, [min(v.us for v in m.variants if v.auto) for m in tested], least)
        add(data, 'choosers', 'corrected', split, [x for train, test in parts for x in t.Corrected(data, t.corrected_names(data)).fit(train).choose(test)], least)
        taken = []
        for train, test in parts:
            known = [t.of_strategy(m, us) for m in train]
            f = t.forest([t.nine(data, m, t.NINE) for m in train], np.array([data.place[min(o, key=o.get)] for o in known]))
            options = [{s: x for s, x in t.of_strategy(m, us).items() if s in data.place} for m in test]
            taken += [o[s] for o, s in zip(options, t.vote(data, f, [t.nine(data, m, t.NINE) for m in test], options))]
        add(data, 'choosers', 'trees', split, taken, least)
        taken, binned = [], []
        for train, test in parts:
            first, _ = t.train_two_stage([m for m in train if len(t.granularities(m)) > 1])
            test = [m for m in test if t.granularities(m)]
            for m, u in zip(test, first.predict(np.float32([t.hou(m) for m in test]))):
                g = t.granularities(m)
                taken.append(g.get(int(u), g.get(0, max(g.values()))))
            binned += test
        add(data, 'choosers', 'two-stage', split, taken, [least_of(m) for m in binned])


def strategies(data):
    m = [x for x in data.matrices if len(t.of_strategy(x, us)) > 1]
    options = [t.of_strategy(x, us) for x in m]
    least = [min(o.values()) for o in options]
    lost = lambda s: [o.get(s, t.WORTH * x) for o, x in zip(options, least)]
    for s in data.strategies:
        if s != 'ranges':
            add(data, 'strategies', f'always {s}', 'all', lost(s), least)
    bases = [x.base() for x in m]
    taken, _ = t.trees_choices(data, m, t.NINE, bases, us)
    times = np.array([o[s] for o, s in zip(options, taken)])
    order = sorted(range(len(m)), key=lambda i: -m[i].feature['nnz'])
    for q in range(5):
        part = order[q * len(m) // 5:(q + 1) * len(m) // 5]
        of = [min(options[i], key=options[i].get) for i in part]
        at = f'from {m[part[-1]].feature["nnz"]:.2g} entries'
        for s in data.strategies:
            if s != 'ranges':
                add(data, f'fifth {q + 1}', s, at, [lost(s)[i] for i in part], [least[i] for i in part])
        add(data, f'fifth {q + 1}', 'trees', at, times[part], [least[i] for i in part])
    add(data, 'features', 'all', 'matrix', times, least)
    for name, names in (('m, n, m/n, nnz, nnz_avg', t.CHEAP), *((f'these and {n}', t.CHEAP + (n,)) for n in ('nnz_min', 'nnz_max', 'nnz_std', *(() if data.lacking else ('bw_avg',))))):
        taken, _ = t.trees_choices(data, m, names, bases, us)
        add(data, 'features', name, 'matrix', [o[s] for o, s in zip(options, taken)], least)


def rules(data):
    m = [x for x in data.matrices if len(t.granularities(x)) > 1]
    train, test = next(t.GroupShuffleSplit(1, test_size=0.25, random_state=1).split(m, groups=[x.base() for x in m]))
    train, test = [m[i] for i in train], [m[i] for i in test]
    first, second = t.train_two_stage(train)
    g = [t.granularities(x) for x in test]
    add(data, 'rules', 'granularity', '75/25', [x.get(int(u), x.get(0, max(x.values()))) for x, u in zip(g, first.predict(np.float32([t.hou(x) for x in test])))], [min(x.values()) for x in g])
    rows = t.kernel_rows(test)
    if second and rows:
        k = second.predict(np.float32([r[0] for r in rows])).astype(int)
        add(data, 'rules', 'kernel of a bin', '75/25', [r[1][i] if r[1][i] < math.inf else t.WORTH * r[1].min() for r, i in zip(rows, k)], [r[1].min() for r in rows])


for where in sys.argv[1:] or ('gpu', 'cpu'):
    data = t.read([f'{results}/training-{where}.csv.gz'])[0]
    path = f'{results}/heldout-{where}.csv.gz'
    all_choosers(data, t.read([path])[0] if os.path.exists(path) else None)
    strategies(data)
    rules(data)
    with open(f'{results}/choosers-{where}.csv', 'w', newline='') as f:
        w = csv.DictWriter(f, lines[0].keys(), lineterminator='\n')
        w.writeheader()
        w.writerows(lines)
    lines.clear()

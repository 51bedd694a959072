#!/usr/bin/env python3
"""Trains the choosers that learn (-mat_autocsr_chooser two-stage, trees, corrected) from training data, and says what they are worth.

  make training-data                                              # on the machine; src/benchmarks/results/training-*.csv
  python3 -m venv build/learn && build/learn/bin/pip install numpy scikit-learn
  build/learn/bin/python config/train-chooser.py src/benchmarks/results/training-*.csv.gz              what they are worth, by 5-fold cross-validation
  build/learn/bin/python config/train-chooser.py --write src/benchmarks/results/training-*.csv.gz      and the tables: choose/learned_tables.c, tests/data/learned.txt
  build/learn/bin/python config/train-chooser.py --held src/benchmarks/results/heldout-gpu.csv.gz src/benchmarks/results/training-gpu.csv.gz             and on matrices that are in no fold
  build/learn/bin/python config/train-chooser.py --file FILE training-cpu.csv                          tables of another machine, for -mat_autocsr_learned FILE; `make tune` does both

Files of one machine are taken together, of each machine there is a table. src/benchmarks/planner/rows.h tells the lines, choose/features.h the features, choose/learned.h the tables.

trees      dufrechou2021: a forest votes for the strategy by the nine features; the cost model chooses the variant of it
two-stage  hou2017: a tree tells the granularity U or the single bin, another one the kernel of each bin
corrected  a forest adds to the logarithm of the cost model's seconds; it is grown on regret: the time that the choice loses, as a part of the best

Trees of joules are config/train-energy.py's."""
import argparse, gzip, math, os, sys
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GroupKFold, GroupShuffleSplit
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

NINE = ('m', 'n', 'm/n', 'nnz', 'nnz_max', 'nnz_min', 'nnz_avg', 'nnz_std', 'bw_avg')
HOU = ('m', 'n', 'nnz', 'nnz_std', 'nnz_avg', 'nnz_min', 'nnz_max')
LATER = ('bw_avg', 'row_span')  # a device's profile did not always count these: older data have zeros
SHARES = ('work', 'gather', 'stream', 'wait')  # of a variant's seconds, in thousandths
CHEAP = ('m', 'n', 'm/n', 'nnz', 'nnz_avg')
WORTH = 4  # what is predicted to take longer than so many times the least was not timed; it counts as so long
TREES, LEAVES = 30, 64  # of the forest that votes; dufrechou2021 has 30 trees of up to 2417 nodes
RULES = 48  # leaves of hou2017's trees
GROWN, GROWN_LEAVES, RATE = 60, 16, 0.3  # of the forest on regret
SOFT, STEP, PULL = 0.06, 0.1, 0.3  # of logarithms: choices that differ by less are taken in turns; a leaf's longest step by regret alone; weight of a product's own error against it
MOST = 0.7  # of a logarithm: no correction is larger (choose/choose_learned.c)
NEAR, FAR = 1.3, 0.1  # products that take longer than so many times the least count so much, by their own error
ROUNDS = 5  # folds
SAMPLES = 60  # of each forest, for the test


class Matrix:
    def __init__(self, key, feature):
        self.key, self.feature, self.variants, self.bins = key, feature, [], []

    def base(self):
        """What is derived of a matrix, or of a suite's at another scale, is no other matrix"""
        kind, *_, name = self.key.split('~')[0].split('/')
        return name if kind != 'drawn' else self.key.split('~')[0]

    def family(self):
        kind, *_, name = self.key.split('~')[0].split('/')
        return '-'.join(name.split('+')[0].split('-')[1:3]) if kind.startswith('drawn') else name


class Variant:
    def __init__(self, strategy, auto, feature, score, us, uj):
        self.strategy, self.auto, self.feature, self.score, self.us, self.uj = strategy, auto, feature, score, us, uj


class Data:
    """The files of one machine"""

    def __init__(self, backend, scalar, machine):
        self.backend, self.scalar, self.machine, self.matrices = backend, scalar, machine, []

    def finish(self):
        if len({m.family() for m in self.matrices}) < 2:
            sys.exit(f'{self.machine}: matrices of two families are the least to learn from; measure for longer')
        self.matrices = [m for m in self.matrices if sum(v.auto for v in m.variants) > 1]
        self.lacking = tuple(n for n in LATER if not any(m.feature[n] for m in self.matrices))
        names = sorted({v.strategy for m in self.matrices for v in m.variants if v.auto})
        self.strategies = [n for n in names if n != 'ranges'] + ['ranges']
        self.place = {n: i for i, n in enumerate(self.strategies)}


def read(paths):
    found, keys = {}, set()
    for path in paths:
        data = names = vnames = None
        for line in gzip.open(path, 'rt') if path.endswith('.gz') else open(path):
            kind, *w = line.rstrip('\n').split(',')
            if kind == 'H':
                if w[0] == 'machine':
                    data = found.setdefault(tuple(w[1:]), Data(*w[1:4]))
                elif w[0] == 'M':
                    names = w[2:-2]
                elif w[0] == 'V':
                    vnames = w[3:-3]
                continue
            if kind == 'M':
                matrix = Matrix(w[0], dict(zip(names, map(float, w[1:-2]))))
                keep = (data.machine, w[0]) not in keys
                keys.add((data.machine, w[0]))
                if keep:
                    data.matrices.append(matrix)
            elif kind == 'V':
                feature = dict(zip(vnames, map(float, w[2:-3])))
                feature.update({n: feature[n] / 1000 for n in SHARES})
                matrix.variants.append(Variant(w[0], w[1] == '1', feature, float(w[-3]), float(w[-2]), float(w[-1]) if w[-1] else math.nan))
            elif kind == 'B':
                matrix.bins.append((int(w[0]), int(w[1]), int(w[2]), int(w[3]), np.array([float(x) if x else math.inf for x in w[4:]])))
        feature_names = names + ['strategy'] + vnames
    for data in found.values():
        data.names = feature_names
        data.finish()
    return list(found.values())


def row(m, v, names, place):
    """The features of a variant by these names; place: of each strategy"""
    of = dict(m.feature, **v.feature, strategy=place.get(v.strategy, len(place)))
    return [of[n] for n in names]


def at_float(threshold):
    """The largest float that is not above: floats compare with it as with the threshold"""
    t = np.float32(threshold)
    return t if float(t) <= threshold else np.nextafter(t, np.float32(-np.inf))


class Nodes:
    """Trees as the library has them: the left child is the next node, `right` counts from the root"""

    def __init__(self):
        self.first, self.node = [], []

    def add(self, tree, columns, leaf):
        """columns: the library's number of each feature; leaf: the value of a leaf by its number in scikit-learn's tree"""
        first = len(self.node)
        self.first.append(first)

        def grow(k):
            here = len(self.node)
            if tree.children_left[k] < 0:
                self.node.append((255, leaf(k), 0))
                return
            self.node.append(None)
            grow(tree.children_left[k])
            right = len(self.node) - first
            grow(tree.children_right[k])
            self.node[here] = (columns[tree.feature[k]], at_float(tree.threshold[k]), right)

        grow(0)

    def evaluate(self, x):
        """The leaves that the library finds"""
        out = []
        for first in self.first:
            k = first
            while self.node[k][0] != 255:
                k = k + 1 if np.float32(x[self.node[k][0]]) <= self.node[k][1] else first + self.node[k][2]
            out.append(self.node[k][1])
        return out


def quality(taken, least):
    taken, least = np.array(taken), np.array(least)
    ratio = taken / least
    return f'exact {100 * np.mean(ratio < 1.0001):3.0f} %, within 5 % {100 * np.mean(ratio < 1.05):3.0f} %, total {taken.sum() / least.sum():.3f}, mean {math.exp(np.log(ratio).mean()):.3f}, worst {ratio.max():.2f}'


def folds(groups):
    return GroupKFold(min(ROUNDS, len(set(groups)))).split(np.zeros(len(groups)), groups=groups)


def nine(data, m, names):
    return [m.feature[n] for n in names if n not in data.lacking]


# ---- trees


def of_strategy(m, value):
    """Of each strategy the variant that the cost model chooses, with its value"""
    best = {}
    for v in m.variants:
        if v.auto and v.strategy != 'ranges' and (v.strategy not in best or v.score < best[v.strategy].score):
            best[v.strategy] = v
    return {s: value(v) for s, v in best.items() if not math.isnan(value(v))}


def forest(x, y, leaves=LEAVES):
    return RandomForestClassifier(TREES, max_leaf_nodes=leaves, max_features='sqrt', random_state=1, n_jobs=1).fit(np.float32(x), y)


def votes(f, x, classes):
    count = np.zeros((len(x), classes), int)
    for tree in f.estimators_:
        for i, c in enumerate(tree.predict(np.float32(x)).astype(int)):
            count[i, int(f.classes_[c])] += 1
    return count


def vote(data, f, x, options):
    """The strategy with the most votes of those that there are"""
    count = votes(f, x, len(data.strategies))
    return [max(o, key=lambda s: (count[i][data.place[s]], -data.place[s])) for i, o in enumerate(options)]


def trees_choices(data, matrices, names, groups, value, leaves=LEAVES):
    x = [nine(data, m, names) for m in matrices]
    options = [of_strategy(m, value) for m in matrices]
    y = np.array([data.place[min(o, key=o.get)] for o in options])
    taken = [None] * len(matrices)
    for train, test in folds(groups):
        f = forest([x[i] for i in train], y[train], leaves)
        for i, s in zip(test, vote(data, f, [x[i] for i in test], [options[i] for i in test])):
            taken[i] = s
    return taken, options


def quintiles(data, matrices, taken, options):
    order = sorted(range(len(matrices)), key=lambda i: -matrices[i].feature['nnz'])
    print('    of each fifth by entries, largest first: the share of matrices that a strategy is best on; its time by the best')
    always = [s for s in data.strategies if s != 'ranges']
    for q in range(5):
        part = order[q * len(order) // 5:(q + 1) * len(order) // 5]
        least = sum(min(options[i].values()) for i in part)
        of = lambda s: sum(options[i].get(s, WORTH * min(options[i].values())) for i in part) / least
        words = [f'{s} {100 * np.mean([min(options[i], key=options[i].get) == s for i in part]):.0f} % {of(s):.2f}' for s in always]
        words.append(f'trees {sum(options[i][taken[i]] for i in part) / least:.2f}')
        print(f'      entries from {matrices[part[-1]].feature["nnz"]:.3g}: ' + ', '.join(words))


def report_trees(data):
    value = lambda v: v.us
    matrices = [m for m in data.matrices if len(of_strategy(m, value)) > 1]
    if len(matrices) < 2 * ROUNDS:
        print(f'  trees: {len(matrices)} matrices, too few')
        return
    least = [min(value(v) for v in m.variants if not math.isnan(value(v))) for m in matrices]
    bases, families = [m.base() for m in matrices], [m.family() for m in matrices]
    for name, groups in (('by matrix', bases), ('by family', families)):
        taken, options = trees_choices(data, matrices, NINE, groups, value)
        strategies_least = [min(o.values()) for o in options]
        print(f'  trees, {name}: against all variants {quality([o[s] for o, s in zip(options, taken)], least)}')
        print(f'    against the best strategy with the cost model\'s variant: {quality([o[s] for o, s in zip(options, taken)], strategies_least)}')
    taken, options = trees_choices(data, matrices, NINE, bases, value, None)
    print(f'    trees as large as they grow: {quality([o[s] for o, s in zip(options, taken)], strategies_least)}')
    for s in data.strategies:
        if s != 'ranges':
            print(f'    always {s}: {quality([o.get(s, WORTH * min(o.values())) for o in options], strategies_least)}')
    quintiles(data, matrices, taken, options)
    print('    features (cost: the sizes none; lengths of rows a pass over the row offsets; bw_avg one over the ends of rows):')
    for name, names in (('all', NINE), ('cheap ones', CHEAP), *((f'cheap ones and {n}', CHEAP + (n,)) for n in ('nnz_min', 'nnz_max', 'nnz_std', 'bw_avg'))):
        taken, options = trees_choices(data, matrices, names, bases, value)
        print(f'      {name}: {quality([o[s] for o, s in zip(options, taken)], strategies_least)}')


# ---- two-stage


def granularities(m):
    """Microseconds of the strategy binned by granularity; 0: the single bin"""
    times = {}
    for v in m.variants:
        if v.strategy == 'binned':
            u = 0 if v.feature['row_group'] >= m.feature['m'] * 0.99 else int(v.feature['row_group'])
            times[u] = min(times.get(u, math.inf), v.us)
    for u, b, rows, nnz, us in m.bins:
        if u == 0 and us.min() < math.inf:
            times[0] = us.min()
    return times


def tree(x, y):
    return DecisionTreeClassifier(max_leaf_nodes=RULES, min_samples_leaf=3, random_state=1).fit(np.float32(x), y)


def hou(m):
    return [m.feature[n] for n in HOU]


def kernel_rows(matrices):
    """The second stage's: features with U and bin, times of the kernels"""
    return [(hou(m) + [u, b], us) for m in matrices for u, b, rows, nnz, us in m.bins if us.min() < math.inf]


def train_two_stage(matrices):
    first = tree([hou(m) for m in matrices], [min(granularities(m), key=granularities(m).get) for m in matrices])
    rows = kernel_rows(matrices)
    second = tree([r[0] for r in rows], [int(np.argmin(r[1])) for r in rows]) if rows else None
    return first, second


def report_two_stage(data):
    matrices = [m for m in data.matrices if len(granularities(m)) > 1]
    if len(matrices) < 20:
        print(f'  two-stage: {len(matrices)} matrices have granularities, too few')
        return
    train, test = next(GroupShuffleSplit(1, test_size=0.25, random_state=1).split(matrices, groups=[m.base() for m in matrices]))
    train, test = [matrices[i] for i in train], [matrices[i] for i in test]
    first, second = train_two_stage(train)
    # A granularity past the rows that others have is that of all rows
    taken, least, all_least = [], [], []
    for m, u in zip(test, first.predict(np.float32([hou(m) for m in test]))):
        times = granularities(m)
        taken.append(times.get(int(u), times.get(0, max(times.values()))))
        least.append(min(times.values()))
        all_least.append(min(v.us for v in m.variants))
    print(f'  two-stage, 75/25 by matrix: U: error rate {100 * np.mean(np.array(taken) > 1.0001 * np.array(least)):.0f} %, past 5 % of time {100 * np.mean(np.array(taken) > 1.05 * np.array(least)):.0f} % (hou2017: 5 %); {quality(taken, least)}')
    print(f'    against all variants: {quality(taken, all_least)}')
    singles = [(granularities(m)[0], min(granularities(m).values()), u == 0) for m, u in zip(test, first.predict(np.float32([hou(m) for m in test]))) if 0 in granularities(m)]
    print(f'    the single bin is best on {100 * np.mean([s == b for s, b, _ in singles]):.0f} %; single bin or U told right on {100 * np.mean([(s == b) == z for s, b, z in singles]):.0f} %')
    rows = kernel_rows(test)
    if second and rows:
        k = second.predict(np.float32([r[0] for r in rows])).astype(int)
        taken = [r[1][i] if r[1][i] < math.inf else WORTH * r[1].min() for r, i in zip(rows, k)]
        least = [r[1].min() for r in rows]
        print(f'    kernels: error rate {100 * np.mean(np.array(taken) > 1.0001 * np.array(least)):.0f} %, past 5 % of time {100 * np.mean(np.array(taken) > 1.05 * np.array(least)):.0f} % (hou2017: 15 %); {quality(taken, least)}')


# ---- corrected


class Corrected:
    """Trees on what the cost model leaves. Rows are variants that the planner takes into account unasked"""

    def __init__(self, data, names):
        self.data, self.names = data, names

    def rows(self, matrices):
        x, group, score, us, own = [], [], [], [], []
        for i, m in enumerate(matrices):
            for v in m.variants:
                if not v.auto:
                    continue
                x.append(row(m, v, self.names, self.data.place))
                group.append(i)
                score.append(v.score)
                us.append(v.us)
                own.append(v.feature['predicted'])
        return np.float32(x), np.array(group), np.array(score), np.array(us), np.array(own)

    def fit(self, matrices):
        x, group, score, us, predicted = self.rows(matrices)
        n = len(matrices)
        least = np.full(n, math.inf)
        np.minimum.at(least, group, us)
        regret = np.minimum(us / least[group], 3) - 1
        error = np.log(us / predicted)
        weight = np.where(us < NEAR * least[group], 1, FAR)
        f = np.zeros(len(x))
        self.trees = []
        for t in range(GROWN):
            s = -(np.log(score) + f) / SOFT
            top = np.full(n, -math.inf)
            np.maximum.at(top, group, s)
            p = np.exp(s - top[group])
            p /= np.bincount(group, p, n)[group]
            mean = np.bincount(group, p * regret, n)
            slope = p * (regret - mean[group]) / SOFT  # up where more regret than on average is chosen
            pull = PULL * weight * (error - f)
            grown = DecisionTreeRegressor(max_leaf_nodes=GROWN_LEAVES, min_samples_leaf=20, random_state=t).fit(x, slope + pull)
            leaf = grown.apply(x)
            up = np.bincount(leaf, slope + pull, grown.tree_.node_count)
            by = np.bincount(leaf, np.abs(slope) / STEP + PULL * weight, grown.tree_.node_count)
            value = np.float32(RATE * up / np.maximum(by, 1e-9))
            f += value[leaf]
            self.trees.append((grown, value))
        return self

    def predict(self, x):
        return sum(value[grown.apply(x)].astype(float) for grown, value in self.trees)

    def choose(self, matrices):
        """Microseconds of the choices"""
        x, group, score, us, predicted = self.rows(matrices)
        s = score * np.exp(np.clip(self.predict(x), -MOST, MOST)) if self.trees else score
        taken = {}
        for i, g in enumerate(group):
            if g not in taken or s[i] < s[taken[g]]:
                taken[g] = i
        return [us[taken[i]] for i in range(len(matrices))]


def corrected_names(data):
    return [n for n in data.names if n not in data.lacking]


def report_corrected(data, held):
    matrices, least = data.matrices, [min(v.us for v in m.variants) for m in data.matrices]
    model = Corrected(data, corrected_names(data))
    model.trees = []
    print(f'  model: {quality(model.choose(matrices), least)}')
    auto = [min(v.us for v in m.variants if v.auto) for m in matrices]
    print(f'    the best of what the planner takes into account unasked: {quality(auto, least)}')
    for name, groups in (('by matrix', [m.base() for m in matrices]), ('by family', [m.family() for m in matrices])):
        taken = [None] * len(matrices)
        for train, test in folds(groups):
            c = Corrected(data, corrected_names(data)).fit([matrices[i] for i in train])
            for i, us in zip(test, c.choose([matrices[i] for i in test])):
                taken[i] = us
        print(f'  corrected, {name}: {quality(taken, least)}')
    for h in held:
        if h.machine == data.machine:
            least = [min(v.us for v in m.variants) for m in h.matrices]
            c = Corrected(data, corrected_names(data)).fit(matrices)
            print(f'  held out, {len(least)} matrices: model {quality(model.choose(h.matrices), least)}')
            print(f'    corrected: {quality(c.choose(h.matrices), least)}')
            options = [of_strategy(m, lambda v: v.us) for m in h.matrices]
            known = [of_strategy(m, lambda v: v.us) for m in matrices]
            f = forest([nine(data, m, NINE) for m in matrices], np.array([data.place[min(o, key=o.get)] for o in known]))
            taken = vote(data, f, [nine(data, m, NINE) for m in h.matrices], [{s: t for s, t in o.items() if s in data.place} for o in options])
            print(f'    trees: {quality([o[s] for o, s in zip(options, taken)], least)}')


# ---- tables


def number(data, name):
    return data.names.index(name)


class Tables:
    """The forests of a machine, in the library's form, and samples of their answers by scikit-learn"""

    def __init__(self, data):
        self.data, self.forest, self.samples = data, {}, []

    def train(self):
        data = self.data
        rng = np.random.default_rng(1)
        pick = lambda n: sorted(rng.choice(n, min(SAMPLES, n), replace=False))
        matrices = data.matrices
        options = [(m, of_strategy(m, lambda v: v.us)) for m in matrices]
        some = [(m, o) for m, o in options if len(o) > 1]
        if len(some) >= 2 * ROUNDS:
            names = [n for n in NINE if n not in data.lacking]
            x = [nine(data, m, NINE) for m, _ in some]
            f = forest(x, [data.place[min(o, key=o.get)] for _, o in some])
            nodes = Nodes()
            for t in f.estimators_:
                nodes.add(t.tree_, [number(data, n) for n in names], lambda k, t=t: int(f.classes_[int(np.argmax(t.tree_.value[k][0]))]))
            self.forest['trees'] = nodes
            count = votes(f, x, len(data.strategies))
            chosen = pick(len(x))
            self.sample('trees', names, [x[i] for i in chosen], [list(count[i]) for i in chosen])
        some = [m for m in matrices if len(granularities(m)) > 1]
        if len(some) >= 20:
            first, second = train_two_stage(some)
            for kind, t, names, x in (('granularity', first, list(HOU), [hou(m) for m in some]), ('kernel', second, list(HOU) + ['row_group', 'bin'], [r[0] for r in kernel_rows(some)])):
                if t is None:
                    continue
                nodes = Nodes()
                classes = [self.granularity(c) if kind == 'granularity' else int(c) for c in t.classes_]
                nodes.add(t.tree_, [number(data, n) if n != 'bin' else len(data.names) for n in names], lambda k, t=t, c=classes: c[int(np.argmax(t.tree_.value[k][0]))])
                self.forest[kind] = nodes
                chosen = pick(len(x))
                answer = [self.granularity(c) if kind == 'granularity' else int(c) for c in t.predict(np.float32([x[i] for i in chosen]))]
                self.sample(kind, names, [x[i] for i in chosen], [[a] for a in answer])
        names = corrected_names(data)
        c = Corrected(data, names).fit(matrices)
        nodes = Nodes()
        for grown, value in c.trees:
            nodes.add(grown.tree_, [number(data, n) for n in names], lambda k, v=value: v[k])
        self.forest['corrected'] = nodes
        x = c.rows(matrices)[0]
        chosen = pick(len(x))
        self.sample('corrected', names, x[chosen], [[a] for a in c.predict(x[chosen])])
        return self

    @staticmethod
    def granularity(u):
        """A class of the first stage: the place of U in 10, 20, 50 ... 10^6, and after these the single bin"""
        all_u = [k * 10**e for e in range(1, 6) for k in (1, 2, 5)] + [10**6]
        return all_u.index(int(u)) if u else len(all_u)

    def sample(self, kind, names, x, answers):
        for row, answer in zip(x, answers):
            full = [0.0] * (len(self.data.names) + 1)
            for n, value in zip(names, row):
                full[number(self.data, n) if n != 'bin' else len(self.data.names)] = float(np.float32(value))
            leaves = self.forest[kind].evaluate(full)
            own = [sum(map(float, leaves))] if kind in SUMS else [leaves.count(c) for c in range(len(answer))] if kind == 'trees' else leaves
            assert np.allclose(own, answer, atol=1e-5), (kind, own, answer)
            self.samples.append((kind, full, answer))


KINDS = ('trees', 'energy', 'granularity', 'kernel', 'corrected')
SUMS = ('energy', 'corrected')  # whose leaves are numbers that are added up


def c_float(x):
    text = f'{float(x):.9g}'
    return text + ('' if any(c in text for c in '.en') else '.') + 'f'


def write_c(tables, path, what='Trees of the learned choosers, written by config/train-chooser.py', name='AutoCSRLearnedTables'):
    out = [f'/* {what}: do not edit. learned.h tells the form */', '#include "learned.h"', '']
    for k, t in enumerate(tables):
        for kind in KINDS:
            nodes = t.forest.get(kind)
            if not nodes:
                continue
            vote_leaf = kind not in SUMS
            out.append(f'static const AutoCSRTreeNode {kind}_nodes_{k}[] = {{')
            words = [f'{{{v}.f,{right},{f}}}' if f == 255 and vote_leaf else f'{{{c_float(v)},{right},{f}}}' for f, v, right in nodes.node]
            out += ['  ' + ','.join(words[i:i + 28]) + ',' for i in range(0, len(words), 28)]
            out.append('};')
            out.append(f'static const uint16_t {kind}_first_{k}[] = {{{", ".join(map(str, nodes.first))}}};')
        out.append(f'static const char *const strategies_{k}[] = {{{", ".join(chr(34) + s + chr(34) for s in t.data.strategies)}}};')
        forests = ', '.join(f'.forest[AUTOCSR_FOREST_{kind.upper()}] = {{{len(t.forest[kind].first)}, {kind}_first_{k}, {kind}_nodes_{k}}}' for kind in KINDS if kind in t.forest)
        out += [f'static const AutoCSRLearned learned_{k} = {{.backend = "{t.data.backend}", .scalar = "{t.data.scalar}", .machine = "{t.data.machine}", .n_strategies = {len(t.data.strategies)}, .strategy = strategies_{k}, {forests}}};', '']
    out += [f'const AutoCSRLearned *const {name}[] = {{' + ''.join(f'&learned_{k}, ' for k in range(len(tables))) + 'NULL};', '']
    open(path, 'w').write('\n'.join(out))


def write_samples(tables, path):
    with open(path, 'w') as f:
        for t in tables:
            f.write(f'table {t.data.backend}\n')
            for kind, full, answer in t.samples:
                used = [(i, x) for i, x in enumerate(full) if x]
                f.write(f'{KINDS.index(kind)} {len(used)} {len(answer)} ' + ' '.join(f'{i} {x:.9g}' for i, x in used) + ' ' + ' '.join(f'{a:.9g}' for a in answer) + '\n')


def forest_lines(kind, n):
    return f'forest {kind} {len(n.first)} {len(n.node)}\n{" ".join(map(str, n.first))}\n' + ''.join(f'{feature} {right} {float(v):.9g}\n' for feature, v, right in n.node)


def write_file(t, path):
    """The form that the library reads (choose/learned_file.c)"""
    with open(path, 'w') as f:
        f.write(f'petscautocsr learned 1\nbackend {t.data.backend}\nscalar {t.data.scalar}\nmachine {t.data.machine}\nfeatures {len(t.data.names)}\nstrategies {len(t.data.strategies)} {" ".join(t.data.strategies)}\n')
        f.writelines(forest_lines(kind, t.forest[kind]) for kind in KINDS if kind in t.forest)
        f.write('end\n')


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('files', nargs='+')
    p.add_argument('--held', nargs='*', default=[])
    p.add_argument('--write', action='store_true')
    p.add_argument('--file')
    p.add_argument('--quiet', action='store_true', help='no cross-validation')
    p.add_argument('--brief', action='store_true', help='cross-validation of `corrected` alone')
    a = p.parse_args()
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
    every, held = read(a.files), read(a.held) if a.held else []
    for data in every if not a.quiet else []:
        print(f'{data.backend}, {data.machine}, {data.scalar}: {len(data.matrices)} matrices of {len({m.family() for m in data.matrices})} families, {sum(len(m.variants) for m in data.matrices)} products')
        report_corrected(data, held)
        if a.brief:
            continue
        report_trees(data)
        report_two_stage(data)
        sys.stdout.flush()
    if not a.write and not a.file:
        return
    tables = [Tables(data).train() for data in every]
    for t in tables:
        print(f'{t.data.backend}: ' + ', '.join(f'{k} {len(n.node)} nodes' for k, n in t.forest.items()) + f'; {8 * sum(len(n.node) for n in t.forest.values()) / 1024:.0f} KiB')
    if a.file:
        if len(tables) != 1:
            sys.exit('--file: the training data must be of one machine')
        write_file(tables[0], a.file)
        return
    write_c(tables, os.path.join(top, 'src/mat/impls/autocsr/choose/learned_tables.c'))
    write_samples(tables, os.path.join(top, 'tests/data/learned.txt'))


if __name__ == '__main__':
    main()

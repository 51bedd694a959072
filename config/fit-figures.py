#!/usr/bin/env python3
"""Fits the executors' figures of a device (src/mat/impls/autocsr/machine/shipped_cuda.h) to products that were measured on it.

  make model && build/.../src/benchmarks/programs/model -gpu -measure -mat_autocsr_machine shipped:h200 [-files ...] >model.txt   # on the device
  config/fit-figures.py model.txt ...             how well the model does, matrix by matrix
  config/fit-figures.py --fit model.txt ...       and figures that do better, as lines of shipped_cuda.h
Each file is of other matrices, or of the same at another scale; named twice it counts twice. --check 0,2: these files (from 0) are not fitted to, so that they tell what the figures are worth.
--keep: products of another device, written anywhere without -measure (-mat_autocsr_machine shipped:h200: an H200), that are to take as long as the figures say now,
so that two devices share figures of which one is not at hand (--keep kept.txt ... -- model.txt ...).
--model: what the model says is of these files, one for each, written anywhere without -measure: of a model that has changed since.

The model is that of choose/cost.c. Each figure is fitted in its logarithm, least squares of the logarithms of the times: of each executor to its own products first, drawn
to what is shipped now, so that what no product tells stays as it is; then all together, drawn to that, where what the choice loses counts most.
Needs numpy and scipy."""
import argparse, collections, math, sys
import numpy as np
import scipy.optimize

AMORTIZE = 500  # choose/candidate.h
NEAR, FAR = 1.3, 2  # products that take longer than the best by more count less, and none: what is slow need only be known as slow
OVERRATED = (1, 0.1)  # near or not: weight of a product that is predicted to take longer than it does
UNDERRATED = (1, 0.3)  # of one that is predicted to take less
ALIKE = 0.02, 1e-7  # of a logarithm and seconds: products that take so little longer than the best lose nothing, it may be the clock
CHOICE, DOUBTS = 12, (0.1, 0.03)  # weight of the time that the choice loses on a matrix, where it may be by so much (of a logarithm) another than the least: by more first, so that the fit sees what lies further off;
SHORT, LONG = 3e-6, 1.5  # so much more for each ten times that a product takes longer than this
ALONE_WEIGHT, ALONE_PULL, ALONE_SOFT, ALONE_FEW = (1, 0.5), 0.25, 0.3, 5  # likewise of an executor by itself, which has so many products at least
SOFT = 0.4  # a residual past this counts by its size, no longer by its square
LEAST = (1e-13, 1e-13, 1e-12, 1e-7, 1e-8, 1, 0.5)  # where a fit begins: a figure of 0 has no logarithm
BOUND = {5: 0.9, 6: 0.5}  # memory, which is told by a copy, and gather are at least so much,
WALK, WALKED = 5e-8, 'csr/block/'  # of these a step takes so much at least, which few products tell: rows of many blocks are the last to be done
MOST_NOT_HIDDEN = 1  # and what is not hidden is at most all
UNITS = (1e12, 1e12, 1e12, 1e12, 1e12, 1, 1)
MACHINE = ('product', 'launch', 'not_hidden')
FITTED_MACHINE = ('launch', 'not_hidden')  # a product's start is in those of segments, too


class Model:
    """The segments of model.txt, matrix by matrix, and the figures in it"""

    def __init__(self):
        self.machine, self.figure, self.variant, self.measured = [], {}, {}, {}
        self.segments = collections.defaultdict(list)

    def read(self, path, run):
        """Matrices are named apart by their run, an ending of their names"""
        for line in open(path):
            kind, *w = line.rstrip('\n').split('\t')
            if kind == 'machine':
                self.machine = [float(x) for x in w[1:1 + len(MACHINE)]]
            elif kind == 'figure':
                self.figure[w[0]] = [float(x) for x in w[1:]]
            elif kind == 'segment':
                self.segments[w[0] + run, w[1], int(w[2])].append((w[3], [float(x) for x in w[4:]]))
            elif kind == 'variant':
                self.variant[w[0] + run, w[1], int(w[2])] = dict(zip(('bytes', 'own', 'build', 'seconds', 'score'), map(float, w[3:])))
            elif kind == 'time':
                self.measured[w[0] + run, w[1], int(w[2])] = float(w[3])


class Evaluator:
    """choose/cost.c, AutoCSRCostEvaluate(), of many variants at once"""

    def __init__(self, m, keys, names):
        self.n, group, rows = len(keys), -1, []
        self.group_product = []
        for p, k in enumerate(keys):
            for i, (name, s) in enumerate(m.segments[k]):
                if not (i and s[7]):  # does not join the launch before
                    group += 1
                    self.group_product.append(p)
                    launched = False
                rows.append([names.index(name), group] + s[:6] + [0 if launched else s[6], s[8]])
                launched = launched or s[6] > 0
        a = np.array(rows)
        self.figure, self.group = a[:, 0].astype(int), a[:, 1].astype(int)
        self.entries, self.rows, self.irregular, self.longest, self.gather, self.stream, self.launch, self.chance = a[:, 2:10].T
        self.first = np.flatnonzero(np.r_[True, self.group[1:] != self.group[:-1]])
        self.group_product = np.array(self.group_product)

    def seconds(self, figures, machine, shipped):
        """machine, shipped: as MACHINE; what the model says of launches is by those shipped"""
        entry, row, irregular, start, walk, memory, slower = figures[self.figure].T
        gather = self.gather * slower
        work = self.entries * entry + self.rows * row + self.irregular * irregular
        work += self.chance * np.maximum(0, memory * self.stream - work)
        through = np.add.reduceat(np.maximum(work, gather) + machine[2] * np.minimum(work, gather), self.first)
        wait = np.maximum.reduceat(start + self.longest * walk, self.first)
        launch = np.add.reduceat(self.launch, self.first) * (machine[1] / shipped[1])
        return machine[0] + np.bincount(self.group_product, through + wait + launch, self.n)


def kept(variants):
    """What keeping memory costs, in products: the model's own seconds tell it"""
    return np.array([max(0, (v['score'] - v['seconds'] - v['build'] / AMORTIZE) / v['seconds']) for v in variants])


def scores(m, keys, seconds):
    """choose/cost.c, AutoCSRCostScore()"""
    v = [m.variant[k] for k in keys]
    return seconds * (1 + kept(v)) + np.array([i['build'] for i in v]) / AMORTIZE


def report(m, measured, keys, seconds):
    predicted, score = dict(zip(keys, seconds)), dict(zip(keys, scores(m, keys, seconds)))
    ratio, lost, near = [], [], []
    print(f'{"matrix":25s} {"best":>9s} {"of":24s} {"chosen":>9s} {"of":24s} lost; measured/predicted of each')
    for matrix in sorted({k[0] for k in measured}):
        known = {k: t for k, t in measured.items() if k[0] == matrix}
        best, chosen = min(known, key=known.get), min(known, key=score.get)
        for k, t in known.items():
            ratio.append(math.log(t / predicted[k]))
            if t < NEAR * known[best]:
                near.append(ratio[-1])
        lost.append(known[chosen] / known[best])
        detail = ' '.join( # of the fastest
            f'{k[1]}.{k[2]} {1e6 * t:.1f}/{1e6 * predicted[k]:.1f}' for k, t in sorted(known.items(), key=lambda i: i[1])[:12])
        print(f'{matrix:25s} {1e6 * known[best]:9.2f} {best[1]:24s} {1e6 * known[chosen]:9.2f} {chosen[1]:24s} {lost[-1]:.2f}  {detail}')
    rms = lambda r: math.sqrt(sum(x * x for x in r) / len(r))
    print(f'{len(ratio)} products: root mean square of log(measured/predicted) {rms(ratio):.3f}, of those near the best {rms(near):.3f}; '
          f'choices within 5 % of the best measured: {sum(x < 1.05 for x in lost)} of {len(lost)}, '
          f'geometric mean lost {math.exp(sum(map(math.log, lost)) / len(lost)):.3f}')


def limited(figures, names):
    for i, low in BOUND.items():
        figures[:, i] = np.maximum(figures[:, i], low)
    walked = [n.startswith(WALKED) for n in names]
    figures[walked, 4] = np.maximum(figures[walked, 4], WALK)
    return figures


def not_far(measured):
    """Without products that count nothing; and the least time of each matrix"""
    best = {}
    for k, t in measured.items():
        best[k[0]] = min(best.get(k[0], math.inf), t)
    return {k: t for k, t in measured.items() if t < FAR * best[k[0]]}, best


def alone(m, measured, best, names, shipped, begin):
    """Figures of each executor by products that are its alone. A fit of all together does not get there from figures that are far off: what the choice loses holds them up"""
    products = collections.defaultdict(list)
    for k in measured:
        if len(m.segments[k]) == 1:
            products[m.segments[k][0][0]].append(k)
    figures = begin.copy()
    for name, keys in products.items():
        if len(keys) < ALONE_FEW:
            continue
        f, e = names.index(name), Evaluator(m, keys, [name])
        t = np.log([measured[k] for k in keys])
        weight = np.where(t - np.log([best[k[0]] for k in keys]) < math.log(NEAR), *ALONE_WEIGHT)
        of = lambda x: limited(begin[f:f + 1] * np.exp(x), [name])
        residuals = lambda x: np.r_[weight * (t - np.log(e.seconds(of(x), shipped, shipped))), ALONE_PULL * x]
        figures[f] = of(scipy.optimize.least_squares(residuals, np.zeros(begin.shape[1]), loss='soft_l1', f_scale=ALONE_SOFT, max_nfev=100).x)
    return figures


def fit(m, measured, names, shipped, fitted_machine, pull):
    """Figures, and the machine's numbers"""
    measured, least = not_far(measured)
    keys = list(measured)
    e = Evaluator(m, keys, names)
    used = np.unique(e.figure)
    free = [i for i, n in enumerate(MACHINE) if n in fitted_machine]
    begin = alone(m, measured, least, names, shipped, np.array([[max(x, low) for x, low in zip(m.figure[n], LEAST)] for n in names]))
    t = np.log([measured[k] for k in keys])
    matrix = np.unique([k[0] for k in keys], return_inverse=True)[1]
    best = np.full(matrix.max() + 1, np.inf)
    np.minimum.at(best, matrix, t)
    behind = t - best[matrix]
    near = behind < math.log(NEAR)
    over, under = np.where(near, *OVERRATED), np.where(near, *UNDERRATED)
    loses = np.maximum(0, behind - ALIKE[0] - ALIKE[1] / np.exp(best[matrix]))
    worth = CHOICE * (1 + LONG * np.maximum(0, (best - math.log(SHORT)) / math.log(10)))
    v = [m.variant[k] for k in keys]
    price, build = kept(v), np.array([i['build'] for i in v]) / AMORTIZE
    having = {f: np.array([p for p, k in enumerate(keys) if any(n == names[f] for n, _ in m.segments[k])]) for f in used}
    part = {f: Evaluator(m, [keys[p] for p in having[f]], names) for f in used}

    def figures_of(x):
        f, machine = begin.copy(), list(shipped)
        f[used] *= np.exp(x[:used.size * 7]).reshape(-1, 7)
        f = limited(f, names)
        for i, dx in zip(free, x[used.size * 7:]):
            machine[i] *= math.exp(dx)
        machine[2] = min(machine[2], MOST_NOT_HIDDEN)
        return f, machine

    def terms(x, doubt):
        seconds = e.seconds(*figures_of(x), shipped)
        d, score = np.log(seconds) - t, np.log(seconds * (1 + price) + build)
        least = np.full(best.size, np.inf)
        np.minimum.at(least, matrix, score)
        chance = np.exp((least[matrix] - score) / doubt)  # to be chosen
        chance /= np.bincount(matrix, chance)[matrix]
        return seconds, d, chance, np.bincount(matrix, chance * loses)

    def residuals(x, doubt):
        _, d, _, lost = terms(x, doubt)
        return np.r_[np.where(d >= 0, over, under) * d, worth * lost, pull * x]

    def jacobian(x, doubt):
        """By differences; a figure is asked for by few of the products"""
        seconds, d, chance, lost = terms(x, doubt)
        weight = np.where(d >= 0, over, under)
        by_score = chance / doubt * (lost[matrix] - loses) / (1 + build / seconds / (1 + price))
        J, h = np.zeros((len(keys) + best.size + x.size, x.size)), 1e-6
        J[len(keys) + best.size:] = pull * np.eye(x.size)
        for c in range(x.size):
            moved = x.copy()
            moved[c] += h
            f = used[c // 7] if c < used.size * 7 else None
            which, evaluator = (having[f], part[f]) if f is not None else (np.arange(len(keys)), e)
            slope = np.log(evaluator.seconds(*figures_of(moved), shipped) / seconds[which]) / h
            J[which, c] = weight[which] * slope
            J[len(keys):len(keys) + best.size, c] = worth * np.bincount(matrix[which], by_score[which] * slope, best.size)
        return J

    x = np.zeros(used.size * 7 + len(free))
    for doubt in DOUBTS:
        x = scipy.optimize.least_squares(residuals, x, jacobian, loss='soft_l1', f_scale=SOFT, max_nfev=30, args=(doubt,)).x
    return figures_of(x)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--fit', action='store_true')
    p.add_argument('--pull', type=float, default=0.06, help='weight of staying with what fits each executor alone')
    p.add_argument('--keep-machine', action='store_true', help='fit the executors alone')
    p.add_argument('--check', default='', help='numbers of files, from 0, that are reported by themselves and not fitted to')
    p.add_argument('--model', nargs='*', default=[])
    p.add_argument('--keep', nargs='*', default=[])
    p.add_argument('runs', nargs='+', metavar='model.txt')
    a = p.parse_args()
    m = Model()
    for i, path in enumerate(a.runs):
        m.read(path, '@%d' % i)
    measured = m.measured
    if a.model:
        m = Model()
        for i, path in enumerate(a.model):
            m.read(path, '@%d' % i)
    for i, path in enumerate(a.keep):
        m.read(path, '@kept%d' % i)
    names, shipped = sorted({n for s in m.segments.values() for n, _ in s} & set(m.figure)), m.machine
    measured = {k: t for k, t in measured.items() if k in m.variant and all(n in names for n, _ in m.segments[k])}
    apart = {k: t for k, t in measured.items() if k[0].split('@')[1] in a.check.split(',')}
    rest = {k: t for k, t in measured.items() if k not in apart}

    current = np.array([m.figure[n] for n in names])
    kept = [k for k in m.variant if '@kept' in k[0] and all(n in names for n, _ in m.segments[k])]
    kept = dict(zip(kept, Evaluator(m, kept, names).seconds(current, shipped, shipped))) if kept else {}

    def report_all(figures, machine):
        for part in (rest, apart, kept):
            if part:
                keys = list(part)
                report(m, part, keys, Evaluator(m, keys, names).seconds(figures, machine, shipped))

    report_all(current, shipped)
    if a.fit:
        figures, machine = fit(m, {**rest, **kept}, names, shipped, () if a.keep_machine else FITTED_MACHINE, a.pull)
        print('\nfitted')
        report_all(figures, machine)
        print('    ' + ', '.join('.%s = %.3g' % i for i in zip(MACHINE, machine)))
        for n in m.figure:
            f = figures[names.index(n)] if n in names else m.figure[n]
            words = ['%g' % float('%.3g' % (x * u)) for x, u in zip(f, UNITS)]
            print('    {"%s", {%s}},' % (n, ', '.join(words[:-1] if f[-1] == 1 else words)))


if __name__ == '__main__':
    sys.exit(main())

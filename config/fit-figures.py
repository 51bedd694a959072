#!/usr/bin/env python3
"""Fits the executors' figures of a device (src/mat/impls/autocsr/select/shipped_cuda.h) to products that a benchmark measured.

  make model && build/.../src/benchmarks/model -gpu -mat_autocsr_machine none -files ... >model.txt   # the same matrices
  config/fit-figures.py model.txt RESULTS.csv [RESULTS.csv ...]        how well the model does, matrix by matrix
  config/fit-figures.py --fit model.txt RESULTS.csv ...                and figures that do better, as lines of shipped_cuda.h

A row of the CSV is a variant that the library made: its strategy, its kernel (`executor`), the bytes that it moves and keeps
tell which variants of model.txt it may be, and of these it is the one that the model prefers: model.txt is to be of the figures
with which the CSV was measured. The model is that of select/cost.c. Each figure is fitted in its logarithm, least
squares of the logarithms of the times, and drawn to what is shipped now, so that what no product tells stays as it is;
what would mislead the choice counts most.
Needs numpy and scipy."""
import argparse, collections, csv, math, sys

FIGURES = ('entry', 'row', 'irregular', 'start', 'walk', 'memory', 'gather')
JOINED = ('rowbins',)  # strategies whose segments share a launch
AMORTIZE = 500  # select/choose.h
NEAR, FAR = 1.3, 2  # products that take longer than the best by more count less: what is slow need only be known as slow
OVERRATED = (1, 0.4)  # near or not: weight of a product that is predicted to take longer than it does
UNDERRATED = (1, 0.6, 0.2)  # near, between, far: of one that is predicted to take less
MISLEADS = 4  # what is predicted to be faster than the best is, and is not, counts so many times more by as much as it is
LEAST = (1e-13, 1e-13, 1e-14, 1e-7, 1e-8, 1, 0.5)  # where a fit begins: a figure of 0 has no logarithm
UNITS = (1e12, 1e12, 1e12, 1e12, 1e12, 1, 1)


def read_model(path):
    m = {'figure': {}, 'segments': collections.defaultdict(list), 'variant': {}, 'choice': collections.defaultdict(list)}
    for line in open(path):
        kind, *w = line.rstrip('\n').split('\t')
        if kind == 'machine':
            m['figure']['product'], m['not_hidden'] = float(w[1]), float(w[2])
        elif kind == 'figure':
            m['figure'][w[0]] = [float(x) for x in w[1:]]
        elif kind == 'segment':
            m['segments'][w[0], w[1], int(w[2])].append((w[3], [float(x) for x in w[4:]]))
        elif kind == 'variant':
            m['variant'][w[0], w[1], int(w[2])] = dict(zip(('bytes', 'own', 'build', 'seconds', 'score'), map(float, w[3:])))
        elif kind == 'choice':
            m['choice'][w[0]].append((w[1], float(w[2])))
    return m


def seconds(m, figures, key):
    """select/cost.c, AutoCSRCostEvaluate()"""
    total, wait, through = figures['product'], 0, 0
    for k, (name, (entries, rows, irregular, longest, gather, stream, launch)) in enumerate(m['segments'][key]):
        entry, row, irr, start, walk, memory, slower = figures[name]
        gather *= slower
        work = max(entries * entry + rows * row + irregular * irr, memory * stream)
        if key[1] not in JOINED:
            wait = through = 0
        before = max(wait, through)
        wait = max(wait, start + longest * walk)
        through += max(work, gather) + m['not_hidden'] * min(work, gather)
        total += max(wait, through) - before + (launch if key[1] not in JOINED or not k else 0)
    return total


def score(m, figures, key):
    """select/cost.c, AutoCSRCostScore(): the model's own seconds tell what part of the CSR a plan keeps"""
    v, t = m['variant'][key], seconds(m, figures, key)
    kept = (v['score'] - v['seconds'] - v['build'] / AMORTIZE) / v['seconds']
    return t * (1 + max(0, kept)) + v['build'] / AMORTIZE


def read_results(paths, m):
    """(matrix, variant) -> measured seconds; and what the default choice and the best of all took"""
    measured, times = {}, collections.defaultdict(dict)
    for path in paths:
        for r in csv.DictReader(open(path)):
            if r['op'] != 'mult' or not r['variant'].startswith('autocsr'):
                continue
            times[r['matrix']][r['variant']] = 1e-6 * float(r['us'])
            if not r.get('executor'):
                continue
            executor = r['executor'].split('+')[0]
            strategies = [r['variant'].split(':')[1]] if ':' in r['variant'] else {k[1] for k in m['variant'] if k[0] == r['matrix']}
            runs = [(key, v) for key, v in m['variant'].items() if key[0] == r['matrix'] and key[1] in strategies
                    and executor in {n.replace('/named', '').replace('/few', '') for n, _ in m['segments'][key]}]
            # what the library runs is what the model prefers; its bytes are estimates
            alike = [key for key, v in runs if abs(v['bytes'] - float(r['bytes'])) + abs(v['own'] - float(r['own'])) < 0.05 * v['bytes']]
            if alike:
                key = min(alike, key=lambda k: m['variant'][k]['score'])
                measured[key] = min(1e-6 * float(r['us']), measured.get(key, math.inf))
    return measured, times


def report(m, figures, measured, times):
    ratio, lost = [], []
    print(f'{"matrix":22s} {"best":>9s} {"of":24s} {"chosen":>9s} {"of":24s} lost; measured/predicted of each')
    for matrix in sorted({k[0] for k in m['variant']} & set(times)):
        known = {k: t for k, t in measured.items() if k[0] == matrix}
        for k, t in known.items():
            ratio.append(math.log(t / seconds(m, figures, k)))
        if not known:
            continue
        best = min(known, key=known.get)
        chosen = min(known, key=lambda k: score(m, figures, k))
        lost.append(known[chosen] / known[best])
        detail = ' '.join(f'{k[1]}.{k[2]} {1e6 * t:.1f}/{1e6 * seconds(m, figures, k):.1f}' for k, t in sorted(known.items(), key=lambda i: i[1]))
        print(f'{matrix:22s} {1e6 * known[best]:9.2f} {best[1]:24s} {1e6 * known[chosen]:9.2f} {chosen[1]:24s} {lost[-1]:.2f}  {detail}')
    n = len(ratio)
    if n:
        print(f'{n} products: root mean square of log(measured/predicted) {math.sqrt(sum(x * x for x in ratio) / n):.3f}; '
              f'within 10 % {sum(abs(x) < math.log(1.1) for x in ratio)}; choices within 5 % of the best measured: {sum(x < 1.05 for x in lost)} of {len(lost)}, '
              f'geometric mean lost {math.exp(sum(map(math.log, lost)) / len(lost)):.3f}')


def fit(m, measured, pull):
    import numpy, scipy.optimize
    used = sorted({n for k in measured for n, _ in m['segments'][k]})
    start = {n: [max(x, low) for x, low in zip(m['figure'][n], LEAST)] for n in used if n in m['figure']}
    product = m['figure']['product']
    places = [(n, i) for n in start for i in range(7)]
    keys = [k for k in measured if all(n in start for n, _ in m['segments'][k])]
    best = {}
    for k in keys:
        best[k[0]] = min(measured[k], best.get(k[0], math.inf))
    over = [OVERRATED[measured[k] >= NEAR * best[k[0]]] for k in keys]
    under = [UNDERRATED[(measured[k] >= NEAR * best[k[0]]) + (measured[k] >= FAR * best[k[0]])] for k in keys]

    def residual(k, d, o, u):
        if d >= 0:
            return o * d
        lead = math.log(best[k[0]] / measured[k]) - d  # by which it seems faster than the best
        return u * d - MISLEADS * (max(0, lead) if measured[k] > 1.03 * best[k[0]] else 0)

    def residuals(x):
        f = {n: list(v) for n, v in start.items()}
        f['product'] = product * math.exp(x[-1])
        for (n, i), dx in zip(places, x):
            f[n][i] *= math.exp(dx)
            if i >= 5:
                f[n][i] = max(1 if i == 5 else 0.5, f[n][i])
        r = [residual(k, math.log(seconds(m, f, k) / measured[k]), o, u) for k, o, u in zip(keys, over, under)]
        return numpy.array(r + list(pull * x))

    result = scipy.optimize.least_squares(residuals, numpy.zeros(len(places) + 1), loss='soft_l1', f_scale=0.1, max_nfev=60)
    figures = {n: list(v) for n, v in m['figure'].items() if n != 'product'}
    figures['product'] = product * math.exp(result.x[-1])
    for (n, i), dx in zip(places, result.x):
        figures[n][i] = start[n][i] * math.exp(dx)
        if i >= 5:
            figures[n][i] = max(1 if i == 5 else 0.5, figures[n][i])
    return figures


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--fit', action='store_true')
    p.add_argument('--pull', type=float, default=0.06, help='weight of staying with what is shipped')
    p.add_argument('model')
    p.add_argument('results', nargs='+')
    a = p.parse_args()
    m = read_model(a.model)
    measured, times = read_results(a.results, m)
    report(m, m['figure'], measured, times)
    if a.fit:
        figures = fit(m, measured, a.pull)
        print('\nfitted')
        report(m, figures, measured, times)
        print('    .product = %.3g' % figures.pop('product'))
        for n, f in figures.items():
            words = ['%g' % float('%.3g' % (x * u)) for x, u in zip(f, UNITS)]
            print('    {"%s", {%s}},' % (n, ', '.join(words[:-1] if f[-1] == 1 else words)))


if __name__ == '__main__':
    sys.exit(main())

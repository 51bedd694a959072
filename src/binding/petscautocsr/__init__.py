"""The matrix type autocsr in Python: beside petsc4py, or for a program that is started with -dll_append.

    import petscautocsr
    petscautocsr.load()               # before or after petsc4py has started
    A.setType('autocsr')              # or the option -mat_type autocsr
    petscautocsr.info(A)              # a dict: settings, blocks, segments, why
    petscautocsr.settings(A, strategy='sell', rigor='measure')
    petscautocsr.view(A)              # a few lines of text
    petscautocsr.plot(A, 'plan.png')  # the pattern, coloured by segment (matplotlib)

`petscautocsr.library` is where the library is: for the option -dll_append of programs that are not in Python.
"""
import ctypes
import json
import os
import sys
import tempfile
import textwrap

__version__ = '@VERSION@'


def _find():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'libpetscautocsr.so')
    return os.environ.get('PETSCAUTOCSR_LIBRARY', beside)


library = _find()
_loaded = None


class Error(RuntimeError):
    """A call of the library has failed; PETSc has printed why"""


def _check(code, what):
    if code:
        raise Error(f'{what} fails with PETSc error {code}')


def load(options=''):
    """Loads the library. Before petsc4py has started it is named in PETSC_OPTIONS, with further `options`; afterwards its types are registered at once.

    Raises FileNotFoundError if the library is missing, Error if it was built for another PETSc than petsc4py's."""
    global _loaded
    if not os.path.exists(library):
        raise FileNotFoundError(f'{library} is missing: install the package again, or name the library in PETSCAUTOCSR_LIBRARY')
    petsc = sys.modules.get('petsc4py.PETSc')
    if petsc is None:
        words = os.environ.get('PETSC_OPTIONS', '')
        if library not in words:
            os.environ['PETSC_OPTIONS'] = ' '.join(filter(None, (words, '-dll_append ' + library, options)))
        return library
    if options:
        petsc.Options().insertString(options)
    if _loaded is None:
        try:
            _loaded = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            raise Error(f'{library} does not load: {error}. It was built for one PETSc: build it for that of petsc4py ({petsc.Sys.getVersion()})') from None
        _check(_loaded.MatAutoCSRRegisterAll(), 'MatAutoCSRRegisterAll()')
    return library


def _function(name):
    if 'petsc4py.PETSc' not in sys.modules:
        raise Error('petsc4py has not started: import petsc4py.PETSc first')
    load()
    return getattr(_loaded, name)


def _ours(mat):
    """A matrix of another type has no plan. Under -mat_autocsr_takeover ours goes by the name aijcusparse"""
    kind = mat.getType()
    if kind and 'autocsr' not in kind and 'aijcusparse' not in kind:
        raise TypeError(f"the matrix is of type {kind}, not autocsr: mat.convert('autocsr') makes it one, or setType('autocsr') before it is assembled")


def _text(mat, form):
    """What MatAutoCSRView() prints of all processes, on the first one; '' on the others"""
    _ours(mat)
    from petsc4py import PETSc

    comm = mat.getComm()
    name = ''  # the first process opens the file; the others need no name
    if comm.getRank() == 0:
        handle, name = tempfile.mkstemp(prefix='petscautocsr-')
        os.close(handle)
    try:
        viewer = PETSc.Viewer().createASCII(name, comm=comm)
        try:
            viewer.pushFormat(form)
            _check(_function('MatAutoCSRView')(ctypes.c_void_p(mat.handle), ctypes.c_void_p(viewer.handle)), 'MatAutoCSRView()')
            viewer.popFormat()
        finally:
            viewer.destroy()
        if comm.getRank():
            return ''
        with open(name) as file:
            return file.read()
    finally:
        if comm.getRank() == 0:
            os.unlink(name)


def info(mat):
    """The view of a matrix as a dict (doc/view-schema.md); on several processes that of all blocks, on the first process ({} on the others). Collective"""
    from petsc4py import PETSc

    text = _text(mat, PETSc.Viewer.Format.ASCII_PYTHON)
    return json.loads(text) if text else {}


def view(mat, detail=False):
    """Prints how the matrix is multiplied, and why so. Collective"""
    from petsc4py import PETSc

    text = _text(mat, PETSc.Viewer.Format.ASCII_INFO_DETAIL if detail else PETSc.Viewer.Format.DEFAULT)
    if text:
        print(text, end='')


def settings(mat, **chosen):
    """Sets options of one matrix by their names without -mat_autocsr_: settings(A, strategy='sell', rigor='measure'). Collective

    Values are as in doc/options.md; an unknown one raises petsc4py's error, an unknown name ValueError."""
    _ours(mat)
    from petsc4py import PETSc

    load()
    for name in chosen:
        if name not in OPTIONS:
            raise ValueError(f'autocsr has no setting {name}: choose one of {", ".join(sorted(OPTIONS))}')
    options = PETSc.Options()
    keys = {(mat.getOptionsPrefix() or '') + 'mat_autocsr_' + name: value for name, value in chosen.items()}
    before = {key: options.getString(key) for key in keys if options.hasName(key)}
    try:
        for key, value in keys.items():
            options[key] = str(value).lower() if isinstance(value, bool) else str(value)
        mat.setFromOptions()
    finally:
        for key in keys:
            options.delValue(key)
            if key in before:
                options[key] = before[key]


OPTIONS = frozenset('''strategy graph rigor search_seconds search_monitor search_without objective chooser index_coding value_coding granularity max_bins segsum_fixup exchange dense progressive reproducible keep_csr
check_values simd'''.split())


def graph(mat):
    """The operator graph of the plan (doc/graph.md), of the diagonal block of this process; '' without a plan"""
    _ours(mat)
    text = ctypes.create_string_buffer(4096)
    _check(_function('MatAutoCSRGetGraph')(ctypes.c_void_p(mat.handle), ctypes.c_size_t(len(text)), text), 'MatAutoCSRGetGraph()')
    return text.value.decode()


# As report/svg.c, and the letters of the picture in the JSON (doc/view-schema.md)
COLORS = ('#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#ee8833', '#7b68c8', '#a0522d', '#17a589', '#d16ba5', '#888888')
_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
_LEVELS = 4


def plot(mat, file=None):
    """Draws a matrix: the pattern, each cell with the colour of its segment, and beside it the time of each segment, with a mark at the roof, which is the time that the
    memory takes for its bytes. `file` keeps the picture. Returns matplotlib's figure, on the first process (None on the others). Collective"""
    found = info(mat)
    if not found:
        return None
    import matplotlib

    if file:
        matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib.colors import to_rgb

    picture, why = found['picture'], next((b['why'] for b in found['blocks'] if b['why']), 'as AIJ multiplies')
    image = np.ones((picture['rows'], picture['cols'], 3))
    for y, row in enumerate(picture['cells']):
        for x, letter in enumerate(row):
            if letter != '.':
                key, level = divmod(_LETTERS.index(letter), _LEVELS)
                strength = 0.35 + 0.65 * (level + 1) / _LEVELS
                image[y, x] = strength * np.array(to_rgb(COLORS[key])) + (1 - strength)
    figure, (pattern, bars) = plt.subplots(1, 2, figsize=(12, 5), gridspec_kw={'width_ratios': [3, 2]})
    pattern.imshow(image, interpolation='nearest', aspect='auto', extent=(-0.5, max(found['cols'], 1) - 0.5, max(found['rows'], 1) - 0.5, -0.5))
    pattern.set(xlabel='column', ylabel='row')
    pattern.set_title(f"{found['rows']:,} by {found['cols']:,}: {textwrap.shorten(why.split(';')[0], 56, placeholder=' …')}", fontsize=10)
    keys = [(k, key) for k, key in enumerate(picture['keys']) if key['nnz']]
    names = []
    for k, (color, key) in enumerate(keys):
        roof = _roof(found, key)
        bars.barh(k, 1e6 * key['seconds'], color=COLORS[color])
        if roof:
            bars.plot([1e6 * roof] * 2, [k - 0.4, k + 0.4], color='black', linewidth=2)
        share = f", {100 * roof / key['seconds']:.0f} % of the roof" if roof else ''
        bars.text(0, k + 0.42, f" {key['product_bytes'] / 1e6:.3g} MB, {1e6 * key['seconds']:.3g} us {'measured' if key['measured'] else 'predicted'}{share}", va='top', fontsize=7)
        names.append(f"{key['label']}\n{key['nnz']:,} nonzeros")
    bars.set_yticks(range(len(keys)), names, fontsize=7)
    bars.set_ylim(max(len(keys), 1) - 0.2, -0.6)
    bars.set(xlabel='microseconds of a product (black: the roof)')
    figure.tight_layout()
    if file:
        figure.savefig(file, dpi=150)
    return figure


def _roof(found, key):
    """Seconds that the memory takes for the bytes of the segments with this key, on the process that takes longest"""
    of_rank = {}
    for block in found['blocks']:
        times = {}
        for s in block['segments']:
            label = f"{s['strategy']}, {s['executor'] or 'no executor'}" + (', off-diagonal' if block['block'] == 'off-diagonal' else '')
            times[label] = times.get(label, 0) + 1
            if times[label] > 1:
                label += f' ({times[label]})'
            if label == key['label']:
                of_rank[block['rank']] = of_rank.get(block['rank'], 0) + s['bandwidth_share'] * (s['measured'] or s['predicted'])
    return max(of_rank.values(), default=0)

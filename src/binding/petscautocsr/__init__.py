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


def _text(mat, form):
    """What MatAutoCSRView() prints of all processes, on the first one; '' on the others"""
    from petsc4py import PETSc

    comm = mat.getComm()
    name = None
    if comm.getRank() == 0:
        handle, name = tempfile.mkstemp(prefix='petscautocsr-')
        os.close(handle)
    name = comm.tompi4py().bcast(name) if comm.getSize() > 1 else name
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


OPTIONS = frozenset('''strategy graph rigor search_seconds search_monitor objective chooser index_coding value_coding granularity max_bins segsum_fixup exchange dense progressive reproducible keep_csr
check_values simd'''.split())


def graph(mat):
    """The operator graph of the plan (doc/graph.md), of the diagonal block of this process; '' without a plan"""
    text = ctypes.create_string_buffer(4096)
    _check(_function('MatAutoCSRGetGraph')(ctypes.c_void_p(mat.handle), ctypes.c_size_t(len(text)), text), 'MatAutoCSRGetGraph()')
    return text.value.decode()


def plot(mat, file=None, most=200000):
    """Draws a matrix of one process: the pattern, rows coloured by the segment that has them, beside it bytes and time of each segment. Returns matplotlib's figure; `file` keeps it.

    Of more than `most` entries every k-th row is drawn."""
    import matplotlib

    if file:
        matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    import numpy as np

    if mat.getComm().getSize() > 1:
        raise ValueError('plot() draws matrices of one process')
    block = info(mat)['blocks'][0]
    row_ptr, col, _ = mat.getValuesCSR()
    m = len(row_ptr) - 1
    step = max(1, len(col) // most)
    length = np.diff(row_ptr)
    segments = block['segments']
    figure, (pattern, bars) = plt.subplots(1, 2, figsize=(11, 5), gridspec_kw={'width_ratios': [3, 2]})
    of_row = _segments_of_rows(segments, m, length)
    rows = np.repeat(np.arange(m), length)
    shown = rows % step == 0
    pattern.scatter(np.asarray(col)[shown], rows[shown], c=of_row[rows[shown]], s=0.5, marker='s', linewidths=0, cmap='tab10', vmin=0, vmax=9)
    pattern.set(xlim=(-0.5, mat.getSize()[1] - 0.5), ylim=(m - 0.5, -0.5), xlabel='column', ylabel='row', title=block['why'].split(';')[0][:70])
    seconds = [s['measured'] or s['predicted'] for s in segments]
    names = [f"{s['strategy']} {s['executor']}\n{s['nnz']:,} nonzeros" for s in segments]
    bars.barh(range(len(segments)), [1e6 * t for t in seconds], color=[plt.get_cmap('tab10')(k % 10) for k in range(len(segments))])
    for k, s in enumerate(segments):
        bars.text(1e6 * seconds[k], k, f" {s['product_bytes'] / 1e6:.3g} MB, {100 * s['bandwidth_share']:.0f} % of the bandwidth", va='center', fontsize=7)
    bars.set_yticks(range(len(segments)), names, fontsize=7)
    bars.invert_yaxis()
    bars.set(xlabel='microseconds of a product', xlim=(0, 1.9e6 * max(seconds + [1e-9])))
    figure.tight_layout()
    if file:
        figure.savefig(file, dpi=150)
    return figure


def _segments_of_rows(segments, m, length):
    """The number of the segment of each row. Rows that a segment names are told by what is left and by their length"""
    import numpy as np

    of_row = np.full(m, -1)
    for k, s in enumerate(segments):
        if s['contiguous']:
            of_row[s['row_begin']:s['row_begin'] + s['rows']] = k
    left = np.flatnonzero(of_row < 0)
    if len(left):  # the longest rows come first
        order = left[np.argsort(-length[left], kind='stable')]
        at = 0
        named = sorted((k for k, s in enumerate(segments) if not s['contiguous']), key=lambda k: -segments[k]['nnz'] / max(1, segments[k]['rows']))
        for k in named:
            of_row[order[at:at + segments[k]['rows']]] = k
            at += segments[k]['rows']
    return np.maximum(of_row, 0)

#!/usr/bin/env python3
"""Runs the test programs by the /*TEST blocks in their sources and prints TAP and a last line `N passed, N failed[, N skipped]`.

The blocks are PETSc's (https://petsc.org/release/developers/testing/), so PETSc's own harness can run the programs of tests/
as well; prefix installs of PETSc do not ship that harness, which is why this runner is always used. What it knows:

  blocks      build, testset, test (a test may be inside a testset); '#' comments; '\\' continues a line;
              in Python sources each line may begin with '#'
  keys        suffix, nsize, args, requires, env, filter, filter_output, output_file, timeoutfactor, comments;
              any other key is an error
  loops       nsize: {{1 2}}, args: -opt {{a b}shared output} (one output file) and {{a b}separate output} (one for each)
  requires    real complex single double __float128 debug opt datafilespath cuda nvrtc petsc4py dolfinx slepc
              avx2 avx512, names of PETSc packages,
              define(PETSC_X), defined(PETSC_X), each with an optional '!'
  variables   ${AUTOCSR_DATA}: the matrices of tests/data in PETSc's binary form; ${AUTOCSR_MTX}: tests/data itself;
              ${AUTOCSR_LIB}: the library; ${DATAFILESPATH}: larger matrices, where there are any

A run passes if the program ends with 0, writes exactly the output file to stdout (trailing blanks aside: stricter than PETSc,
which ignores the digits of numbers), leaves no memory (-malloc_dump), no composed function (-checkfunctionlist) and no unused
option of its own. tests/preload/ makes -malloc_debug walk the heap less often. With -petsc_ci_portable_error_output among its args it must stop with a PETSc error instead, whose
text is what is compared (the exit code is not: MPI launchers lose it). --core leaves out tests with a timeoutfactor, which take long.
A test whose suffix is `small` is a part of a larger one, and runs with --core only.
A test whose suffix is `all` runs with --all only. Programs then get -all, by which some test more, and -seed.
A test whose suffix begins with `alone` takes all of the machine, or of a device: it runs when all the others have ended.
"""
import argparse, collections, concurrent.futures, ctypes, difflib, fnmatch, glob, itertools, os, random, re, shlex, shutil, signal, subprocess, sys, time

KEYS = {'suffix', 'nsize', 'args', 'requires', 'env', 'filter', 'filter_output', 'output_file', 'timeoutfactor', 'comments'}
APPENDED = {'args', 'requires', 'env', 'comments'}  # of a testset and its tests; the other keys are replaced
RUNNING = set()  # process groups of tests
ERROR_TEST = '-petsc_ci_portable_error_output'


class FormError(Exception):
    pass


def test_block(source):
    text = open(source, encoding='utf-8').read()
    m = re.search(r'/\*TEST\b(.*?)TEST\*/', text, re.S)
    if not m:
        raise FormError(f'{source}: no /*TEST block')
    lines = m.group(1).split('\n')
    if source.endswith('.py'):
        lines = [re.sub(r'^#', '', l) for l in lines]
    return re.sub(r'\\\n\s*', ' ', '\n'.join(lines))


def parse(source):
    """[(kind, keys, [tests])] of the top-level blocks"""
    blocks, stack = [], []
    for line in test_block(source).split('\n'):
        if not line.strip() or line.strip().startswith('#'):
            continue
        depth = len(line) - len(line.lstrip())
        key, colon, value = line.strip().partition(':')
        key, value = key.strip(), value.strip()
        while stack and depth <= stack[-1][0]:
            stack.pop()
        if key in ('build', 'test', 'testset'):
            block = (key, {}, [])
            (stack[-1][1][2] if stack else blocks).append(block)
            stack.append((depth, block))
        elif colon and stack and key in (KEYS if stack[-1][1][0] != 'build' else {'requires', 'comments'}):
            keys = stack[-1][1][1]
            keys[key] = keys[key] + ' ' + value if key in keys and key in APPENDED else value
        else:
            raise FormError(f"{source}: '{line.strip()}' in the /*TEST block: not a key that this runner knows ({' '.join(sorted(KEYS))})")
    return blocks


def merged(outer, inner):
    keys = dict(outer)
    for k, v in inner.items():
        if k == 'suffix' and k in outer:
            keys[k] = outer[k] + '_' + v
        else:
            keys[k] = outer[k] + ' ' + v if k in APPENDED and k in outer else v
    return keys


def loops(text, default=None):
    """Pieces of text: strings and (key, values, separate)"""
    pieces, at = [], 0
    for m in re.finditer(r'(?:-(\w+)\s+)?\{\{(.*?)\}(.*?)\}', text):
        pieces += [text[at:m.start()], (m.group(1) or default, m.group(2).split(), m.group(3).strip().startswith('separate'))]
        at = m.end()
    return pieces + [text[at:]]


def choices(text, default=None):
    """(text, output suffix, label) for each combination of loop values"""
    axes = [[(p, '', '')] if isinstance(p, str) else
            [((f'-{p[0]} ' if default is None else '') + v,
              f"_{p[0]}-{v.replace(',', '__')}" if p[2] else '', '' if p[2] else f'+{p[0]}-{v}') for v in p[1]] for p in loops(text, default)]
    for combination in itertools.product(*axes):
        yield tuple(''.join(c[i] for c in combination) for i in range(3))


class Run:
    def __init__(self, source, base, keys, index):
        self.source, self.keys = source, keys
        self.nsize, suffix, label = keys['nsize']
        self.args, suffix2, label2 = keys['args']
        root = base + ('_' + keys['suffix'] if 'suffix' in keys else '') + suffix + suffix2
        if root == base:
            root += '_1'
        self.name = root + (f'+{index}' if index else '') + label + label2
        self.output = os.path.join(os.path.dirname(source), keys.get('output_file', f'output/{root}.out'))
        self.requires = keys.get('requires', '')
        self.program_args = self.args.strip()
        self.error = ERROR_TEST in self.args
        self.all = keys.get('suffix', '').split('_')[-1] == 'all'
        self.small = keys.get('suffix', '').split('_')[-1] == 'small'
        self.alone = keys.get('suffix', '').split('_')[-1].startswith('alone')


def runs_of(source):
    base = os.path.splitext(os.path.basename(source))[0]
    blocks = parse(source)
    build = {k: v for kind, keys, _ in blocks if kind == 'build' for k, v in keys.items()}
    runs, unnamed = [], {}
    for kind, outer, tests in blocks:
        if kind == 'build':
            continue
        outer = merged(build, outer)
        for inner in [t[1] for t in tests] or [{}]:
            keys = merged(outer, inner)
            index = unnamed.setdefault(keys.get('suffix'), 0)
            unnamed[keys.get('suffix')] += 1
            for n in choices(keys.get('nsize', '1'), 'nsize'):
                for a in choices(keys.get('args', '')):
                    runs.append(Run(source, base, {**keys, 'nsize': n, 'args': a}, index))
    if not runs:
        raise FormError(f'{source}: its /*TEST block has no test')
    return runs


def can_open(library):
    try:
        return bool(ctypes.CDLL(library))
    except OSError:
        return False


def has_kernels(library):
    """Whether nvcc's section of kernels is in the library, which may be stripped"""
    with open(library, 'rb') as file:
        return b'.nv_fatbin' in file.read()


class Petsc:
    """What `requires` can ask of the PETSc in use, of the library and of this machine"""

    def __init__(self, opts):
        self.dir, self.arch, self.opts = opts.petsc_dir, opts.petsc_arch, opts
        conf = ''
        for name in (os.path.join(self.arch, 'include/petscconf.h'), 'include/petscconf.h'):
            path = os.path.join(self.dir, name)
            if os.path.exists(path):
                conf = open(path).read()
                break
        self.defines = dict(re.findall(r'^\s*#\s*define\s+(\w+)\s*(.*?)\s*$', conf, re.M))
        flags = open('/proc/cpuinfo').read().split() if os.path.exists('/proc/cpuinfo') else []
        self.has = {
            'complex': 'PETSC_USE_COMPLEX' in self.defines,
            'debug': 'PETSC_USE_DEBUG' in self.defines,
            'cuda': 'PETSC_HAVE_CUDA' in self.defines and bool(glob.glob('/dev/nvidia[0-9]*')) and has_kernels(opts.lib),
            'nvrtc': any(can_open(f'{folder}libnvrtc.so{v}') for v in ('.13', '.12', '') for folder in ('', '/usr/local/cuda/lib64/')),
            'datafilespath': bool(opts.matrices),
            'slepc': bool(opts.slepc_dir),
            'avx2': 'avx2' in flags,
            'avx512': not opts.valgrind and all(  # which valgrind does not know
                f in flags for f in ('avx512f', 'avx512vl', 'avx512dq', 'avx512bw')),
        }
        self.has['real'], self.has['opt'] = not self.has['complex'], not self.has['debug']
        for p, macro in (('single', 'SINGLE'), ('double', 'DOUBLE'), ('__float128', '__FLOAT128')):
            self.has[p] = f'PETSC_USE_REAL_{macro}' in self.defines
        self.python = self.dolfinx = None

    def python_path(self):
        """Where installations of PETSc keep petsc4py: in Debian's folder, and in that of a build"""
        places = [os.path.join(self.dir, self.arch, 'lib', sub) for sub in ('python3/dist-packages', '')]
        return os.pathsep.join(filter(None, places + [os.environ.get('PYTHONPATH', '')]))

    def find_python(self):
        """The Python whose petsc4py is of the PETSc in use"""
        probe = 'import numpy, petsc4py as p, os; c = p.get_config(); print(os.path.realpath(c["PETSC_DIR"]), c["PETSC_ARCH"])'
        for python in ('python3', '/usr/bin/python3'):
            p = subprocess.run([python, '-c', probe], capture_output=True, text=True, env=dict(os.environ, PYTHONPATH=self.python_path())) if shutil.which(python) else None
            if p and p.returncode == 0 and p.stdout.split() == [os.path.realpath(self.dir), *self.arch.split()]:
                return python
        return ''

    def lacks(self, requires):
        for token in re.split(r'[\s,]+', requires.strip()):
            want, name = not token.startswith('!'), token.lstrip('!')
            m = re.fullmatch(r'defined?\((\w+)\)', name)
            if m:
                there = m.group(1) in self.defines
            elif name == 'petsc4py':
                self.python = self.find_python() if self.python is None else self.python
                there = bool(self.python) and not self.opts.valgrind
            elif name == 'dolfinx':  # named after petsc4py, with whose Python it is asked for
                if self.dolfinx is None:
                    self.dolfinx = bool(self.python) and not subprocess.run([self.python, '-c', 'import dolfinx.fem.petsc'], capture_output=True, env=dict(os.environ, PYTHONPATH=self.python_path())).returncode
                there = self.dolfinx
            elif name:
                there = self.has[name] if name in self.has else f'PETSC_HAVE_{name.upper()}' in self.defines
            else:
                continue
            if there != want:
                return token
        return ''


def own_unused(text, ours):
    """Takes the harness's own options out of the lists of unused options (a program may begin PETSc more than once)"""
    def others(m):
        left = [l for l in m.group(1).splitlines(True) if not any(re.search(rf'name:{re.escape(o)}\b', l) for o in ours)]
        return ''.join(re.sub(r' source: .*', '', l) for l in left)
    return re.sub(r'^WARNING! There are options you set that were not used!\n(?:(?!Option left: ).*\n){0,2}((?:Option left: .*\n)*)', others, text, flags=re.M)


def execute(run, petsc, opts):
    """(passed, seconds, comment lines)"""
    name = os.path.splitext(run.source)[0]
    scratch = os.path.join(opts.build, '-'.join(filter(None, ['runs', opts.sanitizer, opts.valgrind and 'valgrind'])), run.name)
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    options = f'-check_pointer_intensity 0 -error_output_stdout -malloc_dump {"" if opts.valgrind else "-malloc_debug"} -checkfunctionlist -nox -mat_autocsr_machine shipped:reference -mat_autocsr_progressive false {opts.options}'
    env = dict(os.environ, AUTOCSR_LIB=opts.lib, AUTOCSR_DATA=os.path.join(opts.build, 'data'), AUTOCSR_MTX=os.path.join(opts.top, 'tests', 'data'),
               DATAFILESPATH=opts.matrices, OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1', LC_ALL='C')
    preload = os.path.join(opts.build, 'tests/preload.so')
    if os.path.exists(preload):
        env['LD_PRELOAD'] = ' '.join(filter(None, [env.get('LD_PRELOAD'), preload]))
    env['PETSC_OPTIONS'] = options if run.source in opts.private else f'-dll_append {opts.lib} {options}'
    for setting in shlex.split(run.keys.get('env', '')):
        k, _, v = setting.partition('=')
        env[k] = v
    if run.source.endswith('.py'):
        env['PYTHONPATH'] = petsc.python_path()
    program = [petsc.python, os.path.join(opts.top, run.source)] if run.source.endswith('.py') else [os.path.join(opts.build, name)]
    command = shlex.split(opts.mpiexec) + ['-n', run.nsize]
    if run.nsize == '1':  # a process starts faster by itself, without Open MPI's daemon and its folder, which several would share
        command = []
        env.update(OMPI_MCA_ess_singleton_isolated='1', OMPI_MCA_orte_create_session_dirs='0')
    if opts.valgrind:
        command += ['valgrind', '-q', '--leak-check=full', '--show-leak-kinds=definite', '--errors-for-leak-kinds=definite', '--num-callers=20',
                    '--error-exitcode=10', f'--suppressions={opts.valgrind}']
    if opts.sanitizer:
        command += ['compute-sanitizer', '--tool', opts.sanitizer, '--error-exitcode', '10', '--log-file', os.path.join(scratch, 'sanitizer-%p')]
    if opts.sanitizer == 'racecheck':  # a kernel of cuSPARSE's product, with which products are compared, has races of its own
        command += ['--kernel-name-exclude', 'kernel_substring=cusparse']
    line = ' '.join(map(shlex.quote, command + program)) + ' ' + run.program_args
    limit = opts.limit * float(run.keys.get('timeoutfactor', 1)) * (20 if opts.valgrind or opts.sanitizer else 1)
    start = time.time()
    p = subprocess.Popen(['bash', '-c', line], cwd=scratch, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         errors='replace', start_new_session=True)
    RUNNING.add(p.pid)
    try:
        out, err = p.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        out, err = p.communicate()
        RUNNING.discard(p.pid)
        return False, time.time() - start, [line, f'not finished after {limit:.0f} s'] + out.splitlines()[-20:]
    RUNNING.discard(p.pid)
    seconds = time.time() - start
    raw = out
    out = own_unused(out, [o for o in env['PETSC_OPTIONS'].split() if o.startswith('-')])
    if run.error:
        out = error_text(out)
    expected = open(run.output).read() if os.path.exists(run.output) else None
    for which, key in (('out', 'filter'), ('expected', 'filter_output')):
        if key in run.keys and (which == 'out' or expected is not None):
            text = subprocess.run(['bash', '-c', run.keys[key]], input=out if which == 'out' else expected, capture_output=True, text=True, cwd=scratch).stdout
            out, expected = (text, expected) if which == 'out' else (out, text)
    good_end = bool(out) if run.error else p.returncode == 0
    if opts.update and good_end and not re.search(r'^\[ *\d+\] ?\d+ bytes', out, re.M):
        os.makedirs(os.path.dirname(run.output), exist_ok=True)
        open(run.output, 'w').write(out)
        expected = out
    lines = lambda text: [l.rstrip() for l in text.rstrip().split('\n')]
    notes = []
    if not good_end:
        notes.append('no PETSc error' if run.error else f'exit code {p.returncode}')
    if expected is None:
        notes.append(f'{run.output} is not there')
    elif lines(out) != lines(expected):
        notes += list(difflib.unified_diff(lines(expected), lines(out), run.output, 'output', lineterm='', n=1))[:60]
    if notes:
        for log in glob.glob(os.path.join(glob.escape(scratch), 'sanitizer-*')):
            notes += open(log, errors='replace').read().splitlines()[:40]
        return False, seconds, [line, *notes, *((error_text(raw) or raw[-2000:]) + err[-2000:]).splitlines()]
    shutil.rmtree(scratch, ignore_errors=True)
    return True, seconds, []


def error_text(out):
    """The text of a PETSc error: the lines between its ruler and the version or stack"""
    text, inside = [], False
    for l in out.splitlines():
        m = re.match(r'(?:\[\d+\])?PETSC ERROR: (.*)', l)
        if not m:
            continue
        l = m.group(1)
        if l.startswith('-----'):
            inside = 'Error Message' in l
        elif inside and re.match(r'\s*(WARNING! |Option left|See https|(?i:petsc) (Release|Development)|#1 )', l):
            inside = False
        elif inside and l not in text:
            text.append(re.sub('^Petsc ', 'PETSc ', l))  # as newer versions write it
    return ''.join(l + '\n' for l in text)


def end(*_):
    """Who ends the runner ends the tests that run"""
    for group in list(RUNNING):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass
    os._exit(143)


def main():
    signal.signal(signal.SIGTERM, end)
    a = argparse.ArgumentParser()
    for name in ('build', 'top', 'lib', 'petsc-dir', 'petsc-arch', 'mpiexec', 'matrices', 'slepc-dir', 'valgrind', 'only', 'but'):
        a.add_argument('--' + name, default='')
    a.add_argument('--private', default='', help='sources linked with the library itself: it is not loaded a second time')
    a.add_argument('--options', default='', help='further options for every program, as -use_gpu_aware_mpi 0')
    a.add_argument('--sanitizer', default='', help='a tool of compute-sanitizer that every program runs under: memcheck, racecheck, initcheck')
    a.add_argument('--jobs', type=int, default=2)
    a.add_argument('--limit', type=float, default=300, help='seconds for a test, times its timeoutfactor: against programs that hang, also on a machine that has other work')
    a.add_argument('--core', action='store_true')
    a.add_argument('--all', action='store_true', help='the full size of the tests, with a new seed, which is printed')
    a.add_argument('--update', action='store_true', help='write what the programs print into the output files')
    a.add_argument('sources', nargs='+')
    opts = a.parse_args()
    opts.private = opts.private.split()
    petsc = Petsc(opts)
    try:
        runs = [r for s in opts.sources for r in runs_of(s)]
        names = [r.name for r in runs]
        if len(set(names)) < len(names):
            raise FormError(f'two tests are named {max(names, key=names.count)}; a suffix or a name of the program tells them apart')
    except FormError as e:
        sys.exit(f'run-tests: {e}')
    named = lambda run, patterns: any(fnmatch.fnmatch(run.name, p) or fnmatch.fnmatch(run.name, p + '_*') for p in patterns.split())
    runs = [r for r in runs if (not opts.only or named(r, opts.only)) and not named(r, opts.but)]
    if opts.all:
        seed = random.randrange(1, 10**6)
        print(f'# -seed {seed}')
        opts.options += f' -all -seed {seed}'
    else:
        runs = [r for r in runs if not r.all]
    if opts.core:
        runs = [r for r in runs if float(r.keys.get('timeoutfactor', 1)) <= 1]
    else:
        runs = [r for r in runs if not r.small]
    runs.sort(key=lambda r: -float(r.keys.get('timeoutfactor', 1)))  # what takes long begins first
    print(f'TAP version 13\n1..{len(runs)}', flush=True)
    passed, failed, skipped, times = 0, [], collections.Counter(), []
    start = time.time()
    lacking = [petsc.lacks(r.requires) for r in runs]

    def report(i, result):
        nonlocal passed
        good, seconds, notes = result
        name = runs[i].name
        times.append((seconds, name))
        passed += good
        if not good:
            failed.append(name)
        print(f"{'ok' if good else 'not ok'} {i + 1} {name} # {seconds:.1f} s", *('#   ' + n[:300] for n in notes), sep='\n', flush=True)

    for i, (r, l) in enumerate(zip(runs, lacking)):
        if l:
            skipped[l] += 1
            print(f'ok {i + 1} {r.name} # SKIP requires {l}', flush=True)
    due = [(r, i) for i, (r, l) in enumerate(zip(runs, lacking)) if not l and not r.alone]
    for n in sorted({int(r.nsize) for r, _ in due}):  # ranks that wait for each other on a busy core take ten times as long: n of them take n jobs
        with concurrent.futures.ThreadPoolExecutor(max(1, opts.jobs // n)) as pool:
            pending = {pool.submit(execute, r, petsc, opts): i for r, i in due if int(r.nsize) == n}
            for done in concurrent.futures.as_completed(pending):
                report(pending[done], done.result())
    for i, (r, l) in enumerate(zip(runs, lacking)):
        if r.alone and not l:
            report(i, execute(r, petsc, opts))
    print(f'# {time.time() - start:.0f} s; slowest: ' + ', '.join(f'{n} {s:.1f} s' for s, n in sorted(times, reverse=True)[:5]))
    if failed:
        print('# failed: ' + ' '.join(failed))
    if skipped:
        print('# skipped for want of: ' + ', '.join(f'{what} {n}' for what, n in skipped.most_common()))
    print(f'{passed} passed, {len(failed)} failed' + (f', {skipped.total()} skipped' if skipped else ''))
    sys.exit(1 if failed or not passed else 0)


if __name__ == '__main__':
    main()

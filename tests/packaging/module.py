"""The module petscautocsr with petsc4py: loaded `before` or `after` that has started."""
import sys

import petscautocsr

if sys.argv[1] == 'before':
    petscautocsr.load('-mat_autocsr_progressive false')
from petsc4py import PETSc

if sys.argv[1] == 'after':
    petscautocsr.load('-mat_autocsr_progressive false')
n = 2000
A = PETSc.Mat().create()
A.setSizes(n)
A.setType('autocsr')
A.setPreallocationNNZ(3)
begin, end = A.getOwnershipRange()
for i in range(begin, end):
    for j in (i - 1, i, i + 1):
        if 0 <= j < n:
            A[i, j] = 1.0 / (1 + i + j)
A.assemble()
comm = A.getComm()
assert A.getType() == ('seqaijautocsr' if comm.getSize() == 1 else 'mpiaijautocsr'), A.getType()
petscautocsr.settings(A, strategy='sell', value_coding='copy')
x, y = A.createVecs()
x.set(1)
A.mult(x, y)
found = petscautocsr.info(A)
if comm.getRank() == 0:
    assert found['settings']['strategy'] == 'sell' and found['blocks'][0]['segments'][0]['strategy'] == 'sell', found
    assert petscautocsr.graph(A) == found['blocks'][0]['graph'] and len(found['picture']['cells']) == 96
    assert len({block['rank'] for block in found['blocks']}) == comm.getSize()
else:
    assert found == {}, found
assert 'slice_block' in petscautocsr.graph(A)
petscautocsr.settings(A, graph='compress row_block(lanes=2)')
A.mult(x, y)
assert 'lanes=2' in petscautocsr.graph(A), petscautocsr.graph(A)
assert begin > 0 or abs(y[0] - (1 + 1 / 2)) < 1e-14, y[0]
petscautocsr.view(A)
try:
    petscautocsr.settings(A, strateyg='sell')
    raise SystemExit('an unknown setting is taken')
except ValueError as error:
    assert 'strategy' in str(error)
for of_another_type in (petscautocsr.info, petscautocsr.view, petscautocsr.graph, petscautocsr.settings):
    try:
        of_another_type(A.convert('aij', PETSc.Mat()))
        raise SystemExit('a matrix of another type is taken')
    except TypeError as error:
        assert 'aij, not autocsr' in str(error)
try:
    import matplotlib  # noqa: F401
except ImportError:
    print('no matplotlib: plot() is not tried')
    sys.exit(0)
name = f'plan-{comm.getSize()}.png'
figure = petscautocsr.plot(A, name)
if comm.getRank() == 0:
    pattern, bars = figure.axes
    assert pattern.get_title().startswith('2,000 by 2,000: graph'), pattern.get_title()
    image = pattern.images[0].get_array()
    assert image.shape == (96, 96, 3) and (image[0, 0] < 1).any() and (image[0, 95] == 1).all()  # the diagonal alone is coloured
    assert len(bars.patches) == (1 if comm.getSize() == 1 else 2), bars.patches
    assert open(name, 'rb').read(4) == b'\x89PNG'
else:
    assert figure is None

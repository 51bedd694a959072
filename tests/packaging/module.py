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
for i in range(n):
    for j in (i - 1, i, i + 1):
        if 0 <= j < n:
            A[i, j] = 1.0 / (1 + i + j)
A.assemble()
assert A.getType() == 'seqaijautocsr', A.getType()
petscautocsr.settings(A, strategy='sell', value_coding='copy')
x, y = A.createVecs()
x.set(1)
A.mult(x, y)
found = petscautocsr.info(A)
assert found['settings']['strategy'] == 'sell' and found['blocks'][0]['segments'][0]['strategy'] == 'sell', found
assert petscautocsr.graph(A) == found['blocks'][0]['graph'] and 'slice_block' in petscautocsr.graph(A)
petscautocsr.settings(A, graph='compress row_block(lanes=2)')
A.mult(x, y)
assert 'lanes=2' in petscautocsr.graph(A), petscautocsr.graph(A)
assert abs(y[0] - (1 + 1 / 2)) < 1e-14, y[0]
petscautocsr.view(A)
try:
    petscautocsr.settings(A, strateyg='sell')
    raise SystemExit('an unknown setting is taken')
except ValueError as error:
    assert 'strategy' in str(error)
try:
    import matplotlib  # noqa: F401

    petscautocsr.plot(A, 'plan.png')
except ImportError:
    pass

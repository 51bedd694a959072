#!/usr/bin/env python3
"""The Poisson equation with petsc4py: a plain program, which knows nothing of autocsr.

PETSC_OPTIONS="-dll_append /path/to/libpetscautocsr.so -mat_type autocsr" python3 poisson.py
or, in a program, with -dll_append alone there: mat.setType('autocsr').
"""
import sys
import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc

opts = PETSc.Options()
n = opts.getInt('n', 60)

A = PETSc.Mat().create()
A.setSizes(n * n)
if opts.getBool('by_name', False):
    A.setType('autocsr')
A.setFromOptions()
A.setPreallocationNNZ(5)
begin, end = A.getOwnershipRange()
for row in range(begin, end):
    i, j = divmod(row, n)
    A[row, row] = 4.0
    for there, col in ((i > 0, row - n), (j > 0, row - 1), (j < n - 1, row + 1), (i < n - 1, row + n)):
        if there:
            A[row, col] = -1.0
A.assemble()

x, b = A.createVecs()
b.set(1.0)
ksp = PETSc.KSP().create()
ksp.setOperators(A)
ksp.setType('cg')
ksp.getPC().setType('gamg')
ksp.setTolerances(rtol=1e-8)
ksp.setFromOptions()
ksp.solve(b, x)
residual = b - A * x
PETSc.Sys.Print(f'{A.getType()}: converged: {ksp.getConvergedReason() > 0}, residual small: {residual.norm() < 1e-6 * b.norm()}')

#/*TEST
#
#  test:
#    suffix: aij
#    requires: petsc4py
#    args: -mat_type aij
#
#  test:
#    suffix: seq
#    requires: petsc4py
#    args: -mat_type autocsr
#
#  test:
#    suffix: by_name
#    requires: petsc4py
#    args: -by_name
#    output_file: output/poisson_seq.out
#
#  test:
#    suffix: mpi
#    requires: petsc4py
#    nsize: 2
#    args: -mat_type autocsr
#
#TEST*/

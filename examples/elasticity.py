#!/usr/bin/env python3
"""Linear elasticity of a clamped beam with FEniCSx (DOLFINx); a plain program, which knows nothing of autocsr.

    apt-get install python3-dolfinx-real      # Debian 12
    examples/gain examples/elasticity.py -n 12
"""
import sys
import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc
from mpi4py import MPI
import numpy as np
import ufl
from dolfinx import fem, mesh
from dolfinx.fem import petsc as fem_petsc


def strain(w):
    return ufl.sym(ufl.grad(w))


def stress(w, mu=1.0, lam=1.25):
    return 2 * mu * strain(w) + lam * ufl.tr(strain(w)) * ufl.Identity(3)


def main():
    n = PETSc.Options().getInt('n', 4)
    beam = mesh.create_box(MPI.COMM_WORLD, [np.zeros(3), np.array([5.0, 1.0, 1.0])], [5 * n, n, n], mesh.CellType.hexahedron)
    V = fem.VectorFunctionSpace(beam, ('Lagrange', 1)) if hasattr(fem, 'VectorFunctionSpace') else fem.functionspace(beam, ('Lagrange', 1, (3,)))
    u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
    a = fem.form(ufl.inner(stress(u), strain(v)) * ufl.dx)
    load = fem.form(ufl.inner(fem.Constant(beam, PETSc.ScalarType((0.0, 0.0, -0.001))), v) * ufl.dx)
    clamped = fem.locate_dofs_geometrical(V, lambda x: np.isclose(x[0], 0))
    bc = fem.dirichletbc(np.zeros(3, dtype=PETSc.ScalarType), clamped, V)

    A = fem_petsc.create_matrix(a)  # of -mat_type
    fem_petsc.assemble_matrix(A, a, bcs=[bc])
    A.assemble()
    b = fem_petsc.assemble_vector(load)
    fem_petsc.apply_lifting(b, [a], [[bc]])
    b.ghostUpdate(addv=PETSc.InsertMode.ADD, mode=PETSc.ScatterMode.REVERSE)
    fem_petsc.set_bc(b, [bc])

    ksp = PETSc.KSP().create(beam.comm)
    ksp.setOperators(A)
    ksp.setType('cg')
    ksp.getPC().setType('jacobi')
    ksp.setTolerances(rtol=1e-10, max_it=20000)
    ksp.setFromOptions()
    x = b.duplicate()
    ksp.solve(b, x)
    PETSc.Sys.Print(f'{A.getType()}: {A.getSize()[0]} unknowns, converged: {ksp.getConvergedReason() > 0}, |u| = {x.norm():.6g}, largest displacement {x.norm(PETSc.NormType.NORM_INFINITY):.6g}')
    for thing in (ksp, x, b, A):
        thing.destroy()


main()

#/*TEST
#
#  test:
#    requires: petsc4py dolfinx !complex
#    args: -n 2 -mat_type {{aij autocsr}}
#    filter: sed "s/^[a-z]*: //"
#
#TEST*/

// The Poisson equation on the unit ball with deal.II, -div grad u = 6 and u = 0 on the sphere, so u = 1 - |x|^2. A plain deal.II program, which knows nothing of autocsr.
//   -refine <levels>: how often the 7 cells of the coarse ball are refined (default 2)
//   -degree <p>     : the elements' degree (default 2)
#include <deal.II/base/function_lib.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>

#include <deal.II/distributed/tria.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q.h>

#include <deal.II/grid/grid_generator.h>

#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/petsc_precondition.h>
#include <deal.II/lac/petsc_solver.h>
#include <deal.II/lac/petsc_sparse_matrix.h>
#include <deal.II/lac/petsc_vector.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/sparsity_tools.h>

#include <deal.II/numerics/vector_tools.h>

#include <algorithm>
#include <cmath>
#include <iostream>

using namespace dealii;

class Exact : public Function<3>
{
public:
  double value(const Point<3> &p, const unsigned int = 0) const override
  {
    return 1 - p.square();
  }
};

// The equations of all cells of this process
void assemble(const Mapping<3> &mapping, const DoFHandler<3> &dof_handler, const AffineConstraints<double> &constraints, PETScWrappers::MPI::SparseMatrix &matrix, PETScWrappers::MPI::Vector &rhs)
{
  const FiniteElement<3>              &fe = dof_handler.get_fe();
  const QGauss<3>                      quadrature(fe.degree + 1);
  FEValues<3>                          fe_values(mapping, fe, quadrature, update_values | update_gradients | update_JxW_values);
  FullMatrix<double>                   cell_matrix(fe.n_dofs_per_cell(), fe.n_dofs_per_cell());
  Vector<double>                       cell_rhs(fe.n_dofs_per_cell());
  std::vector<types::global_dof_index> dofs(fe.n_dofs_per_cell());

  for (const auto &cell : dof_handler.active_cell_iterators())
    {
      if (!cell->is_locally_owned())
        continue;
      fe_values.reinit(cell);
      cell_matrix = 0;
      cell_rhs    = 0;
      for (const unsigned int q : fe_values.quadrature_point_indices())
        for (const unsigned int i : fe_values.dof_indices())
          {
            for (const unsigned int j : fe_values.dof_indices())
              cell_matrix(i, j) += fe_values.shape_grad(i, q) * fe_values.shape_grad(j, q) * fe_values.JxW(q);
            cell_rhs(i) += 6 * fe_values.shape_value(i, q) * fe_values.JxW(q);
          }
      cell->get_dof_indices(dofs);
      constraints.distribute_local_to_global(cell_matrix, cell_rhs, dofs, matrix, rhs);
    }
  matrix.compress(VectorOperation::add);
  rhs.compress(VectorOperation::add);
}

void solve(const MPI_Comm comm, const unsigned int levels, const unsigned int degree)
{
  parallel::distributed::Triangulation<3> triangulation(comm);
  GridGenerator::hyper_ball(triangulation);
  triangulation.refine_global(levels);

  const MappingQ<3> mapping(degree);
  const FE_Q<3>     fe(degree);
  DoFHandler<3>     dof_handler(triangulation);
  dof_handler.distribute_dofs(fe);

  const IndexSet owned = dof_handler.locally_owned_dofs();
  IndexSet       relevant;
  DoFTools::extract_locally_relevant_dofs(dof_handler, relevant);

  AffineConstraints<double> constraints(relevant);
  VectorTools::interpolate_boundary_values(mapping, dof_handler, 0, Functions::ZeroFunction<3>(), constraints);
  constraints.close();

  DynamicSparsityPattern pattern(relevant);
  DoFTools::make_sparsity_pattern(dof_handler, pattern, constraints, false);
  SparsityTools::distribute_sparsity_pattern(pattern, owned, comm, relevant);

  PETScWrappers::MPI::SparseMatrix matrix;
  PETScWrappers::MPI::Vector       rhs(owned, comm), solution(owned, comm);
  matrix.reinit(owned, owned, pattern, comm);
  assemble(mapping, dof_handler, constraints, matrix, rhs);

  SolverControl                           control(10000, 1e-10 * rhs.l2_norm());
  PETScWrappers::SolverCG                 solver(control, comm);
  const PETScWrappers::PreconditionJacobi preconditioner(matrix);
  solver.solve(matrix, solution, rhs, preconditioner);
  constraints.distribute(solution);

  const double               norm = solution.l2_norm();
  PETScWrappers::MPI::Vector ghosted(owned, relevant, comm);
  Vector<double>             per_cell(triangulation.n_active_cells());
  ghosted = solution;
  VectorTools::integrate_difference(mapping, dof_handler, ghosted, Exact(), per_cell, QGauss<3>(degree + 2), VectorTools::L2_norm);
  const double error = VectorTools::compute_global_error(triangulation, per_cell, VectorTools::L2_norm);
  const double bound = std::max(2 * std::pow(0.5, levels * (degree + 1.)), 1e-8); // the elements' order of convergence

  if (Utilities::MPI::this_mpi_process(comm) == 0)
    std::cout << fe.get_name() << ": " << dof_handler.n_dofs() << " unknowns, the solution's norm is " << norm << ", its error is " << (error < bound ? "small" : "not small") << std::endl
              << "Number of iterations: " << control.last_step() << std::endl;
}

int main(int argc, char **argv)
{
  try
    {
      const Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
      PetscInt                               levels = 2, degree = 2;
      PetscOptionsGetInt(nullptr, nullptr, "-refine", &levels, nullptr);
      PetscOptionsGetInt(nullptr, nullptr, "-degree", &degree, nullptr);
      AssertThrow(levels >= 0 && degree > 0, ExcMessage("-refine is not negative, and -degree is positive"));
      solve(MPI_COMM_WORLD, levels, degree);
    }
  catch (const std::exception &e)
    {
      std::cerr << e.what() << std::endl;
      return 1;
    }
  return 0;
}

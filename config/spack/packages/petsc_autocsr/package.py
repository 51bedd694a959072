# A recipe for Spack 1.0 or later. Nobody has tried it yet: Spack could not be had where it was written, and only its syntax was checked.
# There is no public address of the source package yet, so that Spack builds a checkout:
#   spack repo add <checkout>/config/spack
#   spack dev-build --source-path=<checkout> petsc-autocsr@0.2.0
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class PetscAutocsr(MakefilePackage, CudaPackage):
    """A PETSc matrix type, autocsr: an AIJ matrix that looks at its sparsity and chooses how the processor or the GPU multiplies it."""

    license("BSD-2-Clause")

    version("0.2.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type=("build", "test"))
    depends_on("python@3.8:", type="build")
    depends_on("zlib-api")
    depends_on("mpi", when="^petsc+mpi")
    depends_on("petsc@3.18:3.26+shared")
    depends_on("petsc@3.26+cuda", when="+cuda")  # with an older one the makefile leaves the GPU out
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"petsc cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")

    conflicts("%clang", msg="the library is compiled by GCC")
    requires("target=x86_64:", msg="the library is for x86-64")
    requires("platform=linux", msg="the library is for Linux")

    def edit(self, spec, prefix):
        pass  # the makefile takes everything from its command line

    def petsc(self):
        return [f"PETSC_DIR={self.spec['petsc'].prefix}", "PETSC_ARCH="]

    @property
    def build_targets(self):
        arch = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ()
        return self.petsc() + (["CUDA_ARCH=" + " ".join(arch)] if arch and arch[0] != "none" else []) + ["all", "docs"]

    @property
    def install_targets(self):
        return self.build_targets[:-2] + [f"PREFIX={self.prefix}", "FLAT=yes", "install"]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        make(*self.install_targets[:-1], "installcheck")

    def setup_run_environment(self, env):
        env.set("PETSCAUTOCSR_LIBRARY", self.prefix.lib.join("libpetscautocsr.so"))

"""pip install .: makes the library for the PETSc of PETSC_DIR and PETSC_ARCH, else that of the package petsc or of the system, and puts it into the module petscautocsr."""
import os
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

top = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(top, "config", "VERSION")) as file:
    version = file.read().strip()


def petsc():
    """Assignments for make: what the environment says, or the package petsc; else make finds one"""
    if "PETSC_DIR" in os.environ:
        return [f"{name}={os.environ[name]}" for name in ("PETSC_DIR", "PETSC_ARCH") if name in os.environ]
    try:
        import petsc as package

        return ["PETSC_DIR=" + package.get_petsc_dir()]
    except ImportError:
        return []


class Build(build_py):
    def run(self):
        super().run()
        built = os.path.join(top, "build", "pip")
        subprocess.check_call(["make", "-C", top, f"-j{os.cpu_count()}", f"BUILD={built}"] + petsc())
        to = os.path.join(self.build_lib, "petscautocsr")
        shutil.copy2(os.path.join(built, "libpetscautocsr.so"), to)
        init = os.path.join(to, "__init__.py")
        with open(init) as file:
            text = file.read()
        with open(init, "w") as file:
            file.write(text.replace("@VERSION@", version))


class Binary(Distribution):
    def has_ext_modules(self):  # a wheel is of one machine
        return True


setup(version=version, packages=["petscautocsr"], package_dir={"": "src/binding"}, cmdclass={"build_py": Build}, distclass=Binary)

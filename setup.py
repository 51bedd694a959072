"""pip install .: makes the library for the PETSc of PETSC_DIR and PETSC_ARCH, else that of the package petsc or of the system, and puts it into the module petscautocsr."""
import os
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

top = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(top, "config", "VERSION")) as file:
    version = file.read().strip()


def readme():
    """README without links to files, which lead nowhere on the page of a package: [text](file) becomes text (file)"""
    with open(os.path.join(top, "README.md"), encoding="utf-8") as file:
        text = re.sub(r"!?\[([^]]*)\]\(([^):#]+)(#[^)]*)?\)", lambda m: m[1] if m[1] == m[2] else f"{m[1]} ({m[2]})", file.read())
    return text + "\nThe files that this page names are in the source package.\n"


def petsc():
    """Assignments for make: what the environment says, or the package petsc; else make finds one"""
    if "PETSC_DIR" in os.environ:
        return [f"{name}={os.environ[name]}" for name in ("PETSC_DIR", "PETSC_ARCH") if name in os.environ]
    ask = "import importlib.util\nif importlib.util.find_spec('petsc'): import petsc; print(petsc.get_petsc_dir())"
    # pip builds by the user's Python, but hides its packages by two variables
    shown = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONNOUSERSITE")}
    for environment in (os.environ, shown):
        folder = subprocess.check_output([sys.executable, "-c", ask], env=environment, text=True).strip()
        if folder:
            return ["PETSC_DIR=" + folder, "PETSC_ARCH="]
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


setup(
    version=version,
    license="BSD-2-Clause",
    long_description=readme(),
    long_description_content_type="text/markdown",
    packages=["petscautocsr"],
    package_dir={"": "src/binding"},
    cmdclass={"build_py": Build},
    distclass=Binary,
)

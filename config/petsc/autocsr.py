# A package for PETSc's configure, tried with PETSc 3.26.1. Copy this file to config/BuildSystem/config/packages of PETSc's tree, then
#   ./configure --download-autocsr=<petscautocsr-<version>.tar.gz, or git://<clone>>
# PETSc's make builds the library after PETSc and puts it beside PETSc's own; make check runs a program with it.
# Programs load it by -dll_append ${PETSC_DIR}/${PETSC_ARCH}/lib/libpetscautocsr.so, or, with autoload.patch, by themselves.
import os
import config.package

class Configure(config.package.Package):
  def __init__(self, framework):
    config.package.Package.__init__(self, framework)
    self.gitcommit       = 'HEAD'
    self.download        = ['<a petscautocsr-<version>.tar.gz, or git://<clone>>'] # there is no public address yet: see checkDownload()
    self.functions       = []
    self.includes        = ['petscautocsr.h']
    self.liblist         = [['libpetscautocsr.so']]
    self.precisions      = ['single', 'double']
    self.linkedbypetsc   = 0
    self.builtafterpetsc = 1
    self.skippackagewithoptions = 1

  def setNames(self):
    config.package.Package.setNames(self)
    self.downloaddirnames = ['petscautocsr', 'autocsr', 'matautocsr']

  def setupDependencies(self, framework):
    config.package.Package.setupDependencies(self, framework)
    self.blasLapack = framework.require('config.packages.BlasLapack', self)
    self.cuda       = framework.require('config.packages.CUDA', self)
    self.zlib       = framework.require('config.packages.zlib', self)
    self.deps       = [self.blasLapack, self.mpi]
    self.odeps      = [self.cuda, self.zlib]

  def checkDownload(self):
    if self.argDB['download-autocsr'] == 1:
      raise RuntimeError('autocsr has no public address yet: give --download-autocsr=<petscautocsr-<version>.tar.gz, or git://<clone>>')
    return config.package.Package.checkDownload(self)

  def Install(self):
    if not self.checkSharedLibrariesEnabled():
      raise RuntimeError('autocsr is a library that PETSc loads: it needs --with-shared-libraries')
    if self.argDB['prefix'] and not 'package-prefix-hash' in self.argDB: # built at the end of make install
      prefix = os.path.abspath(os.path.expanduser(self.argDB['prefix']))
      petsc  = 'PETSC_DIR=' + prefix + ' PETSC_ARCH='
    else:
      prefix = os.path.join(self.petscdir.dir, self.arch)
      petsc  = 'PETSC_DIR=${PETSC_DIR} PETSC_ARCH=${PETSC_ARCH}'
    # PETSc's make has flags, folders and targets of its own in the environment
    make = 'env -u CFLAGS -u CXXFLAGS -u CPPFLAGS -u LDFLAGS -u BUILD -u DESTDIR ${OMAKE} DESTDIR= FLAT=yes PREFIX=' + prefix + ' ' + petsc
    self.include = [os.path.join(prefix, 'include')]
    self.lib     = [os.path.join(prefix, 'lib', 'libpetscautocsr.so')]
    self.addPost(self.packageDir, [make + ' install'])
    self.addMakeCheck(self.packageDir, make + ' installcheck')
    return self.installDir

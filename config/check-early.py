#!/usr/bin/env python3
"""Of kernels that are launched early (cuda/common/early.cuh), as the compiler has them: none reads or writes before it waits for those before it.

The source says so, and the emulator checks that; but the loads of cuda/common/ptx.cuh do not tell the compiler that they may not go before the wait.
Usage: check-early.py FILE.ptx..., of files whose own kernels are all launched early; CUB's kernels are not, and are left alone."""
import re, sys

ACCESS = re.compile(r'^\s*(@!?%p\d+\s+)?(ld|st|atom|red|cp)\.(?!param|local)')
waits = 0
faults = []
for name in sys.argv[1:]:
    kernel, before = None, []
    for line in open(name, encoding='utf-8'):
        if '.entry' in line:
            kernel, before = line.split('.entry')[1].strip(' (\n'), []
        elif kernel and 'griddepcontrol.wait' in line:
            waits += 1
            faults += [f'{name}: {kernel}: {access}' for access in before]
            kernel = None
        elif kernel and ACCESS.match(line):
            before.append(line.strip())
        elif kernel and line.startswith('}'):
            if '3cub' not in kernel:
                faults.append(f'{name}: {kernel} does not wait')
            kernel = None
print('\n'.join(faults + [f'{waits} kernels wait, {len(faults)} faults']))
sys.exit(bool(faults) or not waits)

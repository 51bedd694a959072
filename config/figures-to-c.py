#!/usr/bin/env python3
"""Makes the table of a processor's figures that the library ships of a file of autocsr_tune (real, double precision, 32-bit indices):

  autocsr_tune -out file                                                              # on the processor, where nothing else runs
  config/figures-to-c.py file name >src/mat/impls/autocsr/machine/processors/name.h    # and two lines in machine/processors.c"""
import sys

if len(sys.argv) != 3:
    sys.exit(__doc__)
path, name = sys.argv[1:]
lines = [line.split() for line in open(path)]
if lines[0][:2] != ['petscautocsr', 'figures'] or lines[1] != ['of', 'real64-int32']:
    sys.exit(f'{path}: no figures of real, double precision, 32-bit indices: other scalars are told from these')
words = {w[0]: w[1:] for w in lines[2:11]}
vendor, family, model, simd, clock = words['processor']
short = '{:.3g}'.format


def numbers(values):
    return '{' + ', '.join(short(float(v)) for v in values) + '}'


count = int(words['executors'][0])
executors = lines[11:11 + count]
if len(executors) != count:
    sys.exit(f'{path}: {len(executors)} executors of {count}')
struct = name[0].upper() + name[1:]
print(f'/* {" ".join(words["name"])}, family {family}, model {model}: made by config/figures-to-c.py. Seconds: entry, row, irregular, start, walk; and memory, gather, near */')
print(f'static const AutoCSRExecutorFigure {struct}Executors[] = {{')
for e in executors:
    print(f'    {{"{e[0]}", {numbers(e[1:])}}},')
print('};')
print(f'''
static const AutoCSRProcessor {struct} = {{
    .name        = "{name}",
    .vendor      = "{vendor}",
    .family      = {family},
    .model       = {model},
    .simd        = "{simd}",
    .clock       = {short(float(clock))},
    .bandwidth   = {numbers(words["bandwidth"])},
    .cache       = {numbers(words["cache"])},
    .random_line = {numbers(words["random_line"])},
    .strided     = {short(float(words["strided"][0]))},
    .launch      = {short(float(words["launch"][0]))},
    .n           = {count},
    .executor    = {struct}Executors,
}};''')

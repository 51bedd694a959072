# kernel<<<blocks, threads, shared, stream>>>(arguments) as a call that a compiler of C++ understands: device.h
s/\([A-Za-z_][A-Za-z_0-9]*\(<[A-Za-z_0-9]*>\)\{0,1\}\)<<<\(.*\)>>>(/EmulatorLaunchOf(\1, \3)(/

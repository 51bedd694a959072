/* A Zen 5, whose executors are the reference of shipped.c; of its memory only the stream was measured */
static const AutoCSRProcessor Zen5 = {
    .name        = "zen5",
    .vendor      = "AuthenticAMD",
    .family      = 26,
    .model       = 2,
    .simd        = "avx512",
    .bandwidth   = {1e11, 1e11, 4.2e10, 4.2e10},
    .cache       = {49152, 1 << 20, 4 << 20},
    .random_line = {0, 2.5e-10, 6e-10, 7e-9},
    .strided     = 1.1,
    .launch      = 6e-9,
};

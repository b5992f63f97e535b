// printf in all its forms, from one thread and from all of a warp, in order of lanes.
//
//@ buffer x f64 4 list 3.14159 -0.001 1e10 42
//@ run formats <<<1, 1>>> (x)
//@ prints int -7, unsigned 4294967295, hex ff FF 0xff, octal 17
//@ prints [   42] [42   ] [00042] [+42]
//@ prints 3.141590 3.14 -1.000000e-03 1e+10 42
//@ prints c=Z s=text p=100%
//@ prints long -5000000000 18446744073709551615
//@ prints [  3.1] [3.1   ] [    text]
//@ run lanes <<<2, 34>>> ()
//@ prints block 0 thread 0 of 34
//@ prints block 0 thread 33 of 34
//@ prints block 1 thread 0 of 34
//@ prints block 1 thread 33 of 34

#include <cstdio>

extern "C" __global__ void formats(const double *x)
{
    printf("int %d, unsigned %u, hex %x %X %#x, octal %o\n", -7, 0xffffffffu, 255, 255, 255, 15);
    printf("[%5d] [%-5d] [%05d] [%+d]\n", 42, 42, 42, 42);
    printf("%f %.2f %e %g %g\n", x[0], (float)x[0], x[1], x[2], x[3]);
    printf("c=%c s=%s p=%d%%\n", 'Z', "text", 100);
    printf("long %lld %llu\n", -5000000000ll, 0xffffffffffffffffull);
    printf("[%5.1f] [%-6.1f] [%8s]\n", x[0], x[0], "text");
}

extern "C" __global__ void lanes()
{
    if (threadIdx.x % 33 == 0)
        printf("block %d thread %d of %d\n", blockIdx.x, threadIdx.x, blockDim.x);
}

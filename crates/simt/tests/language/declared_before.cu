// Variables and functions that are declared first and defined later, as headers do it; and
// cuComplex, which comes with the headers of the vendor's libraries.
//
//@ buffer out f32 4 zero
//@ run declared <<<1, 1>>> (out)
//@ expect out 3 6 -3 4
#include <cufft.h>

extern __device__ int count;
extern __constant__ float factors[2];
__device__ float of_both(int k);

extern "C" __global__ void declared(float *out)
{
    out[0] = count;
    out[1] = of_both(1);
    cufftComplex z = cuCmulf(make_cuFloatComplex(1, 2), make_cuFloatComplex(1, 2));
    out[2] = z.x;
    out[3] = cuCimagf(z);
}

__device__ int count = 3;
__constant__ float factors[2] = {1, 2};
extern __device__ int count;

__device__ float of_both(int k)
{
    return factors[k] * count;
}

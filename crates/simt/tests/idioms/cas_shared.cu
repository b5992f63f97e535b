// The loop on a word of shared memory.
// Twin: a plain update.
//
//@ buffer out f32 2 empty
//@ run cas_shared <<<2, 64>>> (out)
//@ expect out 64 64
//@ fault RACE-S

extern "C" __global__ void cas_shared(float *out)
{
    __shared__ float sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
#ifdef FAULTY
    sum += 1.0f; // <- fault
#else
    unsigned *word = (unsigned *)&sum, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __float_as_uint(1.0f + __uint_as_float(seen)));
    } while (old != seen);
#endif
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

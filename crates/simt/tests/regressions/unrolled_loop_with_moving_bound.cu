// The bound of an unrolled loop is known when it begins, but the body, which may leave early,
// changes it: the loop was refused. Found by the random kernels (seed 1100006674).
//
//@ buffer in i32 4 list 0 1 2 3
//@ buffer out i32 4 empty
//@ run moving_bound <<<1, 4>>> (in, out)
//@ expect out 1 2 2 2

extern "C" __global__ void moving_bound(const int *in, int *out)
{
    int bound = 4;
    int turns = 0;
    #pragma unroll
    for (int i = 0; i < 4 && i < (bound & 7); ++i) {
        ++turns;
        bound = 2;
        if (in[threadIdx.x] == 0)
            break;
    }
    out[threadIdx.x] = turns;
}

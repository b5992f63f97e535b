// Variables at file scope: counters, tables with initialisers, constants set by the host, pointers
// into them, static ones.
//
//@ buffer x i32 96 ints 311 0 15
//@ buffer y i32 96 empty
//@ symbol table i32 16 list 1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768
//@ symbol calls i32 1 list 5
//@ symbol history f32 3 list 0.5 1.5 2.5
//@ run look_up <<<3, 32>>> (x, y)
//@ run look_up <<<3, 32>>> (x, y)
//@ check y exact
//@ check calls exact
//@ check history exact

struct Settings {
    float gain;
    int shift[2];
};

__device__ int calls = 5;
__device__ float history[3] = {0.5f, 1.5f, 2.5f};
__constant__ int table[16];
__constant__ Settings settings = {1.5f, {1, 2}};
static __device__ const int squares[] = {0,  1,  4,   9,   16,  25,  36,  49,
                                         64, 81, 100, 121, 144, 169, 196, 225};
const float HALF = 0.5f;

extern "C" __global__ void look_up(const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int *p = x[i] % 2 ? table : squares;
    y[i] = p[x[i]] + (int)(settings.gain * HALF * 8) + (x[i] << settings.shift[i & 1]);
    if (threadIdx.x == 0)
        atomicAdd(&calls, 1);
    if (i < 3)
        history[i] *= 2.0f;
}

// Shuffles of cooperative groups exchange objects; `half2(a, b)`.
//
//@ buffer out i32 96 zero
//@ buffer pair f32 2 zero
//@ run exchange <<<1, 32>>> (out)
//@ run halves <<<1, 1>>> (pair)
//@ expect pair 1.5 2.5
//@ expect out 31 930 -1 30 900 0 29 870 -1 28 840 0 27 810 -1 26 780 0 25 750 -1 24 720 0 23 690 -1 22 660 0 21 630 -1 20 600 0 19 570 -1 18 540 0 17 510 -1 16 480 0 15 450 -1 14 420 0 13 390 -1 12 360 0 11 330 -1 10 300 0 9 270 -1 8 240 0 7 210 -1 6 180 0 5 150 -1 4 120 0 3 90 -1 2 60 0 1 30 -1 0 0 0
#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
struct Particle {
    char id;
    struct { long long energy; } state;
    bool odd;
};

extern "C" __global__ void exchange(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    Particle p = {(char)t, {t * 30}, t % 2 == 1};
    Particle q = warp.shfl_xor(p, 31);
    out[3 * t] = q.id;
    out[3 * t + 1] = (int)q.state.energy;
    out[3 * t + 2] = q.odd ? -1 : 0;
}
extern "C" __global__ void halves(float *pair)
{
    half2 h(1.5f, 2.5f);
    pair[0] = __low2float(h);
    pair[1] = __high2float(h);
}

// The mask names 32 lanes, but 16 have left.
//
//@ buffer x i32 32 iota 0 1
//@ run shuffle_from_absent_lane <<<1, 32>>> (x)
//@ fault BARDIV block (0,0,0)
//@ sanitizer synccheck

extern "C" __global__ void shuffle_from_absent_lane(int *x)
{
    int t = threadIdx.x;
    if (t < 16)
        x[t] = __shfl_down_sync(0xffffffffu, x[t], 8); // <- fault
}

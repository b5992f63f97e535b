// Producer and consumer warps pass a slot to and fro at barriers.
// Twin: the slot is filled again before it was emptied.
//
//@ buffer out i32 1 empty
//@ run slots_in_turn <<<1, 64>>> (out)
//@ expect out 10
//@ fault RACE-S

extern "C" __global__ void slots_in_turn(int *out)
{
    __shared__ int slot[2];
    int sum = 0;
    for (int k = 0; k < 5; ++k) {
#ifdef FAULTY
        int *now = &slot[0];
#else
        int *now = &slot[k % 2];
#endif
        if (threadIdx.x == 0)
            *now = k; // <- fault
        __syncthreads();
        if (threadIdx.x == 32)
            sum += *now; // <- fault
    }
    if (threadIdx.x == 32)
        *out = sum;
}

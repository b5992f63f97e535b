// All leave a loop together: the block votes.
// Twin: each leaves when it is done itself.
//
//@ buffer rounds i32 1 empty
//@ run barrier_vote_ends <<<1, 64>>> (rounds)
//@ expect rounds 8
//@ fault BARDIV

extern "C" __global__ void barrier_vote_ends(int *rounds)
{
    int left = threadIdx.x % 8, k = 0;
    for (;;) {
        ++k;
#ifdef FAULTY
        __syncthreads(); // <- fault
        if (left-- == 0)
            break;
#else
        if (__syncthreads_and(left <= 0))
            break;
        --left;
#endif
    }
    if (threadIdx.x == 0)
        *rounds = k;
}

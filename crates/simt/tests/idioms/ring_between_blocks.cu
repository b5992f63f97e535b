// One block fills a ring, another one empties it; the first waits for the second, which is started
// after it. Twin: the reader counts a place as free before it has read it.
//
//@ buffer ring i32 4 zero
//@ buffer ends u32 2 zero
//@ buffer out i32 20 zero
//@ run ring_between_blocks <<<2, 32>>> (ring, ends, out)
//@ expect out 0 1 4 9 16 25 36 49 64 81 100 121 144 169 196 225 256 289 324 361
//@ fault RACE-G

extern "C" __global__ void ring_between_blocks(int *ring, unsigned *ends, int *out)
{
    unsigned *filled = ends, *emptied = ends + 1;
    if (threadIdx.x != 0)
        return;
    for (unsigned i = 0; i < 20; i++) {
        if (blockIdx.x == 0) {
            while (i - atomicAdd(emptied, 0) >= 4)
                ;
            __threadfence();
            ring[i % 4] = i * i; // <- fault
            __threadfence();
            atomicAdd(filled, 1);
        } else {
            while (atomicAdd(filled, 0) <= i)
                ;
            __threadfence();
#ifdef FAULTY
            atomicAdd(emptied, 1);
#endif
            out[i] = ring[i % 4]; // <- fault
#ifndef FAULTY
            __threadfence();
            atomicAdd(emptied, 1);
#endif
        }
    }
}

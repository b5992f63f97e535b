// Blocks are served in the order of their tickets.
// Twin: the next one is called before the update can be seen.
//
//@ buffer tickets i32 2 zero
//@ buffer order i32 4 zero
//@ buffer sum i32 1 zero
//@ run lock_by_ticket <<<4, 32>>> (tickets, order, sum)
//@ expect order 0 1 2 3
//@ expect sum 4
//@ fault RACE-G

extern "C" __global__ void lock_by_ticket(int *tickets, int *order, int *sum)
{
    if (threadIdx.x == 0) {
        int mine = atomicAdd(&tickets[0], 1);
        while (atomicAdd(&tickets[1], 0) != mine) {
        }
        order[mine] = *sum; // <- fault
        *sum = mine + 1;
#ifndef FAULTY
        __threadfence();
#endif
        atomicAdd(&tickets[1], 1);
    }
}

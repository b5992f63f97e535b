// The block's group has a sync of its own.
// Twin: forgotten.
//
//@ buffer out i32 1 empty
//@ run group_block_sync <<<1, 64>>> (out)
//@ expect out 63
//@ fault RACE-S

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void group_block_sync(int *out)
{
    __shared__ int last;
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 63)
        last = block.thread_rank(); // <- fault
#ifndef FAULTY
    block.sync();
#endif
    if (block.thread_rank() == 0)
        *out = last; // <- fault
}

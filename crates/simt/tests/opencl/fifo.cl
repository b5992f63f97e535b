// Two stages joined by a queue in global memory: what a pipe does in hardware, in software. The
// first work-item of the group fills the queue, the second empties it; positions are exchanged by
// atomics at barriers.
//
//@ buffer in i32 100 iota 1 1
//@ buffer out i32 100 empty
//@ buffer slots i32 8 empty
//@ buffer ends i32 2 zero
//@ run stages <<<2, 2>>> (in, out, slots, ends, 100)
//@ check out exact
//@ check ends exact

#define DEPTH 8

bool push(__global int *slots, volatile __global int *ends, int v)
{
    if (ends[1] - ends[0] == DEPTH)
        return false;
    slots[ends[1] % DEPTH] = v;
    ends[1] = ends[1] + 1;
    return true;
}

bool pop(__global const int *slots, volatile __global int *ends, int *v)
{
    if (ends[1] == ends[0])
        return false;
    *v = slots[ends[0] % DEPTH];
    ends[0] = ends[0] + 1;
    return true;
}

__kernel void stages(__global const int *in, __global int *out, __global int *slots,
                     volatile __global int *ends, int n)
{
    int sent = 0, received = 0;
    for (int turn = 0; turn < 2 * n / DEPTH + 2; ++turn) {
        if (get_local_id(0) == 0)
            while (sent < n && push(slots, ends, 2 * in[sent]))
                ++sent;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 1) {
            int v;
            while (pop(slots, ends, &v))
                out[received++] = v + 1;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

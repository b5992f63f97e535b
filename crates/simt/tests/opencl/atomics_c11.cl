// Atomics of OpenCL C 2.0, pointers without a word, and a variable of the program.
//
//@ options -cl-std=CL2.0
//@ buffer data i32 1024 ints 5 0 99
//@ buffer sum i32 4 zero
//@ buffer most i32 1 list -1
//@ buffer tickets i32 256 empty
//@ buffer taken u32 1 zero
//@ buffer product u32 1 list 1
//@ run sums <<<1024, 256>>> (data, sum, most)
//@ run numbers <<<256, 64>>> (tickets, taken)
//@ run sorted <<<256, 64>>> (tickets)
//@ run multiplied <<<64, 32>>> (product)
//@ check sum exact
//@ check most exact
//@ check tickets exact
//@ check product exact

__constant int scale = 3;

// From either memory.
int first_of(int *p, int k) { return p[k] * scale; }

__kernel void sums(__global int *data, __global atomic_int *sum, __global atomic_int *most)
{
    __local atomic_int part;
    __local int copy[256];
    const int t = get_local_id(0), v = data[get_global_id(0)];
    copy[t] = v;
    if (t == 0)
        atomic_init(&part, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&part, v, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit(most, v, memory_order_relaxed, memory_scope_device);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        atomic_fetch_add(&sum[0], atomic_load(&part));
        atomic_fetch_add(&sum[1], first_of(copy, 5) - first_of(data, (int)get_global_id(0) + 5));
        atomic_fetch_or(&sum[2], 1 << get_group_id(0));
        atomic_fetch_sub_explicit(&sum[3], 2, memory_order_acq_rel);
    }
}

__global atomic_uint next = ATOMIC_VAR_INIT(0);

__kernel void numbers(__global int *tickets, __global uint *taken)
{
    const uint mine =
        atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_device);
    tickets[mine] = 2 * mine;
}

__kernel void sorted(__global int *tickets)
{
    tickets[get_global_id(0)] +=
        atomic_load_explicit(&next, memory_order_acquire, memory_scope_device);
}

// A loop around compare and exchange.
__kernel void multiplied(__global atomic_uint *product)
{
    uint old = atomic_load(product);
    while (!atomic_compare_exchange_weak(product, &old, old * 3u))
        ;
}

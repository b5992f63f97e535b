// Neighbours beyond the edge are loaded and not chosen.
// Twin: a branch looks at them.
//
//@ buffer x i32 66 empty
//@ buffer out i32 1 zero
//@ run undefined_selected_fill <<<1, 64>>> (x)
//@ run undefined_selected <<<1, 64>>> (x, out)
//@ expect out 63
//@ fault UNINIT

extern "C" __global__ void undefined_selected_fill(int *x)
{
    x[1 + threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void undefined_selected(const int *x, int *out)
{
    int here = x[1 + threadIdx.x], right = x[2 + threadIdx.x];
#ifdef FAULTY
    if (right > here) // <- fault
        atomicAdd(out, 1);
#else
    int step = threadIdx.x < 63 ? right : here;
    atomicAdd(out, step - here);
#endif
}

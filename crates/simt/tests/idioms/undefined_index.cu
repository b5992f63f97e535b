// A list of places, used as far as it was filled.
// Twin: one further.
//
//@ buffer list i32 8 empty
//@ buffer out i32 8 zero
//@ run undefined_index <<<1, 8>>> (list, out)
//@ expect out 0 0 0 0 1 1 1 1
//@ fault UNINIT

extern "C" __global__ void undefined_index(int *list, int *out)
{
    int t = threadIdx.x;
    if (t < 4)
        list[t] = 7 - t;
    __syncwarp();
    int place = list[t];
#ifdef FAULTY
    if (t < 5)
#else
    if (t < 4)
#endif
        out[place] = 1; // <- fault
}

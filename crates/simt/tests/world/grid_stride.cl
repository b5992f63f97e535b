// A loop over the whole range with a stride.
//@ buffer x f32 40 fill 3
//@ run square <<<16, 8>>> (x, 40)
//@ expect x 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9
#define STRIDE get_global_size(0)
kernel void square(global float *const restrict x, const ulong n)
{
    for (size_t i = get_global_id(0); i < n; i += STRIDE) x[i] = pown(x[i], 2);
}

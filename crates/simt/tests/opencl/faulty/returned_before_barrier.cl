//@ buffer a f32 48 iota 0 1
//@ run shift <<<64, 64>>> (a, 48)
//@ fault BARDIV
__kernel void shift(__global float *a, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float v = a[(i + 1) % n];
    barrier(CLK_GLOBAL_MEM_FENCE); // <- fault
    a[i] = v;
}

//@ buffer a f32 64 iota 0 1
//@ run half_wait <<<64, 64>>> (a)
//@ fault BARDIV
__kernel void half_wait(__global float *a)
{
    if (get_local_id(0) < 32)
        barrier(CLK_LOCAL_MEM_FENCE); // <- fault
    a[get_local_id(0)] = 0;
}

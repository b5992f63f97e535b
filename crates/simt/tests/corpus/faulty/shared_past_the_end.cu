// The tile needs two halo cells more.
//
//@ buffer x f32 258 iota 0 1
//@ buffer y f32 256 empty
//@ run shared_past_the_end <<<1, 256>>> (x, y)
//@ fault OOB-S tile[256] thread (0,0,0) block (0,0,0)
//@ sanitizer memcheck

extern "C" __global__ void shared_past_the_end(const float *x, float *y)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    tile[t] = x[t];
    if (t < 2)
        tile[t + 256] = x[t + 256]; // <- fault
    __syncthreads();
    y[t] = tile[t];
}

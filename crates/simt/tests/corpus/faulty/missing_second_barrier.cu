// The next tile is loaded while other warps still use this one.
//
//@ buffer a f32 1024 iota 0 1
//@ buffer b f32 1024 iota 1 1
//@ buffer c f32 1024 empty
//@ run missing_second_barrier <<<(2, 2), (16, 16)>>> (a, b, c, 32)
//@ fault RACE-S block (0,0,0)
//@ sanitizer racecheck

extern "C" __global__ void missing_second_barrier(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x]; // <- fault
        tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += ta[threadIdx.y][k] * tb[k][threadIdx.x]; // <- fault
    }
    c[y * n + x] = sum;
}

// The checksum of iteration t: added to sums[2t] and sums[2t+1], which the host has cleared.
// Exercise 3.4.5.
//
// Thread j - 1 takes element (j mod nx, 3 j mod ny, 5 j mod nz) of u1[z][y][x], for j = 1 to 1024;
// threads beyond have nothing to add. A block, whose size is a power of two up to 1024, adds up in
// shared memory; its first thread adds to global memory, over nx ny nz.
extern "C" __global__ void ft_checksum(int t, const double2 *u1, double *sums, int nx, int ny,
                                       int nz)
{
    __shared__ double2 part[1024];
    // <lab
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    part[threadIdx.x] = make_double2(0.0, 0.0);
    if (j <= 1024) {
        int x = j % nx, y = 3 * j % ny, z = 5 * j % nz;
        part[threadIdx.x] = u1[x + nx * (y + ny * z)];
    }
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            part[threadIdx.x].x += part[threadIdx.x + half].x;
            part[threadIdx.x].y += part[threadIdx.x + half].y;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        double n = (double)nx * ny * nz;
        atomicAdd(&sums[2 * t], part[0].x / n);
        atomicAdd(&sums[2 * t + 1], part[0].y / n);
    }
    //~ part[threadIdx.x] = make_double2(0.0, 0.0);
    //~ if (nx < 0) sums[t] = u1[ny].x + nz;
    // lab>
}

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
    part[threadIdx.x] = make_double2(0.0, 0.0);
    if (nx < 0) sums[t] = u1[ny].x + nz;
    // lab>
}

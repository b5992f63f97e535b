// Stencils with halos: 1-D of radius 3 in shared memory, 2-D heat equation, 3-D seven points
// marching in z.
//
//@ buffer line i32 1030 ints 81 -50 50
//@ buffer line_out i32 1024 empty
//@ buffer plate f32 1024 rand 82 0 100
//@ buffer plate_out f32 1024 zero
//@ buffer box f32 4096 rand 83 -1 1
//@ buffer box_out f32 4096 zero
//@ run stencil_1d <<<4, 256>>> (line, line_out)
//@ count gld_req 40 : 4 blocks: 8 warps load the middle, one warp (3 lanes) the two halos
//@ count shld_req 224 : 32 warps, 7 taps
//@ count shld_wf 224 : consecutive words: no conflicts
//@ run heat_2d <<<(2, 2), (16, 16)>>> (plate, plate_out, 32, 32, 0.2)
//@ run stencil_3d <<<(2, 2), (8, 8)>>> (box, box_out, 16, 16, 16)
//@ check line_out exact
//@ check plate_out exact
//@ check box_out exact

#define RADIUS 3
#define BLOCK 256

extern "C" __global__ void stencil_1d(const int *in, int *out)
{
    __shared__ int s[BLOCK + 2 * RADIUS];
    int g = blockIdx.x * blockDim.x + threadIdx.x + RADIUS;
    int l = threadIdx.x + RADIUS;
    s[l] = in[g];
    if (threadIdx.x < RADIUS) {
        s[l - RADIUS] = in[g - RADIUS];
        s[l + BLOCK] = in[g + BLOCK];
    }
    __syncthreads();
    int sum = 0;
    for (int d = -RADIUS; d <= RADIUS; ++d)
        sum += s[l + d];
    out[g - RADIUS] = sum;
}

#define AT(x, y) ((y) * width + (x))

extern "C" __global__ void heat_2d(const float *in, float *out, int width, int height, float k)
{
    __shared__ float s[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    s[ly][lx] = in[AT(x, y)];
    if (threadIdx.x == 0 && x > 0)
        s[ly][0] = in[AT(x - 1, y)];
    if (threadIdx.x == 15 && x < width - 1)
        s[ly][17] = in[AT(x + 1, y)];
    if (threadIdx.y == 0 && y > 0)
        s[0][lx] = in[AT(x, y - 1)];
    if (threadIdx.y == 15 && y < height - 1)
        s[17][lx] = in[AT(x, y + 1)];
    __syncthreads();
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        float around = s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx];
        out[AT(x, y)] = s[ly][lx] + k * (around - 4.0f * s[ly][lx]);
    }
}

// The column above and below stays in registers; only the plane's neighbours are read again.
extern "C" __global__ void stencil_3d(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1)
        return;
    int plane = nx * ny;
    int i = y * nx + x;
    float below = in[i];
    float here = in[i + plane];
    for (int z = 1; z < nz - 1; ++z) {
        i += plane;
        float above = in[i + plane];
        out[i] = below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 6.0f * here;
        below = here;
        here = above;
    }
}

// Transposition of a 64 x 96 matrix: copy, naive, through a shared tile, and with a padding column
// against bank conflicts. 32 x 8 threads carry a 32 x 32 tile in four steps.
//
//@ buffer in f32 6144 iota 0 1
//@ buffer copied f32 6144 empty
//@ buffer naive f32 6144 empty
//@ buffer tiled f32 6144 empty
//@ buffer padded f32 6144 empty
//@ run copy <<<(3, 2), (32, 8)>>> (in, copied, 96, 64)
//@ count gst_sec 768 : 6144 words, 8 to a sector
//@ run transpose_naive <<<(3, 2), (32, 8)>>> (in, naive, 96, 64)
//@ count gld_sec 768 : rows are read in order
//@ count gst_sec 6144 : columns are written: 32 sectors for each of 192 requests
//@ run transpose_tiled <<<(3, 2), (32, 8)>>> (in, tiled, 96, 64)
//@ count gst_sec 768 : both sides run along rows
//@ count shld_wf 6144 : 192 requests down a column of 32 words: all lanes in one bank
//@ count shst_wf 192 : rows: no conflict
//@ run transpose_padded <<<(3, 2), (32, 8)>>> (in, padded, 96, 64)
//@ count gst_sec 768 : as before
//@ count shld_wf 192 : the column of 33-word rows touches every bank once
//@ check copied exact
//@ check naive exact
//@ check tiled exact
//@ check padded exact

const int TILE = 32;
const int ROWS = 8;

extern "C" __global__ void copy(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * width + x] = in[(y + j) * width + x];
}

extern "C" __global__ void transpose_naive(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[x * height + y + j] = in[(y + j) * width + x];
}

extern "C" __global__ void transpose_tiled(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_padded(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Needleman-Wunsch alignment by blocks along the diagonals of the matrix, as in benchmark suites:
// first the upper left half, then the lower right one; within a block a wavefront, with a barrier
// for each diagonal.
//
//@ buffer similarity i32 1089 ints 5 -4 8
//@ buffer score i32 1089 zero
//@ run upper <<<1, 16>>> (similarity, score, 33, 3, 1, 2)
//@ run upper <<<2, 16>>> (similarity, score, 33, 3, 2, 2)
//@ run lower <<<1, 16>>> (similarity, score, 33, 3, 1, 2)
//@ check score exact

#define TILE 16

__device__ __host__ int best_of(int a, int b, int c)
{
    return a > b ? (a > c ? a : c) : b > c ? b : c;
}

// Tile (bx, by) of the matrix, whose row 0 and column 0 are given.
__device__ void align_tile(const int *similarity, int *score, int width, int gap, int bx, int by)
{
    __shared__ int s[TILE + 1][TILE + 1];
    const int t = threadIdx.x;
    const int corner = TILE * (width * by + bx);
    int *from = score + corner;
    if (t == 0)
        s[0][0] = from[0];
    s[0][t + 1] = from[t + 1];
    s[t + 1][0] = from[(t + 1) * width];
    __syncthreads();
    for (int diagonal = 0; diagonal < 2 * TILE - 1; ++diagonal) {
        const int row = diagonal - t;
        if (row >= 0 && row < TILE) {
            const int match = similarity[corner + (row + 1) * width + t + 1];
            s[row + 1][t + 1] =
                best_of(s[row][t] + match, s[row + 1][t] - gap, s[row][t + 1] - gap);
        }
        __syncthreads();
    }
    for (int row = 1; row <= TILE; ++row)
        from[row * width + t + 1] = s[row][t + 1];
}

extern "C" __global__ void upper(const int *similarity, int *score, int width, int gap,
                                 int diagonal, int tiles)
{
    align_tile(similarity, score, width, gap, blockIdx.x, diagonal - 1 - blockIdx.x);
}

extern "C" __global__ void lower(const int *similarity, int *score, int width, int gap,
                                 int diagonal, int tiles)
{
    align_tile(similarity, score, width, gap, tiles - diagonal + blockIdx.x,
               tiles - 1 - blockIdx.x);
}

// Dynamic programming along diagonals in a tile.
//@ buffer m i32 25 list 0 -1 -2 -3 -4 -1 0 0 0 0 -2 0 0 0 0 -3 0 0 0 0 -4 0 0 0 0
//@ buffer s i32 16 list 1 -1 -1 -1 -1 1 -1 -1 -1 -1 1 -1 -1 -1 -1 1
//@ run diagonal <<<1, 4>>> (m, s, 5, 1)
//@ expect m 0 -1 -2 -3 -4 -1 1 0 -1 -2 -2 0 2 1 0 -3 -1 1 3 2 -4 -2 0 2 4
#define BLOCK_SIZE 4
__device__ __host__ int maximum(int a, int b, int c)
{
    int k;
    if (a <= b) k = b;
    else k = a;
    if (k <= c) return (c);
    else return (k);
}
__global__ void diagonal(int *matrix, int *score, int cols, int penalty)
{
    __shared__ int temp[BLOCK_SIZE + 1][BLOCK_SIZE + 1], ref[BLOCK_SIZE][BLOCK_SIZE];
    int tx = threadIdx.x;
    for (int ty = 0; ty < BLOCK_SIZE; ty++) ref[ty][tx] = score[ty * BLOCK_SIZE + tx];
    if (tx == 0) temp[0][0] = matrix[0];
    temp[tx + 1][0] = matrix[cols * (tx + 1)];
    temp[0][tx + 1] = matrix[tx + 1];
    __syncthreads();
    for (int m = 0; m < 2 * BLOCK_SIZE - 1; m++) {
        int x = tx + 1, y = m - tx + 1;
        if (y >= 1 && y <= BLOCK_SIZE)
            temp[y][x] = maximum(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty,
                                 temp[y - 1][x] - penalty);
        __syncthreads();
    }
    for (int ty = 0; ty < BLOCK_SIZE; ty++) matrix[cols * (ty + 1) + tx + 1] = temp[ty + 1][tx + 1];
}
double gettime() { struct timeval t; gettimeofday(&t, NULL); return t.tv_sec + t.tv_usec * 1e-6; }
int main(int argc, char **argv) { printf("WG size of kernel = %d \n", BLOCK_SIZE); return 0; }

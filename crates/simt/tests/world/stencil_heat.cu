// In the manner of thermal benchmarks: macros for ranges, two arrays swapped by the host.
//@ buffer power f32 36 fill 0
//@ buffer temp f32 36 list 0 0 0 0 0 0 0 0 0 0 0 0 0 0 16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//@ buffer result f32 36 zero
//@ run heat <<<(2,2), (4,4)>>> (power, temp, result, 6, 6, 0.25)
//@ expect result 0 0 0 0 0 0 0 0 4 0 0 0 0 4 0 4 0 0 0 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define BLOCK_SIZE 4
#define STR_SIZE 256
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define CLAMP_RANGE(x, min, max) x = (x < (min)) ? min : ((x > (max)) ? max : x)
#define MIN(a, b) ((a) <= (b) ? (a) : (b))
void fatal(const char *s) { fprintf(stderr, "error: %s\n", s); }
void readinput(float *vect, int grid_rows, int grid_cols, char *file)
{
    FILE *fp; char str[STR_SIZE]; float val;
    if ((fp = fopen(file, "r")) == 0) printf("The file was not opened\n");
    for (int i = 0; i <= grid_rows - 1; i++)
        for (int j = 0; j <= grid_cols - 1; j++) {
            fgets(str, STR_SIZE, fp);
            if (feof(fp)) fatal("not enough lines in file");
            if ((sscanf(str, "%f", &val) != 1)) fatal("invalid file format");
            vect[i * grid_cols + j] = val;
        }
    fclose(fp);
}
__global__ void heat(float *power, float *temp_src, float *temp_dst, int cols, int rows, float k)
{
    __shared__ float t[BLOCK_SIZE][BLOCK_SIZE];
    int x = blockIdx.x * BLOCK_SIZE + threadIdx.x, y = blockIdx.y * BLOCK_SIZE + threadIdx.y;
    int in = IN_RANGE(x, 0, cols - 1) && IN_RANGE(y, 0, rows - 1);
    if (in) t[threadIdx.y][threadIdx.x] = temp_src[y * cols + x];
    __syncthreads();
    if (!in) return;
    int w = x - 1, e = x + 1, n = y - 1, s = y + 1;
    CLAMP_RANGE(w, 0, cols - 1);
    CLAMP_RANGE(e, 0, cols - 1);
    CLAMP_RANGE(n, 0, rows - 1);
    CLAMP_RANGE(s, 0, rows - 1);
    float c = t[threadIdx.y][threadIdx.x];
    temp_dst[y * cols + x] =
        c + k * (power[y * cols + x] + temp_src[y * cols + w] + temp_src[y * cols + e] +
                 temp_src[n * cols + x] + temp_src[s * cols + x] - 4 * c);
}
int main(int argc, char **argv)
{
    srand(7);
    int src = 1, dst = 0;
    for (float t = 0; t < 10; t += 1) {
        int temp = src;
        src = dst;
        dst = temp;
    }
    return EXIT_SUCCESS;
}

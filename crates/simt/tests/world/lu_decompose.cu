// Small dense LU in one block, two-dimensional shared arrays.
//@ buffer m f32 9 list 2 1 1 4 3 3 8 7 9
//@ run lud <<<1, 3>>> (m, 3)
//@ expect m 2 1 1 2 1 1 4 3 2
#define N 3
__global__ void lud(float *m, int n)
{
    __shared__ float s[N][N];
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) s[i][t] = m[i * n + t];
    __syncthreads();
    for (int k = 0; k < n - 1; k++) {
        if (t > k) s[t][k] /= s[k][k];
        __syncthreads();
        if (t > k) for (int j = k + 1; j < n; j++) s[t][j] -= s[t][k] * s[k][j];
        __syncthreads();
    }
    for (int i = 0; i < n; i++) m[i * n + t] = s[i][t];
}
static int do_verify = 0;
static struct option long_options[] = {
    {"input", 1, NULL, 'i'}, {"verify", 0, NULL, 'v'}, {0, 0, 0, 0}};
int main(int argc, char *argv[])
{
    int opt, idx = 0;
    while ((opt = getopt_long(argc, argv, "::vs:i:", long_options, &idx)) != -1) {
        switch (opt) {
        case 'v': do_verify = 1; break;
        default: exit(EXIT_FAILURE);
        }
    }
    return 0;
}

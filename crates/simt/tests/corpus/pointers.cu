// Pointers and local arrays: walking, differences, pointers to local variables and arrays, arrays
// of pointers, 2-D arrays, insertion sort and median in a thread's own memory, binary search, a
// small dense solver per thread.
//
//@ buffer x i32 128 ints 321 -99 99
//@ buffer medians i32 128 empty
//@ buffer sorted i32 128 iota -50 3
//@ buffer places i32 128 empty
//@ buffer walks i32 64 empty
//@ buffer systems f64 64 rand 322 1 2
//@ buffer solutions f64 64 empty
//@ run median_of_five <<<1, 128>>> (x, medians, 128)
//@ run search <<<1, 128>>> (sorted, x, places, 128)
//@ run walk <<<1, 64>>> (x, walks)
//@ run solve <<<1, 16>>> (systems, solutions)
//@ check medians exact
//@ check places exact
//@ check walks exact
//@ check solutions within 1e-12

extern "C" __global__ void median_of_five(const int *x, int *medians, int n)
{
    int window[5];
    int i = threadIdx.x;
    for (int k = 0; k < 5; ++k) {
        int at = i + k - 2;
        window[k] = x[at < 0 ? 0 : at >= n ? n - 1 : at];
    }
    for (int k = 1; k < 5; ++k) {
        int v = window[k], j = k;
        for (; j > 0 && window[j - 1] > v; --j)
            window[j] = window[j - 1];
        window[j] = v;
    }
    medians[i] = window[2];
}

// First place whose element is not below the key.
extern "C" __global__ void search(const int *sorted, const int *keys, int *places, int n)
{
    const int *first = sorted, *last = sorted + n;
    int key = keys[threadIdx.x];
    while (first != last) {
        const int *middle = first + (last - first) / 2;
        if (*middle < key)
            first = middle + 1;
        else
            last = middle;
    }
    places[threadIdx.x] = first - sorted;
}

__device__ void divide(int a, int b, int *quotient, int *remainder)
{
    *quotient = a / b;
    *remainder = a % b;
}

extern "C" __global__ void walk(const int *x, int *walks)
{
    int t = threadIdx.x, q, r;
    divide(x[t], t % 7 + 1, &q, &r);
    int grid[3][4];
    int *flat = &grid[0][0];
    for (int k = 0; k < 12; ++k)
        *flat++ = k * q + r;
    const int *rows[2] = {grid[0], grid[2]};
    int sum = rows[t & 1][t % 4] + *(grid[1] + 2) + (int)(flat - grid[0]);
    const int *end = x + 128;
    int steps = 0;
    for (const int *p = x + t; p < end; p += 16)
        steps += *p;
    int pair[2] = {1};
    int *which = t % 3 ? pair : &pair[1];
    *which += 5;
    walks[t] = sum + steps + pair[0] * 10 + pair[1];
}

// Gauss-Jordan without pivoting on 4 x 4 systems that are made diagonally dominant; the right-hand
// side is 1, 2, 3, 4.
extern "C" __global__ void solve(const double *systems, double *solutions)
{
    const int N = 4;
    double a[N][N + 1];
    int t = threadIdx.x;
    for (int r = 0; r < N; ++r) {
        for (int c = 0; c < N; ++c)
            a[r][c] = systems[(t + r * N + c) % 64] + (r == c ? 8.0 : 0.0);
        a[r][N] = r + 1;
    }
    for (int p = 0; p < N; ++p)
        for (int r = 0; r < N; ++r) {
            if (r == p)
                continue;
            double factor = a[r][p] / a[p][p];
            for (int c = p; c <= N; ++c)
                a[r][c] -= factor * a[p][c];
        }
    for (int r = 0; r < N; ++r)
        solutions[t * N + r] = a[r][N] / a[r][r];
}

// Bytes and text: Caesar's cipher, pattern matching, edit distance by anti-diagonals in shared
// memory, Luhn's digits.
//
//@ buffer text u8 300 ints 371 97 104
//@ buffer cipher u8 300 empty
//@ buffer matches i32 1 zero
//@ buffer distance i32 1 empty
//@ buffer digits u8 320 ints 372 0 9
//@ buffer valid u8 20 empty
//@ run caesar <<<3, 128>>> (text, cipher, 300, 3)
//@ run count_pattern <<<3, 128>>> (text, 300, matches)
//@ run edit_distance <<<1, 32>>> (text, text+100, 30, distance)
//@ run luhn <<<1, 20>>> (digits, valid)
//@ check cipher exact
//@ check matches exact
//@ check distance exact
//@ check valid exact

extern "C" __global__ void caesar(const char *text, char *cipher, int n, int by)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        char c = text[i];
        cipher[i] = c >= 'a' && c <= 'z' ? 'a' + (c - 'a' + by) % 26 : c;
    }
}

extern "C" __global__ void count_pattern(const char *text, int n, int *matches)
{
    const char pattern[] = "ab";
    int length = sizeof(pattern) - 1;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n)
        return;
    for (int k = 0; k < length; ++k)
        if (text[i + k] != pattern[k])
            return;
    atomicAdd(matches, 1);
}

extern "C" __global__ void edit_distance(const char *a, const char *b, int n, int *distance)
{
    __shared__ int d[33][33];
    int t = threadIdx.x;
    if (t <= n) {
        d[t][0] = t;
        d[0][t] = t;
    }
    __syncthreads();
    for (int diagonal = 2; diagonal <= 2 * n; ++diagonal) {
        int i = t + 1, j = diagonal - i;
        if (i <= n && j >= 1 && j <= n) {
            int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = min(change, min(d[i - 1][j], d[i][j - 1]) + 1);
        }
        __syncthreads();
    }
    if (t == 0)
        *distance = d[n][n];
}

extern "C" __global__ void luhn(const unsigned char *digits, unsigned char *valid)
{
    const unsigned char *number = digits + 16 * threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 16; ++k) {
        int d = number[k];
        if (k % 2 == 0 && (d *= 2) > 9)
            d -= 9;
        sum += d;
    }
    valid[threadIdx.x] = sum % 10 == 0;
}

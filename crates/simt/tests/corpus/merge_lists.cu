// Two sorted lists merged in pieces: each thread finds its place in both by bisection (co-ranks),
// and merges a few elements.
//
//@ buffer a i32 100 iota 0 3
//@ buffer b i32 80 iota 1 4
//@ buffer c i32 180 empty
//@ run merge_sorted <<<3, 32>>> (a, 100, b, 80, c)
//@ check c exact

// How many of the first `k` merged elements come from `a`; of equal ones those of `a` come first.
__device__ int share_of(int k, const int *a, int na, const int *b, int nb)
{
    int low = k > nb ? k - nb : 0, high = k < na ? k : na;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (a[middle] <= b[k - middle - 1])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__device__ void merge_piece(const int *a, const int *a_end, const int *b, const int *b_end, int *c)
{
    while (a < a_end && b < b_end)
        *c++ = *b < *a ? *b++ : *a++;
    for (; a < a_end; ++a, ++c)
        *c = *a;
    while (b != b_end)
        *c++ = *b++;
}

extern "C" __global__ void merge_sorted(const int *a, int na, const int *b, int nb, int *c)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, n = na + nb;
    const int each = ceilf(n / (float)(blockDim.x * gridDim.x));
    const int from = min(t * each, n), to = min(from + each, n);
    const int i = share_of(from, a, na, b, nb), j = share_of(to, a, na, b, nb);
    merge_piece(&a[i], a + j, &b[from - i], b + (to - j), &c[from]);
}

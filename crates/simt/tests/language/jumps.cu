// `goto`: out of nested loops to a common end, back to an earlier statement, between arms of a
// `switch`; in a function, too. The results are those of g++, thread by thread.
//
//@ buffer found i32 16 zero
//@ buffer factors i32 12 list 1 2 3 4 5 6 7 8 9 10 11 1
//@ buffer count i32 16 zero
//@ buffer state i32 16 zero
//@ run search <<<1, 16>>> (found, factors, 12)
//@ run collatz <<<1, 16>>> (count)
//@ run machine <<<1, 16>>> (state)
//@ expect found -41 0 16 32 17 64 33 96 49 34 65 -52 50 -54 97 66
//@ expect count 0 1 7 2 5 8 16 3 19 6 14 9 9 17 17 4
//@ expect state 1113 51 1221 1112 253 91 1261 1111 162 131 252 1151 202 171 1021 1191
extern "C" __global__ void search(int *out, const int *a, int n)
{
    int t = threadIdx.x, found = -1, steps = 0;
    int i, j;
    for (i = 0; i < n; ++i) {
        for (j = 0; j <= i; ++j) {
            ++steps;
            if (a[i] * a[j] == t)
                goto done;
            if (steps > 40 + t)
                goto fail;
        }
    }
    found = 1000;
    goto end;
done:
    found = i * 16 + j;
    goto end;
fail:
    found = -steps;
end:
    out[t] = found;
}
extern "C" __global__ void collatz(int *out)
{
    int n = threadIdx.x + 1, count = 0;
again:
    if (n == 1)
        goto stop;
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++count;
    if (count < 1000)
        goto again;
stop:
    out[threadIdx.x] = count;
}
__device__ int retry(int t, int *tries)
{
    int state = t;
    *tries = 0;
restart:
    ++*tries;
    for (int k = 0; k < 4; ++k) {
        state = (state * 5 + 3) & 31;
        if (state == 7 || state == 21) {
            if (*tries < 3)
                goto restart;
            goto out;
        }
    }
    switch (state & 3) {
    case 0:
        if (*tries < 2) goto restart;
        break;
    case 1: {
        goto out;
    }
    default:
        state += 100;
    }
out:
    return state;
}
extern "C" __global__ void machine(int *out)
{
    int tries;
    int s = retry(threadIdx.x, &tries);
    out[threadIdx.x] = s * 10 + tries;
}

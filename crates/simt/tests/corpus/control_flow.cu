// Control flow that parts the lanes: nested conditions, switch with fall-through, do-while, break
// and continue, early return in a loop, ternary chains, short circuits with side effects, the
// Collatz conjecture.
//
//@ buffer x i32 256 ints 281 -50 50
//@ buffer nested i32 256 empty
//@ buffer switched i32 256 empty
//@ buffer loops i32 256 empty
//@ buffer circuits i32 256 empty
//@ buffer collatz i32 256 empty
//@ run nest <<<2, 128>>> (x, nested)
//@ run choose <<<2, 128>>> (x, switched)
//@ run loop <<<2, 128>>> (x, loops)
//@ run circuit <<<2, 128>>> (x, circuits)
//@ run count_collatz <<<2, 128>>> (collatz)
//@ check nested exact
//@ check switched exact
//@ check loops exact
//@ check circuits exact
//@ check collatz exact

#define ID (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void nest(const int *x, int *y)
{
    int i = ID, v = x[i], r = 0;
    if (v < 0) {
        if (v % 2) {
            r = -1;
            if (i & 4)
                r -= 10;
            else if (i & 8)
                r -= 20;
        } else
            r = 1;
        r *= 3;
    } else if (v < 25) {
        for (int k = 0; k < v; ++k)
            if (k % 3 == 0)
                r += k;
            else
                r ^= k;
    } else
        r = v > 40 ? v > 45 ? 5 : 4 : v > 30 ? 3 : 2;
    y[i] = r;
}

extern "C" __global__ void choose(const int *x, int *y)
{
    int i = ID, r = 0;
    switch (x[i] % 8) {
    case 0:
        r = 100;
        break;
    case 1:
    case 2:
        r = 200;
    case 3:
        r += 30;
        break;
    case 4: {
        int t = i;
        r = t * 2;
    }
    default:
        r += 7;
        break;
    case -1:
        if (i % 2)
            break;
        r = 9;
    case -2:
        r += 1000;
    }
    switch (i & 3) {
    case 2:
        y[i] = r;
        return;
    case 3:
        r = -r;
    }
    y[i] = r + 1;
}

__device__ int first_divisor(int n)
{
    for (int d = 2; d <= n; ++d) {
        if (n % d)
            continue;
        return d;
    }
    return n;
}

extern "C" __global__ void loop(const int *x, int *y)
{
    int i = ID, n = abs(x[i]) + 2, r = first_divisor(n), turns = 0;
    do {
        if (n == 7)
            break;
        r += n;
        n = n % 2 ? n - 3 : n / 2;
        if (n > 20)
            continue;
        r += 1000;
    } while (n > 0 && ++turns < 10);
    while (true) {
        if (r % 5 == 0)
            break;
        --r;
        int k = 3;
        while (k-- > 0) {
            if (k == i % 3)
                break;
            r -= 5;
        }
    }
    for (;;) {
        if (r < 4000 || i < 0)
            break;
        r -= 100;
    }
    y[i] = r + turns;
}

__device__ bool bump(int &n, bool result)
{
    ++n;
    return result;
}

extern "C" __global__ void circuit(const int *x, int *y)
{
    int i = ID, v = x[i], n = 0;
    bool a = v > 0 && bump(n, v > 20);
    bool b = v < -10 || bump(n, v == 3) || bump(n, true);
    int c = (a && b) ? (bump(n, true), 10) : (!a || bump(n, false)) ? 20 : 30;
    int d = v, e = d++ * 3;
    e += (d > 5 ? d-- : --d) * 2;
    y[i] = n + c + a * 100 + b * 200 + e * 1000 + (d << 1);
}

extern "C" __global__ void count_collatz(int *y)
{
    unsigned n = ID + 1;
    int steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        ++steps;
    }
    y[ID] = steps;
}

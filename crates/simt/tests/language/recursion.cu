// Functions that call themselves: lanes that go different depths deep, two that call each other,
// results of several kinds, variables with addresses, a walk through a tree, quicksort, an array in
// each call, shuffles and a barrier within. The results are those of g++, thread by thread.
//
//@ buffer fib i32 20 zero
//@ buffer parity i32 20 zero
//@ buffer ack i32 6 zero
//@ buffer tower i32 3 zero
//@ buffer numbers i32 24 list 5 3 9 1 7 2 8 6 4 0 11 10 20 15 18 13 12 19 16 14 23 17 22 21
//@ buffer depth i32 2 zero
//@ buffer area f64 4 zero
//@ buffer words i32 8 zero
//@ buffer sums i32 64 zero
//@ run fibonacci <<<1, 20>>> (fib, parity)
//@ run others <<<1, 6>>> (ack, tower)
//@ run sort <<<1, 2>>> (numbers)
//@ run trees <<<1, 1>>> (depth)
//@ run integrate <<<1, 4>>> (area)
//@ run permutations <<<1, 8>>> (words)
//@ buffer kept i32 4 iota 3 2
//@ run together <<<1, 64>>> (sums)
//@ run unread <<<1, 4>>> (kept)
//@ expect kept 1553 2353 3793 5873
//@ expect fib 0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987 1597 2584 4181
//@ expect parity 0 1 10 0 10 1 0 1 10 0 10 1 0 1 10 0 10 1 0 1
//@ expect ack 3 5 7 9 11 13
//@ expect tower 8 10 13
//@ expect numbers 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
//@ expect depth 20 9
//@ expect area 2.6666666666666665 4 6.4000002543131496 10.666666974313557
//@ expect words 6 6 6 6 0 6 6 6
//@ expect sums 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016 2016
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ bool odd(unsigned n);
__device__ bool even(unsigned n) { return n == 0 ? true : odd(n - 1); }
__device__ bool odd(unsigned n)
{
    if (n == 0)
        return false;
    return even(n - 1);
}
extern "C" __global__ void fibonacci(int *out, int *parity)
{
    int t = threadIdx.x;
    out[t] = fib(t);
    if (t % 3 != 0)
        parity[t] = odd(t) + 10 * even(t);
}

__device__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ void hanoi(int n, int from, int to, int over, int *moves)
{
    if (n == 0)
        return;
    hanoi(n - 1, from, over, to, moves);
    moves[to]++;
    hanoi(n - 1, over, to, from, moves);
}
extern "C" __global__ void others(int *ack, int *tower)
{
    ack[threadIdx.x] = ackermann(2, threadIdx.x);
    if (threadIdx.x == 0)
        hanoi(5, 0, 2, 1, tower);
}

__device__ void swap_them(int &a, int &b)
{
    int c = a;
    a = b;
    b = c;
}
__device__ void quicksort(int *x, int low, int high)
{
    while (low < high) {
        int pivot = x[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot)
                ++i;
            while (x[j] > pivot)
                --j;
            if (i <= j)
                swap_them(x[i++], x[j--]);
        }
        quicksort(x, low, j);
        low = i;
    }
}
extern "C" __global__ void sort(int *numbers) { quicksort(numbers + 12 * threadIdx.x, 0, 11); }

struct Node {
    int key;
    Node *left, *right;
};
__device__ Node *insert(Node *root, int key)
{
    if (root == nullptr)
        return new Node{key, nullptr, nullptr};
    if (key < root->key)
        root->left = insert(root->left, key);
    else
        root->right = insert(root->right, key);
    return root;
}
struct Shape {
    int nodes, depth;
};
__device__ Shape measure(const Node *n)
{
    if (n == nullptr)
        return {0, 0};
    Shape l = measure(n->left), r = measure(n->right);
    return {l.nodes + r.nodes + 1, 1 + (l.depth > r.depth ? l.depth : r.depth)};
}
extern "C" __global__ void trees(int *depth)
{
    Node *root = nullptr;
    for (int i = 0; i < 20; ++i)
        root = insert(root, i * 7 % 20);
    Shape s = measure(root);
    depth[0] = s.nodes;
    depth[1] = s.depth;
}

template <typename F> __device__ double simpson(F f, double a, double b, double whole, int left)
{
    auto rule = [&](double l, double r) {
        return (r - l) / 6 * (f(l) + 4 * f((l + r) / 2) + f(r));
    };
    double m = (a + b) / 2, lower = rule(a, m), upper = rule(m, b);
    if (left == 0 || (lower + upper - whole) * (lower + upper - whole) < 1e-12)
        return lower + upper;
    return simpson(f, a, m, lower, left - 1) + simpson(f, m, b, upper, left - 1);
}
extern "C" __global__ void integrate(double *area)
{
    int power = threadIdx.x + 2;
    auto f = [=](double x) {
        double y = 1;
        for (int k = 0; k < power; ++k)
            y *= x;
        return y;
    };
    area[threadIdx.x] = simpson(f, 0.0, 2.0, 0.0, 8);
}

__device__ int permute(int *order, int used, int n, const int *above, int want)
{
    int mine[2] = {used, 0}, count = 0;
    if (n == 4)
        return order[0] == want && (above == nullptr || above[0] != 15);
    for (int k = 0; k < 4; ++k) {
        if (used >> k & 1)
            continue;
        order[n] = k;
        mine[1] += permute(order, used | 1 << k, n + 1, mine, want);
        ++count;
    }
    return mine[1] + (count == 4 - n ? 0 : 100) + (mine[0] == used ? 0 : 1000);
}
extern "C" __global__ void permutations(int *words)
{
    int order[4];
    words[threadIdx.x] = permute(order, 0, 0, nullptr, threadIdx.x % 5);
}

__shared__ int board[64];
__device__ int halves(int v, int d)
{
    if (d == 0)
        return v;
    if (d >= 32) {
        board[threadIdx.x] = v;
        __syncthreads();
        v += board[threadIdx.x ^ 32];
        __syncthreads();
    } else {
        v += __shfl_xor_sync(0xffffffff, v, d);
    }
    return halves(v, d / 2);
}
extern "C" __global__ void together(int *sums) { sums[threadIdx.x] = halves(threadIdx.x, 32); }

// Of the result one member is read; what the caller holds meanwhile stays.
struct Triple {
    int a, b, c;
};
__device__ Triple triple(int n)
{
    if (n == 0)
        return {1, 2, 3};
    Triple t = triple(n - 1);
    return {t.a + t.b, t.b + t.c, t.c + t.a};
}
extern "C" __global__ void unread(int *kept)
{
    const volatile int *held = kept + threadIdx.x;
    int p = held[0], q = held[0] + 1, r = held[0] * held[0], s = held[0] * 7, u = held[0] ^ 5;
    int a = triple(4).a;
    kept[threadIdx.x] = a + 10 * p + 20 * q + 30 * r + 40 * s + 50 * u;
}

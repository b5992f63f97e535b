// malloc, free, new and delete in kernels: lists, arrays of objects, placement, a full heap.
//
//@ buffer out i32 8 zero
//@ buffer nodes i32 4 zero
//@ buffer full i32 2 zero
//@ run objects <<<2, 2>>> (out)
//@ run lists <<<1, 4>>> (nodes)
//@ run fill_up <<<1, 1>>> (full)
//@ expect out 12 12 12 12 0 1 3 6
//@ expect nodes 0 1 3 6
//@ expect full 1 2
struct Point {
    int x, y;
    __device__ Point() : x(1), y(2) {}
    __device__ Point(int a, int b) : x(a), y(b) {}
};
struct List {
    Point *items;
    int n;
};
__device__ List *make(int n)
{
    List *l = new List;
    l->items = new Point[n];
    l->n = n;
    return l;
}

extern "C" __global__ void objects(int *out)
{
    List *l = make(3);
    Point *p = new Point(1, 2);
    int *sum = new int(0);
    for (int i = 0; i < l->n; ++i)
        *sum += l->items[i].x + l->items[i].y;
    __align__(8) char room[sizeof(Point)];
    Point *q = new (room) Point{1, 2};
    int me = blockIdx.x * 2 + threadIdx.x;
    out[me] = *sum + p->y + q->x;
    delete p;
    delete[] l->items;
    delete l;
    delete sum;
    int n = me + 1;
    int *v = (int *)malloc(n * sizeof(int));
    out[4 + me] = 0;
    for (int i = 0; i < n; ++i)
        v[i] = i;
    for (int i = 0; i < n; ++i)
        out[4 + me] += v[i];
    free(v);
    free(nullptr);
}

struct Node {
    int value;
    Node *next;
};
extern "C" __global__ void lists(int *nodes)
{
    Node *head = nullptr;
    for (int i = 0; i <= threadIdx.x; ++i) {
        Node *n = new Node;
        n->value = i;
        n->next = head;
        head = n;
    }
    while (head != nullptr) {
        nodes[threadIdx.x] += head->value;
        Node *next = head->next;
        delete head;
        head = next;
    }
}

extern "C" __global__ void fill_up(int *full)
{
    full[0] = malloc(9000000) == nullptr;
    while (malloc(3900000) != nullptr)
        ++full[1];
}

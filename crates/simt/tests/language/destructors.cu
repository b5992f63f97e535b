// Destructors run at the end of a block, on the way out by `return`, `break`, `continue` and
// `goto`, members and bases after the object itself, and by `delete`, for the class that the object
// has. Each constructor notes its number, each destructor the number's negative.
//
//@ buffer notes i32 30 zero
//@ buffer early i32 12 zero
//@ buffer heap i32 24 zero
//@ buffer copies i32 6 zero
//@ run ways_out <<<1, 1>>> (notes)
//@ run returns <<<1, 2>>> (early)
//@ run on_the_heap <<<1, 1>>> (heap)
//@ run copied <<<1, 1>>> (copies)
//@ expect notes 0 1 2 20 -20 -2 2 -2 2 -2 50 -50 -1 80 81 82 -82 -81 -80 70 71 -71 -70 0 0 0 0 0 0 0
//@ expect early 1 2 -2 -1 201 0 1 2 3 -2 -1 301
//@ expect heap 7 0 -200 -7 -100 60 61 62 -62 -61 -60 5 -5 0 0 0 0 0 0 0 0 0 0 0
//@ expect copies 32 21 0 0 0 0
struct Log {
    int *at;
    __device__ void operator()(int what) { *at++ = what; }
};
struct Guard {
    Log *log;
    int id;
    __device__ Guard(Log *l, int i) : log(l), id(i) { (*log)(id); }
    __device__ ~Guard()
    {
        if (id == 3)
            return;
        (*log)(-id);
    }
};

extern "C" __global__ void ways_out(int *notes)
{
    Log log{notes + 1};
    {
        Guard a(&log, 1);
        for (int i = 0; i < 9; ++i) {
            Guard b(&log, 2);
            if (i == 1)
                continue;
            if (i == 2)
                break;
            Guard c(&log, 20);
        }
        Guard d(&log, 50);
    }
    { Guard all[3] = {Guard(&log, 80), Guard(&log, 81), Guard(&log, 82)}; }
    {
        Guard a(&log, 70);
        {
            Guard b(&log, 71);
            goto out;
        }
    }
out:
    return;
}

__device__ int value(Log *log, int t)
{
    Guard a(log, 1);
    switch (t) {
    case 0: {
        Guard b(log, 2);
        return 201;
    }
    default:
        Guard b(log, 2), c(log, 3);
        return 300 + c.log->at[-3];
    }
}
extern "C" __global__ void returns(int *early)
{
    int t = threadIdx.x;
    Log log{early + 6 * t};
    int v = value(&log, t);
    early[5 * t + 4 + 2 * t] = v;
}

struct Base {
    Log *log;
    __device__ Base(Log *l) : log(l) {}
    __device__ virtual ~Base() { (*log)(-100); }
};
struct Derived : Base {
    Guard g;
    __device__ Derived(Log *l) : Base(l), g(l, 7) {}
    __device__ ~Derived() { (*log)(-200); }
};
__device__ Log *all_counted;
__device__ int next_number;
struct Counted {
    Guard g;
    __device__ Counted() : g(all_counted, next_number++) {}
};
extern "C" __global__ void on_the_heap(int *heap)
{
    Log log{heap};
    Base *p = new Derived(&log);
    log(0);
    delete p;
    all_counted = &log;
    next_number = 60;
    Counted *list = new Counted[3];
    delete[] list;
    __align__(8) char room[sizeof(Guard)];
    Guard *q = new (room) Guard(&log, 5);
    q->~Guard();
    Base *none = nullptr;
    delete none;
}

struct Shared {
    int *users;
    __device__ Shared(int *u) : users(u) { *users = 1; }
    __device__ Shared(const Shared &other) : users(other.users) { ++*users; }
    __device__ ~Shared() { --*users; }
};
__device__ int look(Shared s) { return *s.users; }
__device__ Shared made(int *u)
{
    Shared s(u);
    return s;
}
extern "C" __global__ void copied(int *copies)
{
    {
        Shared s = made(copies + 2);
        Shared t = s;
        copies[0] = *s.users + 10 * look(t);
        Shared u = made(copies + 3);
        copies[1] = look(made(copies + 4)) + 10 * look(u);
    }
}

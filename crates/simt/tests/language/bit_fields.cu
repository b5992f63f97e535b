// Bit-fields: where they lie, what they hold, and that their neighbours stay as they are.
//
//@ buffer out i32 16 zero
//@ run holds <<<1, 1>>> (out)
//@ expect out 5 -3 1 200 5 3 -1 -1 10 4 8 12 1 4 16 7
//@ buffer words u32 4 zero
//@ run lies <<<1, 1>>> (words)
//@ expect words 3221233549 305419896 73 2882400001
//@ buffer cells u32 8 zero
//@ run shares <<<1, 8>>> (cells)
//@ expect cells 256 257 258 259 260 261 262 263
//@ buffer x u32 2 list 2882343476 17
//@ buffer y i32 6 zero
//@ run passes <<<1, 2>>> (x, y)
//@ expect y 4 10 18 1 3 0
//@ buffer z i32 7 zero
//@ run objects <<<1, 1>>> (z)
//@ expect z 6 1 9 2 3 0 1

struct Wide {
    unsigned long long most : 50;
    bool last : 1;
};

struct Flags {
    unsigned kind : 3;
    int small : 4;
    bool on : 1;
    unsigned char level : 8;
};

struct Next {
    short c;
    unsigned a : 4, : 2, b : 3;
    unsigned : 0;
    unsigned long long far : 40;
};

union Word {
    unsigned bits;
    struct {
        unsigned low : 12;
        unsigned mid : 12;
        unsigned high : 8;
    };
};

__constant__ Flags known = {5, -3, true, 200};

extern "C" __global__ void holds(int *out)
{
    Flags f = known;
    out[0] = f.kind;
    out[1] = f.small;
    out[2] = f.on;
    out[3] = f.level;
    f.kind = 13; // 5 of it stays
    out[4] = f.kind;
    out[5] = (f.small += 6);
    out[6] = f.kind - 6; // an `int`, whatever the member is
    f.small = 15;
    out[7] = f.small++;
    f.level = 0;
    out[8] = --f.level == 255 && f.small == 0 && f.on ? 10 : 0;
    out[9] = sizeof(Flags);
    Next n = {1, 2, 3, 4};
    out[10] = n.c + n.a + n.b + (int)n.far - 2;
    n.far = 0xabcdef0123ull << 4 | 12;
    out[11] = (int)(n.far & 15);
    out[12] = n.far >> 36 == 0xb && Flags{13, 0, false, 0}.kind == 5;
    out[13] = alignof(Flags);
    out[14] = sizeof(Next);
    int a[4] = {4, 5, 6, 7};
    Flags g;
    g.small = 3;
    out[15] = a[g.small];
}

extern "C" __global__ void lies(unsigned *words)
{
    Flags *f = (Flags *)words;
    f->kind = 5;
    f->small = 1;
    f->on = true;
    f->level = 31;
    words[0] |= 3u << 30; // above all fields
    Word w;
    w.high = 0x12;
    w.mid = 0x345;
    w.low = 0x678;
    words[1] = w.bits;
    Next n = Next();
    n.a = 9;
    n.b = 1;
    words[2] = ((unsigned short *)&n)[1];
    w.bits = 0xabcdef01u;
    words[3] = w.high << 24 | w.mid << 12 | w.low;
}

extern "C" __global__ void shares(unsigned *cells)
{
    __shared__ Word s[8];
    s[threadIdx.x].low = threadIdx.x;
    s[threadIdx.x].mid = 0;
    s[threadIdx.x].high = 0;
    __syncthreads();
    s[threadIdx.x].low |= 256;
    cells[threadIdx.x] = s[threadIdx.x].bits;
}

__device__ int sum(Flags f) { return f.kind + f.small; }
__device__ Flags made(unsigned kind, int small) { return {kind, small, false, 7}; }

extern "C" __global__ void passes(const Flags *x, int *y)
{
    const Flags f = x[threadIdx.x];
    int *mine = y + 3 * threadIdx.x;
    mine[0] = f.kind;
    mine[1] = sum(f);
    mine[2] = f.level + 2 * f.on;
}

struct Counter {
    unsigned steps : 5 = 6;
    unsigned done : 1;
    __device__ Counter() : done(1) {}
    __device__ void step() { ++steps; }
    __device__ unsigned next() const { return steps + 2; }
};

struct Both : Counter {
    int more;
};

extern "C" __global__ void objects(int *z)
{
    Both b;
    z[0] = b.steps;
    z[1] = b.done;
    b.step();
    z[2] = b.next();
    z[3] = sum(made(1, 1));
    const unsigned &copy = b.steps;
    z[4] = copy - 4;
    auto half = [=] { return b.done ? 0 : 1; };
    z[5] = half();
    Wide w = {7ull << 40, true};
    w.most += 1;
    z[6] = w.last && w.most == (7ull << 40 | 1) && sizeof(Wide) == 8;
}

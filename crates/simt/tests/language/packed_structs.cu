// Layouts that `__attribute__` asks for: packed structures, also read where they are not aligned,
// aligned ones, aligned members; and ranges of cases.
//
//@ buffer bytes i8 32 iota 1 1
//@ buffer out i32 8 zero
//@ run structs <<<1, 2>>> (bytes, out)
//@ expect out 84148994 168364039 5 9 168297990 336728080 4 7
#include <cstdio>

struct __attribute__((packed)) Five {
    char tag;
    int value;
};
struct Nine {
    short a;
    char b[2];
    Five five;
} __attribute__((packed));
struct Wide {
    float x[3];
} __attribute__((aligned(16)));
struct Apart {
    char c;
    alignas(8) int x;
};
struct Nested {
    char c;
    struct __attribute__((packed)) {
        short s;
        double d;
    } inner;
};
static_assert(sizeof(Five) == 5 && sizeof(Nine) == 9 && sizeof(Wide) == 16, "packed and aligned");
static_assert(sizeof(Apart) == 16 && sizeof(Nested) == 11, "members");

__device__ __noinline__ int kind(int i)
{
    switch (i) {
    case 0 ... 1: return 4;
    case 2 ... 9: return 7;
    default: return 0;
    }
}

extern "C" __global__ void structs(signed char *bytes, int *out)
{
    const int i = threadIdx.x;
    Five *fives = (Five *)bytes;
    out[i] = fives[i].value;
    out[2 + i] = i ? sizeof(Nine) : sizeof(Five);
    Five own = fives[i];
    own.value += 1;
    fives[i] = own;
    fives[i].value *= 2;
    out[4 + i] = fives[i].value;
    out[6 + i] = kind(2 * i);
}

int main() { printf("%d\n", (int)sizeof(Nine)); }

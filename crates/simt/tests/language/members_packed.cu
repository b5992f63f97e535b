// Where members lie: packed, aligned, `#pragma pack`; a variable in its own initialiser; a macro of
// a header that is not read.
//
//@ buffer out i32 12 zero
//@ run sizes <<<1, 1>>> (out)
//@ expect out 12 8 16 16 8 1 64 5 5 70 8 9
#include <unknown_tests.h>
#include <vector>

ENABLE_TESTS("all", 3)

#pragma pack(push, 2)
struct Halves { short a; int b; short c; };
#pragma pack(1)
struct Record { int id; float weight; short tag[2]; };
struct Tagged { char tag; int value; };
#pragma pack(pop)
struct Plain { char tag; int value; };
typedef struct __attribute__((aligned(16))) { float x, y, z; } Before;
typedef struct { float x, y, z; } __attribute__((__aligned__(16))) Behind;
struct __attribute__((packed)) Bytes { unsigned char a, b; unsigned short c; unsigned int d; };
struct Padded { __attribute__((aligned(64))) char line[3]; };

// Only the host can use it.
template <typename... T> class Buffers {
  public:
    std::tuple<std::vector<T>...> parts;
};
template <class C> class Node;
struct Document {
    Node<char> *root;
};

extern "C" __global__ void sizes(int *out)
{
    out[0] = sizeof(Record);
    out[1] = sizeof(Plain);
    out[2] = sizeof(Before);
    out[3] = sizeof(Behind);
    Bytes b[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    out[4] = b[threadIdx.x + 1].d;
    out[5] = alignof(Bytes);
    out[6] = alignof(int) * 16;
    Tagged tagged[2] = {{1, 60}, {2, 70}};
    out[8] = sizeof(Tagged);
    out[9] = tagged[threadIdx.x + 1].value;
    out[10] = sizeof(Halves);
    Halves halves = {3, 4, 2};
    out[11] = halves.a + halves.b + halves.c;
    int five = five = out[3] - 11;
    out[7] = five;
}

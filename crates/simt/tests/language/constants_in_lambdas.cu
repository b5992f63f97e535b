// Constants of a function inside its lambdas, whatever they capture; and enumerations compared with
// each other where headers bring operators of their own.
//
//@ buffer out i32 4 zero
//@ run constants <<<1, 1>>> (out)
//@ expect out 9 7 2 1
#include <cuda_bf16.h>

enum Layout { Rows, Columns };

template <int WIDTH, Layout LAYOUT> __device__ int parts(int start)
{
    constexpr int COUNT = 12 / WIDTH;
    constexpr bool ROWS = LAYOUT == Rows;
    auto sum = [&](int from) {
        int list[COUNT];
        for (int i = 0; i < COUNT; ++i)
            list[i] = from + i;
        int total = 0;
        for (int v : list)
            total += v;
        auto inner = [=] { return ROWS ? COUNT : 0; };
        return total + inner();
    };
    return sum(start);
}

extern "C" __global__ void constants(int *out)
{
    out[0] = parts<4, Rows>(1);
    out[1] = parts<6, Columns>(3);
    constexpr int two = 2;
    auto assign = [&] { out[2] = two; };
    assign();
    out[3] = Columns == Columns && Rows != Columns;
}

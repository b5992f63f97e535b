// Views of arrays: cuda::std::span of a pointer and a length, of an array, of an array of the
// library, and of parts of one.
//
//@ buffer out i32 16 zero
//@ run spans <<<1, 1>>> (out)
//@ expect out 1 2 3 4 10 40 8 4 12 3 6 2 30 0 0 0
#include <cuda/std/array>
#include <cuda/std/span>

__device__ int sum(cuda::std::span<const int> values)
{
    int total = 0;
    for (int v : values)
        total += v;
    return total;
}

extern "C" __global__ void spans(int *out)
{
    cuda::std::span<int> whole(out, 16);
    for (size_t i = 0; i < 4; i++)
        whole[i] = i + 1;
    out[4] = sum(cuda::std::span<const int>(out, 4));
    int own[2] = {15, 25};
    out[5] = sum(own);
    cuda::std::array<int, 4> parts{1, 2, 3, 4};
    cuda::std::span<int> view(parts);
    view.front() = -1;
    out[6] = sum(view);
    out[7] = (int)view.size();
    cuda::std::span<int> middle = view.subspan(1, 3);
    middle.back() = 7;
    out[8] = sum(middle);
    out[9] = (int)(middle.end() - middle.begin());
    out[10] = (int)(view.first(1).size_bytes() + view.last(2).size());
    out[11] = view.first(3)[1];
    out[12] = whole.empty() ? 0 : 30;
}

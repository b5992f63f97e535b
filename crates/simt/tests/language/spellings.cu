// Other spellings: `and`, `or`, `not`, statement expressions, `typeof`, unnamed local types,
// references to arrays.
//
//@ buffer out i32 12 zero
//@ run spellings <<<1, 4>>> (out)
//@ expect out 1 0 1 0 9 20 3 6 1065353216 2 10 4

#define LARGER(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })

template <int N> __device__ int sum(const int (&list)[N])
{
    int s = 0;
    for (int i = 0; i < N; ++i)
        s += list[i];
    return s;
}

__device__ void twice(int (&list)[3]) { for (int &v : list) v *= 2; }

extern "C" __global__ void spellings(int *out)
{
    int t = threadIdx.x;
    if (t < 2 and not(t == 1) or t == 2)
        out[t] = 1;
    if (t != 3)
        return;
    int bits = 12;
    bits and_eq 9 bitor 4;
    out[4] = LARGER(9, t + 1);
    out[5] = ({ int u = 0; for (int i = 0; i < 5; ++i) u += i; u * 2; });
    struct { int a, b; } pair = {1, 2};
    out[6] = pair.a + pair.b;
    int list[3] = {1, 2, 3};
    out[7] = sum(list);
    union { float f; int i; } word;
    word.f = 1.0f;
    out[8] = word.i;
    enum { one = 1, two };
    out[9] = two;
    twice(list);
    out[10] = list[1] + list[2];
    out[11] = bits == 12 ? 4 : 0;
}

// Lambdas that capture nothing become pointers to functions: as variables, in tables and structs,
// as arguments, as results; `+` asks for it.
//
//@ buffer out f32 14 zero
//@ buffer which i32 4 list 2 0 1 3
//@ run lambdas_as_functions <<<1, 4>>> (out, which)
//@ expect out 9 4 1 -3 6 10 8 5 7 1 2.5 25 24 3

using operation = float (*)(float);
typedef int (*compare)(int, int);

__device__ float twice(float x) { return 2 * x; }
__device__ float apply(operation f, float x) { return f(x); }
__device__ operation chosen(bool up)
{
    if (up)
        return [](float x) { return x + 1; };
    return [](float x) { return x - 1; };
}

struct Step {
    operation run;
    compare order;
};

template <typename F> __device__ float call(F f, float x) { return f(x); }
template <typename T> __device__ T at_least(T (*f)(T), T x, T least)
{
    T y = f(x);
    return y < least ? least : y;
}

extern "C" __global__ void lambdas_as_functions(float *out, const int *which)
{
    constexpr float factor = 1.5f;
    operation table[4] = {
        twice,
        [](float x) { return x / 2; },
        [](float x) -> float { return x * x; },
        +[](float x) { return -x; },
    };
    int t = threadIdx.x;
    operation f = table[which[t]];
    out[t] = f(t == 3 ? 3.0f : t == 0 ? 3.0f : 2.0f);
    if (t == 0) {
        out[4] = apply([](float x) { return x * 3; }, 2.0f);
        out[5] = chosen(true)(9.0f);
        out[6] = chosen(false)(9.0f);
        Step s = {[](float x) { return x * factor + 2; }, [](int a, int b) { return a - b; }};
        out[7] = s.run(2.0f);
        out[8] = s.order(9, 2);
        auto plain = +[](float x) { return x / 4; };
        out[9] = plain != nullptr && plain != f ? 1 : 0;
        out[10] = call(plain, 10.0f);
        operation generic = [](auto x) { return x * x; };
        out[11] = generic(5.0f);
        generic = t > 0 ? twice : [](float x) { return x; };
        out[12] = generic(24.0f);
        out[13] = at_least<float>([](float x) { return -x; }, 2.0f, 3.0f);
    }
}

// Functions as template arguments, as arguments, in tables, in structs; through `typedef` and
// `decltype`.
//
//@ buffer out f32 10 zero
//@ buffer which i32 4 list 1 0 2 1
//@ run functions_as_values <<<1, 4>>> (out, which)
//@ expect out 9 4 5 9 6 12 16 7 1 3

typedef float (*operation)(float);

__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ float more(float x) { return x + 2; }
__device__ float add(float a, float b) { return a + b; }
template <typename T> __device__ T triple(T x) { return 3 * x; }

__device__ operation table[3] = {twice, square, more};
__device__ float (*single)(float) = twice;

struct Step {
    operation run;
    float start;
};

template <float (*F)(float)> __device__ float apply(float x) { return F(x); }
template <typename F> __device__ float call(F f, float x) { return f(x); }
template <typename R, typename A> __device__ R deduced(R (*f)(A), A x) { return f(x); }
__device__ float both(float f(float, float), float x) { return f(x, x + 1); }

extern "C" __global__ void functions_as_values(float *out, const int *which)
{
    int t = threadIdx.x;
    operation f = table[which[t]];
    out[t] = f(t == 1 ? 2.0f : 3.0f);
    if (t == 0) {
        out[4] = apply<twice>(3.0f);
        out[5] = call(triple<float>, 4.0f);
        out[6] = call(&square, 4.0f);
        Step s = {more, 5.0f};
        out[7] = s.run(s.start);
        out[8] = single != nullptr && f == square ? 1 : 0;
        out[9] = both(add, 1.0f);
        out[6] = deduced(square, out[6]) / 16;
    }
}

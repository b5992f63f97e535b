// Templates of variables, and templates as template parameters.
//
//@ buffer out i32 8 zero
//@ run templates_of_all_kinds <<<1, 1>>> (out)
//@ expect out 3 31 1 0 6 10 5 8

template <typename T> constexpr T pi = T(3.14159265358979323846);
template <typename T> constexpr bool is_float = false;
template <> constexpr bool is_float<float> = true;
template <int N> constexpr int squared = N * N;

template <typename T> struct Sum {
    static __device__ T of(T a, T b) { return a + b; }
};
template <typename T> struct Product {
    static __device__ T of(T a, T b) { return a * b; }
};
template <typename T, template <typename> class Op> __device__ T fold(T a, T b)
{
    return Op<T>::of(a, b);
}
template <typename T, int N> struct Array {
    T data[N];
};
template <template <typename, int> class C, typename T, int N>
__device__ int length(const C<T, N> &)
{
    return N;
}
template <template <typename> class Op = Sum> struct Twice {
    static __device__ int of(int x) { return Op<int>::of(x, x); }
};

extern "C" __global__ void templates_of_all_kinds(int *out)
{
    out[0] = pi<int>;
    out[1] = (int)(10 * pi<float>);
    out[2] = is_float<float>;
    out[3] = is_float<int>;
    out[4] = fold<int, Product>(2, 3);
    Array<float, 10> a;
    out[5] = length(a);
    out[6] = fold<int, Sum>(2, 3);
    out[7] = Twice<>::of(squared<2>);
}

// Parameter packs: of functions, classes, values, bases; folds, `sizeof...`, packs in kernels.
//
//@ buffer out i32 16 zero
//@ buffer x f32 4 iota 1 1
//@ run packs <<<1, 1>>> (out)
//@ run _Z7appliedIJ5Scale3AddEEvPfi <<<1, 4>>> (x, 4)
//@ run _Z4fillIfJiiEEvPT_DpT0_ <<<1, 1>>> (x, 8, 2)
//@ expect out 10 3 6 24 1 2 7 4 3 1 0 5 9 42 3 6
//@ expect x 10 5 7 9

template <typename T> __device__ T sum(T v) { return v; }
template <typename T, typename... Rest> __device__ T sum(T v, Rest... rest)
{
    return v + sum(rest...);
}
template <typename... Ts> __device__ int count(Ts...) { return sizeof...(Ts); }
template <typename... Ts> __device__ int folded(Ts... v) { return (v + ...); }
template <int... Ns> struct product { static constexpr int value = (Ns * ... * 1); };

template <typename... Ts> struct Record;
template <> struct Record<> {};
template <typename Head, typename... Tail> struct Record<Head, Tail...> {
    Head head;
    Record<Tail...> tail;
    __device__ Record(Head h, Tail... t) : head(h), tail(t...) {}
};

struct Scale { __device__ static float apply(float v) { return 2 * v; } };
struct Add { __device__ static float apply(float v) { return v + 1; } };
template <typename... Steps> __global__ void applied(float *x, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        float v = x[i];
        ((v = Steps::apply(v)), ...);
        x[i] = v;
    }
}
template __global__ void applied<Scale, Add>(float *, int);

template <typename T, typename... Vs> __global__ void fill(T *x, Vs... v)
{ x[0] = (T(0) + ... + v); }
template __global__ void fill<float, int, int>(float *, int, int);

template <typename F, typename... Args> __device__ auto call(F f, Args &&...args)
{
    return f(static_cast<Args &&>(args)...);
}
struct Red { int r = 5; };
struct Blue { int b = 9; };
template <typename... Parts> struct Both : Parts... {};
template <typename... B> __device__ bool all(B... b) { return (b && ...); }
template <template <typename...> class C> struct holder { typedef C<int, int> type; };
template <typename T> struct length_of;
template <typename... Ts> struct length_of<Record<Ts...>> {
    static const int value = sizeof...(Ts);
};

extern "C" __global__ void packs(int *out)
{
    out[0] = sum(1, 2, 3, 4);
    out[1] = count(1, 2.0f, 'c');
    out[2] = folded(1, 2, 3);
    out[3] = product<1, 2, 3, 4>::value;
    Record<int, float> r(1, 2.5f);
    out[4] = r.head;
    out[5] = (int)r.tail.head;
    out[6] = call([](float a, float b) { return int(a + b); }, 3.0f, 4.0f);
    int v[] = {sum(1, 3), 3};
    out[7] = v[0];
    out[8] = length_of<Record<int, int, float>>::value;
    out[9] = all();
    out[10] = all(true, false, true);
    Both<Red, Blue> both;
    out[11] = both.r;
    out[12] = both.b;
    auto add = [&](auto... n) { return (0 + ... + n); };
    out[13] = add(40, 2);
    auto three = [](auto... n) { int list[] = {n...}; return int(sizeof(list) / sizeof(int)); };
    out[14] = three(7, 8, 9);
    typename holder<Record>::type two(6, 6);
    out[15] = two.tail.head;
}

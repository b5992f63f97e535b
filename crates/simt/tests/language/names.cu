// Names that are hidden, specialisations told by their result, classes instantiated by name.
//
//@ buffer out i32 8 zero
//@ run names <<<1, 1>>> (out)
//@ expect out 7 3 5 11 6 2 9 4

enum class dir { x = 3, y = 7 };
enum shade { dark = 3 };

template <typename T> __device__ T from(int);
template <> __device__ float from<float>(int n) { return n + 0.5f; }
template <> __device__ int from(int n) { return n + 5; }

template <typename T> struct Pair {
    T a, b;
    __device__ T sum() const { return a + b; }
};
template struct Pair<double>;
template class Pair<int>;

struct Matrix {
    int v;
    friend __device__ int trace(const Matrix &m) { return m.v * 2; }
    friend __device__ Matrix operator+(Matrix p, Matrix q) { return Matrix{p.v + q.v}; }
    friend class Other;
};

extern "C" __global__ void names(int *out)
{
    int dir = 1, y = 2, shade = 4;
    (void)dir, (void)y;
    out[0] = (int)dir::y;
    out[1] = shade::dark;
    out[2] = from<int>(0);
    Pair<double> p = {5.0, 6.0};
    out[3] = (int)p.sum();
    Matrix m = {3};
    out[4] = trace(m);
    int *q = out, *r = (decltype(r))(q + 1);
    out[5] = r - q + 1;
    out[6] = (m + Matrix{6}).v;
    out[7] = shade;
}

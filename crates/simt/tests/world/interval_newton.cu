// In the manner of the samples' interval: a class of intervals with rounded arithmetic chosen by
// the type, a stack of fixed size, bisection.
//@ buffer lo f64 4 zero
//@ buffer hi f64 4 zero
//@ run roots <<<1, 1>>> (lo, hi)
//@ expect lo 1 1 1 0
//@ expect hi 1 1 1 0
#include <stdio.h>
template <class T> struct rounded_arith {
    __device__ T add_down(const T &x, const T &y);
    __device__ T add_up(const T &x, const T &y);
    __device__ T mul_down(const T &x, const T &y);
    __device__ T mul_up(const T &x, const T &y);
    __device__ T median(const T &x, const T &y);
};
template <>
__device__ inline double rounded_arith<double>::add_down(const double &x, const double &y)
{ return __dadd_rd(x, y); }
template <> __device__ inline double rounded_arith<double>::add_up(const double &x, const double &y)
{ return __dadd_ru(x, y); }
template <>
__device__ inline double rounded_arith<double>::mul_down(const double &x, const double &y)
{ return __dmul_rd(x, y); }
template <> __device__ inline double rounded_arith<double>::mul_up(const double &x, const double &y)
{ return __dmul_ru(x, y); }
template <> __device__ inline double rounded_arith<double>::median(const double &x, const double &y)
{ return (x + y) * .5; }
template <class T> class interval_gpu {
public:
    __device__ __host__ interval_gpu();
    __device__ __host__ interval_gpu(T const &v);
    __device__ __host__ interval_gpu(T const &l, T const &u);
    __device__ __host__ T const &lower() const { return low; }
    __device__ __host__ T const &upper() const { return up; }
    static __device__ __host__ interval_gpu empty();
private:
    T low;
    T up;
};
template <class T> inline __device__ __host__ interval_gpu<T>::interval_gpu() {}
template <class T> inline __device__ __host__ interval_gpu<T>::interval_gpu(T const &v)
    : low(v), up(v)
{
}
template <class T> inline __device__ __host__ interval_gpu<T>::interval_gpu(T const &l, T const &u)
    : low(l), up(u)
{
}
template <class T> inline __device__ __host__ interval_gpu<T> interval_gpu<T>::empty()
{ return interval_gpu<T>(T(1), T(0)); }
template <class T> inline __device__ bool empty(interval_gpu<T> x)
{ return !(x.lower() <= x.upper()); }
template <class T>
inline __device__ interval_gpu<T> operator+(interval_gpu<T> const &x, interval_gpu<T> const &y)
{
    rounded_arith<T> rnd;
    return interval_gpu<T>(rnd.add_down(x.lower(), y.lower()), rnd.add_up(x.upper(), y.upper()));
}
template <class T> inline __device__ interval_gpu<T> operator-(interval_gpu<T> const &x)
{ return interval_gpu<T>(-x.upper(), -x.lower()); }
// Of positive intervals.
template <class T> inline __device__ interval_gpu<T> square(interval_gpu<T> const &x)
{
    rounded_arith<T> rnd;
    return interval_gpu<T>(rnd.mul_down(x.lower(), x.lower()), rnd.mul_up(x.upper(), x.upper()));
}
template <class T> __device__ bool has_root(interval_gpu<T> const &x, T v)
{
    interval_gpu<T> f = square(x) + -interval_gpu<T>(v);
    return f.lower() <= T(0) && f.upper() >= T(0);
}
__global__ void roots(double *lo, double *hi)
{
    typedef interval_gpu<double> I;
    const double of[3] = {2.0, 3.0, 7.0},
                 want[3] = {1.41421356237309504880, 1.73205080756887729353, 2.64575131106459059050};
    for (int k = 0; k < 3; ++k) {
        I stack[64];
        int top = 0;
        stack[top++] = I(1.0, 4.0);
        I found = I::empty();
        while (top > 0) {
            I x = stack[--top];
            if (!has_root(x, of[k])) continue;
            if (x.upper() - x.lower() < 1e-13) { found = x; break; }
            double m = rounded_arith<double>().median(x.lower(), x.upper());
            stack[top++] = I(x.lower(), m);
            stack[top++] = I(m, x.upper());
        }
        lo[k] = !empty(found) && found.lower() <= want[k] ? 1.0 : -1.0;
        hi[k] = !empty(found) && found.upper() >= want[k] ? 1.0 : -1.0;
    }
}
int main() { roots<<<1, 1>>>(nullptr, nullptr); return cudaDeviceSynchronize(); }

// Vectors with friends and operators, references to arrays.
//@ buffer out f64 3 zero
//@ run go <<<1, 1>>> (out)
//@ expect out 5 7 32
class V3 {
    double e[3];

public:
    __host__ __device__ V3(double x, double y, double z)
    {
        e[0] = x;
        e[1] = y;
        e[2] = z;
    }
    __host__ __device__ double operator[](int i) const { return e[i]; }
    __host__ __device__ double &operator[](int i) { return e[i]; }
    friend __host__ __device__ double dot(const V3 &a, const V3 &b)
    { return a.e[0] * b.e[0] + a.e[1] * b.e[1] + a.e[2] * b.e[2]; }
    friend std::ostream &operator<<(std::ostream &o, const V3 &v);
};
__host__ __device__ inline V3 operator+(const V3 &a, const V3 &b)
{ return V3(a[0] + b[0], a[1] + b[1], a[2] + b[2]); }
template <size_t N> __device__ void copy(double (&to)[N], const V3 &v)
{
    for (size_t i = 0; i < N; ++i) to[i] = v[i];
}
__global__ void go(double *out)
{
    V3 a(1, 2, 3), b(4, 5, 6), c = a + b;
    double two[2];
    copy(two, c);
    out[0] = two[0];
    out[1] = two[1];
    out[2] = dot(a, b);
}
std::ostream &operator<<(std::ostream &o, const V3 &v) { return o << v[0]; }
int main() { std::cout << V3(1, 2, 3); }

// Reopened namespaces, traits, tag dispatch, default template arguments.
//@ buffer x f32 4 list 1 4 9 16
//@ run apply<Root> <<<1, 4>>> (x)
//@ expect x 1 2 3 4
namespace app
{
struct Root {};
struct Twice {};
template <typename Tag, typename T = float> struct Op;
}
namespace app
{
template <typename T> struct Op<Root, T> {
    static __device__ T of(T v) { return sqrt(v); }
};
template <typename T> struct Op<Twice, T> {
    static __device__ T of(T v) { return 2 * v; }
};
}
namespace app
{
template <typename Tag> __global__ void apply(float *x)
{ x[threadIdx.x] = Op<Tag>::of(x[threadIdx.x]); }
template __global__ void apply<Root>(float *);
template __global__ void apply<Twice>(float *);
}
int main() { using namespace app; apply<Twice><<<1, 4>>>(nullptr); }

// A backend of a tensor library: opaque types, callbacks, handles of other libraries, a class that
// converts to several types.
//@ buffer x f32 32 iota 0 1
//@ buffer y f32 32 zero
//@ run scale_rows <<<1, 32>>> (x, y, 2, 3)
//@ expect y 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37
#if __has_attribute(always_inline) || defined(NEVER)
#define INLINE __forceinline__
#else
#define INLINE inline
#endif
#if __has_include("torch/extension.h")
#error not here
#endif
#include "torch/extension.h"
#include <cublas_v2.h>
typedef struct tensor_buffer_kind *tensor_buffer_kind_t;
typedef struct tensor_buffer *tensor_buffer_t;
typedef void (*tensor_unary_op)(struct tensor *dst, const struct tensor *src, int ith,
                                void *userdata);
struct tensor_unary_params {
    tensor_unary_op fun;
    int n_tasks;
};
struct tensor {
    __extension__ union { void *data; tensor_buffer_t buffer; };
    struct tensor *src[4];
    struct tensor_unary_params params;
};
struct tensor_set {
    unsigned *used;
    struct tensor **keys;
};
void multiply(cublasHandle_t handle, const float *a, float *c, int n);
torch::Tensor forward(torch::Tensor x) { return x.clone(); }

struct Scalar {
    float v;
    __host__ __device__ operator float() const { return v; }
    __host__ __device__ operator int() const { return (int)v + 1; }
    __host__ __device__ explicit operator bool() const { return v != 0; }
};
static INLINE __device__ float shifted(float x, Scalar s) { int i = s; return x + i; }
__global__ void scale_rows(const float *x, float *y, float a, int b)
{
    Scalar s{a};
    float f = s;
    y[threadIdx.x] = s ? shifted(x[threadIdx.x], s) + f * b - 3.0f : 0.0f;
}
void run(struct tensor *t, cublasHandle_t handle)
{ multiply(handle, (float *)t->src[0]->data, (float *)t->data, 32); }
int main() { return 0; }

// Shapes behind pointers, made on the device, as ray tracers do; one bounce of grey light.
//@ buffer world u64 3 zero
//@ buffer image f32 8 zero
//@ run create_world <<<1, 1>>> (world, 3)
//@ run render <<<1, 8>>> (image, world, 3)
//@ run free_world <<<1, 1>>> (world, 3)
//@ expect image 0 1 1 4 4 1 1 0
#include <iostream>
#include <float.h>
#define checkCudaErrors(val) check_cuda((val), #val, __FILE__, __LINE__)
void check_cuda(cudaError_t result, char const *const func, const char *const file, int const line)
{
    if (result) {
        std::cerr << "CUDA error = " << static_cast<unsigned int>(result) << " at " << file << ":"
                  << line << " '" << func << "' \n";
        cudaDeviceReset();
        exit(99);
    }
}
class vec3 {
public:
    __host__ __device__ vec3() {}
    __host__ __device__ vec3(float a, float b, float c)
    {
        e[0] = a;
        e[1] = b;
        e[2] = c;
    }
    __host__ __device__ inline float x() const { return e[0]; }
    float e[3];
};
struct record { float t; int id; };
class hitable { public: __device__ virtual bool hit(const vec3 &at, record &rec) const = 0; };
class slab : public hitable {
public:
    __device__ slab(float a, float b, float z, int i) : lo(a), hi(b), depth(z), id(i) {}
    __device__ virtual bool hit(const vec3 &at, record &rec) const;
    float lo, hi, depth;
    int id;
};
__device__ bool slab::hit(const vec3 &at, record &rec) const
{
    if (at.x() < lo || at.x() > hi || depth >= rec.t) return false;
    rec.t = depth;
    rec.id = id;
    return true;
}
class point : public hitable {
    float where;

public:
    __device__ point(float w) : where(w) {}
    __device__ bool hit(const vec3 &at, record &rec) const override { return false; }
};
__global__ void create_world(hitable **d_list, int n)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        d_list[0] = new slab(1, 6, 10, 1);
        d_list[1] = new slab(3, 4, 5, 4);
        d_list[2] = new point(2);
    }
}
__global__ void render(float *fb, hitable **world, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    record rec;
    rec.t = FLT_MAX;
    rec.id = 0;
    vec3 at(float(i), 0, 0);
    for (int k = 0; k < n; k++) world[k]->hit(at, rec);
    fb[i] = rec.id;
}
__global__ void free_world(hitable **d_list, int n)
{
    for (int i = 0; i < n; i++) delete d_list[i];
}
int main()
{
    hitable **d_list;
    checkCudaErrors(cudaMalloc((void **)&d_list, 3 * sizeof(hitable *)));
    create_world<<<1, 1>>>(d_list, 3);
    checkCudaErrors(cudaDeviceSynchronize());
    cudaFree(d_list);
}

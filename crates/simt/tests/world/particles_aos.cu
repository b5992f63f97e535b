// Array of structures with methods, random numbers by curand.
//@ buffer p f32 16 zero
//@ run init <<<1, 4>>> (p, 7)
//@ run move <<<1, 4>>> (p, 0)
//@ expect p 0 0 0 1 1 0 0 1 2 0 0 1 3 0 0 1
#include <curand_kernel.h>
#include <curand.h>
struct __align__(16) Particle {
    float x, y, z, m;
    __host__ __device__ void step(float dt)
    {
        x += dt;
        y += dt;
        z += dt;
    }
};
__global__ void init(Particle *p, unsigned long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState st;
    curand_init(seed, i, 0, &st);
    float u = curand_uniform(&st);
    p[i] = Particle{(float)i, 0, 0, u > 0 && u <= 1 ? 1.0f : -1.0f};
}
__global__ void move(Particle *p, float dt) { p[threadIdx.x].step(dt); }
int main() { Particle *p; cudaMalloc(&p, sizeof *p); init<<<1, 4>>>(p, time(NULL)); return 0; }

// In the manner of Rodinia's cfd: constants of vectors on the device, fluxes by reference,
// structure of arrays in one buffer, a block size from a macro.
//@ buffer v f32 20 list 1 2 4 1 1 2 4 1 0 0 0 0 0 0 0 0 10 20 40 10
//@ buffer steps f32 4 zero
//@ symbol ff_variable f32 5 list 1 0 0 0 2.5
//@ run compute_step_factor <<<2, 2>>> (4, v, steps)
//@ expect steps 0.25 0.25 0.25 0.25
#include <iostream>
#include <fstream>
#include <helper_cuda.h>
#ifdef RD_WG_SIZE_0_0
#define BLOCK_SIZE_0 RD_WG_SIZE_0_0
#else
#define BLOCK_SIZE_0 2
#endif
#define GAMMA 1.4f
#define VAR_DENSITY 0
#define VAR_MOMENTUM 1
#define NDIM 3
#define VAR_DENSITY_ENERGY (VAR_MOMENTUM + NDIM)
#define NVAR (VAR_DENSITY_ENERGY + 1)
#if BLOCK_SIZE_0 > 512
#error "too many threads"
#endif
template <typename T> T *alloc(int N)
{
    T *t;
    checkCudaErrors(cudaMalloc((void **)&t, sizeof(T) * N));
    return t;
}
template <typename T> void dealloc(T *array) { checkCudaErrors(cudaFree((void *)array)); }
struct float3_pair { float3 a, b; };
__constant__ float ff_variable[NVAR];
__constant__ float3 ff_flux_contribution_momentum_x[1];
__device__ __host__ inline void compute_velocity(float &density, float3 &momentum, float3 &velocity)
{
    velocity.x = momentum.x / density;
    velocity.y = momentum.y / density;
    velocity.z = momentum.z / density;
}
__device__ inline float compute_speed_sqd(float3 &velocity)
{ return velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z; }
__device__ inline float compute_pressure(float &density, float &density_energy, float &speed_sqd)
{
    return (float(GAMMA) - float(1.0f)) * (density_energy - float(0.5f) * density * speed_sqd);
}
__device__ inline float compute_speed_of_sound(float &density, float &pressure)
{ return sqrtf(float(GAMMA) * pressure / density); }
__global__ void compute_step_factor(int nelr, float *__restrict__ variables, float *step_factors)
{
    const int i = (blockDim.x * blockIdx.x + threadIdx.x);
    float density = variables[i + VAR_DENSITY * nelr];
    float3 momentum;
    momentum.x = variables[i + (VAR_MOMENTUM + 0) * nelr];
    momentum.y = variables[i + (VAR_MOMENTUM + 1) * nelr];
    momentum.z = variables[i + (VAR_MOMENTUM + 2) * nelr];
    float density_energy = variables[i + VAR_DENSITY_ENERGY * nelr];
    float3 velocity;
    compute_velocity(density, momentum, velocity);
    float speed_sqd = compute_speed_sqd(velocity);
    float pressure = compute_pressure(density, density_energy, speed_sqd);
    float speed_of_sound = compute_speed_of_sound(density, pressure);
    step_factors[i] =
        density / (density + ff_variable[0] * 0.0f) * 0.25f * (speed_of_sound > 0.0f ? 1.0f : 0.0f);
}
int main(int argc, char **argv)
{
    if (argc < 2) { std::cout << "specify data file name" << std::endl; return 0; }
    std::ifstream file(argv[1]);
    float *variables = alloc<float>(NVAR * 4);
    cudaEvent_t start, stop;
    cudaEventCreate(&start); cudaEventCreate(&stop);
    cudaEventRecord(start, 0);
    compute_step_factor<<<2, BLOCK_SIZE_0>>>(4, variables, variables);
    getLastCudaError("compute_step_factor failed");
    dealloc<float>(variables);
}

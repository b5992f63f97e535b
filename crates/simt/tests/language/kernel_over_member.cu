// A kernel template over a pointer to a member. (The launching code that nvcc 13 writes for it does
// not compile.)
//
//@ buffer sums f32 3 zero
//@ run sum_of<&Particle::velocity> <<<1, 32>>> (sums)
//@ expect sums 0 496 0

struct Particle {
    float mass, velocity;
};

template <float Particle::*M> __global__ void sum_of(float *sums)
{
    __shared__ Particle all[32];
    int t = threadIdx.x;
    all[t].mass = 0;
    all[t].*M = t;
    __syncthreads();
    if (t == 0) {
        float sum = 0;
        for (const Particle &p : all)
            sum += p.*M;
        sums[1] = sum;
    }
}
template __global__ void sum_of<&Particle::velocity>(float *);

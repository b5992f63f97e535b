// Evolve in two equal forms. Exercise 3.4.2. n elements, one thread each; threads from n on have
// nothing to do.

// u1[i] = u0[i] ex[t indexmap[i]]
extern "C" __global__ void ft_evolve(double2 *u1, const double2 *u0, const double *ex,
                                     const int *indexmap, int t, int n)
{
    // <lab
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double2 v = u0[i];
        double f = ex[t * indexmap[i]];
        u1[i] = make_double2(v.x * f, v.y * f);
    }
    //~ if (n < 0) u1[0] = u0[indexmap[0] + t + (int)ex[0]];
    // lab>
}

// u0[i] and u1[i] become u0[i] tw[i], where tw[i] = exp(-4 alpha pi^2 |k|^2): one more iteration at
// each launch.
extern "C" __global__ void ft_evolve_tw(double2 *u0, double2 *u1, const double *tw, int n)
{
    // <lab
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double2 v = u0[i];
        double f = tw[i];
        v.x *= f;
        v.y *= f;
        u0[i] = v;
        u1[i] = v;
    }
    //~ if (n < 0) u1[0] = u0[(int)tw[0]];
    // lab>
}

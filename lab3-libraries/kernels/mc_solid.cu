// Exercise 3.1.7: is a point in a solid? 1 if it is, else 0. Surfaces belong to the solid.
//
//  id  solid
//   0  unit ball (given)
//   1  piece of a torus: z^2 + (sqrt(x^2 + y^2) - 3)^2 <= 1, x >= 1, y >= -3
//   2  ball of radius pi, without the bore of radius sqrt(2)/2 along the z axis
//   3  tube about the z axis: radius from 2 to 3, z from -2.5 to 2.5
//   4  cone: base of radius 1 at z = 0, apex at z = 4
//   5  Saturn: ball of radius 2 together with a disc of radius 3, z from -0.5 to 0.5

// With branches: leave as soon as the answer is known.
__device__ float f_solid(int id, float x, float y, float z)
{
    float r2 = x * x + y * y; // squared distance from the z axis
    switch (id) {
    // <lab
    // case 1 to case 5
    // lab>
    default:
        if (r2 + z * z > 1)
            return 0;
        return 1;
    }
}

// Without: a comparison is 1 or 0, and a product of comparisons is an `and`.
__device__ float f_product(int id, float x, float y, float z)
{
    float r2 = x * x + y * y;
    switch (id) {
    // <lab
    // case 1 to case 5
    // lab>
    default:
        return r2 + z * z <= 1;
    }
}

// f[i] = f_solid of point i, for n points.
extern "C" __global__ void mc_branches(float *f, const float *x, const float *y, const float *z,
                                       unsigned long long n, int id)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f[i] = f_solid(id, x[i], y[i], z[i]);
}

// f[i] = f_product of point i, for n points.
extern "C" __global__ void mc_products(float *f, const float *x, const float *y, const float *z,
                                       unsigned long long n, int id)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f[i] = f_product(id, x[i], y[i], z[i]);
}

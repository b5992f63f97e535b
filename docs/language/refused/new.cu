extern "C" __global__ void f(int *out)
{
    int *p = new int[4];
    out[threadIdx.x] = p[0];
}

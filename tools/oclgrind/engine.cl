// The kernels of benches/engine.cu in OpenCL C.

kernel void vector_add(global const float *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

kernel void reduce(global const float *in, global float *out, int n)
{
    local float s[256];
    int t = get_local_id(0);
    int i = get_global_id(0);
    s[t] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 128; half_ > 0; half_ /= 2) {
        if (t < half_)
            s[t] += s[t + half_];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = s[0];
}

kernel void matmul(global const float *a, global const float *b, global float *c, int n)
{
    local float ta[16][16], tb[16][16];
    int tx = get_local_id(0), ty = get_local_id(1);
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int t = 0; t < n / 16; ++t) {
        ta[ty][tx] = a[row * n + t * 16 + tx];
        tb[ty][tx] = b[(t * 16 + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k)
            sum += ta[ty][k] * tb[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

kernel void fir(global const float *coeff, global const float *x, global float *y, int taps)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k)
        sum += coeff[k] * x[i + k];
    y[i] = sum;
}

// The reduction adds words that nobody has written.
//
//@ buffer x f32 100 iota 0 1
//@ buffer y f32 1 empty
//@ run shared_half_filled <<<1, 128>>> (x, y, 100)
//@ fault UNINIT s[100] thread (36,0,0) block (0,0,0)
//@ sanitizer initcheck

extern "C" __global__ void shared_half_filled(const float *x, float *y, int n)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t < n)
        s[t] = x[t];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half]; // <- fault
        __syncthreads();
    }
    if (t == 0)
        *y = s[0];
}

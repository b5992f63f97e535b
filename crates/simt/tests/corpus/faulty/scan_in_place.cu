// Hillis-Steele with one buffer: what is read may be old or new.
//
//@ buffer x i32 128 iota 1 0
//@ run scan_in_place <<<1, 128>>> (x)
//@ fault RACE-S block (0,0,0)
//@ sanitizer racecheck

extern "C" __global__ void scan_in_place(int *x)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    for (int d = 1; d < 128; d *= 2) {
        __syncthreads();
        if (t >= d)
            s[t] += s[t - d]; // <- fault
    }
    __syncthreads();
    x[t] = s[t];
}

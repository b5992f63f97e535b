// The value 10 has no bin.
//
//@ buffer data i32 64 iota -53 1
//@ buffer bins i32 10 zero
//@ run atomic_bin_missing <<<1, 32>>> (data, bins)
//@ run atomic_bin_missing <<<1, 32>>> (data+32, bins)
//@ fault OOB-G bins[10] thread (31,0,0) block (0,0,0)
//@ sanitizer memcheck

extern "C" __global__ void atomic_bin_missing(const int *data, int *bins)
{
    int v = data[threadIdx.x];
    if (v >= 0)
        atomicAdd(&bins[v], 1); // <- fault
}

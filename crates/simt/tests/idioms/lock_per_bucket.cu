// A lock for each bucket.
// Twin: the bucket is looked at once more when the lock has been given back.
//
//@ buffer locks i32 4 zero
//@ buffer bucket i32 4 zero
//@ buffer seen i32 8 zero
//@ run lock_per_bucket <<<8, 32>>> (locks, bucket, seen)
//@ expect bucket 2 2 2 2
//@ fault RACE-G

extern "C" __global__ void lock_per_bucket(int *locks, int *bucket, int *seen)
{
    if (threadIdx.x == 0) {
        int b = blockIdx.x % 4;
        while (atomicCAS(&locks[b], 0, 1) != 0) {
        }
        bucket[b] += 1; // <- fault
        __threadfence();
        atomicExch(&locks[b], 0);
#ifdef FAULTY
        seen[blockIdx.x] = bucket[b];
#endif
    }
}

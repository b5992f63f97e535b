// Open addressing: a slot is claimed by a compare-and-swap on its key.
// Twin: looked at, then written.
//
//@ buffer key i32 128 fill -1
//@ buffer found i32 1 zero
//@ run cas_hash_insert <<<2, 32>>> (key)
//@ run cas_hash_insert_count <<<1, 1>>> (key, found)
//@ expect found 64
//@ fault RACE-G

extern "C" __global__ void cas_hash_insert(int *key)
{
    int k = blockIdx.x * 32 + threadIdx.x, slot = k * 5 % 8;
    for (;; slot = (slot + 1) % 128) {
#ifdef FAULTY
        if (key[slot] == -1) { // <- fault
            key[slot] = k; // <- fault
            break;
        }
#else
        int old = atomicCAS(&key[slot], -1, k);
        if (old == -1 || old == k)
            break;
#endif
    }
}

extern "C" __global__ void cas_hash_insert_count(const int *key, int *found)
{
    for (int i = 0; i < 128; ++i)
        *found += key[i] >= 0;
}

// One word is read and swapped.
// Twin: another word is swapped than was read, so the swap says nothing about the read.
//
//@ buffer p i32 2 zero
//@ run cas_wrong_word <<<1, 64>>> (p)
//@ expect p 64 0
//@ fault RACE-G

extern "C" __global__ void cas_wrong_word(int *p)
{
#ifdef FAULTY
    int *word = p + (threadIdx.x & 1);
#else
    int *word = p;
#endif
    int old = *p, seen; // <- fault
    do {
        seen = old;
        old = atomicCAS(word, seen, seen + 1); // <- fault
    } while (old != seen);
}

// Bits of a word that nobody wrote are masked away.
// Twin: not all of them.
//
//@ buffer x i32 1 empty
//@ buffer out i32 1 zero
//@ run undefined_masked_bits <<<1, 1>>> (x, 0, out)
//@ expect out 5
//@ fault UNINIT

extern "C" __global__ void undefined_masked_bits(const int *x, int mask, int *out)
{
#ifdef FAULTY
    mask = 1;
#endif
    if ((*x & mask) == 0) // <- fault
        *out = 5;
}

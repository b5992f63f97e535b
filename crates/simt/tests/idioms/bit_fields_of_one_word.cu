// A word with a bit-field for each of two threads: one after the other writes its own.
// Twin: both at the same time; each reads and writes the whole word.
//
//@ buffer words u32 1 zero
//@ run bit_fields_of_one_word <<<1, 64>>> (words)
//@ expect words 851973
//@ fault RACE-G

struct Halves {
    unsigned low : 16;
    unsigned high : 16;
};

extern "C" __global__ void bit_fields_of_one_word(Halves *words)
{
    if (threadIdx.x == 0)
        words->low = 5; // <- fault
#ifndef FAULTY
    __syncthreads();
#endif
    if (threadIdx.x == 32)
        words->high = 13; // <- fault
}

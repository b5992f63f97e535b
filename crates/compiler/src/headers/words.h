// Exchange between lanes and sums in memory of a type T that go by its bits.
#define __SHUFFLED(T, Bits, name, Lane)                                                          \
    __device__ T name(unsigned int mask, T v, Lane lane, int width = 32)                         \
    {                                                                                            \
        Bits moved = name(mask, *(Bits *)&v, lane, width);                                       \
        return *(T *)&moved;                                                                     \
    }
#define __BY_BITS(T, Bits)                                                                       \
    __SHUFFLED(T, Bits, __shfl_sync, int)                                                        \
    __SHUFFLED(T, Bits, __shfl_up_sync, unsigned int)                                            \
    __SHUFFLED(T, Bits, __shfl_down_sync, unsigned int)                                          \
    __SHUFFLED(T, Bits, __shfl_xor_sync, int)                                                    \
    __device__ T atomicAdd(T *at, T v)                                                           \
    {                                                                                            \
        Bits old = 0, seen;                                                                      \
        do {                                                                                     \
            seen = old;                                                                          \
            T sum = *(T *)&seen + v;                                                             \
            old = atomicCAS((Bits *)at, seen, *(Bits *)&sum);                                    \
        } while (old != seen);                                                                   \
        return *(T *)&old;                                                                       \
    }

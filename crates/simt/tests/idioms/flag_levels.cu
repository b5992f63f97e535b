// Breadth first: several threads reach a vertex and give it the same level.
// Twin: each says that it was the one.
//
//@ buffer level i32 64 zero
//@ buffer parent i32 64 fill -1
//@ buffer sum i32 1 zero
//@ run flag_levels <<<2, 32>>> (level, parent)
//@ run flag_levels_sum <<<1, 1>>> (level, sum)
//@ expect sum 32
//@ fault RACE-G

extern "C" __global__ void flag_levels(int *level, int *parent)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 2; ++k) {
        int to = (i + k) % 16;
        level[to] = 2;
#ifdef FAULTY
        parent[to] = i; // <- fault
#endif
    }
}

extern "C" __global__ void flag_levels_sum(const int *level, int *sum)
{
    for (int i = 0; i < 64; ++i)
        *sum += level[i];
}

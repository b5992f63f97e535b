// A struct travels whole; a member that was never set is not looked at.
// Twin: it is.
//
//@ buffer raw i32 64 empty
//@ buffer kept i32 64 empty
//@ buffer sum i32 1 zero
//@ run undefined_struct_fill <<<1, 32>>> (raw)
//@ run undefined_struct <<<1, 32>>> (raw, kept)
//@ run undefined_struct_sum <<<1, 1>>> (kept, sum)
//@ expect sum 32
//@ fault UNINIT

struct Particle {
    int mass, charge;
};

extern "C" __global__ void undefined_struct_fill(Particle *raw)
{
    raw[threadIdx.x].mass = 1;
}

extern "C" __global__ void undefined_struct(const Particle *raw, Particle *kept)
{
    Particle p = raw[threadIdx.x]; // <- fault
    kept[31 - threadIdx.x] = p;
}

extern "C" __global__ void undefined_struct_sum(const Particle *kept, int *sum)
{
    for (int i = 0; i < 32; ++i) {
#ifdef FAULTY
        if (kept[i].charge > 0) // <- fault
            continue;
#endif
        *sum += kept[i].mass;
    }
}

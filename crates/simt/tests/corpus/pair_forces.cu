// Lennard-Jones forces from lists of neighbours, with the way of reading positions as a functor and
// a template parameter; and a sorting network whose comparator takes references.
//
//@ buffer position f32 256 rand 1 0 10
//@ buffer neighbours i32 256 ints 4 0 63
//@ buffer force f32 256 empty
//@ buffer key u32 256 ints 4 0 1000
//@ run lennard_jones <<<1, 64>>> (force, position, 4, neighbours, 30.0, 1.5, 2.0, 64)
//@ run sort <<<1, 128>>> (key, 1)
//@ check force within 1e-3
//@ check key exact

typedef unsigned int uint;

// How positions are read: the primary template has no definition that could be used by mistake.
template <typename T> struct Reader;

template <>
struct Reader<float4> {
    const float4 *from;
    __device__ __forceinline__ float4 operator()(int i) const { return __ldg(from + i); }
};

template <typename Vector, bool THROUGH_READER, class Read = Reader<Vector> >
__device__ void sum_forces(Vector *__restrict__ force, const Vector *__restrict__ position,
                           int count, const int *__restrict__ neighbours, float cut, float a,
                           float b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Read read = {position};
    const Vector own = position[i];
    Vector sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < count; ++k) {
        const int other = neighbours[k * n + i];
        const Vector p = THROUGH_READER ? read(other) : position[other];
        const float dx = own.x - p.x, dy = own.y - p.y, dz = own.z - p.z;
        const float square = dx * dx + dy * dy + dz * dz;
        if (!(square > 0.25f && square < cut))
            continue;
        const float inverse = 1.0f / square, sixth = inverse * inverse * inverse;
        const float f = inverse * sixth * (a * sixth - b);
        sum.x += f * dx, sum.y += f * dy, sum.z += f * dz;
    }
    force[i] = sum;
}

extern "C" __global__ void lennard_jones(float4 *force, const float4 *position, int count,
                                         const int *neighbours, float cut, float a, float b, int n)
{
    sum_forces<float4, true>(force, position, count, neighbours, cut, a, b, n);
}

__device__ inline void order(uint &first, uint &second, bool rising)
{
    if ((first > second) == rising) {
        const uint held = first;
        first = second;
        second = held;
    }
}

// Bitonic: 256 keys, two for each thread.
extern "C" __global__ void sort(uint *key, uint rising)
{
    __shared__ uint keys[256];
    const uint t = threadIdx.x;
    for (uint k = t; k < 256; k += blockDim.x)
        keys[k] = key[k];
    for (uint size = 2; size <= 256; size <<= 1) {
        const bool up = size == 256 ? rising : rising ^ ((t & (size / 2)) != 0);
        for (uint stride = size / 2; stride; stride >>= 1) {
            __syncthreads();
            const uint at = 2 * t - (t & (stride - 1));
            order(keys[at], keys[at + stride], up);
        }
    }
    __syncthreads();
    key[t] = keys[t];
    key[t + 128] = keys[t + 128];
}

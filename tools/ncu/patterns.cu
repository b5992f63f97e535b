// patterns LIST: shared-memory accesses with many index patterns, one launch each, so that ncu
// counts the wavefronts of each. Writes to LIST one line per launch: bytes of an access, ld or st,
// and the 32 indices in units of the access (-1: lane is off).
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int WORDS = 8192; // 32 KiB

template <typename T>
__global__ void load_pattern(const int *index, T *out)
{
    __shared__ __align__(16) char raw[4 * WORDS];
    T *s = reinterpret_cast<T *>(raw);
    for (int i = threadIdx.x; i < WORDS; i += 32)
        reinterpret_cast<int *>(raw)[i] = i;
    __syncwarp();
    int at = index[threadIdx.x];
    if (at >= 0)
        out[threadIdx.x] = s[at];
}

template <typename T>
__global__ void store_pattern(const int *index, const T *in, T *out)
{
    __shared__ __align__(16) char raw[4 * WORDS];
    T *s = reinterpret_cast<T *>(raw);
    int at = index[threadIdx.x];
    if (at >= 0)
        s[at] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x];
}

static uint64_t state = 1;
static int below(int n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (uint64_t)n);
}

static FILE *list;
static int *device_index;
static void *device_in, *device_out;

template <typename T>
void measure(const std::vector<int> &index)
{
    cudaMemcpy(device_index, index.data(), 32 * sizeof(int), cudaMemcpyHostToDevice);
    for (int store = 0; store < 2; ++store) {
        fprintf(list, "%zu,%s", sizeof(T), store ? "st" : "ld");
        for (int i : index)
            fprintf(list, ",%d", i);
        fprintf(list, "\n");
        if (store)
            store_pattern<T><<<1, 32>>>(device_index, (const T *)device_in, (T *)device_out);
        else
            load_pattern<T><<<1, 32>>>(device_index, (T *)device_out);
    }
}

template <typename T>
void patterns(int count)
{
    const int limit = 4 * WORDS / (int)sizeof(T);
    std::vector<int> index(32);
    for (int stride : {0, 1, 2, 3, 4, 8, 16, 17, 32, 33}) {
        for (int i = 0; i < 32; ++i)
            index[i] = i * stride;
        measure<T>(index);
    }
    for (int group : {2, 4, 8, 16}) { // neighbours share an address; lanes far apart share one
        for (int far = 0; far < 2; ++far)
            for (int stride : {1, 5, 8, 16}) {
                for (int i = 0; i < 32; ++i)
                    index[i] = (far ? i % group : i / group) * stride;
                measure<T>(index);
            }
    }
    for (int n = 0; n < count; ++n) {
        int kind = below(5);
        int range = 1 << below(11);
        if (range > limit)
            range = limit;
        int base = below(limit - range + 1);
        for (int i = 0; i < 32; ++i)
            index[i] = base + below(range);
        if (kind == 1) // pairs of lanes alike
            for (int i = 0; i < 32; ++i)
                index[i] = index[i & ~1];
        if (kind == 2) // halves alike
            for (int i = 16; i < 32; ++i)
                index[i] = index[i - 16];
        if (kind == 3) { // lanes switched off
            int keep = 1 + below(31);
            for (int i = 0; i < 32; ++i)
                if (below(32) >= keep)
                    index[i] = -1;
        }
        if (kind == 4) // alike at a distance of 2 or 4
            for (int d = 2 << below(2), i = 0; i < 32; ++i)
                index[i] = index[i & ~d];
        measure<T>(index);
    }
}

int main(int, char **argv)
{
    list = fopen(argv[1], "w");
    cudaMalloc(&device_index, 128);
    cudaMalloc(&device_in, 512);
    cudaMalloc(&device_out, 512);
    cudaMemset(device_in, 1, 512);
    patterns<uint8_t>(20);
    patterns<uint32_t>(30);
    patterns<uint2>(80);
    patterns<uint4>(80);
    fclose(list);
    cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess)
        fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}

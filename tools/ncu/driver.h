// What the generated programs share: buffers filled as the corpus headers say, launches that are
// listed, outputs that are saved. Compiled by nvcc only; crates/simt/examples/make_driver.rs writes
// the programs.
#pragma once

#include <cuda_runtime.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <curand_kernel.h>

// A device pointer that fits every pointer parameter; the kernels of the corpus see one buffer as
// several types.
struct Pointer {
    char *at;
    size_t elem;
    template <typename T>
    operator T *() const
    {
        return reinterpret_cast<T *>(at);
    }
    Pointer operator+(size_t n) const { return Pointer{at + n * elem, elem}; }
};

// The same 31-bit generator as in tests/support/case.rs.
struct CorpusLcg {
    uint64_t state;
    uint32_t next()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(state >> 33);
    }
};

template <typename T>
std::vector<T> gen_zero(size_t n) { return std::vector<T>(n, T(0)); }

template <typename T>
std::vector<T> gen_iota(size_t n, long long from, long long step)
{
    std::vector<T> v(n);
    for (size_t i = 0; i < n; ++i)
        v[i] = (T)(from + (long long)i * step);
    return v;
}

template <typename T>
std::vector<T> gen_rand(size_t n, uint64_t seed, double lo, double hi)
{
    std::vector<T> v(n);
    CorpusLcg lcg{seed};
    for (T &x : v)
        x = (T)(lo + (hi - lo) * ((lcg.next() >> 7) / 16777216.0));
    return v;
}

template <typename T>
std::vector<T> gen_ints(size_t n, uint64_t seed, long long lo, long long hi)
{
    std::vector<T> v(n);
    CorpusLcg lcg{seed};
    for (T &x : v)
        x = (T)(lo + (long long)(lcg.next() % (uint64_t)(hi - lo + 1)));
    return v;
}

template <typename T>
std::vector<T> gen_triangle(size_t n)
{
    std::vector<T> v(n);
    for (size_t i = 0; i < n; ++i)
        v[i] = (T)(i * (i + 1) / 2);
    return v;
}

#define CORPUS_CHECK(call) \
    do { \
        cudaError_t corpus_status = (call); \
        if (corpus_status != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                    cudaGetErrorString(corpus_status)); \
            exit(1); \
        } \
    } while (0)

class CorpusDriver {
public:
    CorpusDriver(const char *name, FILE *launches, FILE *index, FILE *outputs)
        : name_(name), launches_(launches), index_(index), outputs_(outputs)
    {
    }
    ~CorpusDriver()
    {
        for (void *p : allocations_)
            cudaFree(p);
    }

    template <typename T>
    Pointer empty(size_t n)
    {
        void *p = nullptr;
        CORPUS_CHECK(cudaMalloc(&p, n * sizeof(T)));
        allocations_.push_back(p);
        return Pointer{(char *)p, sizeof(T)};
    }
    template <typename T>
    Pointer filled(const std::vector<T> &v)
    {
        Pointer p = empty<T>(v.size());
        CORPUS_CHECK(cudaMemcpy(p.at, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
        return p;
    }
    // A texture object or a surface object over a buffer. A texture of one row that is not filtered
    // is linear memory, as tex1Dfetch asks for; all others are arrays. A surface's array is copied
    // back when its buffer is saved.
    unsigned long long picture(Pointer over, cudaExtent size, int channels, int bits,
                               cudaChannelFormatKind kind, bool linear,
                               cudaTextureAddressMode address, bool unit_coords, bool unit_values,
                               bool surface, bool layered)
    {
        int b[4] = {};
        std::fill(b, b + channels, bits);
        cudaChannelFormatDesc format = cudaCreateChannelDesc(b[0], b[1], b[2], b[3], kind);
        size_t texel = channels * bits / 8;
        cudaResourceDesc resource = {};
        if (size.height == 1 && size.depth == 1 && !linear && !surface) {
            resource.resType = cudaResourceTypeLinear;
            resource.res.linear.devPtr = over.at;
            resource.res.linear.desc = format;
            resource.res.linear.sizeInBytes = size.width * texel;
        } else {
            cudaExtent extent = {size.width, size.height == 1 && size.depth == 1 ? 0 : size.height,
                                 size.depth == 1 ? 0 : size.depth};
            cudaMemcpy3DParms copy = {};
            CORPUS_CHECK(cudaMalloc3DArray(&copy.dstArray, &format, extent,
                                           (surface ? cudaArraySurfaceLoadStore : 0) |
                                               (layered ? cudaArrayLayered : 0)));
            copy.srcPtr = make_cudaPitchedPtr(over.at, size.width * texel, size.width, size.height);
            copy.extent = size;
            copy.kind = cudaMemcpyDeviceToDevice;
            CORPUS_CHECK(cudaMemcpy3D(&copy));
            resource.resType = cudaResourceTypeArray;
            resource.res.array.array = copy.dstArray;
            if (surface) {
                cudaMemcpy3DParms &back = surfaces_[over.at] = {};
                back.srcArray = copy.dstArray, back.dstPtr = copy.srcPtr;
                back.extent = size, back.kind = cudaMemcpyDeviceToDevice;
            }
        }
        unsigned long long object = 0;
        if (surface) {
            CORPUS_CHECK(cudaCreateSurfaceObject(&object, &resource));
            return object;
        }
        cudaTextureDesc how = {};
        how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = address;
        how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        how.readMode = unit_values ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
        how.normalizedCoords = unit_coords;
        CORPUS_CHECK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
        return object;
    }
    // A launch whose blocks are all resident at once, so that they may wait for each other.
    template <typename... Parameters, typename... Args>
    void together(dim3 grid, dim3 block, size_t shared, void (*kernel)(Parameters...), Args... args)
    {
        cudaLaunchAttribute cooperative = {};
        cooperative.id = cudaLaunchAttributeCooperative;
        cooperative.val.cooperative = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = grid;
        config.blockDim = block;
        config.dynamicSmemBytes = shared;
        config.attrs = &cooperative;
        config.numAttrs = 1;
        CORPUS_CHECK(cudaLaunchKernelEx(&config, kernel, args...));
    }
    // To be called after each launch; `run` is the number of the `run` line in the file.
    void launched(int run, const char *kernel)
    {
        CORPUS_CHECK(cudaGetLastError());
        CORPUS_CHECK(cudaDeviceSynchronize());
        if (launches_)
            fprintf(launches_, "%d,%s,%d,%s\n", count++, name_, run, kernel);
    }
    // Lists the microseconds between two events around `launch`: the least and the median of 15.
    template <typename F>
    void timed(int run, const char *kernel, F launch)
    {
        cudaEvent_t begin, end;
        CORPUS_CHECK(cudaEventCreate(&begin));
        CORPUS_CHECK(cudaEventCreate(&end));
        std::vector<float> ms(launches_ ? 16 : 2);
        for (float &each : ms) {
            CORPUS_CHECK(cudaEventRecord(begin));
            launch();
            CORPUS_CHECK(cudaEventRecord(end));
            CORPUS_CHECK(cudaEventSynchronize(end));
            CORPUS_CHECK(cudaEventElapsedTime(&each, begin, end));
        }
        std::sort(ms.begin() + 1, ms.end()); // the first launch loads the kernel
        if (launches_)
            fprintf(launches_, "%d,%s,%d,%s,%.3f,%.3f\n", count++, name_, run, kernel,
                    1e3 * ms[1], 1e3 * ms[8]);
        CORPUS_CHECK(cudaEventDestroy(begin));
        CORPUS_CHECK(cudaEventDestroy(end));
    }
    void save(const char *buffer, const void *bytes, size_t size)
    {
        if (!outputs_)
            return;
        fprintf(index_, "%s,%s,%ld,%zu\n", name_, buffer, ftell(outputs_), size);
        fwrite(bytes, 1, size, outputs_);
    }
    void output(const char *buffer, Pointer p, size_t size)
    {
        std::vector<char> host(size);
        auto surface = surfaces_.find(p.at);
        if (surface != surfaces_.end())
            CORPUS_CHECK(cudaMemcpy3D(&surface->second));
        CORPUS_CHECK(cudaMemcpy(host.data(), p.at, size, cudaMemcpyDeviceToHost));
        save(buffer, host.data(), size);
    }

    static int count;

private:
    std::map<void *, cudaMemcpy3DParms> surfaces_; // from each surface's array to its buffer
    const char *name_;
    FILE *launches_, *index_, *outputs_;
    std::vector<void *> allocations_;
};

typedef void (*CorpusCase)(CorpusDriver &);
std::map<std::string, CorpusCase> &corpus_cases();

struct CorpusEntry {
    CorpusEntry(const char *name, CorpusCase run) { corpus_cases()[name] = run; }
};

// The stretch kernels of lab 2 on a real GPU, beside cuBLAS and cuFFT. See tools/lab2/bench.sh.
// With the argument `small` they run alone, on little data: for compute-sanitizer.
#include <cublas_v2.h>
#include <cufft.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <string>
#include <vector>
#include <algorithm>
#include "fir_fast.cu"
#include "fir_fft.cu"
#include "aat_fast.cu"

static void check(int error, const char *what)
{
    if (error) { fprintf(stderr, "error: %s: %d\n", what, error); exit(1); }
}
#define OK(call) check((int)(call), #call)

template <class F> static float best_ms(F f, int runs = 10)
{
    cudaEvent_t a, b;
    OK(cudaEventCreate(&a)); OK(cudaEventCreate(&b));
    float best = 1e30f;
    for (int i = 0; i < runs; i++) {
        OK(cudaEventRecord(a)); f(); OK(cudaEventRecord(b)); OK(cudaEventSynchronize(b));
        float ms; OK(cudaEventElapsedTime(&ms, a, b));
        best = std::min(best, ms);
    }
    OK(cudaGetLastError());
    return best;
}

static unsigned seed = 1;
static float noise() { seed = seed * 1664525u + 1013904223u; return (int)seed / 2147483648.0f; }

// Reads what a filter made of two channels; the greatest error of some of its outputs.
static double fir_error(std::vector<float> &y, const std::vector<float> &x,
                        const std::vector<float> &h, const float *dy)
{
    const size_t n = h.size() - 1, len = x.size() / 2;
    OK(cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (size_t i = 0; i < 4000; i++) {
        size_t at = i < 1500 ? i : i < 3000 ? len - 700 + i - 1500 : i * 12345678901ull % (2 * len);
        size_t base = at >= len ? len : 0;
        double s = 0;
        for (size_t k = 0; k <= n && at - base >= k; k++) s += (double)h[k] * x[at - k];
        double error = fabs(s - y[at]);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static void fir(double peak, int len, bool alone)
{
    const int n = 1024;
    std::vector<float> h(n + 1), x(2 * (size_t)len), y(2 * (size_t)len);
    for (float &v : h) v = noise() / 32;
    for (float &v : x) v = noise();
    float *dx, *dy, *dh;
    OK(cudaMalloc(&dx, x.size() * 4));
    OK(cudaMalloc(&dy, x.size() * 4));
    OK(cudaMalloc(&dh, h.size() * 4));
    OK(cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(dh, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbol(taps, h.data(), h.size() * 4));
    const int history = (n + W) / W * W, tile = THREADS * R;
    const int shared = 4 * PADDED(history + tile);
    OK(cudaFuncSetAttribute(audiofir_fast, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    int blocks; cudaFuncAttributes fa;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, audiofir_fast, THREADS, shared));
    OK(cudaFuncGetAttributes(&fa, audiofir_fast));
    float ms = best_ms([&] {
        audiofir_fast<<<dim3((len + tile - 1) / tile, 2), THREADS, shared>>>(dy, dx, n, len);
    });
    double worst = fir_error(y, x, h, dy);
    double flop = 2.0 * (n + 1) * 2 * len;
    printf("FIR  direct, %d threads x %d outputs, %d registers, %d blocks/SM: %.3f ms, %.1f "
           "TFLOP/s, %.1f %% of peak, worst error %.1e\n",
           THREADS, R, fa.numRegs, blocks, ms, flop / ms / 1e9, flop / ms / 1e9 / peak * 100,
           worst);

    float2 *spectrum;
    OK(cudaMalloc(&spectrum, FFT_POINTS * 8));
    OK(cudaMemset(dy, 0xff, y.size() * 4));
    OK(cudaFuncGetAttributes(&fa, audiofir_fft));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, audiofir_fft, FFT_THREADS, 0));
    const int kept = FFT_POINTS - n;
    ms = best_ms([&] {
        audiofir_spectrum<<<1, FFT_THREADS>>>(spectrum, dh, n);
        audiofir_fft<<<(len + kept - 1) / kept, FFT_THREADS>>>(dy, dx, spectrum, n, len, 2);
    });
    worst = fir_error(y, x, h, dy);
    printf("FIR  overlap-save in one kernel, %d registers, %d blocks/SM: %.3f ms with the filter's "
           "spectrum, as if %.1f TFLOP/s direct, samples and outputs at %.2f TB/s, worst error "
           "%.1e\n",
           fa.numRegs, blocks, ms, flop / ms / 1e9, 16.0 * len / ms / 1e9, worst);
    cudaFree(spectrum);
    if (alone) {
        cudaFree(dx); cudaFree(dy); cudaFree(dh);
        return;
    }

    // cuFFT, overlap-save; only the transforms, forward and back: the product would come on top.
    for (int size = 4096; size <= 16384; size *= 2) {
        const int keep = size - n, batch = 2 * ((len + keep - 1) / keep);
        float *d; cufftComplex *f; cufftHandle there, back;
        OK(cudaMalloc(&d, (size_t)batch * size * 4));
        OK(cudaMalloc(&f, (size_t)batch * (size / 2 + 1) * 8));
        OK(cudaMemset(d, 0, (size_t)batch * size * 4));
        OK(cufftPlan1d(&there, size, CUFFT_R2C, batch));
        OK(cufftPlan1d(&back, size, CUFFT_C2R, batch));
        float t = best_ms([&] { cufftExecR2C(there, d, f); cufftExecC2R(back, f, d); });
        printf("FIR  cuFFT, blocks of %d, both transforms: %.3f ms, as if %.1f TFLOP/s direct\n",
               size, t, flop / t / 1e9);
        cufftDestroy(there); cufftDestroy(back); cudaFree(d); cudaFree(f);
    }
    cudaFree(dx); cudaFree(dy); cudaFree(dh);
}

// A A^T by cuBLAS, to `dw`; times of sgemm and ssyrk.
static void aat_by_library(int m, int n, const float *da, float *dc, float *dw, float &gemm,
                           float &syrk)
{
    cublasHandle_t blas; OK(cublasCreate(&blas)); OK(cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH));
    const float one = 1, zero = 0;
    // Row-major A is column-major A^T, n x m.
    gemm = best_ms([&] {
        OK(cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, m, m, n, &one, da, n, da, n, &zero, dw, m));
    });
    syrk = best_ms([&] {
        OK(cublasSsyrk(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, m, n, &one, da, n, &zero, dc, m));
    });
    cublasDestroy(blas);
}

static void aat(int m, int n, double peak, bool alone)
{
    std::vector<float> a((size_t)m * n), c((size_t)m * m), w((size_t)m * m);
    for (float &v : a) v = noise();
    float *da, *dc, *dw, gemm = NAN, syrk = NAN;
    OK(cudaMalloc(&da, a.size() * 4));
    OK(cudaMalloc(&dc, c.size() * 4));
    OK(cudaMalloc(&dw, c.size() * 4));
    OK(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
    if (alone) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                double s = 0;
                for (int k = 0; k < n; k++) s += (double)a[i * n + k] * a[j * n + k];
                w[i * m + j] = (float)s;
            }
    } else {
        aat_by_library(m, n, da, dc, dw, gemm, syrk);
        OK(cudaMemcpy(w.data(), dw, w.size() * 4, cudaMemcpyDeviceToHost));
    }
    const int tiles = (m + TILE - 1) / TILE;
    cudaFuncAttributes fa; int blocks;
    OK(cudaFuncGetAttributes(&fa, matmultran_fast));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, matmultran_fast, 128, 0));
    int processors, grid, *arrived;
    float *packed, *partial;
    OK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    grid = blocks * processors;
    OK(cudaMalloc(&packed, (size_t)tiles * TILE * ((n + DEPTH - 1) / DEPTH * DEPTH) * 4));
    OK(cudaMalloc(&partial, 2 * (size_t)grid * TILE * TILE * 4));
    OK(cudaMalloc(&arrived, tiles * (tiles + 1) / 2 * 4));
    OK(cudaMemset(arrived, 0, tiles * (tiles + 1) / 2 * 4));
    OK(cudaMemset(dc, 0xff, c.size() * 4));
    const dim3 parts((n + 31) / 32, tiles);
    float pack = best_ms([&] { matmultran_pack<<<parts, 256>>>(packed, da, m, n); });
    float ms = best_ms([&] {
        matmultran_pack<<<parts, 256>>>(packed, da, m, n);
        matmultran_fast<<<grid, 128>>>(dc, packed, partial, arrived, m, n);
    });
    OK(cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost));
    double worst = 0; size_t unsymmetric = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double d = fabs((double)c[(size_t)i * m + j] - w[(size_t)i * m + j]);
            if (!(d <= worst)) worst = d;
            unsymmetric += !(c[(size_t)i * m + j] == c[(size_t)j * m + i]);
        }
    double flop = 2.0 * m * m * n / 1e9;
    printf("AAT  %d x %d: fast %.3f ms (packing alone %.3f), %.1f TFLOP/s effective (%d registers, "
           "%d blocks/SM), sgemm %.3f ms %.1f, ssyrk %.3f ms %.1f; fast/sgemm %.2f, fast/ssyrk "
           "%.2f; of peak %.1f %%; worst difference %.1e, %zu not symmetric\n",
           m, n, ms, pack, flop / ms, fa.numRegs, blocks, gemm, flop / gemm, syrk, flop / syrk,
           gemm / ms, syrk / ms, flop / ms / peak * 100, worst, unsymmetric);
    cudaFree(packed);
    cudaFree(partial);
    cudaFree(arrived);
    cudaFree(da);
    cudaFree(dc);
    cudaFree(dw);
}

int main(int argc, char **argv)
{
    const bool small = argc > 1 && std::string(argv[1]) == "small";
    cudaDeviceProp p; OK(cudaGetDeviceProperties(&p, 0));
    int khz; OK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    double peak = p.multiProcessorCount * 128 * 2.0 * khz / 1e9;
    printf("%s, %d SM at %.2f GHz: %.1f TFLOP/s FP32\n", p.name, p.multiProcessorCount, khz / 1e6,
           peak);
    if (small) {
        fir(peak, 20011, true);
        for (int m : {129, 300, 512}) aat(m, m / 16 * 8, peak, true);
        aat(131, 45, peak, true);
        aat(3000, 16, peak, true);
        return 0;
    }
    fir(peak, 600 * 44100, false);
    aat(2368, 6208, peak, false);
    aat(8192, 8192, peak, false);
    aat(4096, 4096, peak, false);
    aat(1000, 1600, peak, false);
    aat(512, 4096, peak, false);
}

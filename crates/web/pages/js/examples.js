// Programs of the gallery: short, and each shows one thing.

const reduction = `// Sum of n numbers: each block sums 256 of them in shared
// memory, one atomic for each block.
__global__ void sum(int* total, const int* a, int n) {
    __shared__ int part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, part[0]);
}
`;

const transpose = `// B = transpose of A, both n x n. The tile makes loads and
// stores run along rows; its columns are read in one bank
// each. Make it tile[32][33] and look at the wavefronts
// again.
__global__ void transpose(float* b, const float* a, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        tile[r][threadIdx.x] = a[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        b[(y + r) * n + x] = tile[threadIdx.x][r];
}
`;

const histogram = `// How often each of 16 values occurs. Counting in shared
// memory first spares global atomics.
__global__ void histogram(int* count, const unsigned* a, int n) {
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&mine[a[i] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&count[threadIdx.x], mine[threadIdx.x]);
}
`;

const scan = `// Running sums within a warp, by shuffles: after step d each
// lane has the sum of 2d numbers.
__global__ void scan(int* out, const int* a) {
    int lane = threadIdx.x % 32;
    int sum = a[threadIdx.x];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d) sum += left;
    }
    out[threadIdx.x] = sum;
}
`;

const stencil = `// One step of heat flow in a rod: each point moves towards
// the mean of its neighbours.
__global__ void heat(float* next, const float* now, int n) {
    __shared__ float tile[130];
    int i = blockIdx.x * 128 + threadIdx.x;
    int t = threadIdx.x + 1;
    tile[t] = i < n ? now[i] : 0.0f;
    if (threadIdx.x == 0) tile[0] = i > 0 ? now[i - 1] : now[0];
    if (threadIdx.x == 127) tile[129] = i + 1 < n ? now[i + 1] : now[n - 1];
    __syncthreads();
    if (i < n) next[i] = tile[t] + 0.25f * (tile[t - 1] - 2.0f * tile[t] + tile[t + 1]);
}
`;

const mandelbrot = `// Steps until a point leaves the circle of radius 2. Lanes
// of a warp leave at different times: look at the SIMD
// efficiency of the loop.
__global__ void mandelbrot(int* steps, int width, int height, int most) {
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float cx = -2.2f + 3.2f * px / width;
    float cy = -1.2f + 2.4f * py / height;
    float x = 0.0f, y = 0.0f;
    int k = 0;
    while (k < most && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        k++;
    }
    steps[py * width + px] = k;
}
`;

const race = `// Each thread hands its number to its neighbour through
// shared memory. Something is missing between the two lines:
// the checker names both sides.
__global__ void shift(int* out, const int* a) {
    __shared__ int box[64];
    box[threadIdx.x] = a[threadIdx.x];
    out[threadIdx.x] = box[(threadIdx.x + 1) % 64];
}
`;

const deadlock = `// A barrier that half of the block never reaches.
__global__ void wait(int* out) {
    __shared__ int box[64];
    box[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32) {
        __syncthreads();
        out[threadIdx.x] = box[threadIdx.x + 32];
    }
}
`;

const divergence = `// The lanes of a warp take turns: even ones first, then odd
// ones; each goes round the loop as often as it likes. Step
// through it.
__global__ void turns(int* out) {
    int x = threadIdx.x;
    int sum = 0;
    if (x % 2 == 0) {
        sum = 100;
    } else {
        sum = 200;
    }
    for (int k = 0; k < x % 4; k++) {
        sum += k;
    }
    out[x] = sum;
}
`;

const opencl = `// Vector addition in OpenCL C: a work-item is a thread, a
// work-group a block.
__kernel void add(__global float* c, __global const float* a, __global const float* b, int n) {
    int i = get_global_id(0);
    if (i < n) c[i] = a[i] + b[i];
}
`;

const program = (title, about, text, launch) => ({
  title,
  about,
  program: { file: "kernel.cu", text, grid: "1", block: "32", shared: "0", ...launch },
});

/** Title, what it shows, and the program as the playground keeps it. */
export const EXAMPLES = [
  program("Reduction", "A sum in shared memory", reduction, {
    grid: "16",
    block: "256",
    args: { total: "zeros:int:1", a: "ones:int:4096", n: "4096" },
  }),
  program("Transpose", "Coalesced, with bank conflicts", transpose, {
    grid: "4,4",
    block: "32,8",
    args: { b: "out:float:16384", a: "iota:float:16384", n: "128" },
  }),
  program("Histogram", "Atomics in shared memory", histogram, {
    grid: "16",
    block: "256",
    args: { count: "zeros:int:16", a: "rand:unsigned int:4096:max=999", n: "4096" },
  }),
  program("Scan", "Running sums by shuffles", scan, {
    block: "64",
    args: { out: "out:int:64", a: "ones:int:64" },
  }),
  program("Stencil", "Heat flow with a tile", stencil, {
    grid: "8",
    block: "128",
    args: { next: "out:float:1000", now: "rand:float:1000", n: "1000" },
  }),
  program("Mandelbrot", "Divergence in a loop", mandelbrot, {
    grid: "8,8",
    block: "16,16",
    args: { steps: "out:int:16384", width: "128", height: "128", most: "100" },
  }),
  program("Race", "Both sides are named", race, {
    block: "64",
    args: { out: "out:int:64", a: "iota:int:64" },
  }),
  program("Deadlock", "A barrier not reached by all", deadlock, {
    block: "64",
    args: { out: "out:int:64" },
  }),
  program("Divergence", "Lanes that take turns", divergence, { args: { out: "out:int:32" } }),
  program("OpenCL", "Vector addition", opencl, {
    file: "kernel.cl",
    grid: "8",
    block: "128",
    args: { c: "out:float:1000", a: "iota:float:1000", b: "ones:float:1000", n: "1000" },
  }),
];

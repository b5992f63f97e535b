// Mandelbrot and Julia sets: complex arithmetic in a struct, loops that end at different times,
// printf as a picture.
//
//@ buffer mandel i32 1024 empty
//@ buffer julia u8 2500 empty
//@ run mandelbrot <<<(4, 4), (8, 8)>>> (mandel, 32, 32, 100)
//@ run julia_set <<<(4, 4), (16, 16)>>> (julia, 50, 50, -0.8, 0.156)
//@ run draw <<<1, 1>>> (mandel)
//@ check mandel exact
//@ check julia exact

extern "C" __global__ void mandelbrot(int *out, int width, int height, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float x0 = -2.0f + 3.0f * px / width, y0 = -1.5f + 3.0f * py / height;
    float x = 0.0f, y = 0.0f;
    int n = 0;
    while (x * x + y * y <= 4.0f && n < limit) {
        float t = x * x - y * y + x0;
        y = 2.0f * x * y + y0;
        x = t;
        n++;
    }
    out[py * width + px] = n;
}

struct Complex {
    float r, i;
    __device__ Complex(float a, float b) : r(a), i(b) {}
    __device__ float magnitude2() const { return r * r + i * i; }
    __device__ Complex operator*(const Complex &a) const
    { return Complex(r * a.r - i * a.i, i * a.r + r * a.i); }
    __device__ Complex operator+(const Complex &a) const { return Complex(r + a.r, i + a.i); }
};

__device__ int escapes(int x, int y, int width, int height, Complex c)
{
    const float scale = 1.5f;
    float jx = scale * (float)(width / 2 - x) / (width / 2);
    float jy = scale * (float)(height / 2 - y) / (height / 2);
    Complex a(jx, jy);
    for (int k = 0; k < 200; k++) {
        a = a * a + c;
        if (a.magnitude2() > 1000)
            return k;
    }
    return 200;
}

extern "C" __global__ void julia_set(unsigned char *out, int width, int height, float cr, float ci)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < width && y < height)
        out[x + y * width] = (unsigned char)escapes(x, y, width, height, Complex(cr, ci));
}

extern "C" __global__ void draw(const int *mandel)
{
    for (int y = 0; y < 32; y += 4) {
        for (int x = 0; x < 32; x += 2)
            printf("%c", mandel[y * 32 + x] == 100 ? '#' : '.');
        printf("\n");
    }
}

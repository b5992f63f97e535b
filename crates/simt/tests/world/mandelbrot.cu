// A picture by uchar4, a class for complex numbers with operators.
//@ buffer ptr u8 16 zero
//@ run draw <<<(2,2), 1>>> (ptr, 2)
//@ expect ptr 0 0 0 255 0 0 0 255 255 0 0 255 255 0 0 255
#define DIM 1000
struct cuComplex {
    float r;
    float i;
    __device__ cuComplex(float a, float b) : r(a), i(b) {}
    __device__ float magnitude2(void) { return r * r + i * i; }
    __device__ cuComplex operator*(const cuComplex &a)
    { return cuComplex(r * a.r - i * a.i, i * a.r + r * a.i); }
    __device__ cuComplex operator+(const cuComplex &a) { return cuComplex(r + a.r, i + a.i); }
};
__device__ int julia(int x, int y, int dim)
{
    cuComplex c(-0.8f, 0.156f), a(x * 1.5f, dim - y > 1 ? 9.0f : 0.0f * y);
    if (y == 1) a = cuComplex(0, 0);
    for (int i = 0; i < 20; i++) { a = a * a + c; if (a.magnitude2() > 1000) return 0; }
    return 1;
}
__global__ void draw(unsigned char *ptr, int dim)
{
    int x = blockIdx.x, y = blockIdx.y, offset = x + y * gridDim.x;
    uchar4 *pixels = (uchar4 *)ptr;
    pixels[offset] = make_uchar4(255 * julia(x, y, dim), 0, 0, 255);
}
struct DataBlock { unsigned char *dev_bitmap; };
int main(void) { DataBlock data; dim3 grid(DIM, DIM); draw<<<grid, 1>>>(data.dev_bitmap, DIM); }

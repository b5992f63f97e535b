// Julia set. ptr: dim x dim pixels of four bytes (red, green, blue, alpha), row yw after row,
// lowest row first. Thread (xw, yw) of the 2-D grid colours pixel (xw, yw): red for a prisoner,
// black for an escapee, alpha 255. Threads beyond the picture do nothing; there is no barrier.

// 1 if x + iy is still within |z| <= 2 after kmax steps of z = z*z + c, c = -0.123 + 0.745i;
// else 0.
__device__ int julia(float x, float y, int kmax)
{
    // <lab
    //~ return 0;
    for (int k = 0; k < kmax; k++) {
        if (!(x * x + y * y <= 4.0f))
            return 0;
        float nx = (x * x - y * y) + -0.123f;
        y = 2.0f * x * y + 0.745f;
        x = nx;
    }
    return 1;
    // lab>
}

extern "C" __global__ void julia_kernel(unsigned char *ptr, int dim, float dx, float dy,
                                        float scale, int kmax)
{
    // <lab
    //~ // Which pixel is this thread's? Is it inside the picture? Which point of the plane is it?
    int xw = blockIdx.x * blockDim.x + threadIdx.x;
    int yw = blockIdx.y * blockDim.y + threadIdx.y;
    if (xw < dim && yw < dim) {
        int half = dim / 2;
        float x = scale * (xw - half) / half + dx;
        float y = scale * (yw - half) / half + dy;
        int offset = xw + yw * dim;
        unsigned char red = 255 * julia(x, y, kmax);
        // One store of four bytes moves a quarter of the sectors of four stores of one byte.
        *reinterpret_cast<uchar4 *>(ptr + 4 * offset) = make_uchar4(red, 0, 0, 255);
    }
    // lab>
}

// Julia set. ptr: dim x dim pixels of four bytes (red, green, blue, alpha), row yw after row,
// lowest row first. Thread (xw, yw) of the 2-D grid colours pixel (xw, yw): red for a prisoner,
// black for an escapee, alpha 255. Threads beyond the picture do nothing; there is no barrier.

// 1 if x + iy is still within |z| <= 2 after kmax steps of z = z*z + c, c = -0.123 + 0.745i;
// else 0.
__device__ int julia(float x, float y, int kmax)
{
    // <lab
    return 0;
    // lab>
}

extern "C" __global__ void julia_kernel(unsigned char *ptr, int dim, float dx, float dy,
                                        float scale, int kmax)
{
    // <lab
    // Which pixel is this thread's? Is it inside the picture? Which point of the plane is it?
    // lab>
}

// Pictures: colour to grey with uchar4, Sobel edges, brightness with saturation, a vertical flip in
// place, a box blur by rows.
//
//@ buffer rgba u8 4800 ints 211 0 255
//@ buffer grey u8 1200 empty
//@ buffer edges u8 1200 zero
//@ buffer bright u8 4800 empty
//@ buffer flipped u8 1200 ints 212 0 255
//@ buffer blur u8 1200 empty
//@ run rgb_to_grey <<<(3, 2), (16, 16)>>> (rgba, grey, 40, 30)
//@ count gld_lane 1200 : one load of four bytes per pixel
//@ run sobel <<<(3, 2), (16, 16)>>> (grey, edges, 40, 30)
//@ run brighten <<<10, 128>>> (rgba, bright, 1200, 60, 1.25)
//@ run flip <<<(2, 15), 32>>> (flipped, 40, 30)
//@ run box_blur <<<1, 64>>> (grey, blur, 40, 30, 2)
//@ check grey exact
//@ check edges exact
//@ check bright exact
//@ check flipped exact
//@ check blur exact

extern "C" __global__ void rgb_to_grey(const uchar4 *rgba, unsigned char *grey, int width,
                                       int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        uchar4 p = rgba[y * width + x];
        grey[y * width + x] = .299f * p.x + .587f * p.y + .114f * p.z;
    }
}

extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const unsigned char *p = in + y * width + x;
    int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[-1 + width];
    int gy =
        p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
    out[y * width + x] = (unsigned char)min(255, abs(gx) + abs(gy));
}

extern "C" __global__ void brighten(const uchar4 *in, uchar4 *out, int n, int offset, float gain)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 p = in[i];
    p.x = (unsigned char)fminf(255.0f, p.x * gain + offset);
    p.y = (unsigned char)fminf(255.0f, p.y * gain + offset);
    p.z = (unsigned char)fminf(255.0f, p.z * gain + offset);
    out[i] = p;
}

extern "C" __global__ void flip(unsigned char *image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height / 2) {
        unsigned char *top = &image[y * width + x];
        unsigned char *bottom = &image[(height - 1 - y) * width + x];
        unsigned char t = *top;
        *top = *bottom;
        *bottom = t;
    }
}

// A thread per row, a sliding sum along it.
extern "C" __global__ void box_blur(const unsigned char *in, unsigned char *out, int width,
                                    int height, int r)
{
    int y = threadIdx.x;
    if (y >= height)
        return;
    const unsigned char *row = in + y * width;
    int sum = 0, count = 0;
    for (int x = 0; x < r; ++x, ++count)
        sum += row[x];
    for (int x = 0; x < width; ++x) {
        if (x + r < width) {
            sum += row[x + r];
            ++count;
        }
        if (x - r - 1 >= 0) {
            sum -= row[x - r - 1];
            --count;
        }
        out[y * width + x] = sum / count;
    }
}

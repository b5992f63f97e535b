// Spheres with a method, given in constant memory; and a lock that blocks take in turn, in a class
// with constructor and destructor.
//
//@ buffer bitmap u8 4096 empty
//@ buffer table i32 5 zero
//@ run trace <<<(2, 2), (16, 16)>>> (bitmap)
//@ run in_turn <<<4, 32>>> (table)
//@ check bitmap exact
//@ check table exact

#define BALLS 4
#define SIDE 32
#define FAR (-1e9f)

struct Ball {
    float red, green, blue;
    float x, y, z, radius;

    // Height of the ball's surface over a pixel, and how directly it faces the eye.
    __device__ float height(float px, float py, float *facing) const
    {
        const float dx = px - x, dy = py - y, rest = radius * radius - dx * dx - dy * dy;
        if (rest <= 0)
            return FAR;
        const float up = sqrtf(rest);
        *facing = up / radius;
        return z + up;
    }
};

__constant__ Ball balls[BALLS] = {
    {1, 0, 0, 0, 0, 0, 8}, {0, 1, 0, 6, 6, 3, 5}, {0, 0, 1, -8, 2, 1, 4}, {1, 1, 1, 3, -7, 9, 3}};

extern "C" __global__ void trace(unsigned char *bitmap)
{
    const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    float red = 0, green = 0, blue = 0, nearest = FAR;
    for (const Ball *ball = balls; ball != balls + BALLS; ++ball) {
        float facing;
        const float height = ball->height(x - SIDE / 2, y - SIDE / 2, &facing);
        if (height > nearest) {
            nearest = height;
            red = ball->red * facing, green = ball->green * facing, blue = ball->blue * facing;
        }
    }
    unsigned char *pixel = bitmap + 4 * (x + y * SIDE);
    *pixel++ = (int)(red * 255);
    *pixel++ = (int)(green * 255);
    *pixel++ = (int)(blue * 255);
    *pixel = 255;
}

class Turn {
    int *taken;

public:
    __device__ explicit Turn(int *flag) : taken(flag) {}
    __device__ ~Turn() {}
    __device__ void take()
    {
        while (atomicCAS(taken, 0, 1) != 0);
        __threadfence();
    }
    __device__ void give()
    {
        __threadfence();
        atomicExch(taken, 0);
    }
};

extern "C" __global__ void in_turn(int *table)
{
    Turn turn(table);
    // One lane at a time: lanes of a warp must not wait for each other.
    for (int lane = 0; lane < warpSize; ++lane)
        if (threadIdx.x == lane) {
            turn.take();
            table[1 + lane % 4] += 1 + blockIdx.x;
            turn.give();
        }
}

// Wrapping coordinates, ternaries, boolean arrays.
//@ buffer a u8 25 list 0 0 0 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 0 0 0
//@ buffer b u8 25 zero
//@ run life <<<1, (5,5)>>> (a, b, 5)
//@ expect b 0 0 0 0 0 0 0 0 0 0 0 1 1 1 0 0 0 0 0 0 0 0 0 0 0
using ubyte = unsigned char;
__global__ void life(const ubyte *in, ubyte *out, int n)
{
    const int x = threadIdx.x, y = threadIdx.y;
    auto at = [=](int dx, int dy) -> int { return in[((y + dy + n) % n) * n + (x + dx + n) % n]; };
    int alive =
        at(-1, -1) + at(0, -1) + at(1, -1) + at(-1, 0) + at(1, 0) + at(-1, 1) + at(0, 1) + at(1, 1);
    out[y * n + x] = alive == 3 || (alive == 2 && at(0, 0)) ? 1 : 0;
}
int main() { std::bitset<25> start("0101"); life<<<1, dim3(5, 5)>>>(nullptr, nullptr, 5); }

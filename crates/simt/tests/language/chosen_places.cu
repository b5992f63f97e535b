// `c ? a : b` is a place in C++ where both sides are: it can be assigned, changed, bound to a
// reference, and has an address.
//
//@ buffer out i32 12 zero
//@ run chosen <<<1, 2>>> (out)
//@ expect out 2 17 1278 0 0 1 17 3 7834 0 1 0

struct Pair {
    int x, y;
};

extern "C" __global__ void chosen(int *out)
{
    int c = threadIdx.x, a = 1, b = 2;
    (c ? a : b) = 5;
    (c ? a : b) += 3;
    ++(c ? b : a);
    int &place = c ? a : b;
    place *= 2;
    *&(c ? a : b) += 1;
    Pair s = {1, 2}, t = {3, 4};
    (c ? s : t) = Pair{7, 8};
    int copy = c ? a : b;
    copy = 0;
    out += 6 * c;
    out[0] = a;
    out[1] = b;
    out[2] = s.x * 1000 + s.y * 100 + t.x * 10 + t.y;
    out[3] = copy;
    (c ? out[4] : out[5]) = 1;
}

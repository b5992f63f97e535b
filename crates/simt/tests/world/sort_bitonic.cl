// Bitonic steps launched one by one.
//@ buffer x u32 8 list 5 3 8 1 7 2 6 4
//@ run step <<<4, 4>>> (x, 0, 0)
//@ run step <<<4, 4>>> (x, 1, 0)
//@ run step <<<4, 4>>> (x, 1, 1)
//@ run step <<<4, 4>>> (x, 2, 0)
//@ run step <<<4, 4>>> (x, 2, 1)
//@ run step <<<4, 4>>> (x, 2, 2)
//@ expect x 1 2 3 4 5 6 7 8
__kernel void step(__global uint *x, const uint stage, const uint pass)
{
    uint id = get_global_id(0), distance = 1 << (stage - pass), width = 2 * distance;
    uint left = (id % distance) + (id / distance) * width, right = left + distance;
    uint a = x[left], b = x[right];
    bool up = ((id >> stage) & 1) == 0;
    if ((a > b) == up) { x[left] = b; x[right] = a; }
}

// Structs in global memory, helper functions with pointers.
//@ buffer p f32 8 list 0 1 2 3 4 5 6 7
//@ run step <<<2, 1>>> (p, 2.0)
//@ expect p 2 3 2 3 10 11 6 7
typedef struct { float x, y, vx, vy; } particle;
void advance(__global particle *p, float dt, float k) { p->x += k * dt; p->y += k * dt; }
__kernel void step(__global particle *ps, float dt)
{
    const int i = get_global_id(0);
    advance(&ps[i], dt, (float)(1 + 2 * i));
}

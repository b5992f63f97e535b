// Structs by value and behind pointers, unions, enumerations, designated initialisers, names that
// C++ reserves.
//
//@ buffer parts f32 32 rand 73 -1 1
//@ buffer out f32 8 empty
//@ run advance_twice <<<4, 4>>> (parts, 0.5)
//@ run sum <<<1, 1>>> (parts, out)
//@ check out exact

typedef struct particle {
    float3 position;
    float4 velocity;
} particle;

enum axis { X, Y, Z, AXES };

union word {
    float f;
    uint u;
};

void move(__global struct particle *this, float new)
{
    this->position += this->velocity.xyz * new;
    this->velocity.w += new;
}

__kernel void advance(__global particle *p, float dt)
{
    move(&p[get_global_id(0)], dt);
}

__kernel void sum(__global const particle *p, __global float *out)
{
    float total[AXES] = { 0.0f };
    for (int i = 0; i < 4; ++i) {
        total[X] += p[i].position.x;
        total[Y] += p[i].position.y;
        total[Z] += p[i].position.z;
    }
    enum axis last = Z;
    union word w;
    w.f = total[last];
    const struct particle q = { .velocity = (float4)(1.0f, 2.0f, 3.0f, 4.0f) };
    out[0] = total[0];
    out[1] = total[1];
    out[2] = as_float(w.u);
    out[3] = q.velocity.w + q.position.x;
    out[4] = sizeof(particle);
    out[5] = sizeof(float3) + sizeof(int16) + sizeof(char2);
    int *none = NULL;
    void *any = &w;
    uint *bits = any;
    out[6] = none == 0 ? *bits == w.u : -1;
    switch (last) {
    case X: out[7] = 1; break;
    case Z: out[7] = 2; break;
    default: out[7] = 3;
    }
}

// A kernel that calls a kernel, as an ordinary function.
__kernel void advance_twice(__global particle *p, float dt)
{
    advance(p, 0.5f * dt);
    advance(p, 0.5f * dt);
}

// Forces between the particles of neighbouring boxes, as in benchmark suites: structures with
// arrays of structures, whole structures copied to shared memory, one macro for all types.
//
//@ buffer boxes i32 112 empty
//@ buffer particles f32 800 rand 1 0 1
//@ buffer charge f32 200 rand 2 0 1
//@ buffer force f32 800 zero
//@ run set_up <<<1, 2>>> (boxes)
//@ run box_forces <<<2, 100>>> (boxes, particles, charge, force)
//@ check force within 1e-4

#define real float
#define PER_BOX 100
#define DOT(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)

typedef struct { real x, y, z; } Three;
typedef struct { real v, x, y, z; } Four;
typedef struct neighbour_s { int x, y, z; int number; long first; } Neighbour;
typedef struct box_s {
    Neighbour self;
    int count;
    Neighbour near[8];
} Box;

extern "C" __global__ void set_up(Box *boxes)
{
    int k = threadIdx.x;
    Box *box = boxes + k;
    box->self = {k, 0, 0, k, (long)PER_BOX * k};
    box->count = 1;
    Neighbour *other = &box->near[0];
    other->x = 1 - k, other->y = other->z = 0;
    other->number = 1 - k;
    other->first = (long)PER_BOX * (1 - k);
}

extern "C" __global__ void box_forces(const Box *boxes, const Four *particles, const real *charge,
                                      Four *force)
{
    __shared__ Four own[PER_BOX], others[PER_BOX];
    __shared__ double charges[PER_BOX];
    const Box &box = boxes[blockIdx.x];
    const Four *from = &particles[box.self.first];
    int t = threadIdx.x, k = -1;
    own[t] = from[t];
    Four sum = {0, 0, 0, 0};
    do {
        const Neighbour *near = k < 0 ? &box.self : box.near + k;
        __syncthreads();
        others[t] = particles[near->first + t];
        charges[t] = charge[near->first + t];
        __syncthreads();
        for (int j = 0; j < PER_BOX; ++j) {
            const Four a = own[t], b = others[j];
            const real u = a.v + b.v - DOT(a, b), e = expf(-0.5f * u);
            const Three d = {a.x - b.x, a.y - b.y, a.z - b.z};
            sum.v += charges[j] * e;
            sum.x += charges[j] * (2 * e * d.x);
            sum.y += charges[j] * (2 * e * d.y);
            sum.z += charges[j] * (2 * e * d.z);
        }
    } while (++k < box.count);
    force[box.self.first + t] = sum;
}

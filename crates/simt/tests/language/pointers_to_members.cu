// Pointers to data members and to member functions: as values, in tables, as template arguments,
// of bases, deduced, and compared.
//
//@ buffer out f32 24 zero
//@ buffer which i32 3 list 2 0 1
//@ run pointers_to_members <<<1, 3>>> (out, which)
//@ expect out 3 1 2 10 20 7 8 9 6 4 1 1 14 5 12 9 100 101 3.5 2 8 1 30 40

struct Base {
    int tag;
    __device__ int twice() const { return 2 * tag; }
};

struct Particle : Base {
    float mass, velocity, list[3];
    union {
        float weight;
        unsigned bits;
    };
    __device__ float momentum(float scale) const { return scale * mass * velocity; }
    __device__ void push(float by) { velocity += by; }
    __device__ float own(float Particle::*p) { return this->*p; }
};

struct Shape {
    __device__ virtual int sides() const { return 0; }
};
struct Square : Shape {
    __device__ int sides() const override { return 4; }
};

typedef float Particle::*part;
using method = float (Particle::*)(float) const;

struct Column {
    part value;
    void (Particle::*change)(float);
};

template <float Particle::*M> __device__ float read(const Particle &p) { return p.*M; }
template <auto M> __device__ auto any(Particle &p) { return p.*M; }
template <typename T, typename C> __device__ T &deduced(C &object, T C::*member)
{ return object.*member; }
template <typename R, typename C, typename... Ts>
__device__ R invoke(const C &object, R (C::*f)(Ts...) const, Ts... args)
{ return (object.*f)(args...); }

template <typename T> struct owner;
template <typename T, typename C> struct owner<T C::*> {
    using type = C;
    using member = T;
};

extern "C" __global__ void pointers_to_members(float *out, const int *which)
{
    int t = threadIdx.x;
    Particle p;
    p.tag = 7;
    p.mass = 1;
    p.velocity = 2;
    p.weight = 3;
    part table[3] = {&Particle::mass, &Particle::velocity, &Particle::weight};
    out[t] = p.*table[which[t]];
    if (t > 0)
        return;
    Particle *q = &p;
    part one = &Particle::mass;
    q->*one = 10;
    out[3] = p.mass;
    (*q).*one *= 2;
    out[4] = p.mass;
    int Base::*tag = &Base::tag;
    out[5] = p.*tag;
    int Particle::*same = tag;
    q->*same += 1;
    out[6] = p.tag;
    deduced(p, &Particle::list)[0] = 9;
    out[7] = p.list[0];
    p.mass = 2;
    out[8] = invoke(p, &Particle::momentum, 1.5f);
    out[9] = (p.*(&Particle::momentum))(1.0f);
    part none = nullptr;
    out[10] = none == nullptr && !none && one && one != none ? 1 : 0;
    out[11] = one == &Particle::mass && one != table[1] ? 1 : 0;
    Column column = {&Particle::velocity, &Particle::push};
    (q->*column.change)(5);
    out[12] = 2 * q->*column.value;
    void (Particle::*change)(float) = which[0] == 2 ? &Particle::push : nullptr;
    if (change)
        (p.*change)(-2);
    out[13] = read<&Particle::velocity>(p);
    p.tag = 6;
    int (Base::*twice)() const = &Base::twice;
    out[14] = (p.*twice)();
    out[15] = any<&Particle::velocity>(p) + any<&Particle::tag>(p) - p.mass;
    Square square;
    Shape *shape = &square;
    int (Shape::*sides)() const = &Shape::sides;
    out[16] = (shape->*sides)() * 25;
    out[17] = (square.*sides)() + 97;
    owner<decltype(&Particle::mass)>::type r = p;
    owner<part>::member half = 3.5f;
    r.*one = half;
    out[18] = r.own(&Particle::mass);
    out[19] = p.mass;
    float (Particle::*list)[3] = &Particle::list;
    (p.*list)[1] = 8;
    out[20] = p.list[1];
    constexpr part fixed = &Particle::weight;
    static_assert(fixed != nullptr, "a constant");
    out[21] = p.*fixed - 2;
    method momentum = &Particle::momentum;
    out[22] = (r.*momentum)(30.0f / (r.mass * r.velocity));
    const Particle &constant = p;
    out[23] = (constant.*momentum)(4) + sizeof(part) - 8;
}

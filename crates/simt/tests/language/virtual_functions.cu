// Virtual functions: through pointers and references, in objects that another kernel has made,
// with two bases, by default constructors, and calls that name their class.
//
//@ buffer list u64 3 zero
//@ buffer out f32 12 zero
//@ run direct <<<1, 1>>> (out)
//@ run make <<<1, 1>>> (list)
//@ run use <<<1, 3>>> (list, out)
//@ run drop <<<1, 1>>> (list)
//@ expect out 4 6 10 1 7 16 5 104 9 4 6 9
class Shape {
public:
    __device__ virtual float area() const = 0;
    __device__ virtual float twice() const { return 2 * area(); }
    __device__ virtual ~Shape() {}
};
class Square : public Shape {
protected:
    float a;

public:
    __device__ Square(float a) : a(a) {}
    __device__ float area() const override { return a * a; }
};
class Rect : public Shape {
    float a, b;

public:
    __device__ Rect(float a, float b) : a(a), b(b) {}
    __device__ virtual float area() const override { return a * b; }
};
struct Named {
    int id = 5;
    __device__ virtual int number() const { return id; }
};
class Special final : public Named, public Square {
public:
    __device__ Special() : Square(3) {}
    __device__ float area() const override { return Square::area(); }
    __device__ int number() const override { return 100 + a + 1; }
};
struct Counter {
    int n = 1;
    __device__ virtual int step(int by = 6) { return n += by; }
};
struct Doubled : Counter {
    __device__ int step(int by) override { return n = 2 * (n + by); }
};
__device__ float total(Shape **s, int n)
{
    float t = 0;
    for (int i = 0; i < n; ++i)
        t += s[i]->area();
    return t;
}
__device__ int stepped(Counter &c) { return c.step(); }
template <typename T> struct Box : Shape {
    T v;
    __device__ Box(T v) : v(v) {}
    __device__ float area() const override { return v; }
};

extern "C" __global__ void direct(float *out)
{
    Square s(2);
    Rect r(2, 3);
    Shape *p[2] = {&s, &r};
    out[0] = p[0]->area();
    out[1] = p[1]->area();
    out[2] = total(p, 2);
    Box<int> box(1);
    const Shape &b = box;
    out[3] = b.area();
    Counter c;
    Doubled d;
    out[4] = stepped(c);
    out[5] = stepped(d) + 2;
    Special special;
    Named *named = &special;
    Named plain;
    out[6] = (&plain)->number();
    out[7] = named->number();
    Shape *shape = &special;
    out[8] = shape->twice() / 2;
}

extern "C" __global__ void make(Shape **list)
{
    list[0] = new Square(2);
    list[1] = new Rect(2, 3);
    list[2] = new Special;
}
extern "C" __global__ void use(Shape **list, float *out)
{ out[9 + threadIdx.x] = list[threadIdx.x]->area(); }
extern "C" __global__ void drop(Shape **list)
{
    for (int i = 0; i < 2; ++i)
        delete list[i];
}

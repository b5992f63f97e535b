// A constructor that takes its own class by value would need itself to take it.
//
//@ error by value
//@ sanitizer none

struct Handle {
    int *users;
    __device__ Handle(int *u) : users(u) {}
    __device__ Handle(Handle other) : users(other.users) { ++*users; } // <- fault
    __device__ ~Handle() { --*users; }
};

extern "C" __global__ void constructor_copies_by_value(int *c)
{
    Handle a(c), b = a;
}

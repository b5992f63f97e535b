// Containers behind an interface, made by new in a kernel and used and deleted through the base
// class.
//@ buffer out i32 16 zero
//@ buffer left i32 1 fill 4
//@ run stacks <<<2, 4>>> (out, left)
//@ expect out 9 8 7 6 19 18 17 16 0 1 2 3 10 11 12 13
//@ expect left 0
#include <cstdio>
#include <new>
#include <vector>

template <class T> class Container {
public:
    __device__ virtual ~Container() {}
    __device__ virtual void push(T e) = 0;
    __device__ virtual bool pop(T &e) = 0;
};

template <class T> class Stack : public Container<T> {
    T *data_;
    int top_, capacity_, *alive_;

public:
    __device__ Stack(int capacity, int *alive)
        : data_(new T[capacity]), top_(0), capacity_(capacity), alive_(alive)
    {
    }
    __device__ ~Stack()
    {
        delete[] data_;
        atomicSub(alive_, 1);
    }
    __device__ virtual void push(T e) { if (top_ < capacity_) data_[top_++] = e; }
    __device__ virtual bool pop(T &e)
    {
        if (top_ == 0) return false;
        e = data_[--top_];
        return true;
    }
};

template <class T> class Queue : public Container<T> {
    T data_[16];
    int first_ = 0, last_ = 0, *alive_;

public:
    __device__ Queue(int *alive) : alive_(alive) {}
    __device__ ~Queue();
    __device__ virtual void push(T e) { data_[last_++ % 16] = e; }
    __device__ virtual bool pop(T &e)
    {
        if (first_ == last_) return false;
        e = data_[first_++ % 16];
        return true;
    }
};
template <class T> __device__ Queue<T>::~Queue() { atomicSub(alive_, 1); }

__global__ void stacks(int *out, int *left)
{
    if (threadIdx.x != 0)
        return;
    int first = blockIdx.x * 10;
    for (int kind = 0; kind < 2; ++kind) {
        Container<int> *c;
        if (kind == 0)
            c = new Stack<int>(12, left);
        else
            c = new Queue<int>(left);
        for (int i = 0; i < 10; ++i)
            c->push(first + i);
        int e;
        for (int i = 0; i < 4 && c->pop(e); ++i)
            out[kind * 8 + blockIdx.x * 4 + i] = e;
        delete c;
    }
}

int main()
{
    std::vector<int> host(16);
    int *out, *left;
    cudaMalloc(&out, 64);
    cudaMalloc(&left, 4);
    stacks<<<2, 4>>>(out, left);
    cudaMemcpy(host.data(), out, 64, cudaMemcpyDeviceToHost);
    for (int v : host) std::printf("%d ", v);
}

// A program with a hierarchy of host classes, exceptions and smart pointers around one kernel.
//@ buffer x f64 4 iota 1 1
//@ run scale <<<1, 4>>> (x, 2.5)
//@ expect x 2.5 5 7.5 10
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
class DeviceError : public std::runtime_error {
public:
    explicit DeviceError(const std::string &what) : std::runtime_error(what) {}
    virtual ~DeviceError() throw() {}
};
class Algorithm {
public:
    virtual ~Algorithm() = default;
    virtual void run(double *x, int n) = 0;
    virtual std::string name() const { return "none"; }

protected:
    int runs_ = 0;
};
template <typename T> class Buffer {
    T *p_ = nullptr;
    size_t n_;

public:
    explicit Buffer(size_t n) : n_(n)
    {
        if (cudaMalloc(&p_, n * sizeof(T)) != cudaSuccess) throw DeviceError("alloc");
    }
    ~Buffer() noexcept { cudaFree(p_); }
    Buffer(Buffer &&o) noexcept : p_(std::exchange(o.p_, nullptr)), n_(o.n_) {}
    T *get() { return p_; }
};
__global__ void scale(double *x, double by) { x[threadIdx.x] *= by; }
class Scale final : public Algorithm {
public:
    void run(double *x, int n) override
    {
        scale<<<1, n>>>(x, 2.0);
        ++runs_;
    }
    std::string name() const override { return "scale"; }
};
int main()
try {
    std::unique_ptr<Algorithm> a(new Scale);
    Buffer<double> b(4);
    a->run(b.get(), 4);
    return 0;
} catch (const DeviceError &e) {
    return 1;
}

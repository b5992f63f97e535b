// Waves and particles in time: a leapfrog wave equation with two launches' state in turn, particles
// that bounce off walls, Euler and Runge-Kutta for a pendulum, one thread per pendulum.
//
//@ buffer before f32 200 zero
//@ buffer now f32 200 zero
//@ buffer after f32 200 zero
//@ buffer pos f32 128 rand 341 0 1
//@ buffer vel f32 128 rand 342 -3 3
//@ buffer angle f64 64 rand 343 -1 1
//@ buffer energy f64 64 empty
//@ run pluck <<<1, 256>>> (now, before, 200)
//@ run wave <<<2, 128>>> (before, now, after, 200, 0.5)
//@ run wave <<<2, 128>>> (now, after, before, 200, 0.5)
//@ run wave <<<2, 128>>> (after, before, now, 200, 0.5)
//@ run bounce <<<1, 128>>> (pos, vel, 0.01, 50)
//@ run pendulum <<<2, 32>>> (angle, energy, 0.01, 100)
//@ check now within 1e-6
//@ check pos exact
//@ check vel exact
//@ check energy within 1e-12

extern "C" __global__ void pluck(float *now, float *before, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        float x = (i - n / 2) / 10.0f;
        now[i] = before[i] = i == 0 || i == n - 1 ? 0.0f : expf(-x * x);
    }
}

extern "C" __global__ void wave(const float *before, const float *now, float *after, int n,
                                float c2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        after[i] = 2.0f * now[i] - before[i] + c2 * (now[i - 1] - 2.0f * now[i] + now[i + 1]);
}

extern "C" __global__ void bounce(float *pos, float *vel, float dt, int steps)
{
    float x = pos[threadIdx.x], v = vel[threadIdx.x];
    for (int s = 0; s < steps; ++s) {
        x += v * dt;
        if (x < 0.0f) {
            x = -x;
            v = -v;
        } else if (x > 1.0f) {
            x = 2.0f - x;
            v = -v;
        }
    }
    pos[threadIdx.x] = x;
    vel[threadIdx.x] = v;
}

struct State {
    double angle, speed;
};

// The derivative of the state by time.
__device__ State f(State s)
{
    State d;
    d.angle = s.speed;
    d.speed = -sin(s.angle);
    return d;
}

__device__ State ahead(const State &s, const State &d, double h)
{
    State r = {s.angle + h * d.angle, s.speed + h * d.speed};
    return r;
}

extern "C" __global__ void pendulum(const double *angle, double *energy, double h, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    State s = {angle[i], 0.0};
    for (int k = 0; k < steps; ++k) {
        State a = f(s), b = f(ahead(s, a, h / 2)), c = f(ahead(s, b, h / 2)), d = f(ahead(s, c, h));
        s.angle += h / 6 * (a.angle + 2 * b.angle + 2 * c.angle + d.angle);
        s.speed += h / 6 * (a.speed + 2 * b.speed + 2 * c.speed + d.speed);
    }
    energy[i] = s.speed * s.speed / 2 - cos(s.angle);
}

// A lambda, or a statement expression, in a lambda in a lambda: it uses what each of the two has
// captured or been given.
//
//@ buffer out i32 4 iota 0 10
//@ run f <<<1, 1>>> (out)
//@ expect out 7 24 21 30
extern "C" __global__ void f(int *out)
{
    int v = out[1], w = out[2];
    auto half = [&](short s) {
        return ({
            int a = (int)(({
                              float b = (float)(v + s + w);
                              b;
                          }) /
                          5.0f);
            a;
        });
    };
    auto sum = [=](int a) {
        return [=](int b) { return [&](int c) { return v + a + b + c; }(3); }(2);
    };
    auto count = [&](int a) { [&]() { [&]() { w += a; }(); }(); };
    out[0] = half(5);
    out[1] = sum(9);
    count(1);
    out[2] = w;
}

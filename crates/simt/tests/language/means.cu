// Means of two integers, rounded up, without overflow.
//
//@ buffer out i32 6 zero
//@ run means <<<1, 1>>> (out)
//@ expect out 4 -3 2147483647 -2147483648 -1 5

extern "C" __global__ void means(int *out)
{
    out[0] = __rhadd(3, 4);
    out[1] = __rhadd(-3, -4);
    out[2] = __rhadd(2147483647, 2147483647);
    out[3] = (int)__urhadd(2147483647u, 2147483648u);
    out[4] = (int)__urhadd(4294967295u, 4294967295u);
    out[5] = (int)__urhadd(4u, 5u);
}

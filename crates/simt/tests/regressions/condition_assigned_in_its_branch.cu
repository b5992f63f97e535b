// A condition that is also the value of a variable which the branch assigns: the value went to the
// variable's register, and the branch looked for it where it no longer was. Found as seeds
// 1800000488 and 1900004503 of the random kernels.
//
//@ buffer in i32 32 iota 0 1
//@ buffer out i32 32 empty
//@ buffer own i32 32 fill 7
//@ run branches <<<1, 32>>> (in, out, own, 5)
//@ expect out 111101 111022 111033 111044 111055 111066 111077 111088 111099 111110 111121 111132 111143 111154 111165 111176 111187 111198 111209 111220 111231 111242 111253 111264 111275 111286 111297 111308 111319 111330 111341 111352

extern "C" __global__ void branches(const int *in, int *out, int *own, long long five)
{
    int t = threadIdx.x;
    bool flag = five;
    if (flag)
        flag = in[t] < 0;
    bool old = in[t] < 0;
    if (old) {
    } else
        old = atomicExch(&own[t], 0);
    int i = in[t];
    switch (i = i + 0) {
    case 0:
        i = 10;
        break;
    default:
        i += 1;
    }
    int k = in[t];
    switch (k++) {
    case 0:
        k = 1;
        break;
    default:
        k = k + 0;
    }
    bool more = true;
    int turns = 0;
    while (more = ++turns < 3)
        if (more)
            more = false;
    out[t] = flag + 1 == 1 ? i * 10 + k : -1;
    out[t] += 100000 * old + 10000 * (turns == 3) + 1000 * !more;
}

// An address further from its buffer than 2^63 bytes: the index that the message names must not
// overflow.
//
//@ buffer out i8 64 zero
//@ run far_away <<<1, 1>>> (out, 9223372036854775807)
//@ fault OOB-G

extern "C" __global__ void far_away(signed char *out, long long at)
{
    out[32] = 1;
    (out + 32)[at] = 1; // <- fault
}

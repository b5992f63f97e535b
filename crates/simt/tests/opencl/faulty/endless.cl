//@ buffer a i32 1 zero
//@ run spin <<<32, 32>>> (a)
//@ fault STEPS
__kernel void spin(__global int *a)
{
    int i = 0;
    while (i >= 0) // <- fault
        i = (i + 1) & 7;
    a[0] = i;
}

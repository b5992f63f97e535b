// printf, of scalars and vectors.
//
//@ buffer x i32 4 iota 5 1
//@ run show <<<2, 1>>> (x)
//@ prints 0: 5 of 2, 0.50
//@ prints 5,6,7,8
//@ prints 1.5,2.5 hello 100%
//@ prints 1: 6 of 2, 1.00
//@ prints 5,6,7,8
//@ prints 1.5,2.5 hello 100%

__kernel void show(__global const int4 *x)
{
    int i = get_global_id(0);
    printf("%d: %d of %lu, %.2f\n", i, ((__global const int *)x)[i], get_global_size(0),
           0.5f * (i + 1));
    printf("%v4hld\n", x[0]);
    printf("%.1v2hlf %s %d%%\n", (float2)(1.5f, 2.5f), "hello", 100);
}

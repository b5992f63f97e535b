// Pixels as uchar4, conversions with saturation.
//@ buffer p u8 8 list 10 20 30 255 200 210 220 255
//@ run brighter <<<2, 1>>> (p, 50)
//@ expect p 60 70 80 255 250 255 255 255
__kernel void brighter(__global uchar4 *p, int by)
{
    int i = get_global_id(0);
    int4 v = convert_int4(p[i]) + (int4)(by, by, by, 0);
    p[i] = convert_uchar4_sat(v);
}

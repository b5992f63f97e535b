// A structure of unions is copied as a whole, as generated programs do.
//@ buffer out i32 8 zero
//@ run tables <<<8, 8>>> (out)
//@ expect out 5 6 7 8 9 10 11 12
union Cell {
    short low;
    int all;
};
struct Table {
    union Cell cells[5][7][2];
    int extra;
};
__kernel void tables(__global int *out)
{
    int k = 1;
    struct Table a, b = { { { { { 5 } } } }, k++ };
    struct Table *p = &a;
    b.cells[0][0][0].all = 5;
    a = b;
    union Cell *row = &p->cells[0][0][0];
    out[get_global_id(0)] = row->low + get_local_id(0) + a.extra - k + 1;
}

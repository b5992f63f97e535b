// Products of four bytes packed in a word (cl_khr_integer_dot_product).
#pragma once

#define __CL_DOT(name, R, A, B)                                                                    \
    __device__ R __cl_dot_4x8packed_##name(unsigned int a, unsigned int b)                         \
    {                                                                                              \
        R sum = 0;                                                                                 \
        for (int k = 0; k < 32; k += 8)                                                            \
            sum += (R)(A)(a >> k) * (R)(B)(b >> k);                                                \
        return sum;                                                                                \
    }                                                                                              \
    __device__ R __cl_dot_acc_sat_4x8packed_##name(unsigned int a, unsigned int b, R c)            \
    {                                                                                              \
        return __cl_add_sat(__cl_dot_4x8packed_##name(a, b), c);                                   \
    }
__CL_DOT(uu_uint, unsigned int, unsigned char, unsigned char)
__CL_DOT(ss_int, int, signed char, signed char)
__CL_DOT(us_int, int, unsigned char, signed char)
__CL_DOT(su_int, int, signed char, unsigned char)
#undef __CL_DOT

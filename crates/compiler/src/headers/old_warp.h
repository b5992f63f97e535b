// The warp functions of GPUs before Volta, whose lanes all go together: the mask is that of the
// active lanes.
#pragma once

#define __shfl(...) __shfl_sync(__activemask(), __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(__activemask(), __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(__activemask(), __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(__activemask(), __VA_ARGS__)
#define __ballot(p) __ballot_sync(__activemask(), p)
#define __all(p) __all_sync(__activemask(), p)
#define __any(p) __any_sync(__activemask(), p)

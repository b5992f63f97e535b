/* Rust's standard library takes random numbers from ProcessPrng of bcryptprimitives.dll, which
 * Debian's wine 8 does not have: without it every program ends with code 53. RtlGenRandom, under
 * its older name, does the same. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG bytes);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T bytes)
{
    return SystemFunction036(buffer, (ULONG)bytes);
}

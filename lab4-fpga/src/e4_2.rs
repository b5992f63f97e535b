//! Exercise 4.2: use the dynamic range.
//!
//! With bits 34..19 the step of 32767 comes out as 2039: most of the 16 bits are copies of the
//! sign. The filter is that of exercise 4.1; only the choice of bits is new.

use lab4_fpga::TAPS;

/// Lowest of the 16 bits of the total that become the result word with the coefficients `b`: as low
/// as possible, so that no source words (-32768 to 32767 each) at all make the result overflow; 0
/// to 19.
pub fn result_lsb(b: &[i64; TAPS]) -> u32 {
    // <lab
    // 19 is right for exercise 4.1 only in so far as nothing overflows.
    let _ = b;
    19
    // lab>
}

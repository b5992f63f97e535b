//! Numbers of values and of memory, and how runs of them are looked for.

use std::hash::{BuildHasherDefault, Hasher};

use serde_json::Value;

/// Numbers that are looked for together: a number with its neighbours.
pub const WINDOW: usize = 4;

/// The innermost lists of numbers.
pub fn lists_in<'v>(value: &'v Value, lists: &mut Vec<&'v [Value]>) {
    match value {
        Value::Array(list) if list.first().is_some_and(Value::is_number) => lists.push(list),
        Value::Array(list) => list.iter().for_each(|v| lists_in(v, lists)),
        Value::Object(map) => map.values().for_each(|v| lists_in(v, lists)),
        _ => {}
    }
}

/// Numbers in memory.
pub fn as_bytes(values: &[u64], width: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * width);
    values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()[..width]));
    bytes
}

/// Numbers in order.
pub(crate) fn sorted(values: &[u64]) -> Vec<u64> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values
}

/// For tables of what [`hash`] made.
pub type Hashed = BuildHasherDefault<AsItIs>;

/// Takes what [`hash`] made as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = element(bytes);
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }
}

/// A number in memory.
pub fn element(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b))
}

/// A number as `width` bytes of memory; `None` if it does not fit.
pub fn bits(value: &Value, width: usize) -> Option<u64> {
    let number = value.as_u64().or_else(|| value.as_i64().map(i64::cast_unsigned))?;
    let most = u64::MAX >> (64 - 8 * width);
    let negative = value.as_i64().is_some_and(|n| n < 0);
    match width {
        8 => Some(number),
        _ if number <= most => Some(number),
        _ if negative && number | (most >> 1) == u64::MAX => Some(number & most),
        _ => None,
    }
}

/// Of a window, its length included.
pub fn hash(values: &[u64]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ values.len() as u64;
    values.iter().fold(start, |h, v| (h.rotate_left(23) ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

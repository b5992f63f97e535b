//! The arguments of a launch as bytes: `cuLaunchKernel` gets addresses only, their sizes are the
//! kernel's.

use std::os::raw::c_void;

use crate::abi::Pointers;
use crate::failure::{Done, Failure};

/// One parameter of a kernel: where its bytes stand in the kernel's parameter block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub name: String,
    pub type_name: String,
    pub offset: usize,
    pub size: usize,
}

/// Reads the arguments of a launch, one byte string per slot.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` if there is no argument for a slot.
///
/// # Safety
/// As for `cuLaunchKernel`: `params`, if not null, points at one address per parameter, `extra` at
/// a list closed by `CU_LAUNCH_PARAM_END`. Too short a `params` is found where the system allows to
/// read memory with care.
pub(crate) unsafe fn read(
    kernel: &str,
    slots: &[Slot],
    params: Pointers,
    extra: Pointers,
) -> Done<Vec<Vec<u8>>> {
    if slots.is_empty() {
        return Ok(Vec::new());
    }
    if !params.is_null() {
        let word = size_of::<usize>();
        let one = |(i, slot): (usize, &Slot)| {
            careful_read(params as usize + i * word, word)
                .map(|bytes| usize::from_le_bytes(bytes.try_into().unwrap_or_default()))
                .and_then(|address| careful_read(address, slot.size))
                .ok_or_else(|| too_few(kernel, slots, i))
        };
        return slots.iter().enumerate().map(one).collect();
    }
    if extra.is_null() {
        return Err(too_few(kernel, slots, 0));
    }
    // SAFETY: the caller's promise about `extra`.
    let block = unsafe { parameter_block(extra) }
        .ok_or_else(|| Failure::invalid(format!("launch of `{kernel}`: malformed `extra`")))?;
    let one = |(i, slot): (usize, &Slot)| {
        let bytes = block.get(slot.offset..slot.offset + slot.size);
        bytes.map(<[u8]>::to_vec).ok_or_else(|| too_few(kernel, slots, i))
    };
    slots.iter().enumerate().map(one).collect()
}

fn too_few(kernel: &str, slots: &[Slot], found: usize) -> Failure {
    let names: Vec<&str> = slots.iter().map(|s| s.name.as_str()).collect();
    Failure::invalid(format!(
        "kernel `{kernel}` has {} parameters ({}), but the launch passes {found}",
        slots.len(),
        names.join(", ")
    ))
}

/// The bytes that `CU_LAUNCH_PARAM_BUFFER_POINTER` and `_SIZE` name.
///
/// # Safety
/// `extra` is a list of key and value, closed by `CU_LAUNCH_PARAM_END`.
unsafe fn parameter_block(extra: *mut *mut c_void) -> Option<Vec<u8>> {
    const END: usize = 0;
    const POINTER: usize = 1;
    const SIZE: usize = 2;
    let (mut pointer, mut size) = (None, None);
    let mut at = extra;
    // Each key may occur once.
    for _ in 0..3 {
        // SAFETY: the list goes on until its end mark.
        match unsafe { at.read() } as usize {
            END => break,
            // SAFETY: a key is followed by its value.
            POINTER => pointer = Some(unsafe { at.add(1).read() } as usize),
            // SAFETY: as above; the value is the address of a size.
            SIZE => size = Some(unsafe { at.add(1).read().cast::<usize>().read_unaligned() }),
            _ => return None,
        }
        // SAFETY: still within the list.
        at = unsafe { at.add(2) };
    }
    careful_read(pointer?, size?)
}

/// Copies `bytes` bytes from `address` of this process; `None` where nothing is mapped. Reading
/// through the system rather than through a pointer: an argument that is missing would else end the
/// process.
#[cfg(target_os = "linux")]
fn careful_read(address: usize, bytes: usize) -> Option<Vec<u8>> {
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::sync::OnceLock;
    static OWN_MEMORY: OnceLock<Option<File>> = OnceLock::new();
    if address == 0 {
        return None;
    }
    let mut out = vec![0; bytes];
    match OWN_MEMORY.get_or_init(|| File::open("/proc/self/mem").ok()) {
        Some(file) => file.read_exact_at(&mut out, address as u64).ok()?,
        // SAFETY: no such file here: trust the caller, as a real driver does.
        None => unsafe {
            std::ptr::copy_nonoverlapping(address as *const u8, out.as_mut_ptr(), bytes)
        },
    }
    Some(out)
}

#[cfg(not(target_os = "linux"))]
fn careful_read(address: usize, bytes: usize) -> Option<Vec<u8>> {
    if address == 0 {
        return None;
    }
    let mut out = vec![0; bytes];
    // SAFETY: the caller of the launch promises that its arguments can be read, as for a real
    // driver.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, out.as_mut_ptr(), bytes) };
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(name: &str, offset: usize, size: usize) -> Slot {
        Slot { name: name.into(), type_name: String::new(), offset, size }
    }

    #[test]
    fn arguments_are_read_by_the_sizes_of_the_parameters() {
        let (a, b) = (7u64, 2.5f32);
        let mut list = [&a as *const u64 as *mut c_void, &b as *const f32 as *mut c_void];
        let slots = [slot("a", 0, 8), slot("b", 8, 4)];
        // SAFETY: two addresses of live values.
        let got = unsafe { read("k", &slots, list.as_mut_ptr(), std::ptr::null_mut()) }.unwrap();
        assert_eq!(got, [a.to_le_bytes().to_vec(), b.to_le_bytes().to_vec()]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_missing_argument_is_an_error_and_no_crash() {
        let a = 7u64;
        let mut list = [&a as *const u64 as *mut c_void, std::ptr::without_provenance_mut(0x10)];
        let slots = [slot("a", 0, 8), slot("n", 8, 4)];
        // SAFETY: addresses that cannot be read are what is tested.
        let got = unsafe { read("k", &slots, list.as_mut_ptr(), std::ptr::null_mut()) };
        let line = got.unwrap_err().line;
        assert_eq!(line, "kernel `k` has 2 parameters (a, n), but the launch passes 1");
        // SAFETY: null pointers are allowed.
        let none = unsafe { read("k", &slots, std::ptr::null_mut(), std::ptr::null_mut()) };
        assert_eq!(
            none.unwrap_err().line,
            "kernel `k` has 2 parameters (a, n), but the launch passes 0"
        );
    }

    #[test]
    fn a_parameter_block_is_read_by_offsets() {
        let mut block = [1u8, 0, 0, 0, 2, 0, 0, 0];
        let mut size = block.len();
        let mut extra = [
            std::ptr::without_provenance_mut(1),
            block.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(2),
            (&raw mut size).cast(),
            std::ptr::null_mut(),
        ];
        let slots = [slot("x", 0, 4), slot("y", 4, 4)];
        // SAFETY: a well-formed list.
        let got = unsafe { read("k", &slots, std::ptr::null_mut(), extra.as_mut_ptr()) }.unwrap();
        assert_eq!(got, [vec![1, 0, 0, 0], vec![2, 0, 0, 0]]);
    }
}

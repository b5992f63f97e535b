//! The driver API's types as they cross the border. Enumerations cross as integers: a value outside
//! a Rust `enum` would be undefined behaviour, and nobody promises that callers or newer drivers
//! keep to the known ones.

use std::os::raw::{c_char, c_void};

/// Handles are opaque pointers; which kind is meant, the parameter's name says.
pub(crate) type Handle = *mut c_void;
/// Address in device memory.
pub(crate) type DevicePtr = u64;
/// Text that ends in NUL.
pub(crate) type Text = *const c_char;
/// `void **` of launch arguments and option values.
pub(crate) type Pointers = *mut *mut c_void;
/// `CUhostFn`.
pub(crate) type HostFn = Option<unsafe extern "C" fn(*mut c_void)>;
/// `CUoccupancyB2DSize`: dynamic shared memory for a block size.
pub(crate) type SharedOfBlock = Option<unsafe extern "C" fn(i32) -> usize>;

/// Kinds of memory in [`Copy2d`] and pointer attributes (`CUmemorytype`).
pub(crate) mod memory_type {
    pub const HOST: u32 = 1;
    pub const DEVICE: u32 = 2;
    pub const UNIFIED: u32 = 4;
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy2d {
    pub src_x_bytes: usize,
    pub src_y: usize,
    pub src_memory_type: u32,
    pub src_host: *const c_void,
    pub src_device: DevicePtr,
    pub src_array: Handle,
    pub src_pitch: usize,
    pub dst_x_bytes: usize,
    pub dst_y: usize,
    pub dst_memory_type: u32,
    pub dst_host: *mut c_void,
    pub dst_device: DevicePtr,
    pub dst_array: Handle,
    pub dst_pitch: usize,
    pub width_bytes: usize,
    pub height: usize,
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use cust_raw::CUDA_MEMCPY2D_st as Theirs;

    use super::Copy2d as Ours;

    #[test]
    fn the_copy_descriptor_has_the_layout_of_the_bindings() {
        assert_eq!(size_of::<Ours>(), size_of::<Theirs>());
        assert_eq!(offset_of!(Ours, src_host), offset_of!(Theirs, srcHost));
        assert_eq!(offset_of!(Ours, src_pitch), offset_of!(Theirs, srcPitch));
        assert_eq!(offset_of!(Ours, dst_memory_type), offset_of!(Theirs, dstMemoryType));
        assert_eq!(offset_of!(Ours, dst_device), offset_of!(Theirs, dstDevice));
        assert_eq!(offset_of!(Ours, width_bytes), offset_of!(Theirs, WidthInBytes));
        assert_eq!(offset_of!(Ours, height), offset_of!(Theirs, Height));
    }
}

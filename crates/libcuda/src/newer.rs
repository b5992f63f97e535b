//! Functions that programs of today call and cust 0.3.2 does not: names of newer versions for what
//! `cuda-driver` has, and answers that are the same for every emulated device.
#![allow(non_snake_case)]

use std::os::raw::c_void;

type Handle = *mut c_void;

const SUCCESS: u32 = 0;
const INVALID_VALUE: u32 = 1;

unsafe extern "C" {
    fn cuCtxCreate_v2(context: *mut Handle, flags: u32, device: i32) -> u32;
    fn cuDeviceGetAttribute(value: *mut i32, attribute: i32, device: i32) -> u32;
    fn cuEventElapsedTime(ms: *mut f32, start: Handle, end: Handle) -> u32;
    fn cuLaunchKernel(
        function: Handle,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: Handle,
        params: *mut Handle,
        extra: *mut Handle,
    ) -> u32;
    fn cuMemAdvise(address: u64, bytes: usize, advice: i32, device: i32) -> u32;
    fn cuMemPrefetchAsync(address: u64, bytes: usize, device: i32, stream: Handle) -> u32;
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut i32,
        function: Handle,
        threads: i32,
        shared: usize,
    ) -> u32;
    fn cuOccupancyMaxPotentialBlockSize(
        min_grid: *mut i32,
        threads: *mut i32,
        function: Handle,
        shared_of: Option<unsafe extern "C" fn(i32) -> usize>,
        shared: usize,
        limit: i32,
    ) -> u32;
    fn cuStreamGetFlags(stream: Handle, flags: *mut u32) -> u32;
}

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Location {
    kind: i32,
    id: i32,
}

impl Location {
    /// The device's number, or -1 (`CU_DEVICE_CPU`) for the host.
    fn device(self) -> i32 {
        const DEVICE: i32 = 1;
        if self.kind == DEVICE { self.id } else { -1 }
    }
}

macro_rules! exported {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty),*) -> u32 {
            // SAFETY: the caller keeps the contract of the function it called.
            unsafe { $body }
        }
    )*};
}

exported! {
    fn cuCtxCreate_v3(
        context: *mut Handle, _affinity: *mut c_void, _count: i32, flags: u32, device: i32,
    ) {
        cuCtxCreate_v2(context, flags, device)
    }

    fn cuCtxCreate_v4(context: *mut Handle, _params: *mut c_void, flags: u32, device: i32) {
        cuCtxCreate_v2(context, flags, device)
    }

    fn cuDeviceComputeCapability(major: *mut i32, minor: *mut i32, device: i32) {
        match cuDeviceGetAttribute(major, 75, device) {
            SUCCESS => cuDeviceGetAttribute(minor, 76, device),
            failed => failed,
        }
    }

    fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: i32) {
        cuDeviceGetUuid_v2(uuid, device)
    }

    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: i32) {
        let mut major = 0;
        match cuDeviceGetAttribute(&raw mut major, 75, device) {
            SUCCESS if uuid.is_null() => INVALID_VALUE,
            SUCCESS => {
                uuid.write_unaligned(*b"emulated device\0");
                SUCCESS
            }
            failed => failed,
        }
    }

    fn cuEventElapsedTime_v2(ms: *mut f32, start: Handle, end: Handle) {
        cuEventElapsedTime(ms, start, end)
    }

    // The device sees for itself that a kernel waits for its whole grid.
    fn cuLaunchCooperativeKernel(
        function: Handle, grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: Handle, params: *mut Handle,
    ) {
        cuLaunchKernel(
            function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params,
            std::ptr::null_mut(),
        )
    }

    fn cuMemAdvise_v2(address: u64, bytes: usize, advice: i32, location: Location) {
        cuMemAdvise(address, bytes, advice, location.device())
    }

    fn cuMemPrefetchAsync_v2(
        address: u64, bytes: usize, location: Location, _flags: u32, stream: Handle,
    ) {
        cuMemPrefetchAsync(address, bytes, location.device(), stream)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut i32, function: Handle, threads: i32, shared: usize, _flags: u32,
    ) {
        cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared)
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        min_grid: *mut i32, threads: *mut i32, function: Handle,
        shared_of: Option<unsafe extern "C" fn(i32) -> usize>, shared: usize, limit: i32,
        _flags: u32,
    ) {
        cuOccupancyMaxPotentialBlockSize(min_grid, threads, function, shared_of, shared, limit)
    }

    fn cuStreamIsCapturing(stream: Handle, status: *mut i32) {
        let mut flags = 0;
        match cuStreamGetFlags(stream, &raw mut flags) {
            SUCCESS if status.is_null() => INVALID_VALUE,
            SUCCESS => {
                status.write_unaligned(0);
                SUCCESS
            }
            failed => failed,
        }
    }
}

//! Allocation, copies, fills, host memory.

use cust::error::CudaError;
use cust::memory::{
    AsyncCopyDestination, CopyDestination, DeviceBox, DeviceBuffer, DevicePointer, LockedBuffer,
    UnifiedBuffer, cuda_free, cuda_malloc, mem_get_info,
};
use cust::stream::{Stream, StreamFlags};
use cust::sys;

use super::{findings, rig, why};

#[test]
fn bytes_go_and_come_back() {
    let _rig = rig();
    let data: Vec<u64> = (0..300_000).map(|i| i * i).collect();
    let buffer = DeviceBuffer::from_slice(&data).unwrap();
    let mut back = vec![0; data.len()];
    buffer.copy_to(&mut back).unwrap();
    assert_eq!(back, data);
    let mut copy = DeviceBuffer::<u64>::zeroed(data.len()).unwrap();
    copy.copy_from(&*buffer).unwrap();
    assert_eq!(copy.as_host_vec().unwrap(), data);
    let part = copy.index(10..13);
    assert_eq!(part.as_host_vec().unwrap(), data[10..13]);
    let boxed = DeviceBox::new(&7i32).unwrap();
    assert_eq!(boxed.as_host_value().unwrap(), 7);
    assert!(findings().is_empty());
}

#[test]
fn fills_repeat_their_value() {
    let _rig = rig();
    // SAFETY: bytes have no invalid values.
    let mut buffer = unsafe { DeviceBuffer::<u32>::uninitialized(9) }.unwrap();
    buffer.set_32(0xdead_beef).unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [0xdead_beef; 9]);
    buffer.set_16(0x1234).unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [0x1234_1234; 9]);
    buffer.set_8(0x5a).unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [0x5a5a_5a5a; 9]);
    buffer.set_zero().unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [0; 9]);
    // Odd addresses have no 16- or 32-bit values.
    let address = buffer.as_device_ptr().as_raw();
    // SAFETY: the driver checks the range.
    let code = unsafe { sys::cuMemsetD32_v2(address + 2, 1, 1) };
    assert_eq!(code, sys::CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn memory_is_counted_and_too_much_is_refused_at_once() {
    let _rig = rig();
    let (before, total) = mem_get_info().unwrap();
    assert_eq!(total, 1 << 30);
    let buffer = DeviceBuffer::<u8>::zeroed(1000).unwrap();
    assert_eq!(mem_get_info().unwrap().0, before - 1000);
    drop(buffer);
    assert_eq!(mem_get_info().unwrap().0, before);
    // SAFETY: never read before it is written, or refused.
    let huge = unsafe { DeviceBuffer::<u8>::uninitialized(100_000_000_000) };
    assert_eq!(huge.err(), Some(CudaError::OutOfMemory));
    assert!(why().starts_with("out of device memory: 100000000000 bytes asked for"), "{}", why());
}

#[test]
fn copies_beyond_a_buffer_are_refused_and_change_nothing() {
    let _rig = rig();
    let buffer = DeviceBuffer::from_slice(&[1u8, 2, 3, 4]).unwrap();
    let address = buffer.as_device_ptr().as_raw();
    let data = [9u8; 8];
    // SAFETY: the driver checks the device's range; the host's has 8 bytes.
    let code = unsafe { sys::cuMemcpyHtoD_v2(address, data.as_ptr().cast(), 8) };
    assert_eq!(code, sys::CUresult::CUDA_ERROR_INVALID_VALUE);
    assert!(why().contains("but it has 4 bytes"), "{}", why());
    assert_eq!(buffer.as_host_vec().unwrap(), [1, 2, 3, 4]);
}

#[test]
fn a_double_free_is_an_error_and_a_finding() {
    let _rig = rig();
    // SAFETY: freeing twice is what is tested; the driver checks.
    unsafe {
        let pointer: DevicePointer<u32> = cuda_malloc(4).unwrap();
        cuda_free(pointer).unwrap();
        assert_eq!(cuda_free(pointer), Err(CudaError::InvalidValue));
        assert!(why().contains("freed a second time"), "{}", why());
        let inner: DevicePointer<u32> = cuda_malloc(4).unwrap();
        assert_eq!(
            cuda_free(DevicePointer::<u32>::from_raw(inner.as_raw() + 4)),
            Err(CudaError::InvalidValue)
        );
        assert!(why().contains("only its first address can be freed"), "{}", why());
        cuda_free(inner).unwrap();
    }
    let found = findings();
    assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), ["FREE", "FREE"]);
}

#[test]
fn reading_back_what_was_never_written_is_a_finding() {
    let _rig = rig();
    // SAFETY: bytes have no invalid values.
    let mut buffer = unsafe { DeviceBuffer::<u32>::uninitialized(4) }.unwrap();
    buffer.index(0..2).copy_from(&[1, 2]).unwrap();
    let mut back = [0u32; 4];
    buffer.copy_to(&mut back).unwrap();
    assert_eq!(back[..2], [1, 2]);
    let found = findings();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "UNINIT");
    assert!(found[0].1.starts_with("byte 8 of `buffer"), "{found:?}");
    buffer.set_zero().unwrap();
    buffer.copy_to(&mut back).unwrap();
    assert!(findings().is_empty());
}

#[test]
fn pinned_memory_and_asynchronous_copies() {
    let _rig = rig();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let source = LockedBuffer::new(&5u16, 1000).unwrap();
    let mut target = LockedBuffer::new(&0u16, 1000).unwrap();
    // SAFETY: the buffers live until the stream is done.
    unsafe {
        let mut buffer = DeviceBuffer::<u16>::uninitialized_async(1000, &stream).unwrap();
        buffer.async_copy_from(&source, &stream).unwrap();
        let mut second = DeviceBuffer::<u16>::zeroed_async(1000, &stream).unwrap();
        second.async_copy_from(&*buffer, &stream).unwrap();
        second.async_copy_to(&mut target, &stream).unwrap();
        buffer.drop_async(&stream).unwrap();
        second.drop_async(&stream).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(target.as_slice(), source.as_slice());
    let (free, total) = mem_get_info().unwrap();
    assert_eq!(free, total);
    assert!(findings().is_empty());
}

#[test]
fn managed_memory_is_memory_of_the_host() {
    let _rig = rig();
    let mut unified = UnifiedBuffer::new(&3i64, 100).unwrap();
    unified[7] = -1;
    let address = unified.as_unified_ptr().as_raw() as u64;
    let mut is_managed = 0u32;
    // SAFETY: the attribute is an unsigned int.
    let code = unsafe {
        sys::cuPointerGetAttribute(
            (&raw mut is_managed).cast(),
            sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED,
            address,
        )
    };
    assert_eq!((code, is_managed), (sys::CUresult::CUDA_SUCCESS, 1));
    let mut back = [0i64; 100];
    // SAFETY: 800 bytes on both sides.
    let code = unsafe { sys::cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), address, 800) };
    assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    assert_eq!((back[6], back[7]), (3, -1));
}

/// A 2-D copy between rows of different lengths, in all directions.
/// Nothing, from the host to the host.
const NO_COPY: sys::CUDA_MEMCPY2D = sys::CUDA_MEMCPY2D {
    srcXInBytes: 0,
    srcY: 0,
    srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
    srcHost: std::ptr::null(),
    srcDevice: 0,
    srcArray: std::ptr::null_mut(),
    srcPitch: 0,
    dstXInBytes: 0,
    dstY: 0,
    dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
    dstHost: std::ptr::null_mut(),
    dstDevice: 0,
    dstArray: std::ptr::null_mut(),
    dstPitch: 0,
    WidthInBytes: 0,
    Height: 0,
};

#[test]
fn rectangles_are_copied_row_by_row() {
    let _rig = rig();
    let (width, height) = (5usize, 3usize);
    let (mut base, mut pitch) = (0u64, 0usize);
    // SAFETY: two out-pointers.
    let code = unsafe { sys::cuMemAllocPitch_v2(&mut base, &mut pitch, width, height, 4) };
    assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    assert!(pitch >= width && pitch.is_multiple_of(512));
    let host: Vec<u8> = (0..40).collect(); // 4 rows of 10
    let mut to_device = sys::CUDA_MEMCPY2D {
        srcXInBytes: 2,
        srcY: 1,
        srcHost: host.as_ptr().cast(),
        srcPitch: 10,
        dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstDevice: base,
        dstPitch: pitch,
        WidthInBytes: width,
        Height: height,
        ..NO_COPY
    };
    // SAFETY: rows 1..4 of the host's block, columns 2..7.
    assert_eq!(unsafe { sys::cuMemcpy2D_v2(&to_device) }, sys::CUresult::CUDA_SUCCESS);
    let mut back = vec![0u8; width * height];
    let to_host = sys::CUDA_MEMCPY2D {
        srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
        srcDevice: base,
        srcPitch: pitch,
        dstHost: back.as_mut_ptr().cast(),
        dstPitch: width,
        WidthInBytes: width,
        Height: height,
        ..NO_COPY
    };
    // SAFETY: `back` has room for all rows.
    assert_eq!(unsafe { sys::cuMemcpy2D_v2(&to_host) }, sys::CUresult::CUDA_SUCCESS);
    let want: Vec<u8> = (1..4).flat_map(|y| (2..7).map(move |x| y * 10 + x)).collect();
    assert_eq!(back, want);
    // Rows that do not fit into the pitch.
    to_device.srcPitch = 6;
    // SAFETY: refused before anything is read.
    let code = unsafe { sys::cuMemcpy2D_v2(&to_device) };
    assert_eq!(code, sys::CUresult::CUDA_ERROR_INVALID_VALUE);
    // SAFETY: allocated above.
    assert_eq!(unsafe { sys::cuMemFree_v2(base) }, sys::CUresult::CUDA_SUCCESS);
}

#[test]
fn memory_of_the_program_can_be_registered() {
    let _rig = rig();
    let mut data = vec![0u64; 1000];
    let address: *mut std::os::raw::c_void = data.as_mut_ptr().cast();
    let mut kind = 0u32;
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    // SAFETY: `data` lives on and has 8000 bytes; the attribute is an unsigned int.
    unsafe {
        use sys::CUresult as R;
        assert_eq!(sys::cuMemHostRegister_v2(address, 8000, 0), R::CUDA_SUCCESS);
        let again = sys::cuMemHostRegister_v2(address.add(4000), 8000, 0);
        assert_eq!(again, R::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
        let code = sys::cuPointerGetAttribute((&raw mut kind).cast(), attribute, address as u64);
        assert_eq!((code, kind), (R::CUDA_SUCCESS, 1));
        // The host's memory as device memory.
        assert_eq!(sys::cuMemsetD8_v2(address as u64, 7, 8000), R::CUDA_SUCCESS);
        assert_eq!(sys::cuMemsetD8_v2(address as u64, 7, 8001), R::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(sys::cuMemHostUnregister(address), R::CUDA_SUCCESS);
        assert_eq!(sys::cuMemHostUnregister(address), R::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
        let code = sys::cuPointerGetAttribute((&raw mut kind).cast(), attribute, address as u64);
        assert_eq!(code, R::CUDA_ERROR_INVALID_VALUE);
    }
    assert_eq!(data, [0x0707_0707_0707_0707; 1000]);
}

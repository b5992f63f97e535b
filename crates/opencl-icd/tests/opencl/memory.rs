//! Buffers, parts of them, and host memory.

use std::sync::atomic::{AtomicU32, Ordering};

use cl_sys::{cl_mem, clCreateSubBuffer, clSetMemObjectDestructorCallback};
use ocl::core::{self, MemInfo, MemInfoResult, Status};
use ocl::{Buffer, MemFlags};

use crate::support::{NO_EVENT, NO_LIST, emulated, everywhere, queue, refusal};

#[test]
fn buffers_are_filled_copied_and_read_in_parts() {
    for platform in everywhere() {
        let queue = queue(platform);
        let make = |value: u16| {
            Buffer::builder().queue(queue.clone()).len(100).fill_val(value).build().unwrap()
        };
        let (a, b) = (make(7), make(9));
        a.write(&[1u16, 2, 3][..]).offset(10).enq().unwrap();
        a.cmd().copy(&b, Some(50), Some(20)).enq().unwrap();
        b.cmd().fill(5, Some(4)).offset(96).enq().unwrap();
        let mut found = vec![0; 100];
        b.read(&mut found).enq().unwrap();
        let want: Vec<u16> = (0..100)
            .map(|i| match i {
                60..=62 => i - 59,
                50..=69 => 7,
                96.. => 5,
                _ => 9,
            })
            .collect();
        assert_eq!(found, want, "{}", platform.name().unwrap());
    }
}

/// A box of 3 x 2 x 2 elements is cut out of 8 x 5 x 3 and put elsewhere.
#[test]
fn boxes_are_copied_with_their_pitches() {
    let data: Vec<u32> = (0..120).collect();
    for platform in everywhere() {
        let queue = queue(platform);
        let from =
            Buffer::builder().queue(queue.clone()).len(120).copy_host_slice(&data).build().unwrap();
        let to = Buffer::builder().queue(queue.clone()).len(120).fill_val(0u32).build().unwrap();
        // Pitches are in bytes, the rest in elements.
        let (region, row, plane) = ([3, 2, 2], 32, 160);
        core::enqueue_copy_buffer_rect::<u32, _, _, _>(
            &queue,
            from.as_core(),
            to.as_core(),
            [1, 1, 0],
            [4, 3, 1],
            region,
            row,
            plane,
            row,
            plane,
            NO_LIST,
            NO_EVENT,
        )
        .unwrap();
        let mut found = vec![0; 12];
        // SAFETY: the host's box is as large as the region.
        unsafe {
            core::enqueue_read_buffer_rect(
                &queue,
                to.as_core(),
                true,
                [4, 3, 1],
                [0; 3],
                region,
                row,
                plane,
                0,
                0,
                &mut found,
                NO_LIST,
                NO_EVENT,
            )
            .unwrap();
        }
        let want: Vec<u32> =
            (0..12).map(|i| 1 + i % 3 + 8 * (1 + i / 3 % 2) + 40 * (i / 6)).collect();
        assert_eq!(found, want, "{}", platform.name().unwrap());
    }
}

#[test]
fn a_part_of_a_buffer_shares_its_bytes() {
    for platform in everywhere() {
        let queue = queue(platform);
        let whole =
            Buffer::builder().queue(queue.clone()).len(2048).fill_val(1i32).build().unwrap();
        let part = whole.create_sub_buffer(None, 1024, 512).unwrap();
        part.cmd().fill(2, None).enq().unwrap();
        let mut found = vec![0; 2048];
        whole.read(&mut found).enq().unwrap();
        let want: Vec<i32> =
            (0..2048).map(|i| if (1024..1536).contains(&i) { 2 } else { 1 }).collect();
        assert_eq!(found, want, "{}", platform.name().unwrap());
    }
    let queue = queue(emulated());
    let whole = Buffer::<i32>::builder().queue(queue).len(2048).build().unwrap();
    let mut status = 0;
    let mut part = |region: [usize; 2]| {
        // SAFETY: a buffer and a region.
        let made = unsafe {
            let at = (&raw const region).cast();
            clCreateSubBuffer(
                whole.as_core().as_ptr(),
                0,
                cl_sys::CL_BUFFER_CREATE_TYPE_REGION,
                at,
                &mut status,
            )
        };
        assert!(made.is_null());
        status
    };
    assert_eq!(part([4, 16]), cl_sys::CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_eq!(part([512, 0]), cl_sys::CL_INVALID_BUFFER_SIZE);
    assert_eq!(part([512, 8192]), cl_sys::CL_INVALID_VALUE);
}

#[test]
fn a_mapping_carries_bytes_both_ways() {
    for platform in everywhere() {
        for flags in [MemFlags::new().read_write(), MemFlags::new().read_write().alloc_host_ptr()] {
            let queue = queue(platform);
            let buffer = Buffer::builder()
                .queue(queue.clone())
                .flags(flags)
                .len(64)
                .fill_val(3f64)
                .build()
                .unwrap();
            // SAFETY: the only mapping.
            let mut map = unsafe { buffer.map().read().write().enq().unwrap() };
            assert_eq!(map[..], [3.0; 64]);
            map[5] = 8.0;
            map.unmap().enq().unwrap();
            let mut found = vec![0.0; 64];
            buffer.read(&mut found).enq().unwrap();
            assert_eq!((found[4], found[5]), (3.0, 8.0), "{}", platform.name().unwrap());
        }
    }
}

#[test]
fn the_programs_own_memory_is_used() {
    let mut data = vec![1u32; 256];
    let queue = queue(emulated());
    // SAFETY: `data` outlives the buffer and is touched while it is mapped only.
    let buffer =
        unsafe { Buffer::builder().queue(queue).use_host_slice(&data).len(256).build().unwrap() };
    buffer.cmd().fill(6u32, None).enq().unwrap();
    // SAFETY: the only mapping.
    let map = unsafe { buffer.map().read().enq().unwrap() };
    assert_eq!(map.as_ptr(), data.as_ptr());
    assert_eq!(map[..], [6; 256]);
    drop(map);
    drop(buffer);
    data.fill(0);
}

#[test]
fn wrong_requests_are_refused_with_a_reason() {
    let queue = queue(emulated());
    let buffer = Buffer::<u8>::builder().queue(queue.clone()).len(16).build().unwrap();
    let mut room = [0u8; 16];
    // SAFETY: refused before anything is touched.
    let read = unsafe {
        core::enqueue_read_buffer(&queue, buffer.as_core(), true, 8, &mut room, NO_LIST, NO_EVENT)
    };
    assert_eq!(read.unwrap_err().api_status(), Some(Status::CL_INVALID_VALUE));
    let text = opencl_icd::last_error_text().unwrap();
    assert!(text.contains("a copy of 16 bytes at byte 8 of a buffer of 16 bytes"), "{text}");
    let flags = MemFlags::new().read_write().host_no_access();
    let secret = Buffer::<u8>::builder().queue(queue.clone()).flags(flags).len(16).build().unwrap();
    let (status, _) = refusal(secret.read(&mut room[..]).enq());
    assert_eq!(status, Status::CL_INVALID_OPERATION);
    let (status, text) = refusal(buffer.cmd().copy(&buffer, Some(4), Some(8)).enq());
    assert_eq!(status, Status::CL_MEM_COPY_OVERLAP, "{text}");
    let huge = Buffer::<u8>::builder().queue(queue).len(1usize << 50).build();
    assert_eq!(refusal(huge).0, Status::CL_INVALID_BUFFER_SIZE);
}

#[test]
fn references_are_counted_and_the_end_is_told() {
    static ENDED: AtomicU32 = AtomicU32::new(0);
    extern "C" fn end(_: cl_mem, _: *mut std::os::raw::c_void) {
        ENDED.fetch_add(1, Ordering::SeqCst);
    }
    let queue = queue(emulated());
    let buffer = Buffer::<u8>::builder().queue(queue).len(4096).build().unwrap();
    let count = |buffer: &Buffer<u8>| match buffer.mem_info(MemInfo::ReferenceCount).unwrap() {
        MemInfoResult::ReferenceCount(count) => count,
        other => panic!("{other:?}"),
    };
    assert_eq!(count(&buffer), 1);
    let twin = buffer.clone();
    assert_eq!(count(&buffer), 2);
    drop(twin);
    let raw = buffer.as_core().as_ptr();
    // SAFETY: a buffer that lives, and a function of the right signature.
    let status = unsafe { clSetMemObjectDestructorCallback(raw, Some(end), std::ptr::null_mut()) };
    assert_eq!(status, 0);
    let part = buffer.create_sub_buffer(None, 512, 512).unwrap();
    drop(buffer);
    assert_eq!(ENDED.load(Ordering::SeqCst), 0, "the part holds it");
    drop(part);
    // Another thread calls it; a busy machine may take its time.
    for _ in 0..50_000 {
        if ENDED.load(Ordering::SeqCst) > 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(ENDED.load(Ordering::SeqCst), 1);
    // SAFETY: the handle is no address: a released one is an error, not a crash.
    assert_eq!(unsafe { cl_sys::clReleaseMemObject(raw) }, cl_sys::CL_INVALID_MEM_OBJECT);
    assert!(opencl_icd::last_error_text().unwrap().contains("released before"));
}

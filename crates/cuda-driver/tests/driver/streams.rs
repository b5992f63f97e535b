//! Streams, events, and what is in order.

use std::sync::atomic::{AtomicU32, Ordering};

use cust::error::CudaError;
use cust::event::{Event, EventFlags, EventStatus};
use cust::launch;
use cust::memory::{AsyncCopyDestination, CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags, StreamWaitEventFlags};

use super::{findings, module, rig, why};

fn stream() -> Stream {
    Stream::new(StreamFlags::DEFAULT, None).unwrap()
}

fn event() -> Event {
    Event::new(EventFlags::DEFAULT).unwrap()
}

#[test]
fn elapsed_time_needs_someone_who_waited() {
    let _rig = rig();
    let stream = stream();
    let (start, stop) = (event(), event());
    assert_eq!(stop.elapsed_time_f32(&start), Err(CudaError::InvalidHandle));
    let data = vec![1u8; 1 << 20];
    let mut buffer = DeviceBuffer::<u8>::zeroed(1 << 20).unwrap();
    start.record(&stream).unwrap();
    // SAFETY: `data` and `buffer` live on.
    unsafe { buffer.async_copy_from(&data, &stream) }.unwrap();
    stop.record(&stream).unwrap();
    assert_eq!(stop.elapsed_time_f32(&start), Err(CudaError::NotReady));
    assert!(why().contains("nobody waited for it"), "{}", why());
    stop.synchronize().unwrap();
    let ms = stop.elapsed_time_f32(&start).unwrap();
    let device = cuda_driver::device_model().unwrap();
    let want = device.launch_us * 1e-3 + (1 << 20) as f64 / (device.pcie_gbs * 1e6);
    assert!((f64::from(ms) - want).abs() < 1e-4, "{ms} instead of {want}");
    assert!(start.elapsed_time_f32(&stop).unwrap() < 0.0);
}

#[test]
fn waiting_for_stream_context_or_a_blocking_copy_is_enough() {
    let _rig = rig();
    let stream = stream();
    let mut buffer = DeviceBuffer::<u8>::zeroed(4).unwrap();
    type Wait<'a> = &'a mut dyn FnMut(&Stream);
    let waits: [Wait<'_>; 3] = [
        &mut |s| s.synchronize().unwrap(),
        &mut |_| cust::context::CurrentContext::synchronize().unwrap(),
        &mut |_| buffer.copy_from(&[1, 2, 3, 4]).unwrap(),
    ];
    for wait in waits {
        let (start, stop) = (event(), event());
        start.record(&stream).unwrap();
        stop.record(&stream).unwrap();
        assert_eq!(stop.elapsed_time_f32(&start), Err(CudaError::NotReady));
        wait(&stream);
        assert_eq!(stop.elapsed_time_f32(&start), Ok(0.0));
    }
}

#[test]
fn a_program_that_asks_until_ready_gets_on() {
    let _rig = rig();
    let stream = stream();
    let event = event();
    assert_eq!(event.query().unwrap(), EventStatus::Ready);
    event.record(&stream).unwrap();
    assert_eq!(event.query().unwrap(), EventStatus::NotReady);
    assert_eq!(event.query().unwrap(), EventStatus::Ready);
}

#[test]
fn events_without_timing_have_no_time() {
    let _rig = rig();
    let stream = stream();
    let start = Event::new(EventFlags::DISABLE_TIMING).unwrap();
    let stop = event();
    start.record(&stream).unwrap();
    stop.record(&stream).unwrap();
    stop.synchronize().unwrap();
    assert_eq!(stop.elapsed_time_f32(&start), Err(CudaError::InvalidHandle));
    assert!(why().contains("made without timing"), "{}", why());
}

#[test]
fn copies_of_several_streams_overlap_only_in_different_directions() {
    let _rig = rig();
    let (one, two) = (stream(), stream());
    let mut data = vec![1u8; 1 << 22];
    let mut a = DeviceBuffer::<u8>::zeroed(1 << 22).unwrap();
    let mut b = DeviceBuffer::<u8>::zeroed(1 << 22).unwrap();
    let time = |work: &mut dyn FnMut()| {
        cust::context::CurrentContext::synchronize().unwrap();
        let (start, end_one, end_two) = (event(), event(), event());
        start.record(&one).unwrap();
        work();
        end_one.record(&one).unwrap();
        end_two.record(&two).unwrap();
        cust::context::CurrentContext::synchronize().unwrap();
        end_one.elapsed_time_f32(&start).unwrap().max(end_two.elapsed_time_f32(&start).unwrap())
    };
    let (mut source, mut target) = (data.clone(), std::mem::take(&mut data));
    // SAFETY: all buffers live until the context is synchronised.
    let alone = time(&mut || unsafe { a.async_copy_from(&source, &one).unwrap() });
    // SAFETY: as above.
    let same = time(&mut || unsafe {
        a.async_copy_from(&source, &one).unwrap();
        b.async_copy_from(&source, &two).unwrap();
    });
    // SAFETY: as above.
    let both = time(&mut || unsafe {
        a.async_copy_from(&source, &one).unwrap();
        b.async_copy_to(&mut target, &two).unwrap();
    });
    source.clear();
    assert!((same / alone - 2.0).abs() < 0.01, "{same} {alone}");
    assert!((both / alone - 1.0).abs() < 0.01, "{both} {alone}");
}

#[test]
fn streams_without_order_on_the_same_memory_are_found() {
    let _rig = rig();
    let (one, two) = (stream(), stream());
    let data = vec![1u32; 64];
    let mut back = vec![0u32; 64];
    let mut buffer = DeviceBuffer::<u32>::zeroed(64).unwrap();
    cust::context::CurrentContext::synchronize().unwrap();
    // SAFETY: host buffers live on.
    unsafe {
        buffer.async_copy_from(&data, &one).unwrap();
        buffer.async_copy_to(&mut back, &two).unwrap();
    }
    let found = findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "RACE-G");
    assert!(found[0].1.contains("cuMemcpyDtoHAsync in stream"), "{found:?}");
    cust::context::CurrentContext::synchronize().unwrap();
    // With an event between: fine. Other halves: fine.
    let ready = event();
    // SAFETY: host buffers live on.
    unsafe {
        buffer.async_copy_from(&data, &one).unwrap();
        ready.record(&one).unwrap();
        two.wait_event(ready, StreamWaitEventFlags::DEFAULT).unwrap();
        buffer.async_copy_to(&mut back, &two).unwrap();
        cust::context::CurrentContext::synchronize().unwrap();
        buffer.index(0..32).async_copy_from(&data[..32], &one).unwrap();
        buffer.index(32..64).async_copy_from(&data[..32], &two).unwrap();
    }
    // The legacy default stream waits for both.
    buffer.copy_to(&mut back).unwrap();
    assert_eq!(findings(), []);
}

#[test]
fn kernels_in_no_order_are_found_where_they_touch_the_same_bytes() {
    let _rig = rig();
    let module = module(
        "extern \"C\" __global__ void add_one(int *x, int first, int step)
         { x[first + step * threadIdx.x] += 1; }",
    );
    let add_one = module.get_function("add_one").unwrap();
    let (one, two) = (stream(), stream());
    let buffer = DeviceBuffer::<u32>::zeroed(64).unwrap();
    let run = |stream: &Stream, first: i32, step: i32| {
        // SAFETY: 32 threads stay within the buffer, which lives on.
        unsafe { launch!(add_one<<<1, 32, 0, stream>>>(buffer.as_device_ptr(), first, step)) }
            .unwrap();
    };
    cust::context::CurrentContext::synchronize().unwrap();
    // Halves, and then even and odd elements: no two touch one byte.
    for (a, b) in [((0, 1), (32, 1)), ((0, 2), (1, 2))] {
        run(&one, a.0, a.1);
        run(&two, b.0, b.1);
        cust::context::CurrentContext::synchronize().unwrap();
        assert_eq!(findings(), []);
    }
    run(&one, 0, 1);
    run(&two, 31, 1);
    let found = findings();
    assert!(!found.is_empty() && found.iter().all(|f| f.0 == "RACE-G"), "{found:?}");
    assert!(found[0].1.contains("kernel `add_one` in stream"), "{found:?}");
    // With an event between: fine.
    cust::context::CurrentContext::synchronize().unwrap();
    run(&one, 0, 1);
    let ready = event();
    ready.record(&one).unwrap();
    two.wait_event(ready, StreamWaitEventFlags::DEFAULT).unwrap();
    run(&two, 31, 1);
    cust::context::CurrentContext::synchronize().unwrap();
    assert_eq!(findings(), []);
}

#[test]
fn host_functions_run_in_their_place() {
    let _rig = rig();
    static CALLED: AtomicU32 = AtomicU32::new(0);
    let stream = stream();
    CALLED.store(0, Ordering::SeqCst);
    stream
        .add_callback(Box::new(|| {
            CALLED.fetch_add(1, Ordering::SeqCst);
        }))
        .unwrap();
    stream.synchronize().unwrap();
    assert_eq!(CALLED.load(Ordering::SeqCst), 1);
}

#[test]
fn a_stream_keeps_its_priority() {
    let _rig = rig();
    let urgent = Stream::new(StreamFlags::NON_BLOCKING, Some(-100)).unwrap();
    assert_eq!(urgent.get_priority().unwrap(), -5);
    // cust takes the flag away: every stream of cust waits for the default stream.
    assert_eq!(urgent.get_flags().unwrap(), StreamFlags::DEFAULT);
}

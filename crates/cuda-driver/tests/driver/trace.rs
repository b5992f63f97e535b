//! The trace of driver calls.

use std::process::Command;

use cust::event::{Event, EventFlags};
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags};

use super::{names, rig};

#[test]
fn calls_are_traced_in_order_with_their_details() {
    let _rig = rig();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let event = Event::new(EventFlags::DEFAULT).unwrap();
    event.record(&stream).unwrap();
    let buffer = DeviceBuffer::from_slice(&[1u16, 2, 3]).unwrap();
    let address = buffer.as_device_ptr().as_raw();
    buffer.copy_to(&mut [0; 3]).unwrap();
    drop(buffer);
    // SAFETY: never read before it is written, or refused.
    let huge = unsafe { DeviceBuffer::<u8>::uninitialized(1 << 40) };
    assert!(huge.is_err());
    let log = emulation::calls::take().0;
    let names: Vec<&str> = log.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "cuStreamCreateWithPriority",
            "cuEventCreate",
            "cuEventRecord",
            "cuMemAlloc",
            "cuMemcpyHtoD",
            "cuMemcpyDtoH",
            "cuMemFree",
            "cuMemAlloc"
        ]
    );
    assert_eq!(log[2].stream, log[0].stream);
    assert_eq!(log[2].event, log[1].event);
    assert!(log[0].stream > Some(0) && log[1].event > Some(0));
    assert_eq!((log[3].bytes, log[3].address), (Some(6), Some(address)));
    assert_eq!((log[4].stream, log[4].bytes, log[4].address), (Some(0), Some(6), Some(address)));
    assert_eq!(log[6].address, Some(address));
    assert!(log[..7].iter().all(|c| c.ok()));
    assert_eq!(log[7].result_name, "CUDA_ERROR_OUT_OF_MEMORY");
    assert!(log.iter().all(|c| c.thread == log[0].thread));
}

#[test]
fn threads_have_numbers() {
    let rig = rig();
    cust::memory::mem_get_info().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| cust::context::CurrentContext::set_current(&rig._context).unwrap());
    });
    let log = emulation::calls::take().0;
    assert_eq!(log.len(), 2);
    assert_ne!(log[0].thread, log[1].thread);
}

#[test]
fn only_the_latest_calls_are_kept() {
    let _rig = rig();
    for _ in 0..(1 << 16) + 10 {
        cust::memory::mem_get_info().unwrap();
    }
    let (calls, dropped) = emulation::calls::take();
    assert_eq!((calls.len(), dropped), (1 << 16, 10));
    assert!(names().is_empty());
}

/// Runs this test binary again as a program that never asks for its calls; alone and recorded.
#[test]
fn nobody_s_calls_are_not_kept() {
    if std::env::var_os("NO_CALLS").is_some() {
        let _rig = rig();
        emulation::calls::keep_none();
        DeviceBuffer::from_slice(&[1u8; 5]).unwrap();
        let recorded = std::env::var_os("LAB_TRACE").is_some();
        assert_eq!(names().is_empty(), !recorded);
        return;
    }
    let file = std::env::temp_dir().join(format!("cuda-driver-calls-{}.json", std::process::id()));
    for recorded in [false, true] {
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "trace::nobody_s_calls_are_not_kept"]).env("NO_CALLS", "1");
        if recorded {
            again.env("LAB_TRACE", &file);
        }
        let output = again.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    std::fs::remove_file(&file).unwrap();
}

/// Runs this test binary again as a program whose run is recorded.
#[test]
fn a_run_is_recorded_in_the_file_that_is_named() {
    if std::env::var_os("LAB_TRACE").is_some() {
        let _rig = rig();
        DeviceBuffer::from_slice(&[1u8; 5]).unwrap();
        return;
    }
    let file = std::env::temp_dir().join(format!("cuda-driver-trace-{}.json", std::process::id()));
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "trace::a_run_is_recorded_in_the_file_that_is_named"])
        .env("LAB_TRACE", &file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let trace: wire::Trace = serde_json::from_str(&text).unwrap();
    assert_eq!((trace.backend.as_str(), trace.device.as_str()), ("emulated", "NVIDIA H200"));
    let copy = trace.calls.iter().find(|c| c.call.name == "cuMemcpyHtoD").unwrap();
    assert_eq!(copy.call.bytes, Some(5));
    assert!(trace.calls.windows(2).all(|w| w[0].start_ms <= w[1].start_ms));
}

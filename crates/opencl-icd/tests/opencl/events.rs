//! Events: order, waiting, callbacks, times.

use std::os::raw::c_void;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use ocl::core::{CommandExecutionStatus, Event as CoreEvent, ProfilingInfo, Status};
use ocl::{Buffer, Event, EventList, Queue, flags};

use crate::support::{NO_LIST, emulated, everywhere, queue};

/// Longest wait for what must come, on a busy machine, too.
const LONG: Duration = Duration::from_secs(250);

fn buffer(queue: &Queue, value: u32) -> Buffer<u32> {
    Buffer::builder().queue(queue.clone()).len(1000).fill_val(value).build().unwrap()
}

fn out_of_order(platform: ocl::Platform) -> Queue {
    let first = queue(platform);
    let mode = flags::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | flags::QUEUE_PROFILING_ENABLE;
    Queue::new(&first.context(), first.device(), Some(mode)).unwrap()
}

#[test]
fn a_user_event_holds_commands_up() {
    for platform in everywhere() {
        let queue = queue(platform);
        let data = buffer(&queue, 1);
        queue.finish().unwrap();
        let user = Event::user(&queue.context()).unwrap();
        let mut filled = Event::empty();
        data.cmd().fill(2, None).ewait(&user).enew(&mut filled).enq().unwrap();
        assert!(!filled.is_complete().unwrap(), "{}", platform.name().unwrap());
        let setter = user.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            setter.set_complete().unwrap();
        });
        // Blocks until the other thread has set the event.
        let mut found = vec![0; 1000];
        data.read(&mut found).enq().unwrap();
        assert_eq!(found, [2; 1000], "{}", platform.name().unwrap());
        thread.join().unwrap();
        filled.wait_for().unwrap();
        assert!(filled.is_complete().unwrap());
    }
}

#[test]
fn a_queue_out_of_order_overtakes_what_waits() {
    let queue = out_of_order(emulated());
    let (a, b) = (buffer(&queue, 1), buffer(&queue, 1));
    queue.finish().unwrap();
    let user = Event::user(&queue.context()).unwrap();
    let (mut held, mut free) = (Event::empty(), Event::empty());
    a.cmd().fill(2, None).ewait(&user).enew(&mut held).enq().unwrap();
    b.cmd().fill(3, None).enew(&mut free).enq().unwrap();
    free.wait_for().unwrap();
    assert!(!held.is_complete().unwrap());
    // A barrier comes after all of them, and later commands after it.
    let mut barrier = CoreEvent::null();
    ocl::core::enqueue_barrier_with_wait_list(&queue, NO_LIST, Some(&mut barrier), None).unwrap();
    let mut last = Event::empty();
    b.cmd().fill(4, None).enew(&mut last).enq().unwrap();
    assert!(!last.is_complete().unwrap());
    user.set_complete().unwrap();
    last.wait_for().unwrap();
    assert!(held.is_complete().unwrap() || held.is_complete().unwrap());
    let mut found = vec![0; 1000];
    b.read(&mut found).enq().unwrap();
    assert_eq!(found, [4; 1000]);
}

#[test]
fn a_failed_event_fails_what_waits_for_it() {
    let queue = queue(emulated());
    let data = buffer(&queue, 1);
    let user = Event::user(&queue.context()).unwrap();
    let mut filled = Event::empty();
    data.cmd().fill(2, None).ewait(&user).enew(&mut filled).enq().unwrap();
    // SAFETY: the event lives.
    let raw = unsafe { *ocl::core::ClEventPtrRef::as_ptr_ref(&user) };
    // SAFETY: a user event of this platform.
    assert_eq!(unsafe { cl_sys::clSetUserEventStatus(raw, -7) }, 0);
    let error = filled.wait_for().unwrap_err();
    assert_eq!(error.api_status(), Some(Status::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
    // SAFETY: the same.
    assert_eq!(unsafe { cl_sys::clSetUserEventStatus(raw, 0) }, cl_sys::CL_INVALID_OPERATION);
}

extern "C" fn send(_: cl_sys::cl_event, status: i32, sender: *mut c_void) {
    // SAFETY: the sender that the test has boxed for this one call.
    let sender = unsafe { Box::from_raw(sender.cast::<Sender<i32>>()) };
    sender.send(status).unwrap();
}

#[test]
fn callbacks_are_called_once_the_command_is_over() {
    for platform in everywhere() {
        let queue = queue(platform);
        let data = buffer(&queue, 1);
        let user = Event::user(&queue.context()).unwrap();
        let mut filled = Event::empty();
        data.cmd().fill(2, None).ewait(&user).enew(&mut filled).enq().unwrap();
        let (sender, statuses) = channel();
        let sender = Box::into_raw(Box::new(sender)).cast();
        // SAFETY: the sender lives until the callback takes it.
        unsafe { filled.set_callback(send, sender).unwrap() };
        queue.flush().unwrap();
        assert!(statuses.recv_timeout(Duration::from_millis(20)).is_err());
        user.set_complete().unwrap();
        assert_eq!(statuses.recv_timeout(LONG), Ok(CommandExecutionStatus::Complete as i32));
        queue.finish().unwrap();
    }
}

#[test]
fn times_are_there_once_the_program_has_waited() {
    let queue = queue(emulated());
    let data = buffer(&queue, 1);
    let mut event = Event::empty();
    let mut found = vec![0; 1000];
    // SAFETY: `found` lives until the event is waited for.
    unsafe { data.read(&mut found).block(false).enew(&mut event).enq().unwrap() };
    use ProfilingInfo::{End, Queued, Start, Submit};
    let early = event.profiling_info(End).unwrap_err();
    assert_eq!(early.api_status(), Some(Status::CL_PROFILING_INFO_NOT_AVAILABLE));
    assert!(opencl_icd::last_error_text().unwrap().contains("wait for its event"));
    event.wait_for().unwrap();
    let time = |what| event.profiling_info(what).unwrap().time().unwrap();
    assert!(time(Queued) <= time(Submit) && time(Submit) <= time(Start) && time(Start) < time(End));
}

/// Two kernels' worth of copies on a queue in order stand behind one another in predicted time; on
/// one out of order, copies in both directions overlap.
#[test]
fn predicted_times_follow_the_order_of_the_queue() {
    let overlap = |queue: &Queue| {
        let (a, b) = (buffer(queue, 1), buffer(queue, 1));
        queue.finish().unwrap();
        let (mut up, mut down) = (Event::empty(), Event::empty());
        let mut found = vec![0; 1000];
        // SAFETY: the vectors live until the queue is finished.
        unsafe {
            let data = vec![5; 1000];
            a.write(&data).block(false).enew(&mut up).enq().unwrap();
            b.read(&mut found).block(false).enew(&mut down).enq().unwrap();
            queue.finish().unwrap();
        }
        let time = |e: &Event, what| e.profiling_info(what).unwrap().time().unwrap();
        time(&down, ProfilingInfo::Start) < time(&up, ProfilingInfo::End)
    };
    assert!(!overlap(&queue(emulated())));
    // Other tests move the device's clock, so two transfers miss each other now and then.
    assert!((0..100).any(|_| overlap(&out_of_order(emulated()))));
}

#[test]
fn a_status_is_known_only_after_asking_twice_or_waiting() {
    let queue = queue(emulated());
    let data = buffer(&queue, 1);
    let mut event = Event::empty();
    data.cmd().fill(2, None).enew(&mut event).enq().unwrap();
    assert!(!event.is_complete().unwrap());
    assert!(event.is_complete().unwrap());
    let mut next = Event::empty();
    data.cmd().fill(3, None).enew(&mut next).enq().unwrap();
    let mut list = EventList::new();
    list.push(next.clone());
    list.wait_for().unwrap();
    assert!(next.is_complete().unwrap());
}

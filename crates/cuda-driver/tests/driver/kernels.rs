//! Kernels that run well.

use std::ffi::CString;

use cust::event::{Event, EventFlags};
use cust::function::BlockSize;
use cust::launch;
use cust::memory::{
    AsyncCopyDestination, CopyDestination, DeviceBuffer, LockedBuffer, UnifiedBuffer,
};
use cust::stream::{Stream, StreamFlags, StreamWaitEventFlags};

use super::{findings, module, rig};

const SOURCE: &str = r#"
__constant__ float coefficients[4];
extern "C" __global__ void add(float *c, const float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void polynomial(double *y, const double *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double r = 0.0;
    for (int k = 3; k >= 0; k--) r = r * x[i] + coefficients[k];
    y[i] = r;
}
extern "C" __global__ void scale(int *x, int factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
extern "C" __global__ void hello(int n) {
    if (threadIdx.x < n) printf("hello from %d\n", threadIdx.x);
}
extern "C" __global__ void mixed(char *out, char c, double d, short s, float f, long long l) {
    out[0] = c; ((double *)out)[1] = d; ((short *)out)[8] = s;
    ((float *)out)[5] = f; ((long long *)out)[3] = l;
}
"#;

fn stream() -> Stream {
    Stream::new(StreamFlags::DEFAULT, None).unwrap()
}

#[test]
fn vectors_are_added_and_the_launch_is_counted() {
    let _rig = rig();
    let module = module(SOURCE);
    let add = module.get_function("add").unwrap();
    let stream = stream();
    let n = 2000;
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| 0.5 * i as f32).collect();
    let (da, db) = (DeviceBuffer::from_slice(&a).unwrap(), DeviceBuffer::from_slice(&b).unwrap());
    // SAFETY: the kernel writes all of it.
    let dc = unsafe { DeviceBuffer::<f32>::uninitialized(n) }.unwrap();
    let (start, stop) =
        (Event::new(EventFlags::DEFAULT).unwrap(), Event::new(EventFlags::DEFAULT).unwrap());
    start.record(&stream).unwrap();
    // SAFETY: arguments as the kernel has them.
    unsafe {
        launch!(add<<<8, 256, 0, stream>>>(
            dc.as_device_ptr(), da.as_device_ptr(), db.as_device_ptr(), n as i32
        ))
        .unwrap();
    }
    stop.record(&stream).unwrap();
    stop.synchronize().unwrap();
    let ms = stop.elapsed_time_f32(&start).unwrap();
    let c = dc.as_host_vec().unwrap();
    assert!(c.iter().zip(a.iter().zip(&b)).all(|(c, (a, b))| *c == a + b));
    let reports = emulation::findings::take_reports();
    assert_eq!(reports.len(), 1);
    let r = &reports[0];
    assert_eq!((r.kernel.as_str(), r.grid, r.block), ("add", [8, 1, 1], [256, 1, 1]));
    assert_eq!((r.total.gld_req, r.total.gld_sec), (126, 500));
    assert_eq!((r.total.gst_req, r.total.gst_sec), (63, 250));
    assert_eq!(r.total.flop, 2000);
    assert!(ms > 0.0 && (f64::from(ms) - r.predicted_ms).abs() < 1e-6 * r.predicted_ms + 1e-9);
    assert_eq!(findings(), []);
}

#[test]
fn buffers_are_called_as_the_kernels_parameters() {
    let _rig = rig();
    let module = module(SOURCE);
    let add = module.get_function("add").unwrap();
    let stream = stream();
    let a = DeviceBuffer::from_slice(&[1f32; 8]).unwrap();
    // SAFETY: the kernel writes half of it; reading the rest back is what is tested.
    let c = unsafe { DeviceBuffer::<f32>::uninitialized(8) }.unwrap();
    // SAFETY: arguments as the kernel has them.
    unsafe {
        let a = a.as_device_ptr();
        launch!(add<<<1, 32, 0, stream>>>(c.as_device_ptr(), a, a, 4)).unwrap();
    }
    c.as_host_vec().unwrap();
    let message = "c[4] is copied to the host but was never written".to_owned();
    assert_eq!(findings(), [("UNINIT", message)]);
}

#[test]
fn constants_reach_the_kernel() {
    let _rig = rig();
    let module = module(SOURCE);
    let polynomial = module.get_function("polynomial").unwrap();
    let stream = stream();
    let name = CString::new("coefficients").unwrap();
    module.get_global::<[f32; 4]>(&name).unwrap().copy_from(&[1.0, -2.0, 0.5, 0.25]).unwrap();
    let x: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.125).collect();
    let dx = DeviceBuffer::from_slice(&x).unwrap();
    let dy = DeviceBuffer::<f64>::zeroed(100).unwrap();
    // SAFETY: arguments as the kernel has them.
    unsafe {
        launch!(polynomial<<<4, 32, 0, stream>>>(dy.as_device_ptr(), dx.as_device_ptr(), 100))
            .unwrap();
    }
    let want: Vec<f64> = x.iter().map(|x| ((0.25 * x + 0.5) * x - 2.0) * x + 1.0).collect();
    assert_eq!(dy.as_host_vec().unwrap(), want);
}

#[test]
fn managed_memory_is_seen_by_both() {
    let _rig = rig();
    let module = module(SOURCE);
    let scale = module.get_function("scale").unwrap();
    let stream = stream();
    let mut data = UnifiedBuffer::new(&3i32, 100).unwrap();
    for (i, value) in data.iter_mut().enumerate() {
        *value += i as i32;
    }
    for factor in [2i32, 5] {
        // SAFETY: arguments as the kernel has them.
        unsafe {
            launch!(scale<<<1, 128, 0, stream>>>(data.as_unified_ptr(), factor, 100)).unwrap()
        };
        stream.synchronize().unwrap();
        data[0] += 1;
    }
    assert_eq!(data[0], (3 * 2 + 1) * 5 + 1);
    assert!((1..100).all(|i| data[i] == (3 + i as i32) * 10));
    assert_eq!(findings(), []);
}

#[test]
fn kernels_reach_into_pinned_memory() {
    let _rig = rig();
    let module = module(SOURCE);
    let scale = module.get_function("scale").unwrap();
    let stream = stream();
    let mut data = LockedBuffer::new(&7i32, 64).unwrap();
    let address = data.as_mut_ptr() as u64;
    // SAFETY: arguments as the kernel has them: the address of 64 values.
    unsafe { launch!(scale<<<1, 64, 0, stream>>>(address, -1i32, 64)).unwrap() };
    stream.synchronize().unwrap();
    assert_eq!(data.as_slice(), [-7; 64]);
}

#[test]
fn arguments_of_all_sizes_arrive_and_are_traced() {
    let _rig = rig();
    let module = module(SOURCE);
    let mixed = module.get_function("mixed").unwrap();
    let stream = stream();
    let out = DeviceBuffer::<u8>::zeroed(32).unwrap();
    // SAFETY: arguments as the kernel has them.
    unsafe {
        let (out, wide) = (out.as_device_ptr(), -(1i64 << 40));
        launch!(mixed<<<1, 1, 0, stream>>>(out, -3i8, 2.5f64, 300i16, 1.25f32, wide)).unwrap();
    }
    let back = out.as_host_vec().unwrap();
    assert_eq!(back[0] as i8, -3);
    assert_eq!(back[8..16], 2.5f64.to_le_bytes());
    assert_eq!(back[16..18], 300i16.to_le_bytes());
    assert_eq!(back[20..24], 1.25f32.to_le_bytes());
    assert_eq!(back[24..32], (-(1i64 << 40)).to_le_bytes());
    let log = emulation::calls::take().0;
    let launch = log.iter().find_map(|c| c.launch.as_ref()).unwrap();
    assert_eq!(launch.kernel, "mixed");
    let sizes: Vec<usize> = launch.params.iter().map(|p| p.bytes.len()).collect();
    assert_eq!(sizes, [8, 1, 8, 2, 4, 8]);
    assert_eq!(launch.params[2].name, "d");
    assert_eq!(launch.params[2].type_name, "double");
    assert_eq!(launch.params[4].bytes, 1.25f32.to_le_bytes());
}

#[test]
fn printf_is_kept_with_the_launch() {
    let _rig = rig();
    let module = module(SOURCE);
    let hello = module.get_function("hello").unwrap();
    let stream = stream();
    // SAFETY: arguments as the kernel has them.
    unsafe { launch!(hello<<<1, 32, 0, stream>>>(2)).unwrap() };
    let reports = emulation::findings::take_reports();
    assert_eq!(reports[0].printf, "hello from 0\nhello from 1\n");
}

#[test]
fn chunks_in_several_streams_are_in_order_and_overlap() {
    let _rig = rig();
    let module = module(SOURCE);
    let scale = module.get_function("scale").unwrap();
    let chunk = 1usize << 16;
    let mut host = LockedBuffer::new(&2i32, 4 * chunk).unwrap();
    let buffer = DeviceBuffer::<i32>::zeroed(4 * chunk).unwrap();
    cust::context::CurrentContext::synchronize().unwrap();
    let streams: Vec<Stream> = (0..4).map(|_| stream()).collect();
    for (i, stream) in streams.iter().enumerate() {
        let range = i * chunk..(i + 1) * chunk;
        let mut part = buffer.index(range.clone());
        // SAFETY: the buffers live until everything is synchronised.
        unsafe {
            part.async_copy_from(&host[range.clone()], stream).unwrap();
            let (p, n) = (part.as_device_ptr(), chunk as i32);
            launch!(scale<<<chunk as u32 / 256, 256, 0, stream>>>(p, i as i32, n)).unwrap();
            part.async_copy_to(&mut host[range], stream).unwrap();
        }
    }
    cust::context::CurrentContext::synchronize().unwrap();
    assert!((0..4).all(|i| host[i * chunk + 5] == 2 * i as i32));
    assert_eq!(findings(), []);
}

#[test]
fn a_kernel_in_another_stream_must_wait_for_the_copy() {
    let _rig = rig();
    let module = module(SOURCE);
    let scale = module.get_function("scale").unwrap();
    let (one, two) = (stream(), stream());
    let data = vec![1i32; 64];
    let mut buffer = DeviceBuffer::<i32>::zeroed(64).unwrap();
    for ordered in [false, true] {
        cust::context::CurrentContext::synchronize().unwrap();
        // SAFETY: `data` and `buffer` live on.
        unsafe {
            buffer.async_copy_from(&data, &one).unwrap();
            if ordered {
                let copied = Event::new(EventFlags::DISABLE_TIMING).unwrap();
                copied.record(&one).unwrap();
                two.wait_event(copied, StreamWaitEventFlags::DEFAULT).unwrap();
            }
            launch!(scale<<<1, 64, 0, two>>>(buffer.as_device_ptr(), 3i32, 64)).unwrap();
        }
        let found = findings();
        if ordered {
            assert_eq!(found, []);
        } else {
            assert_eq!(found[0].0, "RACE-G");
            assert!(found[0].1.starts_with("kernel `scale` in stream"), "{found:?}");
        }
    }
}

#[test]
fn occupancy_is_that_of_the_model() {
    let _rig = rig();
    let module = module(SOURCE);
    let add = module.get_function("add").unwrap();
    // Few registers, no shared memory: the limit is 64 warps of 32 threads.
    let blocks = add.max_active_blocks_per_multiprocessor(BlockSize::x(256), 0).unwrap();
    assert_eq!(blocks, 8);
    assert_eq!(add.max_active_blocks_per_multiprocessor(BlockSize::x(1024), 100 << 10).unwrap(), 2);
    let (grid, block) = add.suggested_launch_configuration(0, BlockSize::x(0)).unwrap();
    assert_eq!((grid, block), (264, 1024));
    let (_, limited) = add.suggested_launch_configuration(0, BlockSize::x(100)).unwrap();
    assert!(limited <= 100);
    let shared =
        add.available_dynamic_shared_memory_per_block(2.into(), BlockSize::x(256)).unwrap();
    assert_eq!(add.max_active_blocks_per_multiprocessor(BlockSize::x(256), shared).unwrap(), 2);
    assert!(add.max_active_blocks_per_multiprocessor(BlockSize::x(256), shared + 1).unwrap() < 2);
}

#[test]
fn threads_share_the_device() {
    let rig = rig();
    let module = module(SOURCE);
    std::thread::scope(|scope| {
        for t in 0..4i32 {
            let (module, rig) = (&module, &rig);
            scope.spawn(move || {
                cust::context::CurrentContext::set_current(&rig._context).unwrap();
                let scale = module.get_function("scale").unwrap();
                let stream = stream();
                let data: Vec<i32> = (0..500).collect();
                for _ in 0..5 {
                    let buffer = DeviceBuffer::from_slice(&data).unwrap();
                    // SAFETY: arguments as the kernel has them.
                    unsafe {
                        launch!(scale<<<2, 256, 0, stream>>>(buffer.as_device_ptr(), t, 500))
                            .unwrap()
                    };
                    let back = buffer.as_host_vec().unwrap();
                    assert!(back.iter().enumerate().all(|(i, v)| *v == i as i32 * t));
                }
            });
        }
    });
    assert_eq!(emulation::findings::take_reports().len(), 20);
    assert_eq!(findings(), []);
}

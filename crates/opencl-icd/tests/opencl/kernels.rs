//! Kernels, and that all platforms compute the same.

use ocl::{Buffer, Kernel};

use crate::support::{emulated, everywhere, pro_que};

const ADD: &str = "
__kernel void add(__global const float *a, __global const float *b, __global float *c,
                  const float scale, const int n) {
    int i = get_global_id(0);
    if (i < n) c[i] = scale * a[i] + b[i];
}
";

#[test]
fn a_vector_is_added_on_every_platform() {
    let n = 1000;
    let a: Vec<f32> = (0..n).map(|i| i as f32 * 0.25).collect();
    let b: Vec<f32> = (0..n).map(|i| 1000.0 - i as f32).collect();
    let want: Vec<f32> = a.iter().zip(&b).map(|(a, b)| 2.0 * a + b).collect();
    for platform in everywhere() {
        let pq = pro_que(platform, ADD, 1024);
        let buffer = |data: &[f32]| {
            Buffer::builder()
                .queue(pq.queue().clone())
                .len(data.len())
                .copy_host_slice(data)
                .build()
                .unwrap()
        };
        let (a, b) = (buffer(&a), buffer(&b));
        let c = Buffer::<f32>::builder().queue(pq.queue().clone()).len(n).build().unwrap();
        let kernel = pq
            .kernel_builder("add")
            .arg(&a)
            .arg(&b)
            .arg(&c)
            .arg(2.0f32)
            .arg(n as i32)
            .local_work_size(128)
            .build()
            .unwrap();
        // SAFETY: the arguments are those of the kernel.
        unsafe { kernel.enq().unwrap() };
        let mut found = vec![0.0; n];
        c.read(&mut found).enq().unwrap();
        assert_eq!(found, want, "{}", platform.name().unwrap());
    }
}

/// The emulated platform once took every type whose name begins so for an image.
#[test]
fn a_structure_may_have_a_name_like_an_image() {
    let text = "typedef struct { int width, height; } image_size;
        __kernel void area(__global int *out, image_size s) { *out = s.width * s.height; }";
    let pq = pro_que(emulated(), text, 1);
    let out = pq.create_buffer::<i32>().unwrap();
    let mut builder = pq.kernel_builder("area");
    builder.arg(&out).arg(ocl::prm::Int2::new(6, 7));
    // SAFETY: the structure has the two numbers of the vector.
    unsafe { builder.disable_arg_type_check() };
    let kernel = builder.build().unwrap();
    // SAFETY: the arguments are those of the kernel.
    unsafe { kernel.enq().unwrap() };
    let mut found = [0];
    out.read(&mut found[..]).enq().unwrap();
    assert_eq!(found, [42]);
}

const SUMS: &str = "
__kernel void sums(__global const uint *in, __global uint *out, __local uint *part) {
    uint i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (i < step) part[i] += part[i + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) out[get_group_id(0)] = part[0];
}
";

#[test]
fn local_memory_has_the_size_of_its_argument() {
    for platform in everywhere() {
        let pq = pro_que(platform, SUMS, 512);
        let data: Vec<u32> = (0..512).map(|i| i * i).collect();
        let input = Buffer::builder()
            .queue(pq.queue().clone())
            .len(512)
            .copy_host_slice(&data)
            .build()
            .unwrap();
        let output = Buffer::<u32>::builder().queue(pq.queue().clone()).len(8).build().unwrap();
        let kernel = pq
            .kernel_builder("sums")
            .arg(&input)
            .arg(&output)
            .arg_local::<u32>(64)
            .local_work_size(64)
            .build()
            .unwrap();
        // SAFETY: the arguments are those of the kernel.
        unsafe { kernel.enq().unwrap() };
        let mut found = vec![0; 8];
        output.read(&mut found).enq().unwrap();
        let want: Vec<u32> = data.chunks(64).map(|part| part.iter().sum()).collect();
        assert_eq!(found, want, "{}", platform.name().unwrap());
    }
}

const PLACES: &str = "
__kernel void places(__global uint *out) {
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint row = (z - get_global_offset(2)) * get_global_size(1) + y - get_global_offset(1);
    uint i = row * get_global_size(0) + x - get_global_offset(0);
    out[i] = x + 100 * y + 10000 * z;
}
";

#[test]
fn an_ndrange_has_three_axes_and_an_offset() {
    for platform in everywhere() {
        let pq = pro_que(platform, PLACES, (6, 5, 4));
        let out = pq.create_buffer::<u32>().unwrap();
        let kernel =
            pq.kernel_builder("places").arg(&out).global_work_offset((3, 2, 1)).build().unwrap();
        // SAFETY: the argument is that of the kernel. No local size: the platform chooses one.
        unsafe { kernel.enq().unwrap() };
        let mut found = vec![0; 120];
        out.read(&mut found).enq().unwrap();
        let want: Vec<u32> =
            (0..120).map(|i| (i % 6 + 3) + 100 * (i / 6 % 5 + 2) + 10000 * (i / 30 + 1)).collect();
        assert_eq!(found, want, "{}", platform.name().unwrap());
    }
}

#[test]
fn build_options_reach_the_preprocessor() {
    let source = "__kernel void fill(__global int *out) { out[get_global_id(0)] = VALUE; }";
    for platform in everywhere() {
        let queue = crate::support::queue(platform);
        let program = ocl::Program::builder()
            .src(source)
            .devices(queue.device())
            .cmplr_def("VALUE", 42)
            .build(&queue.context())
            .unwrap();
        let out = Buffer::<i32>::builder().queue(queue.clone()).len(3).build().unwrap();
        let kernel = Kernel::builder()
            .program(&program)
            .name("fill")
            .queue(queue)
            .global_work_size(3)
            .arg(&out)
            .build()
            .unwrap();
        // SAFETY: the argument is that of the kernel.
        unsafe { kernel.enq().unwrap() };
        let mut found = vec![0; 3];
        out.read(&mut found).enq().unwrap();
        assert_eq!(found, [42; 3]);
    }
}

#[test]
fn a_launch_leaves_its_counts() {
    let pq = pro_que(emulated(), ADD, 64);
    let buffer = |value: f32| {
        Buffer::builder().queue(pq.queue().clone()).len(64).fill_val(value).build().unwrap()
    };
    let (a, b, c) = (buffer(1.0), buffer(2.0), buffer(0.0));
    let kernel =
        pq.kernel_builder("add").arg(&a).arg(&b).arg(&c).arg(1.0f32).arg(64i32).build().unwrap();
    // SAFETY: the arguments are those of the kernel.
    unsafe { kernel.cmd().local_work_size(32).enq().unwrap() };
    let reports = emulation::findings::take_reports();
    let report = reports.iter().find(|r| r.kernel == "add" && r.grid == [2, 1, 1]).unwrap();
    assert_eq!(report.block, [32, 1, 1]);
    // Two loads and a store of 128 bytes for each warp: four sectors each.
    assert_eq!((report.total.gld_sec, report.total.gst_sec), (16, 8));
}

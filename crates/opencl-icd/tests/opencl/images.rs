//! Images: a convolution, and the commands that move texels.

use cl_sys::*;
use ocl::enums::{
    AddressingMode, FilterMode, ImageChannelDataType, ImageChannelOrder, MemObjectType,
};
use ocl::{Buffer, Image, OclPrm, Platform, ProQue, Sampler};

use crate::support::{emulated, everywhere, pro_que};

const W: usize = 24;
const H: usize = 16;

const CONVOLUTION: &str = r"
__constant float weight[9] = { 1, 2, 1, 2, 4, 2, 1, 2, 1 };
__kernel void blur(__read_only image2d_t in, __write_only image2d_t out, sampler_t s)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int k = 0; k < 9; ++k)
        sum += weight[k] * read_imagef(in, s, at + (int2)(k % 3 - 1, k / 3 - 1));
    write_imagef(out, at, sum / 16.0f);
}";

fn image<T: OclPrm>(pq: &ProQue, kind: ImageChannelDataType, data: Option<&[T]>) -> Image<T> {
    let builder = Image::<T>::builder()
        .channel_order(ImageChannelOrder::Rgba)
        .channel_data_type(kind)
        .image_type(MemObjectType::Image2d)
        .dims((W, H))
        .queue(pq.queue().clone());
    match data {
        Some(data) => builder.copy_host_slice(data).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

fn texels() -> Vec<u8> {
    (0..4 * W * H).map(|i| (i * 37 % 251) as u8).collect()
}

/// The blurred picture; the edge is repeated.
fn blurred(x: &[u8]) -> Vec<u8> {
    let at = |x0: i64, y0: i64, c: usize| {
        let (x0, y0) = (x0.clamp(0, W as i64 - 1) as usize, y0.clamp(0, H as i64 - 1) as usize);
        f64::from(x[4 * (y0 * W + x0) + c])
    };
    let weight = [1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0];
    let one = |i: usize| {
        let (c, x0, y0) = (i % 4, (i / 4 % W) as i64, (i / 4 / W) as i64);
        let terms = (0..9).map(|k| weight[k as usize] * at(x0 + k % 3 - 1, y0 + k / 3 - 1, c));
        (terms.sum::<f64>() / 16.0).round() as u8
    };
    (0..x.len()).map(one).collect()
}

#[test]
fn a_convolution_reads_through_a_sampler() {
    for platform in everywhere() {
        let pq = pro_que(platform, CONVOLUTION, (W, H));
        let input = image(&pq, ImageChannelDataType::UnormInt8, Some(&texels()));
        let output = image::<u8>(&pq, ImageChannelDataType::UnormInt8, None);
        let edge = AddressingMode::ClampToEdge;
        let sampler = Sampler::new(pq.context(), false, edge, FilterMode::Nearest).unwrap();
        let kernel = pq
            .kernel_builder("blur")
            .arg(&input)
            .arg(&output)
            .arg_sampler(&sampler)
            .build()
            .unwrap();
        // SAFETY: the images are as large as the range.
        unsafe { kernel.enq() }.unwrap();
        let mut out = vec![0u8; 4 * W * H];
        output.read(&mut out).enq().unwrap();
        // A half may be rounded to either side.
        let far = out.iter().zip(blurred(&texels())).filter(|(a, b)| a.abs_diff(*b) > 1).count();
        assert_eq!(far, 0, "{}", platform.name().unwrap());
    }
}

/// All commands that move texels, by their names in the manual.
fn moved(platform: Platform) -> Vec<Vec<u8>> {
    let pq = pro_que(platform, "__kernel void none() {}", (W, H));
    let a = image(&pq, ImageChannelDataType::UnormInt8, Some(&texels()));
    let b = image(&pq, ImageChannelDataType::UnormInt8, Some(&vec![9u8; 4 * W * H]));
    let flat = Buffer::<u8>::builder().queue(pq.queue().clone()).len(4 * W * H).build().unwrap();
    flat.write(&vec![1u8; 4 * W * H]).enq().unwrap();
    let (queue, a_at, b_at, flat_at) = (pq.queue().as_ptr(), a.as_ptr(), b.as_ptr(), flat.as_ptr());
    let (none, list) = (std::ptr::null_mut(), std::ptr::null());
    let check = |status: cl_int| assert_eq!(status, CL_SUCCESS);
    let colour = [1.0f32, 0.6, 0.0, 2.0];
    let patch = [200u8; 4 * 3 * 2];
    let mut part = vec![0u8; 40 * 5];
    let mut mapped = Vec::new();
    // SAFETY: all regions lie inside of the images; the host's memory is large enough.
    unsafe {
        let (origin, region) = ([2usize, 3, 0], [6usize, 5, 1]);
        let to = [10usize, 7, 0];
        check(clEnqueueCopyImage(
            queue,
            a_at,
            b_at,
            origin.as_ptr(),
            to.as_ptr(),
            region.as_ptr(),
            0,
            list,
            none,
        ));
        let (corner, small) = ([0usize, 0, 0], [3usize, 2, 1]);
        check(clEnqueueWriteImage(
            queue,
            b_at,
            CL_TRUE,
            corner.as_ptr(),
            small.as_ptr(),
            0,
            0,
            patch.as_ptr().cast(),
            0,
            list,
            none,
        ));
        let right = [20usize, 0, 0];
        check(clEnqueueFillImage(
            queue,
            b_at,
            colour.as_ptr().cast(),
            right.as_ptr(),
            small.as_ptr(),
            0,
            list,
            none,
        ));
        check(clEnqueueCopyImageToBuffer(
            queue,
            b_at,
            flat_at,
            to.as_ptr(),
            small.as_ptr(),
            16,
            0,
            list,
            none,
        ));
        check(clEnqueueCopyBufferToImage(
            queue,
            flat_at,
            b_at,
            16,
            [0usize, 12, 0].as_ptr(),
            small.as_ptr(),
            0,
            list,
            none,
        ));
        check(clEnqueueReadImage(
            queue,
            b_at,
            CL_TRUE,
            to.as_ptr(),
            region.as_ptr(),
            40,
            0,
            part.as_mut_ptr().cast(),
            0,
            list,
            none,
        ));
        let (mut row, mut status) = (0usize, 0);
        let rows = clEnqueueMapImage(
            queue,
            b_at,
            CL_TRUE,
            CL_MAP_READ | CL_MAP_WRITE,
            corner.as_ptr(),
            small.as_ptr(),
            &mut row,
            none.cast(),
            0,
            list,
            none,
            &mut status,
        );
        check(status);
        for y in 0..2 {
            let line = rows.cast::<u8>().add(y * row);
            mapped.extend_from_slice(std::slice::from_raw_parts(line, 12));
            line.write(77);
        }
        check(clEnqueueUnmapMemObject(queue, b_at, rows, 0, list, none));
    }
    let (mut whole, mut bytes) = (vec![0u8; 4 * W * H], vec![0u8; 4 * W * H]);
    b.read(&mut whole).enq().unwrap();
    flat.read(&mut bytes).enq().unwrap();
    vec![whole, bytes, part, mapped]
}

/// The same on plain arrays.
fn expected() -> Vec<Vec<u8>> {
    let a = texels();
    let mut b = vec![9u8; 4 * W * H];
    let at = |x: usize, y: usize| 4 * (y * W + x);
    for y in 0..5 {
        b[at(10, 7 + y)..][..24].copy_from_slice(&a[at(2, 3 + y)..][..24]);
    }
    for y in 0..2 {
        b[at(0, y)..][..12].fill(200);
        for x in 20..23 {
            b[at(x, y)..][..4].copy_from_slice(&[255, 153, 0, 255]);
        }
    }
    let mut flat = vec![1u8; 4 * W * H];
    for y in 0..2 {
        flat[16 + 12 * y..][..12].copy_from_slice(&b[at(10, 7 + y)..][..12]);
        b[at(0, 12 + y)..][..12].copy_from_slice(&flat[16 + 12 * y..][..12]);
    }
    let mut part = vec![0u8; 200];
    for y in 0..5 {
        part[40 * y..][..24].copy_from_slice(&b[at(10, 7 + y)..][..24]);
    }
    let mapped = vec![200u8; 24];
    b[at(0, 0)] = 77;
    b[at(0, 1)] = 77;
    vec![b, flat, part, mapped]
}

#[test]
fn texels_are_moved_as_the_manual_says() {
    for platform in everywhere() {
        let names = ["the image", "the buffer", "what was read", "what was mapped"];
        for ((got, want), name) in moved(platform).iter().zip(expected()).zip(names) {
            let at = got.iter().zip(&want).position(|(a, b)| a != b);
            let platform = platform.name().unwrap();
            assert_eq!((at, got.len()), (None, want.len()), "{platform}: {name}");
        }
    }
}

#[test]
fn formats_that_no_image_has_are_refused() {
    let pq = pro_que(emulated(), CONVOLUTION, (W, H));
    let wrong = Image::<u8>::builder()
        .channel_order(ImageChannelOrder::Bgra)
        .channel_data_type(ImageChannelDataType::UnormInt8)
        .image_type(MemObjectType::Image2d)
        .dims((W, H))
        .queue(pq.queue().clone())
        .build();
    assert!(wrong.is_err());
    let text = opencl_icd::last_error_text().unwrap_or_default();
    assert!(text.contains("clGetSupportedImageFormats"), "{text}");
}

#[test]
fn an_image_is_told_from_a_buffer() {
    let pq = pro_que(emulated(), CONVOLUTION, (W, H));
    let kernel = pq.kernel_builder("blur").arg(None::<&Image<u8>>).build();
    assert!(kernel.is_err());
    let buffer = pq.create_buffer::<u8>().unwrap();
    let core = ocl::core::create_kernel(pq.program(), "blur").unwrap();
    let status = ocl::core::set_kernel_arg(&core, 0, ocl::core::ArgVal::mem(&buffer));
    assert!(status.is_err());
    let text = opencl_icd::last_error_text().unwrap_or_default();
    assert!(text.contains("memory object of another kind"), "{text}");
}

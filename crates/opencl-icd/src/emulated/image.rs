//! Images and samplers. An image is memory like a buffer, its texels in rows, and a descriptor in
//! device memory that kernels read ([`Texture`]).

use std::os::raw::c_void;

use cl_sys::*;
use emulation::evidence;
use emulation::settings::memory_ms;
use simt::texture::{Address, Texture};

use super::held;
use super::host::Given;
use super::info::{self, Room};
use super::mapping;
use super::memory::{check_flags, check_host, memory_failure, new_buffer};
use super::platform::{TEXELS, TEXELS_OVER_BUFFER};
use super::schedule::Events;
use super::state::{Buffer, Emulated, Engine, Image, Object, Sampler, State, emulated};
use super::transfer::{
    Command, NS_PER_MS, Rect, RowLayout, buffer, copy, layout, memory_object, overlap, read, rows,
    write,
};
use crate::failure::{Done, Failure};

/// The channel types: their bits, whether they are signed, whether they are read as 0 to 1.
const TYPES: [(u32, u32, bool, bool); 12] = [
    (CL_SNORM_INT8, 8, true, true),
    (CL_SNORM_INT16, 16, true, true),
    (CL_UNORM_INT8, 8, false, true),
    (CL_UNORM_INT16, 16, false, true),
    (CL_SIGNED_INT8, 8, true, false),
    (CL_SIGNED_INT16, 16, true, false),
    (CL_SIGNED_INT32, 32, true, false),
    (CL_UNSIGNED_INT8, 8, false, false),
    (CL_UNSIGNED_INT16, 16, false, false),
    (CL_UNSIGNED_INT32, 32, false, false),
    (CL_HALF_FLOAT, 16, true, false),
    (CL_FLOAT, 32, true, false),
];

/// The channel orders, with their numbers of channels.
const ORDERS: [(u32, u32); 3] = [(CL_R, 1), (CL_RG, 2), (CL_RGBA, 4)];

const KINDS: [u32; 6] = [
    CL_MEM_OBJECT_IMAGE1D,
    CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE1D_BUFFER,
    CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_MEM_OBJECT_IMAGE3D,
];

impl Image {
    /// Bytes from row to row, and from plane to plane.
    fn pitches(&self) -> (u64, u64) {
        let row = self.size[0] * self.texel;
        (row, row * self.size[1])
    }

    /// Where a region of texels lies, in bytes.
    fn place(&self, origin: [u64; 3], region: [u64; 3]) -> Done<([u64; 3], RowLayout, u64)> {
        for axis in 0..3 {
            let end = origin[axis].checked_add(region[axis]);
            if region[axis] == 0 || end.is_none_or(|end| end > self.size[axis]) {
                return Err(Failure::value(format!(
                    "{} texels from {} along axis {axis} of an image with {}",
                    region[axis], origin[axis], self.size[axis]
                )));
            }
        }
        let (row, plane) = self.pitches();
        let bytes = [region[0] * self.texel, region[1], region[2]];
        let origin = [origin[0] * self.texel, origin[1], origin[2]];
        let (layout, end) = layout("the image", origin, bytes, row, plane)?;
        Ok((bytes, layout, end))
    }

    /// Where a region lies in the program's memory: rows of an array of lines are its layers.
    fn host(&self, bytes: [u64; 3], row: usize, slice: usize) -> Done<RowLayout> {
        let lines = self.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        let (row, slice) = if lines && slice != 0 { (slice, 0) } else { (row, slice) };
        layout("the host's side", [0; 3], bytes, row as u64, slice as u64).map(|(l, _)| l)
    }
}

fn image(state: &State, handle: cl_mem) -> Done<(&Buffer, &Image)> {
    let found = state.buffer(handle as usize)?;
    match &found.image {
        Some(image) => Ok((found, image)),
        None => Err(Failure::new(CL_INVALID_MEM_OBJECT, "expected an image, found a buffer")),
    }
}

/// Axes of an image: texels of a row, rows, planes.
fn axes(desc: &cl_image_desc) -> Done<[u64; 3]> {
    let (w, h) = (desc.image_width, desc.image_height);
    let size = match desc.image_type {
        CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER => [w, 1, 1],
        CL_MEM_OBJECT_IMAGE1D_ARRAY => [w, desc.image_array_size, 1],
        CL_MEM_OBJECT_IMAGE2D => [w, h, 1],
        CL_MEM_OBJECT_IMAGE2D_ARRAY => [w, h, desc.image_array_size],
        CL_MEM_OBJECT_IMAGE3D => [w, h, desc.image_depth],
        other => {
            let line = format!("there is no kind of images {other:#x}");
            return Err(Failure::new(CL_INVALID_IMAGE_DESCRIPTOR, line));
        }
    };
    let most = match desc.image_type {
        CL_MEM_OBJECT_IMAGE1D_BUFFER => TEXELS_OVER_BUFFER,
        _ => TEXELS,
    };
    if size.iter().any(|n| *n == 0 || *n > most) {
        let [w, h, d] = size;
        let line = format!("an image of {w} x {h} x {d} texels: each axis has 1 to {most}");
        return Err(Failure::new(CL_INVALID_IMAGE_SIZE, line));
    }
    if desc.num_mip_levels != 0 || desc.num_samples != 0 {
        let line = "num_mip_levels and num_samples are 0 in OpenCL 1.2";
        return Err(Failure::new(CL_INVALID_IMAGE_DESCRIPTOR, line));
    }
    Ok(size.map(|n| n as u64))
}

/// # Safety
/// `host` leads to as much memory as the description says.
unsafe fn create(
    context: cl_context,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    desc: &cl_image_desc,
    host: *mut c_void,
) -> Done<*mut c_void> {
    let emulated = emulated()?;
    let mut state = emulated.lock();
    state.context(context as usize)?;
    check_flags(flags)?;
    if format.is_null() {
        return Err(Failure::new(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the format is null"));
    }
    // SAFETY: the caller's format.
    let [order, channel] = unsafe { format.cast::<[u32; 2]>().read_unaligned() };
    let channels = ORDERS.iter().find(|o| o.0 == order).map(|o| o.1);
    let of_type = TYPES.iter().find(|t| t.0 == channel);
    let (Some(channels), Some((_, bits, signed, unit))) = (channels, of_type) else {
        let line = format!(
            "no images of the format {order:#x}, {channel:#x}: clGetSupportedImageFormats lists \
             them (CL_R, CL_RG and CL_RGBA)"
        );
        return Err(Failure::new(CL_IMAGE_FORMAT_NOT_SUPPORTED, line));
    };
    let size = axes(desc)?;
    let texel = u64::from(channels * bits / 8);
    let mut made = Image { kind: desc.image_type, format: [order, channel], texel, size, about: 0 };
    let (row, plane) = made.pitches();
    let bytes = plane * size[2];
    // An image over a buffer has its memory.
    let over = match (desc.image_type, desc.buffer.is_null()) {
        (CL_MEM_OBJECT_IMAGE1D_BUFFER, false) => Some(desc.buffer as usize),
        (CL_MEM_OBJECT_IMAGE1D_BUFFER, true) | (_, false) => {
            let line = "CL_MEM_OBJECT_IMAGE1D_BUFFER, and no other kind here, is over a buffer";
            return Err(Failure::new(CL_INVALID_IMAGE_DESCRIPTOR, line));
        }
        _ => None,
    };
    let base = match over {
        Some(handle) => {
            let found = state.buffer(handle)?;
            if found.size < bytes || found.image.is_some() {
                let line = "the image does not fit into its buffer";
                return Err(Failure::new(CL_INVALID_IMAGE_SIZE, line));
            }
            found.base
        }
        None => {
            let from_host = check_host(flags, host)?;
            let name = state.new_buffer_name();
            let region = [row, size[1], size[2]];
            let from = made.host(region, desc.image_row_pitch, desc.image_slice_pitch)?;
            let to = RowLayout { offset: 0, row, plane };
            let base = emulated.memory.alloc(bytes, &name).map_err(|e| memory_failure(&e))?;
            if from_host {
                // SAFETY: the caller's memory.
                let given = unsafe { Given::at(host as usize, from.length(region)) }?;
                for (from, to) in rows(region, from, to) {
                    let part = given.part(from, row);
                    emulated.memory.write(base + to, part).map_err(|e| memory_failure(&e))?;
                }
            }
            base
        }
    };
    let texture = Texture {
        data: base,
        size: size.map(|n| n as u32),
        pitch: row as u32,
        channels,
        bits: *bits,
        signed: *signed,
        linear: false,
        address: Address::Clamp,
        unit_coords: false,
        unit_values: *unit,
        channel_type: channel,
    };
    let room = Texture::BYTES as u64;
    made.about = emulated.memory.alloc(room, "image").map_err(|e| memory_failure(&e))?;
    emulated.memory.write(made.about, &texture.bytes()).map_err(|e| memory_failure(&e))?;
    let buffer =
        Buffer { parent: over, image: Some(made), ..new_buffer(context, flags, bytes, base, host) };
    Ok(state.add(Object::Buffer(buffer)) as *mut c_void)
}

pub(crate) unsafe fn clCreateImage(
    context: cl_context,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    desc: *const cl_image_desc,
    host: *mut c_void,
) -> Done<*mut c_void> {
    if desc.is_null() {
        return Err(Failure::new(CL_INVALID_IMAGE_DESCRIPTOR, "the description is null"));
    }
    // SAFETY: the caller's description, format and memory.
    unsafe { create(context, flags, format, &desc.read_unaligned(), host) }
}

fn description(kind: u32, size: [usize; 3], row: usize, slice: usize) -> cl_image_desc {
    cl_image_desc {
        image_type: kind,
        image_width: size[0],
        image_height: size[1],
        image_depth: size[2],
        image_array_size: 0,
        image_row_pitch: row,
        image_slice_pitch: slice,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: std::ptr::null_mut(),
    }
}

pub(crate) unsafe fn clCreateImage2D(
    context: cl_context,
    flags: cl_mem_flags,
    format: *mut cl_image_format,
    width: usize,
    height: usize,
    row: usize,
    host: *mut c_void,
) -> Done<*mut c_void> {
    let desc = description(CL_MEM_OBJECT_IMAGE2D, [width, height, 1], row, 0);
    // SAFETY: the caller's format and memory.
    unsafe { create(context, flags, format, &desc, host) }
}

pub(crate) unsafe fn clCreateImage3D(
    context: cl_context,
    flags: cl_mem_flags,
    format: *mut cl_image_format,
    width: usize,
    height: usize,
    depth: usize,
    row: usize,
    slice: usize,
    host: *mut c_void,
) -> Done<*mut c_void> {
    let desc = description(CL_MEM_OBJECT_IMAGE3D, [width, height, depth], row, slice);
    // SAFETY: the caller's format and memory.
    unsafe { create(context, flags, format, &desc, host) }
}

pub(crate) unsafe fn clGetSupportedImageFormats(
    context: cl_context,
    _flags: cl_mem_flags,
    kind: cl_mem_object_type,
    room: cl_uint,
    formats: *mut cl_image_format,
    number: *mut cl_uint,
) -> Done {
    emulated()?.lock().context(context as usize)?;
    if !KINDS.contains(&kind) {
        return Err(Failure::value(format!("there is no kind of images {kind:#x}")));
    }
    if formats.is_null() && number.is_null() {
        return Ok(());
    }
    // A format is two words: its order first.
    let pairs = ORDERS.iter().flat_map(|o| TYPES.iter().map(|t| [o.0, t.0]));
    let list: Vec<usize> =
        pairs.map(|[order, channel]| order as usize | (channel as usize) << 32).collect();
    // SAFETY: the caller's out-pointers; a format has the size of a handle.
    unsafe { info::give_list(&list, room, formats.cast(), number) }
}

pub(crate) unsafe fn clGetImageInfo(
    handle: cl_mem,
    question: cl_image_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let state = emulated()?.lock();
    let (found, image) = image(&state, handle)?;
    let [w, rows, planes] = image.size.map(|n| n as usize);
    let (row, plane) = image.pitches();
    let (flat, layers) = match image.kind {
        CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER => (true, 0),
        CL_MEM_OBJECT_IMAGE1D_ARRAY => (true, rows),
        CL_MEM_OBJECT_IMAGE2D_ARRAY => (false, planes),
        _ => (false, 0),
    };
    let [order, channel] = image.format;
    let slice = match image.kind {
        CL_MEM_OBJECT_IMAGE1D_ARRAY => row,
        CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D => plane,
        _ => 0,
    };
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_IMAGE_FORMAT => room.give(u64::from(order) | u64::from(channel) << 32),
            CL_IMAGE_ELEMENT_SIZE => room.give(image.texel as usize),
            CL_IMAGE_ROW_PITCH => room.give(row as usize),
            CL_IMAGE_SLICE_PITCH => room.give(slice as usize),
            CL_IMAGE_WIDTH => room.give(w),
            CL_IMAGE_HEIGHT => room.give(if flat { 0 } else { rows }),
            CL_IMAGE_DEPTH => {
                room.give(if image.kind == CL_MEM_OBJECT_IMAGE3D { planes } else { 0 })
            }
            CL_IMAGE_ARRAY_SIZE => room.give(layers),
            CL_IMAGE_BUFFER => room.give(found.parent.unwrap_or(0)),
            CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => room.give(0u32),
            _ => Err(Failure::value(format!("images have no information {question:#x}"))),
        }
    }
}

// ---- moving texels

/// A region of an image as a copy sees it, with the host's side.
///
/// # Safety
/// Three entries behind each pointer.
unsafe fn region_of(
    handle: cl_mem,
    origin: *const usize,
    region: *const usize,
    row: usize,
    slice: usize,
) -> Done<(Rect, u64)> {
    // SAFETY: the caller's triples.
    let (origin, region) =
        unsafe { (info::three("the origin", origin)?, info::three("the region", region)?) };
    let state = emulated()?.lock();
    let (_, image) = image(&state, handle)?;
    let (region, device, end) = image.place(origin, region)?;
    let host = image.host(region, row, slice)?;
    Ok((Rect { region, device, host }, end))
}

pub(crate) unsafe fn clEnqueueReadImage(
    queue: cl_command_queue,
    handle: cl_mem,
    blocking: cl_bool,
    origin: *const usize,
    region: *const usize,
    row: usize,
    slice: usize,
    host: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let command = Command {
        name: "clEnqueueReadImage",
        kind: CL_COMMAND_READ_IMAGE,
        queue,
        events: Events { count, list, event },
        blocking: blocking != 0,
        engine: Engine::ToHost,
    };
    // SAFETY: the caller's triples and memory.
    unsafe { read(command, handle, host, region_of(handle, origin, region, row, slice)) }
}

pub(crate) unsafe fn clEnqueueWriteImage(
    queue: cl_command_queue,
    handle: cl_mem,
    blocking: cl_bool,
    origin: *const usize,
    region: *const usize,
    row: usize,
    slice: usize,
    host: *const c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let command = Command {
        name: "clEnqueueWriteImage",
        kind: CL_COMMAND_WRITE_IMAGE,
        queue,
        events: Events { count, list, event },
        blocking: blocking != 0,
        engine: Engine::ToDevice,
    };
    // SAFETY: the caller's triples and memory.
    unsafe { write(command, handle, host, region_of(handle, origin, region, row, slice)) }
}

fn compute(name: &'static str, kind: u32, queue: cl_command_queue, events: Events) -> Command {
    Command { name, kind, queue, events, blocking: false, engine: Engine::Compute }
}

pub(crate) unsafe fn clEnqueueCopyImage(
    queue: cl_command_queue,
    src: cl_mem,
    dst: cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    // SAFETY: the caller's triples.
    let (region, src_origin, dst_origin) = unsafe {
        (
            info::three("the region", region)?,
            info::three("the source's origin", src_origin)?,
            info::three("the destination's origin", dst_origin)?,
        )
    };
    let (from, to, bytes, a, b) = {
        let state = emulated()?.lock();
        let (from, to) =
            (memory_object(&state, queue, src, 0)?, memory_object(&state, queue, dst, 0)?);
        let ((_, x), (_, y)) = (image(&state, src)?, image(&state, dst)?);
        if x.format != y.format {
            let line = "both images have the same format in a copy";
            return Err(Failure::new(CL_IMAGE_FORMAT_MISMATCH, line));
        }
        let (bytes, a, _) = x.place(src_origin, region)?;
        (from, to, bytes, a, y.place(dst_origin, region)?.1)
    };
    let apart = (0..3).any(|k| src_origin[k].abs_diff(dst_origin[k]) >= region[k]);
    if from.base == to.base && !apart {
        return Err(overlap());
    }
    let events = Events { count, list, event };
    let command = compute("clEnqueueCopyImage", CL_COMMAND_COPY_IMAGE, queue, events);
    // SAFETY: the caller's list and out-pointer.
    unsafe { copy(command, from, to, bytes, a, b) }
}

/// Texels between an image and a buffer, where they lie row by row.
struct Packed {
    image: cl_mem,
    origin: *const usize,
    region: *const usize,
    buffer: cl_mem,
    offset: usize,
}

/// # Safety
/// Three entries behind each pointer; the caller's list and out-pointer.
unsafe fn copy_packed(command: Command, packed: &Packed, to_buffer: bool) -> Done {
    // SAFETY: the caller's triples.
    let (origin, region) = unsafe {
        (info::three("the origin", packed.origin)?, info::three("the region", packed.region)?)
    };
    let (texels, bytes, place, flat, at) = {
        let state = emulated()?.lock();
        let texels = memory_object(&state, command.queue, packed.image, 0)?;
        let flat = buffer(&state, command.queue, packed.buffer, 0)?;
        let (region, place, _) = image(&state, packed.image)?.1.place(origin, region)?;
        let (at, _) = layout("the buffer", [0; 3], region, 0, 0)?;
        flat.check("a copy", packed.offset as u64, region.iter().product())?;
        (texels, region, place, flat, RowLayout { offset: packed.offset as u64, ..at })
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe {
        match to_buffer {
            true => copy(command, texels, flat, bytes, place, at),
            false => copy(command, flat, texels, bytes, at, place),
        }
    }
}

pub(crate) unsafe fn clEnqueueCopyImageToBuffer(
    queue: cl_command_queue,
    image: cl_mem,
    buffer: cl_mem,
    origin: *const usize,
    region: *const usize,
    offset: usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let (name, kind) = ("clEnqueueCopyImageToBuffer", CL_COMMAND_COPY_IMAGE_TO_BUFFER);
    let packed = Packed { image, origin, region, buffer, offset };
    // SAFETY: the caller's triples, list and out-pointer.
    unsafe { copy_packed(compute(name, kind, queue, Events { count, list, event }), &packed, true) }
}

pub(crate) unsafe fn clEnqueueCopyBufferToImage(
    queue: cl_command_queue,
    buffer: cl_mem,
    image: cl_mem,
    offset: usize,
    origin: *const usize,
    region: *const usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let (name, kind) = ("clEnqueueCopyBufferToImage", CL_COMMAND_COPY_BUFFER_TO_IMAGE);
    let packed = Packed { image, origin, region, buffer, offset };
    // SAFETY: the caller's triples, list and out-pointer.
    unsafe {
        copy_packed(compute(name, kind, queue, Events { count, list, event }), &packed, false)
    }
}

/// The bytes of a texel whose channels have a value of `float`, `int` or `uint` each, as
/// `write_image...` stores them.
fn texel([order, channel]: [u32; 2], colour: [[u8; 4]; 4]) -> Vec<u8> {
    let channels = ORDERS.iter().find(|o| o.0 == order).map_or(0, |o| o.1 as usize);
    let unit = |v: f32, least: f32, most: f32| (v.clamp(least, 1.0) * most).round_ties_even();
    let one = |bytes: [u8; 4]| -> Vec<u8> {
        let (real, whole) = (f32::from_ne_bytes(bytes), i32::from_ne_bytes(bytes));
        let natural = u32::from_ne_bytes(bytes);
        match channel {
            CL_SNORM_INT8 => vec![unit(real, -1.0, 127.0) as i8 as u8],
            CL_UNORM_INT8 => vec![unit(real, 0.0, 255.0) as u8],
            CL_SNORM_INT16 => (unit(real, -1.0, 32767.0) as i16).to_ne_bytes().to_vec(),
            CL_UNORM_INT16 => (unit(real, 0.0, 65535.0) as u16).to_ne_bytes().to_vec(),
            CL_HALF_FLOAT => half::f16::from_f32(real).to_bits().to_ne_bytes().to_vec(),
            CL_SIGNED_INT8 => vec![whole.clamp(-128, 127) as i8 as u8],
            CL_SIGNED_INT16 => (whole.clamp(-32768, 32767) as i16).to_ne_bytes().to_vec(),
            CL_UNSIGNED_INT8 => vec![natural.min(255) as u8],
            CL_UNSIGNED_INT16 => (natural.min(65535) as u16).to_ne_bytes().to_vec(),
            _ => bytes.to_vec(),
        }
    };
    colour.into_iter().take(channels).flat_map(one).collect()
}

pub(crate) unsafe fn clEnqueueFillImage(
    queue: cl_command_queue,
    handle: cl_mem,
    colour: *const c_void,
    origin: *const usize,
    region: *const usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    if colour.is_null() {
        return Err(Failure::value("the colour is null"));
    }
    // SAFETY: the caller's colour and triples.
    let (colour, origin, region) = unsafe {
        (
            colour.cast::<[[u8; 4]; 4]>().read_unaligned(),
            info::three("the origin", origin)?,
            info::three("the region", region)?,
        )
    };
    let emulated = emulated()?;
    let state = emulated.lock();
    let to = memory_object(&state, queue, handle, 0)?;
    let (_, image) = image(&state, handle)?;
    let (bytes, place, _) = image.place(origin, region)?;
    let pattern = texel(image.format, colour);
    let work = move |emulated: &Emulated, _: &mut State| {
        for (at, _) in rows(bytes, place, place) {
            let times = bytes[0] / pattern.len() as u64;
            let memory = &emulated.memory;
            memory.fill(to.base + at, &pattern, times).map_err(|e| memory_failure(&e))?;
            evidence::filled(memory, to.base + at, bytes[0], &pattern);
        }
        Ok(memory_ms(emulated.device, bytes.iter().product()) * NS_PER_MS)
    };
    let events = Events { count, list, event };
    let command = compute("clEnqueueFillImage", CL_COMMAND_FILL_IMAGE, queue, events);
    // SAFETY: the caller's list and out-pointer.
    unsafe { command.submit(emulated, state, vec![to.handle], work) }
}

pub(crate) unsafe fn clEnqueueMapImage(
    queue: cl_command_queue,
    handle: cl_mem,
    blocking: cl_bool,
    flags: cl_map_flags,
    origin: *const usize,
    region: *const usize,
    row: *mut usize,
    slice: *mut usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done<*mut c_void> {
    if row.is_null() {
        return Err(Failure::value("the pointer to the row pitch is null"));
    }
    // SAFETY: the caller's triples.
    let (Rect { device, .. }, end) = unsafe { region_of(handle, origin, region, 0, 0) }?;
    // SAFETY: the caller's out-pointers.
    unsafe {
        row.write_unaligned(device.row as usize);
        if !slice.is_null() {
            slice.write_unaligned(device.plane as usize);
        }
    }
    let command = Command {
        name: "clEnqueueMapImage",
        kind: CL_COMMAND_MAP_IMAGE,
        queue,
        events: Events { count, list, event },
        blocking: blocking != 0,
        engine: Engine::ToHost,
    };
    // Between the rows of the region lie others, which must stay what they are.
    let flags = match flags & CL_MAP_WRITE_INVALIDATE_REGION {
        0 => flags,
        _ => CL_MAP_WRITE,
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { mapping::map(command, handle, flags, device.offset, end - device.offset) }
}

// ---- samplers

pub(crate) unsafe fn clCreateSampler(
    context: cl_context,
    normalized: cl_bool,
    addressing: cl_addressing_mode,
    filter: cl_filter_mode,
) -> Done<*mut c_void> {
    let mut state = emulated()?.lock();
    state.context(context as usize)?;
    let modes = CL_ADDRESS_NONE..=CL_ADDRESS_MIRRORED_REPEAT;
    if !modes.contains(&addressing) || !(CL_FILTER_NEAREST..=CL_FILTER_LINEAR).contains(&filter) {
        let line = format!("no addressing mode {addressing:#x} or no filter {filter:#x}");
        return Err(Failure::value(line));
    }
    let repeats = matches!(addressing, CL_ADDRESS_REPEAT | CL_ADDRESS_MIRRORED_REPEAT);
    if repeats && normalized == 0 {
        return Err(Failure::value("images repeat with normalised coordinates only"));
    }
    let sampler =
        Sampler { context: context as usize, normalized: normalized != 0, addressing, filter };
    Ok(state.add(Object::Sampler(sampler)) as *mut c_void)
}

impl Sampler {
    /// The value of a `sampler_t`, as the constants `CLK_...` make it.
    pub fn word(&self) -> u32 {
        u32::from(self.normalized)
            | (self.addressing - CL_ADDRESS_NONE) << 1
            | 0x10 << (self.filter - CL_FILTER_NEAREST)
    }
}

pub(crate) unsafe fn clRetainSampler(sampler: cl_sampler) -> Done {
    held::retain(sampler, State::sampler)
}

pub(crate) unsafe fn clReleaseSampler(sampler: cl_sampler) -> Done {
    held::release(sampler, State::sampler)
}

pub(crate) unsafe fn clGetSamplerInfo(
    sampler: cl_sampler,
    question: cl_sampler_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let state = emulated()?.lock();
    let found = state.sampler(sampler as usize)?;
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_SAMPLER_REFERENCE_COUNT => room.give(state.count(sampler as usize)),
            CL_SAMPLER_CONTEXT => room.give(found.context),
            CL_SAMPLER_NORMALIZED_COORDS => room.give(found.normalized),
            CL_SAMPLER_ADDRESSING_MODE => room.give(found.addressing),
            CL_SAMPLER_FILTER_MODE => room.give(found.filter),
            _ => Err(Failure::value(format!("samplers have no information {question:#x}"))),
        }
    }
}

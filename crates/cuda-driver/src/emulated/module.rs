//! Modules: images that are compiled when they are loaded, their kernels and variables.

use std::os::raw::c_void;
use std::path::Path;
use std::sync::Arc;

use emulation::{evidence, judge, programs, trace};
use simt::{Instance, KernelInfo};

use super::image;
use super::state::{Driver, Function, Module, State, driver, give, in_range, memory_failure, text};
use crate::abi::{DevicePtr, Handle, Pointers, Text};
use crate::code;
use crate::failure::{Done, Failure};

/// `CUjit_option` values for the two logs.
const INFO_LOG: (i32, i32) = (3, 4);
const ERROR_LOG: (i32, i32) = (5, 6);

/// The image in a file.
///
/// # Safety
/// `file` is null or ends in NUL.
pub(crate) unsafe fn image_file(file: Text) -> Done<Vec<u8>> {
    // SAFETY: the caller's text.
    let path = unsafe { text(file) }?;
    let path = Path::new(path.as_ref());
    std::fs::read(path).map(|bytes| image::of_file(path, bytes)).map_err(|error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => code::FILE_NOT_FOUND,
            _ => code::OPERATING_SYSTEM,
        };
        Failure::new(code, format!("{}: {error}", path.display()))
    })
}

pub(crate) unsafe fn cuModuleLoad(module: *mut Handle, file: Text) -> Done {
    // SAFETY: the caller's text.
    let bytes = unsafe { image_file(file) }?;
    // SAFETY: the caller's out-pointer.
    unsafe { load(module, &bytes) }.map(drop)
}

pub(crate) unsafe fn cuModuleLoadData(module: *mut Handle, image: *const c_void) -> Done {
    // SAFETY: the caller's image and out-pointer.
    unsafe { load_image(module, image) }.map(drop)
}

pub(crate) unsafe fn cuModuleLoadDataEx(
    module: *mut Handle,
    image: *const c_void,
    count: u32,
    options: *mut i32,
    values: Pointers,
) -> Done {
    // SAFETY: the caller's image and out-pointer.
    let result = unsafe { load_image(module, image) };
    // SAFETY: the caller's options: `count` of them, with a value each.
    unsafe { fill_logs(&result, count, options, values) };
    result.map(drop)
}

/// Writes what the compiler said into the caller's buffers, if the options name some.
///
/// # Safety
/// As for [`fill_log`].
pub(crate) unsafe fn fill_logs(
    result: &Done<String>,
    count: u32,
    options: *mut i32,
    values: Pointers,
) {
    let (errors, notes) = match result {
        Ok(warnings) => ("", warnings.as_str()),
        Err(failure) if failure.report.is_empty() => (failure.line.as_str(), ""),
        Err(failure) => (failure.report.as_str(), ""),
    };
    // SAFETY: the caller's options: `count` of them, with a value each.
    unsafe {
        fill_log(ERROR_LOG, errors, count, options, values);
        fill_log(INFO_LOG, notes, count, options, values);
    }
}

/// Writes a log into the caller's buffer, if the options name one: as much as fits, with a NUL, and
/// the length.
///
/// # Safety
/// `options` and `values` hold `count` entries, and a buffer has the size that goes with it.
unsafe fn fill_log(
    (buffer_key, size_key): (i32, i32),
    log: &str,
    count: u32,
    options: *mut i32,
    values: Pointers,
) {
    if options.is_null() || values.is_null() {
        return;
    }
    // SAFETY: within the caller's lists.
    let find = |key| (0..count as usize).find(|i| unsafe { options.add(*i).read() } == key);
    let (Some(buffer), Some(size)) = (find(buffer_key), find(size_key)) else { return };
    // SAFETY: within the caller's lists. Sizes stand in the list as they are, not by address.
    let (buffer, room) =
        unsafe { (values.add(buffer).read().cast::<u8>(), values.add(size).read() as usize) };
    if buffer.is_null() || room == 0 {
        return;
    }
    let len = log.len().min(room - 1);
    // SAFETY: the buffer has `room` bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(log.as_ptr(), buffer, len);
        buffer.add(len).write(0);
        values.add(size).write((len + usize::from(len > 0)) as *mut c_void);
    }
}

/// # Safety
/// `image` is null or ends in NUL; `module` is null or may be written.
unsafe fn load_image(module: *mut Handle, image: *const c_void) -> Done<String> {
    if image.is_null() {
        return Err(Failure::invalid("the module image is null"));
    }
    // SAFETY: images of the emulated device are text that ends in NUL. In a cubin or fatbin a NUL
    // comes soon.
    let bytes = unsafe { std::ffi::CStr::from_ptr(image.cast()) }.to_bytes();
    // SAFETY: the caller's out-pointer.
    unsafe { load(module, bytes) }
}

/// Compiles and loads; returns the compiler's warnings.
///
/// # Safety
/// `module` is null or may be written.
pub(crate) unsafe fn load(module: *mut Handle, bytes: &[u8]) -> Done<String> {
    let driver = driver()?;
    driver.lock().context()?;
    let (mut options, source) = image::parse(bytes)?;
    options.include_dirs.retain(|dir| judge::may_read(dir));
    let program = programs::compile(source, &options).map_err(|error| {
        let report = error.to_string();
        let first = error.diagnostics.first();
        let line = first.map_or_else(String::new, |d| {
            format!("{}: {}", error.sources.locate(d.span), d.message)
        });
        Failure { code: code::INVALID_SOURCE, line, report }
    })?;
    trace::note_sources(program.sources());
    evidence::text(source);
    options.defines.iter().for_each(|define| evidence::text(define));
    let instance = Instance::load(&program, &driver.memory).map_err(|e| memory_failure(&e))?;
    let mut state = driver.lock();
    let context = state.context()?;
    let handle = state.new_handle();
    // SAFETY: the caller's out-pointer.
    unsafe { give(module, handle as Handle) }?;
    let identity = evidence::identity(source, &format!("{options:?}"));
    state.modules.insert(handle, Module { context, instance: Arc::new(instance), identity });
    Ok(program.warnings().iter().map(|w| w.render(program.sources())).collect())
}

pub(crate) unsafe fn cuModuleUnload(module: Handle) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    state.current_handle()?;
    if !state.modules.contains_key(&(module as usize)) {
        return Err(not_a_module());
    }
    unload(driver, &mut state, module as usize);
    Ok(())
}

fn not_a_module() -> Failure {
    Failure::new(code::INVALID_HANDLE, "this is not a module, or no longer")
}

/// Forgets a module, its kernels and its variables.
pub(super) fn unload(driver: &Driver, state: &mut State, handle: usize) {
    state.functions.retain(|_, f| f.module != handle);
    if let Some(module) = state.modules.remove(&handle) {
        // A launch on another thread may still hold the instance; the variables of such a module
        // stay until the end.
        if let Ok(instance) = Arc::try_unwrap(module.instance) {
            instance.unload(&driver.memory);
        }
    }
}

pub(crate) unsafe fn cuModuleGetFunction(
    function: *mut Handle,
    module: Handle,
    name: Text,
) -> Done {
    // SAFETY: the caller's text.
    let name = unsafe { text(name) }?;
    let mut state = driver()?.lock();
    state.context()?;
    let loaded = state.modules.get(&(module as usize)).ok_or_else(not_a_module)?;
    let program = loaded.instance.program();
    if program.kernel(&name).is_none() {
        return Err(Failure::new(code::NOT_FOUND, no_kernel(program.kernels(), &name)));
    }
    let module = module as usize;
    let known = state.functions.iter().find(|(_, f)| f.module == module && f.symbol == *name);
    let handle = match known.map(|(handle, _)| *handle) {
        Some(handle) => handle,
        None => {
            let handle = state.new_handle();
            let symbol = name.into_owned();
            let entry = Function { module, symbol, max_dynamic_shared: None, cache_config: 0 };
            state.functions.insert(handle, entry);
            handle
        }
    };
    // SAFETY: the caller's out-pointer.
    unsafe { give(function, handle as Handle) }
}

fn no_kernel(kernels: &[KernelInfo], name: &str) -> String {
    if let Some(mangled) = kernels.iter().find(|k| k.name == name && !k.extern_c) {
        return format!(
            "kernel `{name}` is known as `{}` outside of its file, because it is not \
             declared `extern \"C\"`: write `extern \"C\" __global__ void {name}(...)` ({})",
            mangled.symbol, mangled.at
        );
    }
    let names: Vec<&str> = kernels.iter().map(|k| k.symbol.as_str()).collect();
    match names.as_slice() {
        [] => format!("there is no kernel `{name}`: the module has no `__global__` function"),
        names => format!("there is no kernel `{name}`: the module has {}", names.join(", ")),
    }
}

pub(crate) unsafe fn cuModuleGetGlobal_v2(
    address: *mut DevicePtr,
    bytes: *mut usize,
    module: Handle,
    name: Text,
) -> Done {
    // SAFETY: the caller's text.
    let name = unsafe { text(name) }?;
    let state = driver()?.lock();
    state.context()?;
    let module = state.modules.get(&(module as usize)).ok_or_else(not_a_module)?;
    let Some((base, size)) = module.instance.global(&name) else {
        let globals = module.instance.program().globals();
        let line = if globals.iter().any(|g| g.name == name) {
            format!("variable `{name}` is `static`, so the host cannot find it: drop `static`")
        } else {
            format!("there is no `__constant__` or `__device__` variable `{name}` in the module")
        };
        return Err(Failure::new(code::NOT_FOUND, line));
    };
    // Either out-pointer may be null.
    // SAFETY: the caller's out-pointers.
    unsafe {
        if !address.is_null() {
            give(address, base)?;
        }
        if !bytes.is_null() {
            give(bytes, size as usize)?;
        }
    }
    Ok(())
}

/// A kernel as launches and questions about it need it.
pub(super) struct Kernel {
    pub instance: Arc<Instance>,
    /// That of its module.
    pub identity: u64,
    pub info: KernelInfo,
    /// What `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES` allows.
    pub max_dynamic_shared: u32,
}

/// Looks up a kernel by its handle.
pub(super) fn kernel(driver: &Driver, state: &State, function: Handle) -> Done<Kernel> {
    let gone =
        || Failure::new(code::INVALID_HANDLE, "this is not a kernel, or its module was unloaded");
    let entry = state.functions.get(&(function as usize)).ok_or_else(gone)?;
    let Module { instance, identity, .. } = state.modules.get(&entry.module).ok_or_else(gone)?;
    let (instance, identity) = (Arc::clone(instance), *identity);
    let info = instance.program().kernel(&entry.symbol).cloned().ok_or_else(gone)?;
    let start = driver.device.shared_per_block.saturating_sub(info.static_shared);
    let max_dynamic_shared = entry.max_dynamic_shared.unwrap_or(start);
    Ok(Kernel { instance, identity, info, max_dynamic_shared })
}

const MAX_DYNAMIC_SHARED: i32 = 8;
const CARVEOUT: i32 = 9;

pub(crate) unsafe fn cuFuncGetAttribute(value: *mut i32, attribute: i32, function: Handle) -> Done {
    let driver = driver()?;
    let state = driver.lock();
    state.context()?;
    let kernel = kernel(driver, &state, function)?;
    let device = driver.device;
    let found = match attribute {
        0 => kernel
            .info
            .max_threads
            .map_or(device.max_threads_per_block, |n| n.min(device.max_threads_per_block)),
        1 => kernel.info.static_shared,
        2 => kernel.info.const_bytes,
        3 => kernel.info.local_bytes,
        4 => kernel.info.registers,
        5 | 6 => device.cc.0 * 10 + device.cc.1,
        7 => 0,
        MAX_DYNAMIC_SHARED => kernel.max_dynamic_shared,
        // The driver decides how much of the first-level cache is shared memory.
        CARVEOUT => u32::MAX,
        _ => return Err(Failure::invalid(format!("kernels have no attribute {attribute}"))),
    };
    // SAFETY: the caller's out-pointer. `u32::MAX` stands for -1.
    unsafe { give(value, found as i32) }
}

pub(crate) unsafe fn cuFuncSetAttribute(function: Handle, attribute: i32, value: i32) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    state.context()?;
    let kernel = kernel(driver, &state, function)?;
    match attribute {
        MAX_DYNAMIC_SHARED => {
            let most =
                driver.device.shared_per_block_optin.saturating_sub(kernel.info.static_shared);
            let Some(value) = u32::try_from(value).ok().filter(|v| *v <= most) else {
                return Err(Failure::invalid(format!(
                    "dynamic shared memory: expected 0..={most} bytes, found {value}"
                )));
            };
            if let Some(entry) = state.functions.get_mut(&(function as usize)) {
                entry.max_dynamic_shared = Some(value);
            }
            Ok(())
        }
        CARVEOUT => in_range("carve-out for shared memory in percent", value.max(0), 100),
        _ => Err(Failure::invalid(format!("attribute {attribute} of a kernel cannot be set"))),
    }
}

pub(crate) unsafe fn cuFuncSetCacheConfig(function: Handle, config: i32) -> Done {
    in_range("cache configuration", config, 3)?;
    let driver = driver()?;
    let mut state = driver.lock();
    state.context()?;
    kernel(driver, &state, function)?;
    if let Some(entry) = state.functions.get_mut(&(function as usize)) {
        entry.cache_config = config;
    }
    Ok(())
}

pub(crate) unsafe fn cuFuncSetSharedMemConfig(function: Handle, config: i32) -> Done {
    in_range("bank size", config, 2)?;
    let driver = driver()?;
    let state = driver.lock();
    state.context()?;
    // Accepted and without effect, as on every device since compute capability 5: banks are 4 bytes
    // wide.
    kernel(driver, &state, function).map(drop)
}

//! The driver, its device, contexts.

use cust::context::{CacheConfig, CurrentContext, ResourceLimit, SharedMemoryConfig};
use cust::device::{Device, DeviceAttribute};
use cust::error::CudaError;
use cust::memory::{DeviceBuffer, DeviceCopy};

use super::{findings, rig, why};

#[test]
fn the_device_is_the_named_gpu_and_says_that_it_is_emulated() {
    let _rig = rig();
    assert_eq!(Device::num_devices().unwrap(), 1);
    let device = Device::get_device(0).unwrap();
    let model = cuda_driver::device_model().unwrap();
    assert_eq!(model.key, "h200");
    assert_eq!(device.name().unwrap(), format!("{} (emulated)", model.name));
    assert_eq!(device.total_memory().unwrap(), 1 << 30);
    let get = |a| device.get_attribute(a).unwrap();
    assert_eq!(get(DeviceAttribute::WarpSize), 32);
    assert_eq!(get(DeviceAttribute::MultiprocessorCount), 132);
    assert_eq!(get(DeviceAttribute::ComputeCapabilityMajor), 9);
    assert_eq!(get(DeviceAttribute::MaxThreadsPerBlock), 1024);
    assert_eq!(get(DeviceAttribute::ManagedMemory), 1);
    assert_eq!(Device::get_device(1).err(), Some(CudaError::InvalidDevice));
    assert_eq!(why(), "there is one emulated device, number 0, and no 1");
    let version = cust::CudaApiVersion::get().unwrap();
    assert_eq!((version.major(), version.minor()), (13, 0));
}

#[test]
fn error_texts_are_the_drivers() {
    let _rig = rig();
    assert_eq!(CudaError::InvalidValue.to_string(), "\"invalid argument\"");
    assert_eq!(
        CudaError::IllegalAddress.to_string(),
        "\"an illegal memory access was encountered\""
    );
}

#[test]
fn limits_and_configurations_are_kept() {
    let _rig = rig();
    CurrentContext::set_resource_limit(ResourceLimit::PrintfFifoSize, 4096).unwrap();
    assert_eq!(CurrentContext::get_resource_limit(ResourceLimit::PrintfFifoSize).unwrap(), 4096);
    CurrentContext::set_cache_config(CacheConfig::PreferShared).unwrap();
    assert_eq!(CurrentContext::get_cache_config().unwrap(), CacheConfig::PreferShared);
    CurrentContext::set_shared_memory_config(SharedMemoryConfig::EightByteBankSize).unwrap();
    // Banks are 4 bytes wide on every device of this century's second decade.
    assert_eq!(
        CurrentContext::get_shared_memory_config().unwrap(),
        SharedMemoryConfig::FourByteBankSize
    );
    let range = CurrentContext::get_stream_priority_range().unwrap();
    assert!(range.least == 0 && range.greatest < 0);
    assert_eq!(
        CurrentContext::set_resource_limit(ResourceLimit::MaxL2FetchGranularity, 1),
        Err(CudaError::UnsupportedLimit)
    );
}

fn bytes_of<T: DeviceCopy + Copy + Default>(n: usize) -> Result<(), CudaError> {
    DeviceBuffer::from_slice(&vec![T::default(); n]).map(drop)
}

#[test]
fn a_thread_needs_a_current_context() {
    let rig = rig();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(bytes_of::<u8>(4), Err(CudaError::InvalidContext));
            assert!(why().contains("no context is current on this thread"), "{}", why());
            CurrentContext::set_current(&rig._context).unwrap();
            assert_eq!(bytes_of::<u8>(4), Ok(()));
        });
    });
}

#[test]
fn what_outlives_its_context_is_a_leak() {
    let rig = rig();
    let buffer = DeviceBuffer::from_slice(&[1u32, 2, 3]).unwrap();
    std::mem::forget(buffer);
    let freed = DeviceBuffer::from_slice(&[1u32]).unwrap();
    drop(freed);
    let super::Rig { _context, _alone } = rig;
    drop(_context);
    let found = findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "LEAK");
    assert!(found[0].1.ends_with("(12 bytes) was never freed"), "{found:?}");
    // The next user starts with an empty device.
    let context = cust::quick_init().unwrap();
    let (free, total) = cust::memory::mem_get_info().unwrap();
    assert_eq!(free, total);
    drop(context);
}

#[test]
fn a_destroyed_context_is_told_from_none() {
    let rig = rig();
    let super::Rig { _context, _alone } = rig;
    drop(_context);
    assert_eq!(bytes_of::<u8>(4), Err(CudaError::ContextIsDestroyed));
    assert!(why().contains("keep it alive"), "{}", why());
}

#[test]
fn contexts_are_stacked_per_thread() {
    use cust::context::legacy::{Context, ContextFlags, ContextStack};
    let rig = rig();
    let device = Device::get_device(0).unwrap();
    let second = Context::create_and_push(ContextFlags::SCHED_AUTO, device).unwrap();
    let buffer = DeviceBuffer::from_slice(&[1u8, 2, 3]).unwrap();
    let popped = ContextStack::pop().unwrap();
    // Below it lies the primary context, on the same device: memory is reachable from both.
    assert_eq!(buffer.as_host_vec().unwrap(), [1, 2, 3]);
    ContextStack::push(&popped).unwrap();
    drop(buffer);
    drop(second);
    CurrentContext::set_current(&rig._context).unwrap();
    assert_eq!(bytes_of::<u8>(4), Ok(()));
    assert_eq!(findings(), []);
}

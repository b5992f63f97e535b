//! What the platform and the device say of themselves, and which platform comes first.

use std::process::Command;

use ocl::core::{self, DeviceInfo, DeviceInfoResult};
use ocl::enums::PlatformInfo;
use ocl::flags::DeviceType;
use ocl::{Device, Platform};

use crate::support::{emulated, everywhere};

#[test]
fn the_device_is_the_named_gpu() {
    let device = Device::first(emulated()).unwrap();
    assert!(device.name().unwrap().ends_with("(emulated)"), "{}", device.name().unwrap());
    assert_eq!(device.version().unwrap(), core::OpenclVersion::new(1, 2));
    assert_eq!(device.max_wg_size().unwrap(), 1024);
    let gpus = Device::list(emulated(), Some(DeviceType::GPU)).unwrap();
    assert_eq!(gpus, [device]);
    assert!(Device::list(emulated(), Some(DeviceType::CPU)).unwrap_or_default().is_empty());
}

/// Every question that ocl can ask of a device gets an answer that it can read, on all platforms.
#[test]
fn all_questions_about_the_device_are_answered() {
    use DeviceInfo as D;
    let questions = [
        D::Type,
        D::VendorId,
        D::MaxComputeUnits,
        D::MaxWorkItemDimensions,
        D::MaxWorkGroupSize,
        D::MaxWorkItemSizes,
        D::PreferredVectorWidthChar,
        D::PreferredVectorWidthFloat,
        D::PreferredVectorWidthDouble,
        D::MaxClockFrequency,
        D::AddressBits,
        D::MaxMemAllocSize,
        D::ImageSupport,
        D::MaxParameterSize,
        D::MaxSamplers,
        D::MemBaseAddrAlign,
        D::MinDataTypeAlignSize,
        D::SingleFpConfig,
        D::DoubleFpConfig,
        D::GlobalMemCacheType,
        D::GlobalMemCachelineSize,
        D::GlobalMemCacheSize,
        D::GlobalMemSize,
        D::MaxConstantBufferSize,
        D::MaxConstantArgs,
        D::LocalMemType,
        D::LocalMemSize,
        D::ErrorCorrectionSupport,
        D::ProfilingTimerResolution,
        D::EndianLittle,
        D::Available,
        D::CompilerAvailable,
        D::ExecutionCapabilities,
        D::QueueProperties,
        D::Name,
        D::Vendor,
        D::DriverVersion,
        D::Profile,
        D::Version,
        D::Extensions,
        D::Platform,
        D::HostUnifiedMemory,
        D::OpenclCVersion,
        D::LinkerAvailable,
        D::BuiltInKernels,
        D::ParentDevice,
        D::PartitionMaxSubDevices,
        D::ReferenceCount,
        D::PreferredInteropUserSync,
        D::PrintfBufferSize,
    ];
    for platform in everywhere() {
        let device = Device::first(platform).unwrap();
        for question in questions {
            let answer = core::get_device_info(device, question);
            assert!(answer.is_ok(), "{question:?}: {}", answer.unwrap_err());
        }
        let answer = core::get_device_info(device, D::Platform).unwrap();
        assert!(matches!(answer, DeviceInfoResult::Platform(p) if p.as_ptr() == platform.as_ptr()));
    }
}

#[test]
fn a_question_with_too_little_room_is_refused() {
    let platform = emulated();
    let mut size = 0;
    let ask = |room: usize, at: &mut [u8], size: &mut usize| {
        // SAFETY: `at` has at least `room` bytes.
        unsafe {
            cl_sys::clGetPlatformInfo(
                platform.as_ptr(),
                cl_sys::CL_PLATFORM_NAME,
                room,
                at.as_mut_ptr().cast(),
                size,
            )
        }
    };
    let mut text = [9u8; 8];
    assert_eq!(ask(4, &mut text, &mut size), cl_sys::CL_INVALID_VALUE);
    assert_eq!(text, [9; 8], "nothing is written then");
    assert_eq!(ask(5, &mut text, &mut size), 0);
    assert_eq!((&text, size), (b"simt\0\x09\x09\x09", 5));
    assert!(platform.info(PlatformInfo::Extensions).unwrap().to_string().contains("fp64"));
}

/// The environment decides in the process that is started; this one prints what it sees.
#[test]
fn the_environment_decides_which_platform_comes_first() {
    if std::env::var_os("PRINT_PLATFORMS").is_some() {
        for platform in core::get_platform_ids().map_err(|e| e.to_string()).unwrap_or_default() {
            println!("platform {}", Platform::from(platform).name().unwrap());
        }
        println!("reason {:?}", opencl_icd::last_error_text());
        return;
    }
    let run = |wish: Option<&str>| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "platforms::the_environment_decides_which_platform_comes_first"]);
        child.arg("--nocapture").env("PRINT_PLATFORMS", "1").env_remove("LAB_DEVICE");
        child.envs(wish.map(|wish| ("LAB_DEVICE", wish)));
        let output = child.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let names = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.strip_prefix("platform ").map(str::to_owned)).collect()
    };
    assert_eq!(names(&run(Some("emulated"))), ["simt"]);
    let all = names(&run(None));
    assert_eq!(all, names(&run(Some("auto"))));
    assert!(all.contains(&"simt".to_owned()), "{all:?}");
    // A CPU's platform never comes before the emulated one unasked.
    let place = |part: &str| all.iter().position(|name| name.contains(part));
    if let Some(pocl) = place("Portable Computing Language") {
        assert!(place("simt") < Some(pocl), "{all:?}");
    }
    let forced = run(Some("cuda"));
    match place("NVIDIA") {
        Some(_) => assert_eq!(names(&forced).last().unwrap(), "simt"),
        None => assert!(forced.contains("no OpenCL platform with a GPU found"), "{forced}"),
    }
    assert!(
        run(Some("warp")).contains("LAB_DEVICE: expected auto, emulated or cuda, found `warp`")
    );
}

#[test]
fn every_function_that_the_bindings_declare_is_exported() {
    assert_eq!(opencl_icd::SYMBOLS.len(), 118);
    let mut names = opencl_icd::SYMBOLS.to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 118);
}

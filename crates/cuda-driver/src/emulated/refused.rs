//! Functions that cust refers to and the emulated device does not serve: each says so.

use std::os::raw::c_void;

use crate::abi::{DevicePtr, Handle, Pointers, Text};
use crate::failure::{Done, Failure};

macro_rules! refused {
    ($($what:literal: $(fn $name:ident($($ty:ty),*);)*)*) => {
        $($(
            #[allow(clippy::too_many_arguments)]
            pub(crate) unsafe fn $name($(_: $ty),*) -> Done {
                Err(Failure::unsupported($what))
            }
        )*)*
    };
}

refused! {
    "linking PTX (`cust::link`)":
        fn cuLinkCreate_v2(u32, *mut i32, Pointers, *mut Handle);
        fn cuLinkAddData_v2(Handle, i32, *mut c_void, usize, Text, u32, *mut i32, Pointers);
        fn cuLinkComplete(Handle, *mut *mut c_void, *mut usize);
        fn cuLinkDestroy(Handle);
    "CUDA arrays":
        fn cuArray3DCreate_v2(*mut Handle, *const c_void);
        fn cuArray3DGetDescriptor_v2(*mut c_void, Handle);
        fn cuArrayDestroy(Handle);
        fn cuMemcpyAtoH_v2(*mut c_void, Handle, usize, usize);
        fn cuMemcpyHtoA_v2(Handle, usize, *const c_void, usize);
    "textures":
        fn cuTexObjectCreate(*mut u64, *const c_void, *const c_void, *const c_void);
        fn cuTexObjectDestroy(u64);
        fn cuTexObjectGetResourceDesc(*mut c_void, u64);
        fn cuTexObjectGetResourceViewDesc(*mut c_void, u64);
    "surfaces":
        fn cuSurfObjectCreate(*mut u64, *const c_void);
        fn cuSurfObjectDestroy(u64);
        fn cuSurfObjectGetResourceDesc(*mut c_void, u64);
    "graphs":
        fn cuGraphCreate(*mut Handle, u32);
        fn cuGraphDestroy(Handle);
        fn cuGraphAddKernelNode(*mut Handle, Handle, *const Handle, usize, *const c_void);
        fn cuGraphKernelNodeGetParams(Handle, *mut c_void);
        fn cuGraphNodeGetType(Handle, *mut i32);
        fn cuGraphGetNodes(Handle, *mut Handle, *mut usize);
        fn cuGraphGetEdges(Handle, *mut Handle, *mut Handle, *mut usize);
        fn cuGraphDebugDotPrint(Handle, Text, u32);
    "memory of other programs":
        fn cuImportExternalMemory(*mut Handle, *const c_void);
        fn cuExternalMemoryGetMappedBuffer(*mut DevicePtr, Handle, *const c_void);
        fn cuDestroyExternalMemory(Handle);
}

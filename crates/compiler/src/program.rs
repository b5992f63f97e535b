//! A typed module as code: what a host sees of its kernels and variables.

use crate::bytecode::Code;
use crate::diag::Diagnostic;
use crate::hir;
use crate::lower::Evaluate;
use crate::source::Location;

/// A kernel, as a host sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelInfo {
    /// Name by which the host finds it.
    pub symbol: String,
    /// Name in the source, with template arguments.
    pub name: String,
    /// Declared `extern "C"`.
    pub extern_c: bool,
    /// Parameters in order.
    pub params: Vec<ParamInfo>,
    /// 32-bit registers of a thread, an estimate.
    pub registers: u32,
    /// Static shared memory in bytes.
    pub static_shared: u32,
    /// Thread-local memory in bytes.
    pub local_bytes: u32,
    /// `__constant__` variables of the module in bytes.
    pub const_bytes: u32,
    /// `__launch_bounds__`.
    pub max_threads: Option<u32>,
    /// `reqd_work_group_size` of OpenCL.
    pub work_group: Option<[u32; 3]>,
    /// Attributes of an OpenCL kernel as written.
    pub attributes: Vec<String>,
    /// The name in the source.
    pub at: Location,
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamInfo {
    /// Name.
    pub name: String,
    /// Type as CUDA C writes it, or as `clGetKernelArgInfo` spells it for OpenCL C.
    pub type_name: String,
    /// Bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// For pointers: name and size in bytes of what it points to.
    pub pointee: Option<(String, u32)>,
    /// What a pointer of OpenCL C points to: [`hir::Space::Shared`] is `__local`.
    /// [`hir::Space::Local`] (private) for values; always [`hir::Space::Generic`] in CUDA C.
    pub space: hir::Space,
    /// The pointee is constant.
    pub is_const: bool,
    /// `restrict` (OpenCL C only).
    pub is_restrict: bool,
    /// The pointee is `volatile` (OpenCL C only).
    pub is_volatile: bool,
}

/// A `__device__`, `__constant__` or `__managed__` variable.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalInfo {
    /// Name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// `Global` or `Constant`.
    pub space: hir::Space,
    /// `static`: the host cannot find it by name.
    pub is_static: bool,
}

/// The code of a module, and what a host sees of it.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// The kernels in source order.
    pub kernels: Vec<KernelInfo>,
    /// Code of the kernels, in the same order.
    pub code: Vec<Code>,
    /// Variables at file scope.
    pub globals: Vec<GlobalInfo>,
}

/// Generates the code of all kernels of `module`. `contract`: fuse multiplications with additions;
/// `debug`: code for a debugger; `eval`: folds constants.
///
/// # Errors
/// One diagnostic for each kernel that is too large once everything is inlined, or uses what cannot
/// be done.
pub fn generate(
    module: &hir::Module,
    contract: bool,
    debug: bool,
    eval: Evaluate,
) -> Result<Generated, Vec<Diagnostic>> {
    crate::stack::on_big_stack(|| generate_here(module, contract, debug, eval))
}

fn generate_here(
    module: &hir::Module,
    contract: bool,
    debug: bool,
    eval: Evaluate,
) -> Result<Generated, Vec<Diagnostic>> {
    let const_bytes: u64 = module
        .globals
        .iter()
        .filter(|g| g.space == hir::Space::Constant)
        .map(|g| module.size_of(&g.ty))
        .sum();
    let (mut kernels, mut code, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for (index, function) in module.functions.iter().enumerate() {
        let Some(attrs) = &function.kernel else { continue };
        let lowered =
            match crate::lower::kernel(module, hir::FuncId(index as u32), contract, debug, eval) {
                Ok(lowered) => lowered,
                Err(diagnostic) => {
                    errors.push(diagnostic);
                    continue;
                }
            };
        kernels.push(KernelInfo {
            symbol: attrs.symbol.clone(),
            name: function.name.clone(),
            extern_c: attrs.extern_c,
            params: params(module, function),
            registers: lowered.registers,
            static_shared: lowered.static_shared,
            local_bytes: lowered.local_bytes,
            const_bytes: const_bytes as u32,
            max_threads: attrs.max_threads,
            work_group: attrs.opencl.as_ref().and_then(|o| o.work_group),
            attributes: attrs.opencl.as_ref().map_or(Vec::new(), |o| o.attributes.clone()),
            at: module.sources.locate(function.span),
        });
        code.push(lowered);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let globals = module
        .globals
        .iter()
        .map(|g| GlobalInfo {
            name: g.name.clone(),
            size: module.size_of(&g.ty),
            space: g.space,
            is_static: g.is_static,
        })
        .collect();
    Ok(Generated { kernels, code, globals })
}

fn params(module: &hir::Module, function: &hir::Function) -> Vec<ParamInfo> {
    let locals = &function.locals[..function.param_count as usize];
    let opencl = function.kernel.as_ref().and_then(|k| k.opencl.as_ref());
    locals
        .iter()
        .enumerate()
        .map(|(k, local)| {
            let attrs = opencl.and_then(|o| o.params.get(k));
            ParamInfo {
                name: local.name.clone(),
                type_name: match attrs {
                    Some(a) => a.type_name.clone(),
                    None => module.type_name(&local.ty),
                },
                size: module.size_of(&local.ty) as u32,
                align: module.align_of(&local.ty) as u32,
                pointee: match &local.ty {
                    hir::Ty::Ptr(to, _) => Some((module.type_name(to), module.size_of(to) as u32)),
                    _ => None,
                },
                space: attrs.map_or(hir::Space::Generic, |a| a.space),
                is_const: attrs.map_or(local.to_const, |a| a.is_const),
                is_restrict: attrs.is_some_and(|a| a.is_restrict),
                is_volatile: attrs.is_some_and(|a| a.is_volatile),
            }
        })
        .collect()
}

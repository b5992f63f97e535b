//! Compiled code and its loading into a device's memory.

use std::sync::Arc;

use crate::bytecode::Code;
use crate::compile::front_end;
use crate::diag::{CompileError, Diagnostic};
use crate::hir;
use crate::language::CompileOptions;
use crate::memory::{Memory, MemoryError};
use crate::source::{Location, SourceMap};

/// A compiled source file: immutable, cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) inner: Arc<ProgramData>,
}

#[derive(Debug)]
pub(crate) struct ProgramData {
    pub module: hir::Module,
    pub warnings: Vec<Diagnostic>,
    pub contract: bool,
    pub kernels: Vec<KernelInfo>,
    /// Code of [`ProgramData::kernels`], in the same order.
    pub code: Vec<Code>,
    pub globals: Vec<GlobalInfo>,
}

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
    /// What a pointer of OpenCL C points to: [`hir::Space::Shared`] is `__local`. [`hir::Space::Local`] (private) for values;
    /// always [`hir::Space::Generic`] in CUDA C.
    pub space: hir::Space,
    /// The pointee is constant (OpenCL C only).
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

impl Program {
    /// Compiles a source.
    ///
    /// # Errors
    /// All errors found in the text, with their source lines.
    pub fn compile(text: &str, options: &CompileOptions) -> Result<Program, CompileError> {
        let (module, warnings) = front_end(text, options)?;
        Program::from_module(module, warnings, options.contract)
    }

    /// Generates code for a typed module.
    ///
    /// # Errors
    /// If a function is too large once everything is inlined, or uses what the code generator cannot do.
    pub fn from_module(
        module: hir::Module,
        warnings: Vec<Diagnostic>,
        contract: bool,
    ) -> Result<Program, CompileError> {
        Program::generate(module, warnings, contract, false)
    }

    /// The same program with code for a debugger: every variable has registers of its own, nothing is unrolled, and
    /// every statement can be stopped at. Its counts are not those of the ordinary code.
    ///
    /// # Errors
    /// As for [`Program::compile`].
    pub fn debug_build(&self) -> Result<Program, CompileError> {
        let data = &self.inner;
        Program::generate(data.module.clone(), data.warnings.clone(), data.contract, true)
    }

    fn generate(
        module: hir::Module,
        warnings: Vec<Diagnostic>,
        contract: bool,
        debug: bool,
    ) -> Result<Program, CompileError> {
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
                match crate::lower::kernel(&module, hir::FuncId(index as u32), contract, debug) {
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
                params: params(&module, function),
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
            return Err(CompileError { diagnostics: errors, sources: module.sources });
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
        Ok(Program {
            inner: Arc::new(ProgramData { module, warnings, contract, kernels, code, globals }),
        })
    }

    /// The kernels in source order.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.inner.kernels
    }

    /// The kernel that the host finds under `symbol`.
    pub fn kernel(&self, symbol: &str) -> Option<&KernelInfo> {
        self.inner.kernels.iter().find(|k| k.symbol == symbol)
    }

    /// Variables at file scope.
    pub fn globals(&self) -> &[GlobalInfo] {
        &self.inner.globals
    }

    /// Warnings of the compiler.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.inner.warnings
    }

    /// The source files.
    pub fn sources(&self) -> &SourceMap {
        &self.inner.module.sources
    }

    /// The typed tree.
    pub fn module(&self) -> &hir::Module {
        &self.inner.module
    }
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
                is_const: attrs.is_some_and(|a| a.is_const),
                is_restrict: attrs.is_some_and(|a| a.is_restrict),
                is_volatile: attrs.is_some_and(|a| a.is_volatile),
            }
        })
        .collect()
}

/// A program loaded into a memory: its variables at file scope have addresses.
#[derive(Clone, Debug)]
pub struct Instance {
    program: Program,
    /// Address of each global of the module.
    pub(crate) addresses: Vec<u64>,
}

impl Instance {
    /// Allocates and initialises the program's variables.
    ///
    /// # Errors
    /// If the memory has no room for them; nothing stays allocated then.
    pub fn load(program: &Program, memory: &Memory) -> Result<Instance, MemoryError> {
        let mut instance = Instance { program: program.clone(), addresses: Vec::new() };
        for global in &program.inner.module.globals {
            let size = program.inner.module.size_of(&global.ty).max(1);
            let constant = global.space == hir::Space::Constant;
            let base = match memory.alloc_in(size, &global.name, constant) {
                Ok(base) => base,
                Err(error) => {
                    instance.unload(memory);
                    return Err(error);
                }
            };
            instance.addresses.push(base);
            match &global.init {
                Some(bytes) => memory.write(base, bytes)?,
                None => memory.fill(base, &[0], size)?,
            }
        }
        Ok(instance)
    }

    /// The same program in the same memory, with a stop before each statement.
    pub(crate) fn for_debugging(&self) -> Result<Instance, CompileError> {
        let program = self.program.debug_build()?;
        Ok(Instance { program, addresses: self.addresses.clone() })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Address and size in bytes of a variable, as `cuModuleGetGlobal` finds it: not `static` ones.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        let globals = self.program.globals();
        let index = globals.iter().position(|g| g.name == name && !g.is_static)?;
        Some((self.addresses[index], globals[index].size))
    }

    /// Frees the variables.
    pub fn unload(self, memory: &Memory) {
        for base in self.addresses {
            // A variable that is already gone is no reason to stop: the rest must be freed too.
            let _ = memory.free(base);
        }
    }
}

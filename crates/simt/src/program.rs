//! Compiled code and its loading into a device's memory.

use std::sync::{Arc, OnceLock};

use crate::bytecode::Code;
use crate::compile::front_end;
use crate::diag::{CompileError, Diagnostic};
use crate::hir;
use crate::language::CompileOptions;
use crate::memory::{Memory, MemoryError};
use crate::source::SourceMap;
use compiler::program::{Generated, generate};

pub use compiler::program::{GlobalInfo, KernelInfo, ParamInfo};

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
    /// By kernel, found when one is first launched: [`crate::exec::peeks`].
    pub peeks: Vec<OnceLock<Vec<bool>>>,
    /// The same for [`crate::exec::tests`].
    pub tests: Vec<OnceLock<crate::exec::Tests>>,
    /// The same for [`crate::schedule::efforts`].
    pub efforts: Vec<OnceLock<Vec<crate::schedule::Effort>>>,
    pub globals: Vec<GlobalInfo>,
}

impl ProgramData {
    /// By memory access of a kernel: a read that a compare-and-swap checks.
    pub fn peeks(&self, kernel: usize) -> &[bool] {
        self.peeks[kernel].get_or_init(|| crate::exec::peeks(&self.code[kernel]))
    }

    /// The tested reads of a kernel.
    pub fn tests(&self, kernel: usize) -> &crate::exec::Tests {
        self.tests[kernel].get_or_init(|| crate::exec::tests(&self.code[kernel]))
    }

    /// By run of a kernel: what it costs a warp of a card.
    pub fn efforts(&self, kernel: usize) -> &[crate::schedule::Effort] {
        self.efforts[kernel].get_or_init(|| crate::schedule::efforts(&self.code[kernel]))
    }
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
    /// If a function is too large once everything is inlined, or uses what the code generator
    /// cannot do.
    pub fn from_module(
        module: hir::Module,
        warnings: Vec<Diagnostic>,
        contract: bool,
    ) -> Result<Program, CompileError> {
        Program::generate(module, warnings, contract, false)
    }

    /// The same program with code for a debugger: every variable has registers of its own, nothing
    /// is unrolled, and every statement can be stopped at. Its counts are not those of the ordinary
    /// code.
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
        let Generated { kernels, code, globals } =
            match generate(&module, contract, debug, crate::exec::alu::eval) {
                Ok(generated) => generated,
                Err(diagnostics) => {
                    return Err(CompileError { diagnostics, sources: module.sources });
                }
            };
        let peeks = code.iter().map(|_| OnceLock::new()).collect();
        let tests = code.iter().map(|_| OnceLock::new()).collect();
        let efforts = code.iter().map(|_| OnceLock::new()).collect();
        let data = ProgramData {
            module,
            warnings,
            contract,
            kernels,
            code,
            peeks,
            tests,
            efforts,
            globals,
        };
        Ok(Program { inner: Arc::new(data) })
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

//! A bench for kernels: compile the student's file, make buffers, launch, and look at what came
//! out.
//!
//! Everything a student's kernel can do wrong comes back as a [`Finding`]; a check adds only the
//! hint.

use bytemuck::Pod;
use simt::fault::{Fault, FaultKind};
use simt::pattern::{MemoryKind, Pattern};
use simt::report::{Counters, LaunchReport};

use simt::diag::CompileError;
use simt::{CompileOptions, Program};

use crate::engine;
use crate::plan::{Argument, LaunchPlan, Role, STEP_LIMIT};
use crate::{About, Class, Counts, Finding, Trial};

/// A kernel file about to be compiled. Made by [`Trial::kernel`].
#[derive(Clone, Debug)]
pub struct KernelFile<'t> {
    trial: &'t Trial,
    rel: String,
    defines: Vec<String>,
    contract: bool,
}

/// Compiled kernels of one file.
#[derive(Debug)]
pub struct Kernels {
    program: Program,
    file: String,
    counts: Counts,
}

/// Grid or block dimensions: a number, a pair, or all three.
pub trait Dim {
    /// As x, y, z.
    fn dim(self) -> [u32; 3];
}

impl Dim for u32 {
    fn dim(self) -> [u32; 3] {
        [self, 1, 1]
    }
}

impl Dim for (u32, u32) {
    fn dim(self) -> [u32; 3] {
        [self.0, self.1, 1]
    }
}

impl Dim for [u32; 3] {
    fn dim(self) -> [u32; 3] {
        self
    }
}

type Diagnose<'k> = Box<dyn Fn(&Fault) -> Option<&'static str> + 'k>;

/// A launch being put together.
pub struct Launcher<'k> {
    kernels: &'k Kernels,
    plan: LaunchPlan,
    args: Vec<Argument>,
    diagnose: Vec<Diagnose<'k>>,
}

/// What a launch left behind.
#[derive(Debug)]
pub struct Run {
    report: LaunchReport,
    buffers: Vec<Buffer>,
    /// What it takes to run it once more.
    again: (Program, LaunchPlan, Vec<Argument>),
}

#[derive(Debug)]
struct Buffer {
    name: String,
    bytes: Vec<u8>,
    elem: usize,
    /// First byte that nobody ever wrote.
    unwritten: Option<u64>,
}

impl Trial {
    /// A kernel file of the lab, to be compiled in the judge's own emulator.
    pub fn kernel(&self, rel: &str) -> KernelFile<'_> {
        KernelFile { trial: self, rel: rel.to_string(), defines: Vec::new(), contract: false }
    }
}

impl KernelFile<'_> {
    /// Defines a macro: `NAME` or `NAME=VALUE`.
    pub fn define(mut self, text: &str) -> Self {
        self.defines.push(text.to_string());
        self
    }

    /// Fuses `a*b+c` as a GPU compiler does.
    pub fn contract(mut self) -> Self {
        self.contract = true;
        self
    }

    /// Compiles the file.
    ///
    /// # Errors
    /// Not gradable, with the compiler's text, if it is refused; not gradable if the file cannot be
    /// read.
    pub fn compile(self) -> Result<Kernels, Finding> {
        match self.try_compile()? {
            Ok(program) => {
                let counts = self.trial.work().counts.clone();
                Ok(Kernels { program, file: self.rel, counts })
            }
            Err(refused) => {
                let text = refused.to_string();
                let first = text.lines().next().unwrap_or_default();
                let message = format!("{} does not compile: {first}", self.rel);
                let about = match refused.diagnostics.first().map(|d| d.about) {
                    Some(simt::diag::About::Format) => About::Format,
                    _ => About::Other,
                };
                Err(Finding::new(Class::NotGradable, message).about(about).details(text))
            }
        }
    }

    /// The compiler's text, for an exercise in which the file must be refused.
    ///
    /// # Errors
    /// Wrong, if the file compiles; not gradable if it cannot be read.
    pub fn compile_error(self) -> Result<String, Finding> {
        match self.try_compile()? {
            Ok(_) => Err(Finding::wrong(format!("{} compiles, but it should not", self.rel))),
            Err(refused) => Ok(refused.to_string()),
        }
    }

    fn try_compile(&self) -> Result<Result<Program, CompileError>, Finding> {
        let text = self.trial.text(&self.rel)?;
        let name = self.rel.rsplit('/').next().unwrap_or(&self.rel);
        let how = CompileOptions {
            language: simt::Language::of_file(name),
            file: name.to_string(),
            defines: self.defines.clone(),
            include_dirs: self.trial.include_dirs(&self.rel),
            files: self.trial.work().files.clone(),
            contract: self.contract,
            ..CompileOptions::default()
        };
        Ok(self.trial.work().compiled.get(text, how))
    }
}

impl Kernels {
    /// True if the file has a kernel that the driver finds by this name.
    pub fn has(&self, kernel: &str) -> bool {
        self.program.kernel(kernel).is_some_and(|k| k.extern_c)
    }

    /// Number of parameters of a kernel; `None` if there is no such kernel.
    pub fn parameters(&self, kernel: &str) -> Option<usize> {
        self.program.kernel(kernel).map(|k| k.params.len())
    }

    /// A launch of `kernel`; arguments are added in the order of its parameters.
    pub fn launch(&self, kernel: &str, grid: impl Dim, block: impl Dim) -> Launcher<'_> {
        Launcher {
            kernels: self,
            plan: LaunchPlan {
                kernel: kernel.to_string(),
                grid: grid.dim(),
                block: block.dim(),
                dynamic_shared: 0,
                step_limit: STEP_LIMIT,
                globals: Vec::new(),
            },
            args: Vec::new(),
            diagnose: Vec::new(),
        }
    }
}

impl<'k> Launcher<'k> {
    fn buffer<T: Pod>(mut self, name: &str, data: Option<&[T]>, len: usize, role: Role) -> Self {
        let elem = size_of::<T>();
        self.args.push(Argument::Buffer {
            name: name.to_string(),
            bytes: data.map(|d| bytemuck::cast_slice(d).to_vec()),
            len: len * elem,
            elem,
            role,
            offset: 0,
        });
        self
    }

    /// The pointer to the buffer that was added last points at element `elements` of it.
    pub fn pointing_at(mut self, elements: u64) -> Self {
        if let Some(Argument::Buffer { elem, offset, .. }) = self.args.last_mut() {
            *offset = elements * *elem as u64;
        }
        self
    }

    /// An output of `len` elements, never written before the launch.
    pub fn output<T: Pod>(self, name: &str, len: usize) -> Self {
        self.buffer::<T>(name, None, len, Role::Output)
    }

    /// An input; a kernel that changes it is wrong.
    pub fn input<T: Pod>(self, name: &str, data: &[T]) -> Self {
        self.buffer(name, Some(data), data.len(), Role::Input)
    }

    /// A buffer that is read and written.
    pub fn inout<T: Pod>(self, name: &str, data: &[T]) -> Self {
        self.buffer(name, Some(data), data.len(), Role::InOut)
    }

    /// A value.
    pub fn scalar<T: Pod>(mut self, value: T) -> Self {
        self.args.push(Argument::Scalar {
            bytes: bytemuck::bytes_of(&value).to_vec(),
            type_name: std::any::type_name::<T>(),
        });
        self
    }

    /// Sets a `__constant__` or `__device__` variable before the launch.
    pub fn constant<T: Pod>(mut self, name: &str, data: &[T]) -> Self {
        self.plan.globals.push((name.to_string(), bytemuck::cast_slice(data).to_vec()));
        self
    }

    /// Dynamic shared memory in bytes.
    pub fn dynamic_shared(mut self, bytes: u32) -> Self {
        self.plan.dynamic_shared = bytes;
        self
    }

    /// Warp instructions that the launch may take.
    pub fn step_limit(mut self, steps: u64) -> Self {
        self.plan.step_limit = steps;
        self
    }

    /// Names the hint that a fault of `kind` deserves.
    pub fn on(self, kind: FaultKind, hint: &'static str) -> Self {
        self.on_fault(move |fault| (fault.kind == kind).then_some(hint))
    }

    /// Names the hint that a fault deserves; the first rule that answers is taken.
    pub fn on_fault(mut self, rule: impl Fn(&Fault) -> Option<&'static str> + 'k) -> Self {
        self.diagnose.push(Box::new(rule));
        self
    }

    /// Launches.
    ///
    /// # Errors
    /// The kernel is missing (C1), has other parameters, faults (a store beyond an output: C7), or
    /// changes an input.
    pub fn run(self) -> Result<Run, Finding> {
        match self.attempt()? {
            Ok(run) => Ok(run),
            Err(fault) => {
                let hint = self.diagnose.iter().find_map(|rule| rule(&fault));
                let hint = hint.or_else(|| self.stores_beyond_output(&fault).then_some("C7"));
                let finding = Finding::fault(*fault);
                Err(match hint {
                    Some(id) => finding.hint(id),
                    None => finding,
                })
            }
        }
    }

    /// Launches a kernel that is expected to fault.
    ///
    /// # Errors
    /// Wrong, if it runs to its end; else as [`Launcher::run`].
    pub fn fault(self) -> Result<Box<Fault>, Finding> {
        match self.attempt()? {
            Ok(_) => Err(Finding::wrong(format!(
                "{} runs without a fault, but it should not",
                self.plan.kernel
            ))),
            Err(fault) => Ok(fault),
        }
    }

    fn stores_beyond_output(&self, fault: &Fault) -> bool {
        let output = fault.target.as_ref().is_some_and(|t| {
            self.args.iter().any(|a| {
                matches!(a, Argument::Buffer { name, role, .. }
                    if *name == t.name && *role != Role::Input)
            })
        });
        output && engine::is_store(fault)
    }

    fn attempt(&self) -> Result<Result<Run, Box<Fault>>, Finding> {
        self.check_parameters()?;
        let done = match engine::launch(&self.kernels.program, &self.plan, &self.args)? {
            Ok(done) => done,
            Err(fault) => return Ok(Err(fault)),
        };
        self.kernels.counts.add(&self.plan.kernel, &done.report.total);
        let mut contents = done.buffers.into_iter();
        let mut buffers = Vec::new();
        for arg in &self.args {
            let Argument::Buffer { name, bytes: before, elem, role, .. } = arg else { continue };
            let (bytes, unwritten) = contents.next().expect("one content per buffer");
            if *role == Role::Input
                && let Some(before) = before
                && bytes != *before
                && let Some(at) = bytes.iter().zip(before).position(|(a, b)| a != b)
            {
                let place = u8::try_from(buffers.len()).unwrap_or(u8::MAX);
                let text = format!("{} changes its input {name}[{}]", self.plan.kernel, at / elem);
                return Err(Finding::wrong(text).about(About::ChangedInput(place)));
            }
            buffers.push(Buffer { name: name.clone(), bytes, elem: *elem, unwritten });
        }
        let again = (self.kernels.program.clone(), self.plan.clone(), self.args.clone());
        Ok(Ok(Run { report: done.report, buffers, again }))
    }

    /// The student's kernel must have the parameters that the exercise gives: a launch passes
    /// bytes, not types.
    fn check_parameters(&self) -> Result<(), Finding> {
        let kernel = &self.plan.kernel;
        let file = &self.kernels.file;
        let program = &self.kernels.program;
        let Some(info) = program.kernel(kernel).filter(|k| k.extern_c) else {
            let mangled = program.kernels().iter().any(|k| k.name == *kernel);
            let names: Vec<_> = program.kernels().iter().map(|k| k.symbol.as_str()).collect();
            let text = match (mangled, names.is_empty()) {
                (true, _) => format!("in {file} it lacks extern \"C\", so its name is mangled"),
                (false, true) => format!("{file} has no kernel"),
                (false, false) => format!("{file} has {}", names.join(", ")),
            };
            return Err(Finding::wrong(format!("kernel {kernel} not found: {text}")).hint("C1"));
        };
        let params = &info.params;
        if params.len() != self.args.len() {
            return Err(Finding::wrong(format!(
                "{kernel} has {} parameters, the exercise asks for {}",
                params.len(),
                self.args.len()
            )));
        }
        for (k, (param, arg)) in params.iter().zip(&self.args).enumerate() {
            let place =
                format!("parameter {} of {kernel}, `{} {}`", k + 1, param.type_name, param.name);
            match (arg, &param.pointee) {
                (Argument::Buffer { name, elem, .. }, Some((of, size))) => {
                    if *size as usize != *elem && *size != 0 {
                        return Err(Finding::wrong(format!(
                            "{place}: `{of}` has {size} bytes, an element of {name} has {elem}"
                        ))
                        .hint("C2"));
                    }
                }
                (Argument::Buffer { name, .. }, None) => {
                    return Err(Finding::wrong(format!("{place}: expected a pointer to {name}")));
                }
                (Argument::Scalar { bytes, type_name }, pointee) => {
                    if pointee.is_some() || param.size as usize != bytes.len() {
                        return Err(Finding::wrong(format!(
                            "{place}: has {} bytes, the exercise passes {type_name} of {}",
                            param.size,
                            bytes.len()
                        ))
                        .hint("C2"));
                    }
                }
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Launcher<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Launcher").field("plan", &self.plan).field("args", &self.args).finish()
    }
}

impl Run {
    /// Counts of the launch.
    pub fn report(&self) -> &LaunchReport {
        &self.report
    }

    /// Sums of the counts.
    pub fn total(&self) -> &Counters {
        &self.report.total
    }

    /// The costliest request of each source line: which lanes touch which sectors or banks. The
    /// launch runs once more for it.
    pub fn patterns(&self) -> Vec<Pattern> {
        let (program, plan, args) = &self.again;
        engine::patterns(program, plan, args).unwrap_or_default()
    }

    /// The picture for a count, such as `gld.sec` or `shst.wf`: the request of the line that wastes
    /// most, or moves most if none wastes anything. `None` for counts that are not of requests to
    /// memory.
    ///
    /// [`count`](crate::expect::count) and [`at_most`](crate::expect::at_most) attach it to their
    /// findings by themselves. For a finding of another kind: `finding.pattern(&pattern)`; for
    /// evidence: `evidence.pattern(&pattern)`.
    pub fn pattern(&self, count: &str) -> Option<Pattern> {
        let (space, write) = match count.split('.').next()? {
            "gld" => (MemoryKind::Global, false),
            "gst" => (MemoryKind::Global, true),
            "shld" => (MemoryKind::Shared, false),
            "shst" => (MemoryKind::Shared, true),
            "cld" => (MemoryKind::Constant, false),
            _ => return None,
        };
        let of_kind = self.patterns().into_iter().filter(|p| p.space == space && p.write == write);
        of_kind.max_by_key(|p| (100 * p.cost / p.best.max(1), p.total))
    }

    /// What the kernel printed.
    pub fn printf(&self) -> &str {
        &self.report.printf
    }

    /// Counts of the source lines whose text, without blanks at both ends, satisfies `wanted`;
    /// `text` is that of the file.
    pub fn lines_where(&self, text: &str, wanted: impl Fn(&str) -> bool) -> Counters {
        let mut sum = Counters::default();
        for line in &self.report.lines {
            let text = text.lines().nth((line.at.line as usize).wrapping_sub(1)).unwrap_or("");
            if wanted(text.trim()) {
                sum.add(&line.counters);
            }
        }
        sum
    }

    /// Contents of a buffer.
    ///
    /// # Errors
    /// Fault `UNINIT` if an element was never written; grader's fault if there is no such buffer or
    /// `T` has another size than its elements.
    pub fn get<T: Pod>(&self, name: &str) -> Result<Vec<T>, Finding> {
        let Some(buffer) = self.buffers.iter().find(|b| b.name == name) else {
            return Err(Finding::grader(format!(
                "the check asks for a buffer {name} that it never made"
            )));
        };
        if buffer.elem != size_of::<T>() {
            return Err(Finding::grader(format!("the check reads {name} at another element size")));
        }
        if let Some(at) = buffer.unwritten {
            let (index, len) = (at as usize / buffer.elem, buffer.bytes.len() / buffer.elem);
            return Err(Finding::new(
                Class::Fault,
                format!("UNINIT: {name}[{index}] of {len} is read back but was never written"),
            ));
        }
        let mut out = vec![T::zeroed(); buffer.bytes.len() / buffer.elem];
        bytemuck::cast_slice_mut(&mut out).copy_from_slice(&buffer.bytes);
        Ok(out)
    }

    /// First element of a buffer that was never written.
    pub fn unwritten(&self, name: &str) -> Option<usize> {
        let buffer = self.buffers.iter().find(|b| b.name == name)?;
        buffer.unwritten.map(|at| at as usize / buffer.elem)
    }
}

//! A kernel given as text, with a device of its own.

#![allow(dead_code)] // each test program uses a part

use simt::device::model;
use simt::fault::Fault;
use simt::report::LaunchReport;
use simt::{CompileOptions, ExecOptions, Instance, Launch, Memory, Program, launch};

/// A kernel with its device.
pub struct Bench {
    pub memory: Memory,
    pub instance: Instance,
    pub options: ExecOptions,
}

impl Bench {
    pub fn new(text: &str) -> Bench {
        Bench::with(text, &CompileOptions { file: "k.cu".into(), ..CompileOptions::default() })
    }

    pub fn with(text: &str, options: &CompileOptions) -> Bench {
        let program = match Program::compile(text, options) {
            Ok(program) => program,
            Err(error) => panic!("{error}"),
        };
        let memory = Memory::new(1 << 32);
        let instance = Instance::load(&program, &memory).unwrap();
        Bench { memory, instance, options: ExecOptions::default() }
    }

    pub fn buffer<T: bytemuck::Pod>(&self, name: &str, data: &[T]) -> u64 {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let base = self.memory.alloc(bytes.len() as u64, name).unwrap();
        self.memory.write(base, bytes).unwrap();
        base
    }

    pub fn empty<T>(&self, name: &str, count: usize) -> u64 {
        self.memory.alloc((count * size_of::<T>()) as u64, name).unwrap()
    }

    pub fn read<T: bytemuck::Pod>(&self, base: u64, count: usize) -> Vec<T> {
        let mut out = vec![T::zeroed(); count];
        let state = self.memory.read(base, bytemuck::cast_slice_mut(&mut out)).unwrap();
        assert_eq!(state.first_unwritten, None);
        out
    }

    pub fn run(
        &self,
        symbol: &str,
        grid: u32,
        block: u32,
        args: &[Arg],
    ) -> Result<LaunchReport, Box<Fault>> {
        self.run3(symbol, [grid, 1, 1], [block, 1, 1], 0, args)
    }

    pub fn run3(
        &self,
        symbol: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
        args: &[Arg],
    ) -> Result<LaunchReport, Box<Fault>> {
        let args = args.iter().map(Arg::bytes).collect();
        let device = model("h200").unwrap();
        let shape = Launch { grid, block, dynamic_shared, args, ..Launch::default() };
        launch(device, &self.memory, &self.instance, symbol, &shape, &self.options)
    }
}

/// An argument of a launch.
pub enum Arg {
    I(i32),
    F(f32),
    P(u64),
}
impl Arg {
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Arg::I(x) => x.to_le_bytes().to_vec(),
            Arg::F(x) => x.to_le_bytes().to_vec(),
            Arg::P(x) => x.to_le_bytes().to_vec(),
        }
    }
}

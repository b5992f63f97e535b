//! A run file of `cargo lab check`: what it may say, what its lines do, and one to begin with.

use std::collections::BTreeMap;

use simt::device::DeviceModel;
use simt::fault::Fault;
use simt::hir::Space;
use simt::program::KernelInfo;
use simt::report::LaunchReport;
use simt::texture::{Address, Texture};
use simt::{ExecOptions, Instance, Language, Launch, Memory};

use super::args::{self, Elem, Value};
use super::session::{extent, pick};

/// What `--help` says of run files.
pub const HELP: &str = "\
The run file has one line for each thing to do, in order; # begins a comment:
  buffer NAME RECIPE
      device memory, as in `cargo lab kernel`: rand:float:100, out:int:8
  symbol NAME RECIPE
      a __device__ or __constant__ variable
  texture NAME BUFFER WxHxD CHANNELS [linear] [wrap|mirror|border] [unit] [values]
      of OpenCL C: an image, whose sampler says the rest
  launch KERNEL<<<GRID, BLOCK[, SHARED]>>>(ARG, ...)
      ARG is a buffer, a texture, a number, or a recipe; GRID and BLOCK as in 8
      or 8x4; in OpenCL C they are groups and group size
  expect NAME RECIPE [within TOLERANCE]
      what the buffer must hold: list:int:1,2,3 or file:want.npy";

/// What a line has brought.
pub enum Event {
    /// Nothing to tell.
    Nothing,
    /// A launch came to its end.
    Launched(Box<LaunchReport>),
    /// A launch did not.
    Fault(Box<Fault>),
    /// A buffer does not hold what was expected.
    Differs {
        /// The buffer.
        name: String,
        /// In one line, without the buffer's name.
        message: String,
        /// The first ten wrong elements, a line each.
        list: String,
    },
}

/// Memory that the run file names.
struct Named {
    base: u64,
    elem: Elem,
    count: usize,
}

/// A program on its way through a run file.
pub struct Run {
    device: &'static DeviceModel,
    memory: Memory,
    instance: Instance,
    named: BTreeMap<String, Named>,
}

impl Run {
    /// A program that is loaded into the memory of a device.
    pub fn new(device: &'static DeviceModel, memory: Memory, instance: Instance) -> Run {
        Run { device, memory, instance, named: BTreeMap::new() }
    }

    /// Does what one line says.
    ///
    /// # Errors
    /// What of the line makes no sense.
    pub fn line(&mut self, line: &str) -> Result<Event, String> {
        let line = line.split('#').next().unwrap_or("").trim();
        let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match verb {
            "" => {}
            "buffer" | "symbol" => self.buffer(verb == "symbol", rest)?,
            "texture" => self.texture(rest)?,
            "launch" => return self.launch(rest),
            "expect" => return self.expect(rest),
            _ => {
                return Err(format!("`{verb}` is none of buffer, symbol, texture, launch, expect"));
            }
        }
        Ok(Event::Nothing)
    }

    fn buffer(&mut self, symbol: bool, rest: &str) -> Result<(), String> {
        let (name, recipe) = rest.split_once(char::is_whitespace).ok_or("NAME and RECIPE")?;
        let made = args::buffer_of(recipe.trim())?;
        let bytes = (made.count * made.elem.size) as u64;
        let base = if symbol {
            let found = self.instance.global(name);
            let (base, has) = found.ok_or_else(|| format!("there is no variable `{name}`"))?;
            if has != bytes {
                return Err(format!("`{name}` has {has} bytes, but {bytes} are given"));
            }
            base
        } else {
            self.memory.alloc(bytes, name).map_err(|e| e.to_string())?
        };
        if let Some(data) = &made.data {
            self.memory.write(base, data).map_err(|e| e.to_string())?;
        }
        let named = Named { base, elem: made.elem, count: made.count };
        self.named.insert(name.to_string(), named);
        Ok(())
    }

    fn texture(&mut self, rest: &str) -> Result<(), String> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [name, over, size, channels, flags @ ..] = &words[..] else {
            return Err("NAME BUFFER WxHxD CHANNELS".into());
        };
        let buffer = self.named.get(*over).ok_or_else(|| format!("no buffer `{over}`"))?;
        let known = ["linear", "wrap", "mirror", "border", "unit", "values"];
        if let Some(odd) = flags.iter().find(|f| !known.contains(f)) {
            return Err(format!("`{odd}` is none of {}", known.join(", ")));
        }
        let has = |flag: &str| flags.contains(&flag);
        let channels: u32 = channels.parse().map_err(|_| "CHANNELS is 1, 2 or 4")?;
        let size = extent(size)?;
        let bits = 8 * (buffer.elem.size / buffer.elem.lanes) as u32;
        let signed = !matches!(buffer.elem.base, args::Base::Int { signed: false, .. });
        let float = matches!(buffer.elem.base, args::Base::F32);
        let texture = Texture {
            data: buffer.base,
            size,
            pitch: size[0] * channels * bits / 8,
            channels,
            bits,
            signed,
            linear: has("linear"),
            address: match () {
                () if has("wrap") => Address::Wrap,
                () if has("mirror") => Address::Mirror,
                () if has("border") => Address::Border,
                () => Address::Clamp,
            },
            unit_coords: has("unit"),
            unit_values: has("values"),
            channel_type: simt::texture::channel_type(bits, signed, float, has("values")),
        };
        let base = match self.instance.global(name) {
            Some((base, _)) => base,
            None => {
                let bytes = Texture::BYTES as u64;
                self.memory.alloc(bytes, name).map_err(|e| e.to_string())?
            }
        };
        self.memory.write(base, &texture.bytes()).map_err(|e| e.to_string())?;
        let elem = Elem::parse("u8").ok_or("no bytes")?;
        self.named.insert((*name).to_string(), Named { base, elem, count: Texture::BYTES });
        Ok(())
    }

    fn launch(&self, rest: &str) -> Result<Event, String> {
        let form = "KERNEL<<<GRID, BLOCK>>>(ARG, ...)";
        let (name, rest) = rest.split_once("<<<").ok_or(form)?;
        let (shape, rest) = rest.split_once(">>>").ok_or(form)?;
        let given = rest.trim().strip_prefix('(').and_then(|r| r.strip_suffix(')')).ok_or(form)?;
        let kernel = pick(self.instance.program(), Some(name.trim()))
            .map_err(|e| e.message.trim().to_string())?
            .clone();
        let shape: Vec<&str> = shape.split(',').map(str::trim).collect();
        let [grid, block, shared @ ..] = &shape[..] else { return Err(form.into()) };
        let given: Vec<&str> = given.split(", ").map(str::trim).filter(|a| !a.is_empty()).collect();
        if given.len() != kernel.params.len() {
            let (want, has) = (kernel.params.len(), given.len());
            return Err(format!("`{}` has {want} parameter(s), {has} are given", kernel.name));
        }
        let mut values = Vec::new();
        for (param, text) in kernel.params.iter().zip(given) {
            if let Some(named) = self.named.get(text) {
                values.push(simt::opencl::Arg::Bytes(named.base.to_le_bytes().to_vec()));
                continue;
            }
            let mut bound = args::bind(std::slice::from_ref(param), &[text.to_string()])?;
            values.push(match bound.pop() {
                Some(Value::Scalar(bytes)) => simt::opencl::Arg::Bytes(bytes),
                Some(Value::Local(bytes)) => simt::opencl::Arg::Local(bytes),
                Some(Value::Buffer(b)) => {
                    let bytes = (b.count * b.elem.size) as u64;
                    let base = self.memory.alloc(bytes, &param.name).map_err(|e| e.to_string())?;
                    if let Some(data) = &b.data {
                        self.memory.write(base, data).map_err(|e| e.to_string())?;
                    }
                    simt::opencl::Arg::Bytes(base.to_le_bytes().to_vec())
                }
                _ => simt::opencl::Arg::Bytes(vec![0; 8]),
            });
        }
        let (grid, block) = (extent(grid)?, extent(block)?);
        let launch = match self.instance.program().module().language {
            Language::OpenClC => {
                let global = std::array::from_fn(|a| u64::from(grid[a]) * u64::from(block[a]));
                let range = simt::opencl::NdRange {
                    work_dim: (0..3u32)
                        .rev()
                        .find(|a| global[*a as usize] > 1)
                        .map_or(1, |a| a + 1),
                    offset: [0; 3],
                    global,
                    local: Some(block.map(u64::from)),
                };
                simt::opencl::prepare(self.device, &kernel, &range, &values)
                    .map_err(|e| e.message)?
            }
            Language::CudaC => Launch {
                grid,
                block,
                dynamic_shared: match shared {
                    [] => 0,
                    [n, ..] => n.parse().map_err(|_| format!("`{n}` is no number of bytes"))?,
                },
                args: values
                    .into_iter()
                    .map(|v| match v {
                        simt::opencl::Arg::Bytes(bytes) => bytes,
                        simt::opencl::Arg::Local(_) => Vec::new(),
                    })
                    .collect(),
                ..Launch::default()
            },
        };
        let options = ExecOptions::default();
        let (memory, instance) = (&self.memory, &self.instance);
        let done = simt::launch(self.device, memory, instance, &kernel.symbol, &launch, &options);
        Ok(done.map_or_else(Event::Fault, |report| Event::Launched(Box::new(report))))
    }

    fn expect(&self, rest: &str) -> Result<Event, String> {
        let (name, rest) = rest.split_once(char::is_whitespace).ok_or("NAME and RECIPE")?;
        let (recipe, within) = rest.split_once(" within ").unwrap_or((rest, "0"));
        let within: f64 =
            within.trim().parse().map_err(|_| format!("`{within}` is not a tolerance"))?;
        let got = self.named.get(name).ok_or_else(|| format!("no buffer `{name}`"))?;
        let want = args::buffer_of(recipe.trim())?;
        let data = want.data.ok_or("`out` holds nothing to compare with")?;
        if (want.count, want.elem.size) != (got.count, got.elem.size) {
            return Err(format!(
                "`{name}` has {} elements of {} bytes, the expectation {} of {}",
                got.count, got.elem.size, want.count, want.elem.size
            ));
        }
        let mut bytes = vec![0; data.len()];
        let state = self.memory.read(got.base, &mut bytes).map_err(|e| e.to_string())?;
        let size = got.elem.size;
        let pairs = bytes.chunks_exact(size).zip(data.chunks_exact(size));
        let wrong = pairs.enumerate().filter(|(_, (a, b))| {
            let (a, b) = (want.elem.show(a), want.elem.show(b));
            let close = match (a.parse::<f64>(), b.parse::<f64>()) {
                (Ok(a), Ok(b)) => (a - b).abs() <= within * b.abs().max(1.0),
                _ => false,
            };
            a != b && !close
        });
        let wrong: Vec<String> = wrong
            .map(|(i, (a, b))| {
                format!("{name}[{i}] is {}, want {}", want.elem.show(a), want.elem.show(b))
            })
            .collect();
        let unwritten = state.first_unwritten.map(|at| at as usize / size);
        let message = match (&wrong[..], unwritten) {
            ([], None) => return Ok(Event::Nothing),
            (_, Some(i)) => format!("{name}[{i}] was never written"),
            ([first, ..], None) => format!("{} of {} differ: {first}", wrong.len(), got.count),
        };
        let list: String = wrong.iter().take(10).map(|w| format!("  {w}\n")).collect();
        Ok(Event::Differs { name: name.to_string(), message, list })
    }
}

/// Elements of a buffer, and the value of an integer: mostly the one is the length of the other.
const COUNT: u32 = 1024;

/// Buffers and a launch for each of the `kernels`, in lines indented by two blanks. What a kernel
/// only reads is random, what it may write begins as zeros.
pub fn draft(kernels: &[KernelInfo]) -> String {
    let mut text = String::new();
    for (i, kernel) in kernels.iter().enumerate() {
        let mut given = Vec::new();
        for param in &kernel.params {
            let recipe = args::example(param, "zeros", COUNT);
            // A line `buffer` knows numbers only.
            let pointee = param.pointee.as_ref().filter(|_| param.space != Space::Shared);
            if pointee.is_none_or(|(name, _)| Elem::parse(name).is_none()) {
                given.push(recipe);
                continue;
            }
            // Two kernels may call buffers of different types alike.
            let name = match kernels {
                [_] => param.name.clone(),
                _ => format!("{}{}", param.name, i + 1),
            };
            text += &format!("  buffer {name} {recipe}\n");
            given.push(name);
        }
        let block = match kernel.work_group {
            None => "256".to_string(),
            Some([x, y, z]) => format!("{x}x{y}x{z}"),
        };
        let threads = kernel.work_group.map_or(256, |g| g.iter().product());
        let (grid, given) = (COUNT.div_ceil(threads), given.join(", "));
        text += &format!("  launch {}<<<{grid}, {block}>>>({given})\n", kernel.name);
    }
    text
}

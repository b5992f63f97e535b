//! BLAS for a program that a judge has started.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use cust::memory::{DevicePointer, DeviceSlice};

use super::level1::Target;
use super::operand::Call;
use super::{Blas, Diag, Fill, MathMode, Op, Real, Result, Scalar, Side, cpu, transfer};
use crate::device::{Place, RawStream};
use crate::parcel::{Arguments, Parcel, Table, ended};

static HANDLES: Mutex<Table<Blas<'static>>> = Mutex::new(Table::new());

/// Answers a call.
pub fn answer(name: &str, from: &mut Arguments, blobs: &[Vec<u8>]) -> Option<Parcel> {
    if ["Set", "Get"].iter().any(|w| name[6..].starts_with(w)) && name.ends_with(['r', 'x']) {
        let copied = transfer::for_a_program(name, &from.all(), blobs.first()?)?;
        return Some(match copied {
            Ok(bytes) => (vec![0], vec![bytes]),
            Err(error) => ended(Err(error)),
        });
    }
    let (bytes, on_device) = (from.word()?, from.word()? != 0);
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    if name == "cublasCreate_v2" {
        return Some(match Blas::new() {
            Ok(made) => ended(Ok(vec![handles.insert(made)?])),
            Err(error) => ended(Err(error)),
        });
    }
    let number = from.word()?;
    if name == "cublasDestroy_v2" {
        drop(handles.remove(number)?);
        return Some(ended(Ok(Vec::new())));
    }
    let blas = handles.get(number)?;
    let result = match (name, bytes) {
        ("cublasSetStream_v2", _) => blas.set_raw_stream(from.word()? as RawStream).map(|()| None),
        ("cublasSetMathMode", _) => blas.set_math_mode(math_mode(from.int()?)?).map(|()| None),
        (_, 4) => Routine::<f32>::new(name, blas, from, on_device)?.run()?,
        (_, 8) => Routine::<f64>::new(name, blas, from, on_device)?.run()?,
        _ => return None,
    };
    Some(ended(result.map(|word| word.into_iter().collect())))
}

fn math_mode(number: i32) -> Option<MathMode> {
    let known = [MathMode::Default, MathMode::Pedantic, MathMode::Tf32];
    known.into_iter().find(|mode| *mode as i32 == number)
}

/// A name with the letter of a precision. There are few, and each is made once.
fn named(symbol: &str, letter: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let small = format!("I{}", letter.to_lowercase());
    let name = symbol.trim_end_matches("_v2").replace("I?", &small).replace('?', letter);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(name.as_str()) {
        Some(name) => name,
        None => {
            let name: &'static str = Box::leak(name.into_boxed_str());
            names.insert(name);
            name
        }
    }
}

/// One of the routines that there are for both precisions.
struct Routine<'a, T> {
    name: &'a str,
    call: Call,
    blas: &'a Blas<'static>,
    from: &'a mut Arguments,
    on_device: bool,
    _number: std::marker::PhantomData<T>,
}

/// A result for the host.
type Number = Option<u64>;

impl<'a, T: Real> Routine<'a, T> {
    const NAMES: [&'static str; 22] = [
        "cublasI?amax_v2",
        "cublasI?amin_v2",
        "cublas?asum_v2",
        "cublas?nrm2_v2",
        "cublas?dot_v2",
        "cublas?axpy_v2",
        "cublas?scal_v2",
        "cublas?copy_v2",
        "cublas?swap_v2",
        "cublas?rot_v2",
        "cublas?gemv_v2",
        "cublas?ger_v2",
        "cublas?symv_v2",
        "cublas?syr_v2",
        "cublas?trmv_v2",
        "cublas?trsv_v2",
        "cublas?gemm_v2",
        "cublas?gemmStridedBatched",
        "cublas?syrk_v2",
        "cublas?symm_v2",
        "cublas?trsm_v2",
        "cublas?geam",
    ];

    fn new(
        name: &'a str,
        blas: &'a Blas<'static>,
        from: &'a mut Arguments,
        on_device: bool,
    ) -> Option<Routine<'a, T>> {
        Self::NAMES.contains(&name).then_some(())?;
        let call = Call(named(name, if size_of::<T>() == 4 { "S" } else { "D" }));
        Some(Routine { name, call, blas, from, on_device, _number: std::marker::PhantomData })
    }

    fn op(&mut self) -> Option<Op> {
        one_of([Op::N, Op::T, Op::C], self.from.int()?, |v| v as i32)
    }

    fn fill(&mut self) -> Option<Fill> {
        one_of([Fill::Lower, Fill::Upper], self.from.int()?, |v| v as i32)
    }

    fn diag(&mut self) -> Option<Diag> {
        one_of([Diag::NonUnit, Diag::Unit], self.from.int()?, |v| v as i32)
    }

    fn side(&mut self) -> Option<Side> {
        one_of([Side::Left, Side::Right], self.from.int()?, |v| v as i32)
    }

    fn size(&mut self) -> Option<usize> {
        self.from.size()
    }

    fn sizes(&mut self) -> Option<(usize, usize)> {
        Some((self.size()?, self.size()?))
    }

    /// A vector with its increment.
    fn vector(&mut self) -> Option<(Place, i32)> {
        Some((self.from.place(size_of::<T>())?, self.from.int()?))
    }

    /// A matrix with its leading dimension.
    fn matrix(&mut self) -> Option<(Place, usize)> {
        Some((self.from.place(size_of::<T>())?, self.size()?))
    }

    fn bits(word: u64) -> T {
        bytemuck::pod_read_unaligned(&word.to_le_bytes()[..size_of::<T>()])
    }

    fn word(value: T) -> u64 {
        let mut word = [0; 8];
        word[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
        u64::from_le_bytes(word)
    }

    fn scalar<'s>(&mut self, kept: &'s OnceCell<DeviceSlice<T>>) -> Option<Scalar<'s, T>> {
        let word = self.from.word()?;
        if !self.on_device {
            return Some(Scalar::Host(Self::bits(word)));
        }
        // SAFETY: an address of the emulated device, which checks it when it is read.
        let slice = || unsafe { DeviceSlice::from_raw_parts(DevicePointer::from_raw(word), 1) };
        Some(Scalar::Device(kept.get_or_init(slice)))
    }

    /// Where a scalar result goes.
    fn target<'s>(&mut self, kept: &'s mut Option<DeviceSlice<T>>) -> Option<Target<'s, T>> {
        let word = self.from.word()?;
        if !self.on_device {
            return Some(Target::Host);
        }
        // SAFETY: as above, when it is written.
        let slice = unsafe { DeviceSlice::from_raw_parts_mut(DevicePointer::from_raw(word), 1) };
        Some(Target::Device(kept.insert(slice)))
    }

    /// Makes the call; `None` if its arguments are none.
    fn run(mut self) -> Option<Result<Number>> {
        let (call, blas) = (self.call, self.blas);
        let (one, two, mut result) = (OnceCell::new(), OnceCell::new(), None);
        let none = |done: Result<()>| Some(done.map(|()| None));
        match self.name {
            "cublasI?amax_v2" | "cublasI?amin_v2" => {
                let (n, x) = (self.size()?, self.vector()?);
                let largest = self.name == "cublasI?amax_v2";
                Some(blas.extreme::<T>(call, n, x, largest).map(|index| Some(index as u64)))
            }
            "cublas?asum_v2" | "cublas?nrm2_v2" => {
                let (n, x, target) = (self.size()?, self.vector()?, self.target(&mut result)?);
                let value = match self.name {
                    "cublas?asum_v2" => blas.reduce(call, n, x, target, cpu::asum, |l| l.asum),
                    _ => blas.reduce(call, n, x, target, cpu::nrm2, |l| l.nrm2),
                };
                Some(value.map(|value| Some(Self::word(value))))
            }
            "cublas?dot_v2" => {
                let (n, x, y) = (self.size()?, self.vector()?, self.vector()?);
                let target = self.target(&mut result)?;
                Some(blas.dot(call, n, x, y, target).map(|value| Some(Self::word(value))))
            }
            "cublas?axpy_v2" => {
                let (n, alpha, x) = (self.size()?, self.scalar(&one)?, self.vector()?);
                none(blas.axpy(call, n, alpha, x, self.vector()?))
            }
            "cublas?scal_v2" => {
                let (n, alpha) = (self.size()?, self.scalar(&one)?);
                none(blas.scal(call, n, alpha, self.vector()?))
            }
            "cublas?copy_v2" | "cublas?swap_v2" => {
                let (n, x, y) = (self.size()?, self.vector()?, self.vector()?);
                none(blas.transfer::<T>(call, n, x, y, self.name == "cublas?swap_v2"))
            }
            "cublas?rot_v2" => {
                let (n, x, y) = (self.size()?, self.vector()?, self.vector()?);
                let angle = (Self::bits(self.from.word()?), Self::bits(self.from.word()?));
                none(blas.rot(call, n, x, y, angle))
            }
            "cublas?gemv_v2" => {
                let (op, sizes, alpha) = (self.op()?, self.sizes()?, self.scalar(&one)?);
                let (a, x, beta) = (self.matrix()?, self.vector()?, self.scalar(&two)?);
                none(blas.gemv((call, op), sizes, [alpha, beta], a, x, self.vector()?))
            }
            "cublas?ger_v2" => {
                let (sizes, alpha) = (self.sizes()?, self.scalar(&one)?);
                let (x, y) = (self.vector()?, self.vector()?);
                none(blas.ger(call, sizes, alpha, x, y, self.matrix()?))
            }
            "cublas?symv_v2" => {
                let (fill, n, alpha) = (self.fill()?, self.size()?, self.scalar(&one)?);
                let (a, x, beta) = (self.matrix()?, self.vector()?, self.scalar(&two)?);
                none(blas.symv((call, fill), n, [alpha, beta], a, x, self.vector()?))
            }
            "cublas?syr_v2" => {
                let (fill, n, alpha) = (self.fill()?, self.size()?, self.scalar(&one)?);
                let x = self.vector()?;
                none(blas.syr((call, fill), n, alpha, x, self.matrix()?))
            }
            "cublas?trmv_v2" | "cublas?trsv_v2" => {
                let kind = (self.fill()?, self.op()?, self.diag()?);
                let (n, a, x) = (self.size()?, self.matrix()?, self.vector()?);
                none(blas.triangular::<T>(call, kind, a, x, n, self.name == "cublas?trsv_v2"))
            }
            "cublas?gemm_v2" => {
                let ops = (call, self.op()?, self.op()?);
                let (sizes, k, alpha) = (self.sizes()?, self.size()?, self.scalar(&one)?);
                let (a, b, beta) = (self.matrix()?, self.matrix()?, self.scalar(&two)?);
                let (c, shape) = (self.matrix()?, (sizes.0, sizes.1, k));
                none(blas.gemm(ops, shape, [alpha, beta], a, b, c, None))
            }
            "cublas?gemmStridedBatched" => {
                let ops = (call, self.op()?, self.op()?);
                let (sizes, k, alpha) = (self.sizes()?, self.size()?, self.scalar(&one)?);
                let (a, step_a) = (self.matrix()?, self.from.word()? as usize);
                let (b, step_b) = (self.matrix()?, self.from.word()? as usize);
                let beta = self.scalar(&two)?;
                let (c, step_c) = (self.matrix()?, self.from.word()? as usize);
                let batch = Some((self.size()?, [step_a, step_b, step_c]));
                let shape = (sizes.0, sizes.1, k);
                none(blas.gemm(ops, shape, [alpha, beta], a, b, c, batch))
            }
            "cublas?syrk_v2" => {
                let kind = (call, self.fill()?, self.op()?);
                let (sizes, alpha, a) = (self.sizes()?, self.scalar(&one)?, self.matrix()?);
                let beta = self.scalar(&two)?;
                none(blas.syrk(kind, sizes, [alpha, beta], a, self.matrix()?))
            }
            "cublas?symm_v2" => {
                let kind = (call, self.side()?, self.fill()?);
                let (sizes, alpha) = (self.sizes()?, self.scalar(&one)?);
                let (a, b, beta) = (self.matrix()?, self.matrix()?, self.scalar(&two)?);
                none(blas.symm(kind, sizes, [alpha, beta], a, b, self.matrix()?))
            }
            "cublas?trsm_v2" => {
                let side = (call, self.side()?);
                let kind = (self.fill()?, self.op()?, self.diag()?);
                let (sizes, alpha, a) = (self.sizes()?, self.scalar(&one)?, self.matrix()?);
                none(blas.trsm(side, kind, sizes, alpha, a, self.matrix()?))
            }
            "cublas?geam" => {
                let ops = (call, (self.op()?, self.op()?));
                let (sizes, alpha, a) = (self.sizes()?, self.scalar(&one)?, self.matrix()?);
                let (beta, b) = (self.scalar(&two)?, self.matrix()?);
                none(blas.geam(ops, sizes, [alpha, beta], a, b, self.matrix()?))
            }
            _ => None,
        }
    }
}

fn one_of<T: Copy, const N: usize>(all: [T; N], number: i32, of: impl Fn(T) -> i32) -> Option<T> {
    all.into_iter().find(|one| of(*one) == number)
}

//! Plans: what is transformed and where it lies.

use std::fmt;
use std::marker::PhantomData;

use cust::stream::Stream;

use super::cpu::Axes;
use super::vendor::{CUFFT, Cufft};
use super::{BatchLayout, FftType, STATUSES, half, status};
use crate::device::{RawStream, Session};
use crate::error::{Error, Result};
use crate::provider::{Chosen, Provider};

/// A plan (`cufftHandle`): made once, run many times, destroyed when it is dropped
/// (`cufftDestroy`). It works in the default stream until [`Plan::set_stream`].
pub struct Plan<'s> {
    pub(super) kind: FftType,
    pub(super) shape: Vec<usize>,
    pub(super) batch: usize,
    /// How input and output lie; `None`: packed, for real data in place padded.
    pub(super) layouts: Option<(BatchLayout, BatchLayout)>,
    pub(super) engine: Engine,
    pub(super) stream: RawStream,
    _stream: PhantomData<&'s Stream>,
}

pub(super) enum Engine {
    Single(Axes<f32>),
    Double(Axes<f64>),
    Vendor(i32),
}

// SAFETY: a plan may be used from any thread that has its context current; `&mut` keeps threads
// apart.
unsafe impl Send for Plan<'_> {}

impl fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("kind", &self.kind)
            .field("shape", &self.shape)
            .field("batch", &self.batch)
            .finish_non_exhaustive()
    }
}

pub(super) fn cufft(call: &'static str) -> Result<&'static Cufft> {
    CUFFT.as_ref().map_err(|what| Error::new(call, status::SETUP_FAILED, what))
}

impl<'s> Plan<'s> {
    /// `batch` transforms of `n` elements, one after the other (`cufftPlan1d`).
    ///
    /// # Errors
    /// `CUFFT_INVALID_SIZE` for a size of 0 or beyond 2^31 - 1, `CUFFT_SETUP_FAILED` without a
    /// context or library.
    pub fn plan_1d(n: usize, kind: FftType, batch: usize) -> Result<Plan<'s>> {
        Plan::made("cufftPlan1d", Provider::Auto, &[n], None, kind, batch)
    }

    /// A transform of `nx` rows of `ny` elements; y is fastest (`cufftPlan2d`).
    ///
    /// # Errors
    /// As [`Plan::plan_1d`].
    pub fn plan_2d(nx: usize, ny: usize, kind: FftType) -> Result<Plan<'s>> {
        Plan::made("cufftPlan2d", Provider::Auto, &[nx, ny], None, kind, 1)
    }

    /// A transform of `nx` planes of `ny` rows of `nz` elements; z is fastest (`cufftPlan3d`).
    ///
    /// # Errors
    /// As [`Plan::plan_1d`].
    pub fn plan_3d(nx: usize, ny: usize, nz: usize, kind: FftType) -> Result<Plan<'s>> {
        Plan::made("cufftPlan3d", Provider::Auto, &[nx, ny, nz], None, kind, 1)
    }

    /// `batch` transforms of one to three dimensions (`cufftPlanMany`). `layouts` says how the
    /// input and the output lie; without it arrays are packed, one after the other.
    ///
    /// # Errors
    /// As [`Plan::plan_1d`]; `CUFFT_INVALID_SIZE` for more than three dimensions,
    /// `CUFFT_INVALID_VALUE` for a layout that is smaller than the array or has a stride of 0.
    pub fn plan_many(
        shape: &[usize],
        layouts: Option<(BatchLayout, BatchLayout)>,
        kind: FftType,
        batch: usize,
    ) -> Result<Plan<'s>> {
        Plan::made("cufftPlanMany", Provider::Auto, shape, layouts, kind, batch)
    }

    /// As [`Plan::plan_many`], where `provider` says.
    ///
    /// # Errors
    /// As [`Plan::plan_many`].
    pub fn with(
        provider: Provider,
        shape: &[usize],
        layouts: Option<(BatchLayout, BatchLayout)>,
        kind: FftType,
        batch: usize,
    ) -> Result<Plan<'s>> {
        Plan::made("cufftPlanMany", provider, shape, layouts, kind, batch)
    }

    pub(super) fn made(
        call: &'static str,
        provider: Provider,
        shape: &[usize],
        layouts: Option<(BatchLayout, BatchLayout)>,
        kind: FftType,
        batch: usize,
    ) -> Result<Plan<'s>> {
        let engine = STATUSES.logged(call, std::ptr::null_mut(), |_| {
            check(call, shape, layouts.as_ref(), kind, batch)?;
            let refused = |what| Error::new(call, status::SETUP_FAILED, what);
            match provider.choose().map_err(refused)? {
                Chosen::Cpu => {
                    // Fails without a context, as the vendor's library does.
                    Session::begin(call, std::ptr::null_mut())
                        .map_err(|error| STATUSES.driver(call, error))?;
                    Ok(match kind.single() {
                        true => Engine::Single(Axes::new(shape)),
                        false => Engine::Double(Axes::new(shape)),
                    })
                }
                Chosen::Vendor => vendors_plan(call, shape, layouts.as_ref(), kind, batch),
            }
        })?;
        Ok(Plan {
            kind,
            shape: shape.to_vec(),
            batch,
            layouts,
            engine,
            stream: std::ptr::null_mut(),
            _stream: PhantomData,
        })
    }

    /// Later transforms work in `stream` (`cufftSetStream`).
    ///
    /// # Errors
    /// What the library refuses.
    pub fn set_stream(&mut self, stream: &'s Stream) -> Result<()> {
        self.set_raw_stream(stream.as_inner().cast())
    }

    pub(super) fn set_raw_stream(&mut self, raw: RawStream) -> Result<()> {
        const CALL: &str = "cufftSetStream";
        STATUSES.logged(CALL, raw, |_| match self.engine {
            Engine::Vendor(plan) => {
                // SAFETY: plan and stream are live.
                STATUSES.check(CALL, unsafe { (cufft(CALL)?.calls.set_stream)(plan, raw) })
            }
            _ => Ok(()),
        })?;
        self.stream = raw;
        Ok(())
    }

    /// Shape of the complex side of a real transform, else of both sides.
    pub(super) fn complex_shape(&self) -> Vec<usize> {
        if self.kind.real_input() || self.kind.real_output() {
            half(&self.shape)
        } else {
            self.shape.clone()
        }
    }
}

impl Drop for Plan<'_> {
    fn drop(&mut self) {
        const CALL: &str = "cufftDestroy";
        // Nobody is left to be told of an error.
        let _ = STATUSES.logged(CALL, self.stream, |_| match self.engine {
            Engine::Vendor(plan) => {
                // SAFETY: the plan is live, and is not used again.
                STATUSES.check(CALL, unsafe { (cufft(CALL)?.calls.destroy)(plan) })
            }
            _ => Ok(()),
        });
    }
}

fn check(
    call: &'static str,
    shape: &[usize],
    layouts: Option<&(BatchLayout, BatchLayout)>,
    kind: FftType,
    batch: usize,
) -> Result<()> {
    let size = |what: String| Err(Error::new(call, status::INVALID_SIZE, what));
    if !(1..=3).contains(&shape.len()) {
        return size(format!("expected 1 to 3 dimensions, found {}", shape.len()));
    }
    for (name, n) in shape.iter().map(|n| ("a dimension", *n)).chain([("batch", batch)]) {
        if n == 0 || i32::try_from(n).is_err() {
            return size(format!("{name} is {n}: expected 1 to 2147483647"));
        }
    }
    let total = shape.iter().try_fold(batch, |product, n| product.checked_mul(*n));
    if total.is_none() {
        return size("the number of elements overflows".into());
    }
    let Some((input, output)) = layouts else { return Ok(()) };
    let half = half(shape);
    let sides = [
        ("input", input, if kind.real_output() { &half[..] } else { shape }),
        ("output", output, if kind.real_input() { &half[..] } else { shape }),
    ];
    for (name, layout, shape) in sides {
        let value = |what: String| Err(Error::new(call, status::INVALID_VALUE, what));
        if layout.embed.len() != shape.len() {
            return value(format!(
                "{name}: embed has {} sizes for {} dimensions",
                layout.embed.len(),
                shape.len()
            ));
        }
        let mut inner = layout.embed.iter().zip(shape).skip(1);
        if let Some((embed, n)) = inner.find(|(embed, n)| embed < n) {
            return value(format!("{name}: embed has {embed} elements for a dimension of {n}"));
        }
        if layout.stride == 0 {
            return value(format!("{name}: the stride is 0: neighbours are at least 1 apart"));
        }
        let mut numbers = layout.embed.iter().chain([&layout.stride, &layout.dist]);
        if numbers.any(|n| i32::try_from(*n).is_err()) {
            return value(format!("{name}: a size does not fit the library's 32-bit integers"));
        }
        if layout.need(shape, batch).is_none() {
            return value(format!("{name}: the layout overflows"));
        }
    }
    Ok(())
}

fn vendors_plan(
    call: &'static str,
    shape: &[usize],
    layouts: Option<&(BatchLayout, BatchLayout)>,
    kind: FftType,
    batch: usize,
) -> Result<Engine> {
    // All sizes were checked to fit.
    let ints = |sizes: &[usize]| sizes.iter().map(|n| *n as i32).collect::<Vec<i32>>();
    let (mut n, mut plan) = (ints(shape), 0);
    let mut embeds = layouts.map(|(i, o)| (ints(&i.embed), ints(&o.embed)));
    let (inembed, onembed) = match &mut embeds {
        Some((i, o)) => (i.as_mut_ptr(), o.as_mut_ptr()),
        None => (std::ptr::null_mut(), std::ptr::null_mut()),
    };
    let spacing =
        |layout: Option<&BatchLayout>| layout.map_or((1, 0), |l| (l.stride as i32, l.dist as i32));
    let (istride, idist) = spacing(layouts.map(|l| &l.0));
    let (ostride, odist) = spacing(layouts.map(|l| &l.1));
    let Some(plans) = &cufft(call)?.plans else {
        let mut words = vec![kind as u64, batch as u64, shape.len() as u64];
        words.extend(shape.iter().map(|n| *n as u64));
        for layout in layouts.into_iter().flat_map(|(i, o)| [i, o]) {
            words.extend(layout.embed.iter().map(|n| *n as u64));
            words.extend([layout.stride as u64, layout.dist as u64]);
        }
        let (code, plan) = crate::remote::ask(call, words, Vec::new());
        STATUSES.check(call, code)?;
        return Ok(Engine::Vendor(plan.words.first().map_or(0, |plan| *plan as i32)));
    };
    // SAFETY: arrays of `rank` sizes each, or null for packed arrays.
    let code = unsafe {
        (plans.many)(
            &mut plan,
            n.len() as i32,
            n.as_mut_ptr(),
            inembed,
            istride,
            idist,
            onembed,
            ostride,
            odist,
            kind as i32,
            batch as i32,
        )
    };
    STATUSES.check(call, code)?;
    Ok(Engine::Vendor(plan))
}

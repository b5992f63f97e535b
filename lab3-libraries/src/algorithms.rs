//! Exercise 3.1.9's vocabulary, in the spirit of the C++ library Thrust: functions and operations
//! that both sides can compute, ranges of elements, and what a system can do with them.

use labkit::LabError;

/// A function of an element `x` with a parameter `p`, for the CPU and for the device. Made by
/// [`function!`](crate::function).
pub trait Function {
    /// The function in CUDA C, of `x` and `p`.
    const TEXT: &'static str;

    /// The function on the CPU.
    fn call(x: f64, p: f64) -> f64;
}

/// Declares a [`Function`] by one expression of `x` and `p`. It must be valid Rust and valid CUDA
/// C: `+ - * /`, brackets, and numbers with a point.
///
/// ```
/// use lab3_libraries::{algorithms::Function, function};
///
/// function! {
///     /// The square of the distance from p.
///     pub Square(x, p) = (x - p) * (x - p)
/// }
/// assert_eq!(Square::call(5.0, 2.0), 9.0);
/// assert_eq!(Square::TEXT, "(x - p) * (x - p)");
/// ```
#[macro_export]
macro_rules! function {
    ($(#[$doc:meta])* $public:vis $name:ident($x:ident, $p:ident) = $body:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $public struct $name;

        impl $crate::algorithms::Function for $name {
            const TEXT: &'static str = stringify!($body);

            fn call($x: f64, $p: f64) -> f64 {
                let _ = ($x, $p);
                $body
            }
        }
    };
}

/// An operation that may be done in any order: it is associative and commutative, but for rounding.
pub trait Operation {
    /// What changes nothing: the result over no elements.
    const IDENTITY: f64;
    /// [`IDENTITY`](Operation::IDENTITY) in CUDA C.
    const IDENTITY_TEXT: &'static str;
    /// The operation in CUDA C, of `a` and `b`.
    const TEXT: &'static str;

    /// The operation on the CPU.
    fn combine(a: f64, b: f64) -> f64;
}

/// The sum.
#[derive(Clone, Copy, Debug)]
pub struct Plus;

impl Operation for Plus {
    const IDENTITY: f64 = 0.0;
    const IDENTITY_TEXT: &'static str = "0.0";
    const TEXT: &'static str = "a + b";

    fn combine(a: f64, b: f64) -> f64 {
        a + b
    }
}

/// The greatest element.
#[derive(Clone, Copy, Debug)]
pub struct Greatest;

impl Operation for Greatest {
    const IDENTITY: f64 = f64::NEG_INFINITY;
    const IDENTITY_TEXT: &'static str = "-1.0 / 0.0";
    const TEXT: &'static str = "fmax(a, b)";

    fn combine(a: f64, b: f64) -> f64 {
        a.max(b)
    }
}

function! {
    /// The element itself.
    pub Identity(x, p) = x
}

function! {
    /// The element with the other sign.
    pub Negative(x, p) = -x
}

function! {
    /// The distance from p.
    pub Shifted(x, p) = x - p
}

function! {
    /// The square of the distance from p.
    pub Square(x, p) = (x - p) * (x - p)
}

/// Where the elements of an algorithm come from.
#[derive(Debug)]
pub enum Range<'v, V> {
    /// From a vector.
    Of(&'v V),
    /// From the index: `first`, `first + 1`, ..., `n` elements that are in no memory.
    Counting {
        /// Element 0.
        first: f64,
        /// Number of elements.
        n: usize,
    },
}

/// A place for vectors, and who computes there. Whoever writes an algorithm over a `System` has
/// written it for all of them.
pub trait System {
    /// Numbers in this system's memory.
    type Vector;

    /// Copies numbers of the host into a vector.
    ///
    /// # Errors
    /// What the driver refuses.
    fn upload(&self, values: &[f64]) -> Result<Self::Vector, LabError>;

    /// Copies a vector to the host.
    ///
    /// # Errors
    /// What the driver refuses.
    fn download(&self, vector: &Self::Vector) -> Result<Vec<f64>, LabError>;

    /// Number of elements.
    fn len(&self, vector: &Self::Vector) -> usize;

    /// `F(x, p)` of each element.
    ///
    /// # Errors
    /// What the driver refuses.
    fn transform<F: Function>(
        &self,
        range: Range<'_, Self::Vector>,
        p: f64,
    ) -> Result<Self::Vector, LabError>;

    /// `F(x, p)` of all elements, put together by `O`; `O::IDENTITY` if there are none.
    ///
    /// # Errors
    /// What the driver refuses.
    fn transform_reduce<F: Function, O: Operation>(
        &self,
        range: Range<'_, Self::Vector>,
        p: f64,
    ) -> Result<f64, LabError>;
}

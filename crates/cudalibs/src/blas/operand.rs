//! Vectors and matrices as arguments: checked against the length of their slice, so that nothing
//! outside is touched.

use cuda_driver::library::Work;

use super::status::{INTERNAL_ERROR, INVALID_VALUE, STATUSES};
use super::types::{Diag, Fill, Real, Scalar};
use crate::device::{Elements, Place, RawStream, Session};
use crate::error::{Error, Result};

/// A call with its name, for errors.
#[derive(Clone, Copy)]
pub(crate) struct Call(pub &'static str);

/// A checked vector: `n` elements, `inc` elements apart, backwards if negative.
#[derive(Clone, Debug)]
pub(crate) struct Vector {
    pub place: Place,
    pub n: usize,
    pub inc: i32,
}

/// A checked matrix, stored by columns that are `ld` elements apart.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub place: Place,
    pub rows: usize,
    pub columns: usize,
    pub ld: usize,
}

impl Call {
    /// `..._STATUS_INVALID_VALUE` with a sentence.
    pub fn invalid(self, what: impl Into<String>) -> Error {
        Error::new(self.0, INVALID_VALUE, what)
    }

    /// A dimension as the vendor's library takes it.
    ///
    /// # Errors
    /// It does not fit into 32 bits.
    pub fn int(self, name: &str, value: usize) -> Result<i32> {
        i32::try_from(value).map_err(|_| {
            self.invalid(format!("{name} = {value} does not fit the library's 32-bit integers"))
        })
    }

    /// A vector operand of `n` elements, in a slice with an increment.
    ///
    /// # Errors
    /// An increment of 0, or a slice that is too short.
    pub fn vector(self, name: &str, (place, inc): (Place, i32), n: usize) -> Result<Vector> {
        if inc == 0 {
            return Err(self.invalid(format!("inc{name} is 0: neighbours are 1 apart")));
        }
        self.int("n", n)?;
        let reach = match n {
            0 => Some(0),
            _ => (n - 1)
                .checked_mul(inc.unsigned_abs() as usize)
                .and_then(|last| last.checked_add(1)),
        };
        if reach.is_none_or(|reach| reach > place.len) {
            return Err(self.invalid(format!(
                "{name} has {} elements, but {n} of them {} apart need {}",
                place.len,
                inc.unsigned_abs(),
                reach.unwrap_or(usize::MAX)
            )));
        }
        Ok(Vector { place, n, inc })
    }

    /// A matrix operand of `rows` x `columns` elements as stored, in a slice with a leading
    /// dimension.
    ///
    /// # Errors
    /// A leading dimension below the number of rows, or a slice that is too short.
    pub fn matrix(
        self,
        name: &str,
        (place, ld): (Place, usize),
        (rows, columns): (usize, usize),
    ) -> Result<Matrix> {
        self.int("the number of rows", rows)?;
        self.int("the number of columns", columns)?;
        self.int("the leading dimension", ld)?;
        if ld < rows.max(1) {
            return Err(self.invalid(format!(
                "ld{} = {ld} is smaller than the {} rows of {name}: matrices are stored by \
                 columns, ld elements apart",
                name.to_lowercase(),
                rows.max(1)
            )));
        }
        let need = match (rows, columns) {
            (0, _) | (_, 0) => Some(0),
            _ => (columns - 1).checked_mul(ld).and_then(|last| last.checked_add(rows)),
        };
        if need.is_none_or(|need| need > place.len) {
            return Err(self.invalid(format!(
                "{name} has {} elements, but {columns} columns of {rows} rows with ld{} = {ld} \
                 need {}",
                place.len,
                name.to_lowercase(),
                need.unwrap_or(usize::MAX)
            )));
        }
        Ok(Matrix { place, rows, columns, ld })
    }

    /// A scalar operand.
    ///
    /// # Errors
    /// An empty slice of device memory.
    pub fn scalar<T: Real>(self, name: &str, scalar: &Scalar<'_, T>) -> Result<()> {
        match scalar {
            Scalar::Device(slice) if slice.is_empty() => {
                Err(self.invalid(format!("{name} is an empty slice of device memory")))
            }
            _ => Ok(()),
        }
    }

    /// Two scalar operands. Returns whether they are in device memory.
    ///
    /// # Errors
    /// An empty slice of device memory, or one of them is there and the other one not.
    pub fn scalars<T: Real>(self, [alpha, beta]: &[Scalar<'_, T>; 2]) -> Result<bool> {
        self.scalar("alpha", alpha)?;
        self.scalar("beta", beta)?;
        if alpha.on_device() == beta.on_device() {
            return Ok(alpha.on_device());
        }
        Err(self.invalid("alpha and beta must both be numbers, or both be in device memory"))
    }

    /// The status that the vendor's library returned.
    pub fn check(self, code: u32) -> Result<()> {
        STATUSES.check(self.0, code)
    }

    /// The judge's device gives no answer.
    pub fn driver_gone(self) -> Error {
        Error::new(self.0, INTERNAL_ERROR, "the judge's device is gone")
    }

    /// What the driver refused.
    pub fn driver(self, error: cuda_driver::LastError) -> Error {
        STATUSES.driver(self.0, error)
    }
}

impl Vector {
    /// Its elements in ascending order.
    pub fn elements(&self) -> Elements {
        let step = self.inc.unsigned_abs() as usize;
        if step == 1 {
            return Elements::first(self.place, self.n);
        }
        Elements::rows(self.place, (0..self.n).map(|i| (i * step, 1)))
    }

    /// Turns what was read in ascending order into the order of the vector, or back.
    fn turned<T>(&self, mut values: Vec<T>) -> Vec<T> {
        if self.inc < 0 {
            values.reverse();
        }
        values
    }
}

impl Matrix {
    /// Its elements, column after column.
    pub fn elements(&self) -> Elements {
        self.elements_from(0)
    }

    /// The elements of a matrix like it that begins at element `first` of the slice.
    pub fn elements_from(&self, first: usize) -> Elements {
        let columns = if self.rows == 0 { 0 } else { self.columns };
        Elements::rows(self.place, (0..columns).map(|j| (first + j * self.ld, self.rows)))
    }

    /// Address and leading dimension as the vendor's library takes them.
    pub fn for_vendor(&self) -> (u64, i32) {
        (self.place.address, self.ld as i32)
    }

    /// The elements of one triangle of a square matrix, column after column.
    pub fn triangle(&self, fill: Fill) -> Elements {
        let column = |j: usize| {
            let rows = fill.rows(self.rows, j);
            (j * self.ld + rows.start, rows.len())
        };
        Elements::rows(self.place, (0..self.columns).map(column))
    }
}

/// The operands of a call that is computed on the CPU, in device memory.
pub(super) struct Operands {
    call: Call,
    session: Session,
}

impl Operands {
    /// Begins a call in a stream.
    ///
    /// # Errors
    /// What the driver refuses, as for all that follows.
    pub fn begin(call: Call, stream: RawStream) -> Result<Operands> {
        let session = Session::begin(call.0, stream).map_err(|e| call.driver(e))?;
        Ok(Operands { call, session })
    }

    /// Reads elements into a packed array.
    pub fn read<T: Real>(&mut self, name: &str, elements: &Elements) -> Result<Vec<T>> {
        self.session.read(name, elements).map_err(|e| self.call.driver(e))
    }

    /// Writes a packed array to the elements.
    pub fn write<T: Real>(&mut self, elements: &Elements, values: &[T]) -> Result<()> {
        self.session.write(elements, values).map_err(|e| self.call.driver(e))
    }

    /// What the call returns to the host.
    pub fn returned<T: bytemuck::Pod>(&self, values: &[T]) {
        self.session.returned(values);
    }

    /// Reads a vector in its own order.
    pub fn vector<T: Real>(&mut self, name: &str, vector: &Vector) -> Result<Vec<T>> {
        Ok(vector.turned(self.read(name, &vector.elements())?))
    }

    /// Writes a vector in its own order.
    pub fn write_vector<T: Real>(&mut self, vector: &Vector, values: Vec<T>) -> Result<()> {
        self.write(&vector.elements(), &vector.turned(values))
    }

    /// The value of a scalar.
    pub fn scalar<T: Real>(&mut self, name: &str, scalar: &Scalar<'_, T>) -> Result<T> {
        match scalar {
            Scalar::Host(value) => Ok(*value),
            Scalar::Device(slice) => {
                let read = self.read(name, &Elements::first((*slice).into(), 1))?;
                let none = || self.call.invalid(format!("{name} has no elements"));
                read.first().copied().ok_or_else(none)
            }
        }
    }

    /// The values of `alpha` and `beta`.
    pub fn scalars<T: Real>(&mut self, [alpha, beta]: &[Scalar<'_, T>; 2]) -> Result<(T, T)> {
        Ok((self.scalar("alpha", alpha)?, self.scalar("beta", beta)?))
    }

    /// The old content of the matrix `C`, or zeros where `beta` is 0: then it may never have been
    /// written.
    pub fn old<T: Real>(&mut self, beta: T, c: &Elements) -> Result<Vec<T>> {
        if beta == T::ZERO { Ok(vec![T::ZERO; c.count()]) } else { self.read("C", c) }
    }

    /// The old content of the vector `y`, unless `beta` is 0.
    pub fn old_vector<T: Real>(&mut self, beta: T, y: &Vector) -> Result<Option<Vec<T>>> {
        if beta == T::ZERO { Ok(None) } else { self.vector("y", y).map(Some) }
    }

    /// Reads one triangle of the triangular matrix `A`; ones stand in for a diagonal that is not
    /// stored.
    pub fn triangle<T: Real>(&mut self, a: &Matrix, fill: Fill, diag: Diag) -> Result<Vec<T>> {
        if diag == Diag::NonUnit {
            return self.read("A", &a.triangle(fill));
        }
        let below = |j: usize| {
            let rows = fill.rows(a.rows, j);
            let first = if fill == Fill::Lower { rows.start + 1 } else { 0 };
            (j * a.ld + first, rows.len() - 1)
        };
        let stored = self.read("A", &Elements::rows(a.place, (0..a.columns).map(below)))?;
        let one = T::from_f64(1.0);
        let mut values = stored.into_iter();
        let place = |(i, j)| if i == j { one } else { values.next().unwrap_or(one) };
        Ok(fill.places(a.rows).map(place).collect())
    }

    /// Ends the call.
    pub fn end(self, work: Work) {
        self.session.end(work);
    }
}

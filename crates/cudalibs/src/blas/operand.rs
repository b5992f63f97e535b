//! Vectors and matrices as arguments: checked against the length of their slice, so that nothing outside is touched.

use super::{Fill, STATUSES, status};
use crate::device::{Elements, Place};
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
        Error::new(self.0, status::INVALID_VALUE, what)
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

    /// A vector operand.
    ///
    /// # Errors
    /// An increment of 0, or a slice that is too short.
    pub fn vector(self, name: &str, place: Place, n: usize, inc: i32) -> Result<Vector> {
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

    /// A matrix operand of `rows` x `columns` elements as stored.
    ///
    /// # Errors
    /// A leading dimension below the number of rows, or a slice that is too short.
    pub fn matrix(
        self,
        name: &str,
        place: Place,
        (rows, columns): (usize, usize),
        ld: usize,
    ) -> Result<Matrix> {
        self.int("the number of rows", rows)?;
        self.int("the number of columns", columns)?;
        self.int("the leading dimension", ld)?;
        if ld < rows.max(1) {
            return Err(self.invalid(format!(
                "ld{} = {ld} is smaller than the {} rows of {name}: matrices are stored by columns, ld elements apart",
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
                "{name} has {} elements, but {columns} columns of {rows} rows with ld{} = {ld} need {}",
                place.len,
                name.to_lowercase(),
                need.unwrap_or(usize::MAX)
            )));
        }
        Ok(Matrix { place, rows, columns, ld })
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
    pub fn turned<T>(&self, mut values: Vec<T>) -> Vec<T> {
        if self.inc < 0 {
            values.reverse();
        }
        values
    }
}

impl Matrix {
    /// Its elements, column after column.
    pub fn elements(&self) -> Elements {
        if self.rows == 0 {
            return Elements::rows(self.place, []);
        }
        Elements::rows(self.place, (0..self.columns).map(|j| (j * self.ld, self.rows)))
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

//! What the corpus kernels must compute: plain loops, written without a look at how the kernels do
//! it.
//!
//! A reference has the name of its file. It finds the buffers as the header fills them and leaves
//! in them what must be there after the last launch. Sums of whole numbers are exact in every
//! order; other sums follow the kernel's order where the header says `exact`, and are taken in
//! `f64` where it gives a tolerance.

use std::collections::BTreeMap;

use crate::support::case::Data;

mod arrays;
mod language;
mod linear;
mod models;
mod order;
mod suites;

/// The buffers of a case by name.
pub struct World(pub BTreeMap<String, Data>);

/// Element types that buffers have.
pub trait Element: Copy {
    /// The elements, if they have this type.
    fn of(data: &Data) -> Option<&Vec<Self>>;
    /// A buffer of them.
    fn data(v: Vec<Self>) -> Data;
}

macro_rules! element {
    ($($t:ty => $variant:ident),*) => {$(
        impl Element for $t {
            fn of(data: &Data) -> Option<&Vec<$t>> {
                match data { Data::$variant(v) => Some(v), _ => None }
            }
            fn data(v: Vec<$t>) -> Data { Data::$variant(v) }
        }
    )*};
}
element!(
    u8 => U8, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64, f32 => F32, f64 => F64
);

impl World {
    /// A copy of a buffer.
    pub fn get<T: Element>(&self, name: &str) -> Vec<T> {
        let data = self.0.get(name).unwrap_or_else(|| panic!("no buffer {name}"));
        T::of(data).unwrap_or_else(|| panic!("{name} has another type")).clone()
    }

    /// Replaces a buffer.
    pub fn set<T: Element>(&mut self, name: &str, v: Vec<T>) {
        self.0.insert(name.to_string(), T::data(v));
    }

    /// Replaces a buffer by `n` values of a function of the index.
    pub fn fill<T: Element>(&mut self, name: &str, n: usize, f: impl FnMut(usize) -> T) {
        self.set(name, (0..n).map(f).collect());
    }
}

/// The reference of a file.
pub fn find(name: &str) -> Option<fn(&mut World)> {
    let all = [arrays::ALL, language::ALL, linear::ALL, models::ALL, order::ALL, suites::ALL];
    all.iter().flat_map(|list| list.iter()).find(|(n, _)| *n == name).map(|(_, f)| *f)
}

/// Name and function of the references of a module.
pub type List = &'static [(&'static str, fn(&mut World))];

/// Names of all references.
pub fn names() -> Vec<&'static str> {
    let all = [arrays::ALL, language::ALL, linear::ALL, models::ALL, order::ALL, suites::ALL];
    all.iter().flat_map(|list| list.iter().map(|(n, _)| *n)).collect()
}

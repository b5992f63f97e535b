//! Who watches a run.

/// Who watches a run: the terminal, or nobody.
pub trait Watch {
    /// Something the user should know.
    fn note(&mut self, _text: &str) {}
    /// A shot begins: the `number`-th of `shots` (from 1), `id` in the data.
    fn shot(&mut self, _number: usize, _shots: usize, _id: i32) {}
    /// So many of a shot's time steps are done; `false` stops the run.
    fn steps(&mut self, _done: usize, _steps: usize) -> bool {
        true
    }
}

/// Nobody.
impl Watch for () {}

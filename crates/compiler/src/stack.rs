//! Room for the recursion of the compiler.

/// Stack of the thread that compiles: recursion follows the nesting of the source, which is
/// bounded.
#[cfg(not(target_family = "wasm"))]
const STACK: usize = 256 << 20;

/// Runs `f` on a thread with a stack that suffices for the deepest source that is accepted. In a
/// browser there are no threads: there the whole program is linked with a stack large enough.
#[cfg(target_family = "wasm")]
pub(crate) fn on_big_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    f()
}

/// Runs `f` on a thread with a stack that suffices for the deepest source that is accepted.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn on_big_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, f);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(e) => panic!("no thread for the compiler: {e}"),
        }
    })
}

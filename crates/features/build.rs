//! Without a build script cargo would leave the features of build dependencies alone.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}

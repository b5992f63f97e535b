//! What the device offers: built-in types, and the tables of functions.
//!
//! A function is one row of [`common`], [`cuda`] or [`opencl`]: its name, its signature, what is
//! done, and whether it does more than that. Typing of calls, help with misspelt names, the list in
//! `docs/language/functions.md` and the random kernels of the tests are all made from the rows.

mod common;
mod cuda;
mod function;
mod list;
mod opencl;
mod types;

pub use function::{
    Call, CudaRule, Effect, Form, Function, OpenClRule, Operation, Over, Signature, Slot, WorkItem,
};
pub use list::{Scalar, page, scalars};
pub use types::Plain;

pub(crate) use function::Variant;
pub(crate) use types::{
    OPENCL_ELEMENTS, OPENCL_LENGTHS, OPENCL_NAMES, TYPEDEFS, VECTOR_ELEMENTS, opencl_type_names,
    type_names, vector_align,
};

use crate::language::Language;
use list::GROUPS;

/// Rows of a language.
fn rows(language: Language) -> impl Iterator<Item = &'static Function> {
    let groups = GROUPS.iter().filter(move |g| g.language.is_none_or(|l| l == language));
    let own = if language == Language::CudaC { cuda::OWN } else { &[] };
    groups.flat_map(|g| g.functions).chain(own)
}

/// Finds a function of a language by its name.
pub(crate) fn lookup(language: Language, name: &str) -> Option<(&'static Function, Variant)> {
    let opencl = language == Language::OpenClC;
    rows(language).find_map(|f| Some((f, f.variant(name, opencl)?)))
}

/// Names of functions, for suggestions.
pub(crate) fn function_names(language: Language) -> Vec<String> {
    let known = rows(language).filter(|f| !matches!(f.call, Call::Gone(_)));
    let names = known.flat_map(|f| f.names(language == Language::OpenClC));
    // What only begins a name is shown with a type behind it.
    names.map(|(name, _)| if name.ends_with('_') { format!("{name}int") } else { name }).collect()
}

/// What to do about `id`, if it is a missing name of CUDA's libraries, textures or surfaces.
pub(crate) fn about_libraries(id: &str) -> Option<&'static str> {
    const STARTS: [&str; 6] = ["cudaTexture", "cudaSurface", "tex1D", "tex2D", "tex3D", "surf"];
    if id.starts_with("curandState") || id.starts_with("mtgp32") {
        return Some(
            "this generator is not supported: of cuRAND's there are `curandState` (XORWOW), \
             `curandStatePhilox4_32_10_t`, `curandStateMRG32k3a` and `curandStateSobol32`",
        );
    }
    if matches!(id, "y0" | "y1" | "yn" | "y0f" | "y1f" | "ynf") {
        return Some(
            "Bessel functions of the second kind are not supported: those of the first are \
             `j0`, `j1`, `jn`",
        );
    }
    let cube = id.starts_with("texCube") || id.ends_with("gather") || id.ends_with("Grad");
    (cube || STARTS.iter().any(|start| id.starts_with(start))).then_some(
        "of textures and surfaces there are `tex1Dfetch`, `tex1D`, `tex2D`, `tex3D`, \
         `tex2DLayered`, `tex2Dgather`, `surf1Dread` to `surf3Dwrite`: see docs/kernel-language.md",
    )
}

/// Built-in variables and their members.
pub(crate) const BUILTIN_VARS: &[&str] =
    &["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_name_stands_in_one_row_and_is_found() {
        for language in [Language::CudaC, Language::OpenClC] {
            let opencl = language == Language::OpenClC;
            let mut seen = BTreeSet::new();
            for row in rows(language) {
                for (name, variant) in row.names(opencl) {
                    let (found, which) = lookup(language, &name).expect(&name);
                    assert_eq!((found.name, which), (row.name, variant), "{name}");
                    assert!(seen.insert(name.clone()), "{name} stands there twice");
                }
            }
        }
    }

    #[test]
    fn names_are_suggested_as_they_can_be_called() {
        for language in [Language::CudaC, Language::OpenClC] {
            for name in function_names(language) {
                assert!(lookup(language, &name).is_some() && !name.ends_with('_'), "{name}");
            }
        }
        assert!(function_names(Language::OpenClC).contains(&"convert_int".to_string()));
        assert!(!function_names(Language::CudaC).contains(&"__shfl".to_string()));
    }

    #[test]
    fn names_that_follow_from_a_row_are_no_others() {
        let is = |language, name| lookup(language, name).is_some();
        for name in ["sqrtf", "__float2int_rd", "atomicMax_block", "scalbnf", "lround"] {
            assert!(is(Language::CudaC, name) && !is(Language::OpenClC, name), "{name}");
        }
        for name in ["native_sin", "half_powr", "atom_inc", "vload16", "convert_uchar4_sat"] {
            assert!(is(Language::OpenClC, name) && !is(Language::CudaC, name), "{name}");
        }
        for name in ["isnanf", "__float2int", "atomicMax_warp", "__popcf", "sincosff"] {
            assert!(!is(Language::CudaC, name), "{name}");
        }
        for name in ["native_fma", "half_", "atom_", "atomic_", "vload", "vload5", "vload4_rte"] {
            assert!(!is(Language::OpenClC, name), "{name}");
        }
    }
}

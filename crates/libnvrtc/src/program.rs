//! What a handle of NVRTC stands for: a source on its way to an image.

use std::collections::BTreeMap;
use std::ffi::CString;

use emulation::image::image;
use simt::Program as Compiled;

/// Why a call fails: NVRTC's result codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Refusal {
    InvalidInput = 3,
    InvalidProgram = 4,
    InvalidOption = 5,
    Compilation = 6,
    NoNamesAfterCompilation = 8,
    NoLoweredNamesBeforeCompilation = 9,
    NameNotValid = 10,
    Internal = 11,
}

/// A source, and once it is compiled its image, log and names.
#[derive(Default)]
pub(crate) struct Program {
    name: String,
    source: String,
    headers: BTreeMap<String, String>,
    /// What the log of the last compilation says.
    pub log: CString,
    /// The image that the driver loads, once there is one.
    pub image: Option<CString>,
    expressions: Vec<String>,
    lowered: BTreeMap<String, CString>,
}

impl Program {
    /// A source by the name that messages call it, with the texts that it includes.
    pub fn new(name: String, source: String, headers: BTreeMap<String, String>) -> Program {
        Program { name, source, headers, ..Program::default() }
    }

    pub fn add_name(&mut self, expression: &str) -> Result<(), Refusal> {
        if self.image.is_some() {
            return Err(Refusal::NoNamesAfterCompilation);
        }
        self.expressions.push(expression.to_owned());
        Ok(())
    }

    pub fn lowered(&self, expression: &str) -> Result<&CString, Refusal> {
        if self.image.is_none() {
            return Err(Refusal::NoLoweredNamesBeforeCompilation);
        }
        self.lowered.get(expression).ok_or(Refusal::NameNotValid)
    }

    /// Compiles, so that mistakes are told now; the image is the source with its options.
    pub fn compile(&mut self, options: &[&str]) -> Result<(), Refusal> {
        let done = self.compiled(options);
        let (log, result) = match done {
            Ok(warnings) => (warnings, Ok(())),
            Err((refusal, log)) => (log, Err(refusal)),
        };
        self.log = text(log);
        result
    }

    fn compiled(&mut self, options: &[&str]) -> Result<String, (Refusal, String)> {
        let mut header =
            crate::options::header(options).map_err(|log| (Refusal::InvalidOption, log))?;
        header.file.clone_from(&self.name);
        if !self.headers.is_empty() && !header.include_dirs.is_empty() {
            let log = "nvrtc: included texts and folders (-I) together are not offered: give the \
                       emulated device one of the two\n";
            return Err((Refusal::InvalidOption, log.into()));
        }
        header.headers.clone_from(&self.headers);
        let compiled = Compiled::compile(&self.source, &header.clone().options())
            .map_err(|error| (Refusal::Compilation, error.to_string()))?;
        for expression in &self.expressions {
            let symbol = symbol(&compiled, expression).ok_or_else(|| {
                let log = format!(
                    "error: no kernel or variable is called `{expression}`; a template has \
                     those of which the source has an instantiation, \
                     `template __global__ void {expression}(...);`\n"
                );
                (Refusal::Compilation, log)
            })?;
            self.lowered.insert(expression.clone(), text(symbol));
        }
        self.image = Some(text(image(&header, &self.source)));
        Ok(compiled.warnings().iter().map(|w| w.render(compiled.sources())).collect())
    }
}

/// The name by which the host finds what a source calls `expression`, such as `&scale<float>`.
fn symbol(compiled: &Compiled, expression: &str) -> Option<String> {
    let wanted = plain(expression);
    let kernel = compiled.kernels().iter().find(|k| plain(&k.name) == wanted);
    let global = || compiled.globals().iter().find(|g| !g.is_static && g.name == wanted);
    kernel.map(|k| k.symbol.clone()).or_else(|| global().map(|g| g.name.clone()))
}

fn plain(expression: &str) -> String {
    let dense: String = expression.chars().filter(|c| !c.is_whitespace()).collect();
    dense.trim_start_matches(['&', ':']).to_owned()
}

/// A text of C; what follows a NUL, which no source of ours has, is lost.
fn text(text: String) -> CString {
    CString::new(text).unwrap_or_else(|e| {
        let end = e.nul_position();
        let mut bytes = e.into_vec();
        bytes.truncate(end);
        CString::new(bytes).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(source: &str) -> Program {
        Program::new("k.cu".into(), source.into(), BTreeMap::new())
    }

    #[test]
    fn the_image_is_what_the_driver_reads() {
        let mut p = program("extern \"C\" __global__ void k(int *x) { *x = N; }");
        p.compile(&["-DN=3", "--gpu-architecture=compute_90"]).unwrap();
        let image = p.image.unwrap().into_string().unwrap();
        assert!(image.starts_with("//!simt {\"file\":\"k.cu\",\"defines\":[\"N=3\"]"), "{image}");
        assert!(image.contains("\"contract\":true"), "{image}");
    }

    #[test]
    fn a_refused_source_has_a_log_and_no_image() {
        let mut p = program("__global__ void k() { oops }");
        assert_eq!(p.compile(&[]), Err(Refusal::Compilation));
        let log = p.log.to_str().unwrap();
        assert!(log.contains("oops") && log.contains("k.cu:1"), "{log}");
        assert!(p.image.is_none());
    }

    #[test]
    fn names_are_lowered() {
        let source = "template <typename T> __global__ void scale(T *x, T a) { *x *= a; }\n\
                      template __global__ void scale<float>(float *, float);\n\
                      __global__ void plain(int *x) { *x = 0; }\n__constant__ float weight[2];\n";
        let mut p = program(source);
        for name in ["scale<float>", " & scale< float >", "plain", "weight"] {
            p.add_name(name).unwrap();
        }
        assert_eq!(p.lowered("plain"), Err(Refusal::NoLoweredNamesBeforeCompilation));
        p.compile(&[]).unwrap();
        let lowered = |name: &str| p.lowered(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!(lowered("plain"), "_Z5plainPi");
        assert_eq!(lowered("weight"), "weight");
        assert!(lowered("scale<float>").starts_with("_Z5scaleIf"), "{}", lowered("scale<float>"));
        assert_eq!(lowered(" & scale< float >"), lowered("scale<float>"));
        assert_eq!(p.lowered("other"), Err(Refusal::NameNotValid));
        let mut p = program(source);
        p.add_name("scale<double>").unwrap();
        assert_eq!(p.compile(&[]), Err(Refusal::Compilation));
        assert!(p.log.to_str().unwrap().contains("scale<double>"));
    }

    #[test]
    fn included_texts_are_found() {
        let mut p = program("#include \"two.h\"\n__global__ void k(int *x) { *x = TWO; }");
        p.headers.insert("two.h".into(), "#define TWO 2\n".into());
        assert_eq!(p.compile(&["-Isomewhere"]), Err(Refusal::InvalidOption));
        p.compile(&[]).unwrap();
    }
}

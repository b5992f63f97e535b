//! The files of a new exercise: a small task that works, from which the author writes the real one.
//!
//! This file is also compiled into the build script of `tests/`, whose programs build and grade
//! the stubs; so it uses nothing else of this crate.

/// What a new exercise is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A kernel alone.
    Kernel,
    /// A kernel, and a host function that launches it.
    Host,
    /// A hardware design.
    Design,
}

/// The exercise to be.
#[derive(Clone, Debug)]
pub struct Stub {
    /// Its kind.
    pub kind: Kind,
    /// Section number, such as `1.1.16`.
    pub number: String,
    /// Name of its files, such as `e1_1_16`.
    pub key: String,
    /// Title for people.
    pub title: String,
}

/// One file of the exercise as a text with `@KEY@`, `@NUMBER@`, `@ID@` and `@TITLE@`.
struct Template {
    place: Place,
    text: &'static str,
}

/// Where a file goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// `LAB/checks/src/KEY.rs`.
    Checks,
    /// `src/KEY.rs` of the solution.
    Source,
    /// `kernels/KEY.cu` of the solution.
    Kernel,
    /// `LAB/src/host/KEY.rs`.
    Handlers,
    /// `mutants/KEY.toml` of the solution.
    Mutants,
    /// `lazy/KEY.toml` of the solution.
    Lazy,
    /// A section of `LAB/README.md`.
    Handout,
}

macro_rules! templates {
    ($($place:ident: $file:literal),* $(,)?) => {
        &[$(Template { place: Place::$place, text: include_str!(concat!("stubs/", $file)) }),*]
    };
}

const KERNEL: &[Template] = templates! {
    Checks: "kernel/checks.rs.in",
    Kernel: "kernel/kernel.cu.in",
    Mutants: "kernel/mutants.toml.in",
    Lazy: "kernel/lazy.toml.in",
    Handout: "kernel/handout.md.in",
};

const HOST: &[Template] = templates! {
    Checks: "host/checks.rs.in",
    Source: "host/solution.rs.in",
    Kernel: "kernel/kernel.cu.in",
    Handlers: "host/handlers.rs.in",
    Mutants: "host/mutants.toml.in",
    Lazy: "kernel/lazy.toml.in",
    Handout: "host/handout.md.in",
};

const DESIGN: &[Template] = templates! {
    Checks: "design/checks.rs.in",
    Source: "design/solution.rs.in",
    Handlers: "design/handlers.rs.in",
    Mutants: "design/mutants.toml.in",
    Lazy: "design/lazy.toml.in",
    Handout: "design/handout.md.in",
};

impl Stub {
    /// The exercise's files: where each goes, and its text.
    pub fn files(&self) -> Vec<(Place, String)> {
        let templates = match self.kind {
            Kind::Kernel => KERNEL,
            Kind::Host => HOST,
            Kind::Design => DESIGN,
        };
        templates.iter().map(|template| (template.place, self.filled(template.text))).collect()
    }

    /// The names of its checks, as in `checks.rs.in`.
    pub fn checks(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Kernel => &["kernel"],
            Kind::Host => &["kernel", "host"],
            Kind::Design => &["values"],
        }
    }

    fn filled(&self, text: &str) -> String {
        let lab = self.number.split('.').next().unwrap_or_default();
        let id = format!("L{lab}-{}", self.number);
        let words = [
            ("@KEY@", &self.key),
            ("@NUMBER@", &self.number),
            ("@ID@", &id),
            ("@TITLE@", &self.title),
        ];
        words.iter().fold(text.to_string(), |text, (word, with)| text.replace(word, with))
    }
}

//! What is in the book, and in which order.

/// A chapter: name of its page and the Markdown file that it is made of, relative to the course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// The page is `NAME.html`.
    pub name: &'static str,
    /// Path below the root.
    pub source: &'static str,
}

const fn of(name: &'static str, source: &'static str) -> Chapter {
    Chapter { name, source }
}

/// Parts with their chapters. What a course does not have is left out.
pub const PARTS: &[(&str, &[Chapter])] = &[
    ("Start", &[of("index", "README.md")]),
    (
        "Labs",
        &[
            of("lab1", "lab1-cuda-intro/README.md"),
            of("lab1-report", "lab1-cuda-intro/REPORT.md"),
            of("lab2", "lab2-optimization/README.md"),
            of("lab2-report", "lab2-optimization/REPORT.md"),
            of("lab3", "lab3-libraries/README.md"),
            of("lab3-report", "lab3-libraries/REPORT.md"),
            of("lab4", "lab4-fpga/README.md"),
            of("lab4-report", "lab4-fpga/REPORT.md"),
            of("lab5", "lab5-fpga-ip/README.md"),
            of("lab5-report", "lab5-fpga-ip/REPORT.md"),
            of("lab6", "lab6-rtm/README.md"),
            of("lab6-report", "lab6-rtm/REPORT.md"),
            of("rtm", "rtm/README.md"),
            of("field-data", "docs/field-data.md"),
        ],
    ),
    (
        "Look up",
        &[
            of("browser", "docs/browser.md"),
            of("verdicts", "docs/verdicts.md"),
            of("diagnostics", "docs/diagnostics.md"),
            of("kernel-language", "docs/kernel-language.md"),
            of("other-programs", "docs/other-programs.md"),
            of("glossary", "docs/glossary.md"),
        ],
    ),
    (
        "Measurements",
        &[
            of("measurements", "docs/measurements.md"),
            of("measured-emulator", "docs/measurements/emulator.md"),
            of("measured-card", "docs/measurements/card.md"),
            of("measured-build", "docs/measurements/build.md"),
            of("measured-lab2", "docs/measurements/lab2.md"),
            of("measured-lab3", "docs/measurements/lab3.md"),
            of("measured-hardware", "docs/measurements/hardware.md"),
            of("measured-lab6", "docs/measurements/lab6.md"),
            of("measured-rtm", "docs/measurements/rtm.md"),
            of("measured-opencl", "docs/measurements/opencl.md"),
            of("measured-tti", "docs/measurements/tti.md"),
            of("peers", "rtm/benches/peers/README.md"),
        ],
    ),
    (
        "What is verified",
        &[
            of("ncu", "docs/ncu.md"),
            of("sanitizer", "docs/sanitizer.md"),
            of("lab3-tests", "docs/lab3.md"),
            of("npb", "crates/npb/README.md"),
            of("hdl", "docs/hdl.md"),
            of("cores", "docs/cores.md"),
            of("hdl-crate", "crates/hdl/README.md"),
            of("verification", "docs/verification.md"),
            of("rtm-gpu", "docs/rtm-gpu.md"),
            of("wave-opencl", "docs/wave-opencl.md"),
            of("tti", "docs/tti.md"),
        ],
    ),
    (
        "For instructors",
        &[
            of("instructors", "docs/instructors.md"),
            of("grading", "docs/grading.md"),
            of("coverage", "docs/coverage.md"),
            of("adding", "docs/adding.md"),
            of("architecture", "docs/architecture.md"),
            of("testing", "docs/testing.md"),
        ],
    ),
    ("Sources", &[of("references", "REFERENCES.md")]),
];

/// All chapters in order.
pub fn all() -> impl Iterator<Item = &'static Chapter> {
    PARTS.iter().flat_map(|(_, chapters)| chapters.iter())
}

//! What the tests start as the sandbox's stage and as the judge's worker, as `cargo lab` starts itself.

#![forbid(unsafe_code)]

fn main() {
    grading::boxed::stage_if_asked();
    grading::worker::work_if_asked(course_tests::LABS);
    eprintln!("this program is a part of the judge, and nothing else");
    std::process::exit(2);
}

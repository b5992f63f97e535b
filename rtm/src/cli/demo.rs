//! `rtm demo`: a small survey from model to picture, and how well its reflectors lie.

use std::path::PathBuf;

use clap::Args;
use rtm::Result;
use rtm::run::demo;

use super::backend::BackendArgs;
use super::terminal::Terminal;

/// Build a model with two reflectors, shoot a survey over it, migrate it, and say how well the
/// reflectors lie
#[derive(Args)]
pub struct DemoArgs {
    /// Folder of all files
    #[arg(long, default_value = "rtm-demo")]
    out: PathBuf,
    /// CPU threads; 0: all
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// A survey of a few seconds, for tests: 4 shots instead of 6
    #[arg(long)]
    small: bool,
    #[command(flatten)]
    backend: BackendArgs,
}

impl DemoArgs {
    /// Runs the demo.
    pub fn run(&self) -> Result<()> {
        let backend = self.backend.open(self.threads, None)?;
        let start = std::time::Instant::now();
        let demo = demo::run(&self.out, self.small, backend.as_ref(), &mut Terminal::new()?)?;
        for step in &demo.commands {
            println!("{step}");
        }
        println!("\nreflector   true depth   in the image");
        for r in &demo.reflectors {
            println!("{:<10} {:>8} m {:>12.1} m", r.name, r.true_m, r.found_m);
        }
        println!("\nIMAGE    {}", demo.pictures[demo::IMAGE].0.display());
        let (page, seconds) = (self.out.join("index.html"), start.elapsed().as_secs_f64());
        rtm::io::atomic::write_text(&page, &super::demo_page::html(&demo, seconds))?;
        println!("PAGE     {}", page.display());
        println!("done in {seconds:.0} s");
        Ok(())
    }
}

//! What `rtm shoot`, `migrate`, `explain` and `options` are given.

use clap::Args;
use rtm::Result;
use rtm::run::{AnyBackend, Parameters};

use super::backend::BackendArgs;

/// Parameters of a run
#[derive(Args)]
pub struct RunArgs {
    /// `key=value` words; `par=FILE` reads a run file (.toml, or a file of such words); later words
    /// win. `rtm options` lists all keys
    #[arg(value_name = "KEY=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    pub backend: BackendArgs,
}

impl RunArgs {
    pub fn parameters(&self) -> Result<Parameters> {
        let mut parameters = Parameters::default();
        self.words.iter().try_for_each(|word| parameters.read_pair(word))?;
        Ok(parameters)
    }

    pub fn backend(&self, parameters: &Parameters) -> Result<Box<dyn AnyBackend>> {
        self.backend.open(parameters.threads, Some(parameters))
    }
}

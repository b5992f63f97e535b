//! The emulated platform: one device of `simt` behind the functions of OpenCL 1.2.
//!
//! One mutex guards everything, kernels included: the bookkeeping ([`State`](state::State)) and the
//! order of commands. Each file holds the functions of one noun. A function here returns what the
//! exported one of the same name turns into a status.
#![allow(non_snake_case, clippy::too_many_arguments)]

mod callbacks;
mod context;
mod event;
mod held;
mod host;
mod image;
mod info;
mod kernel;
mod launch;
mod mapping;
mod memory;
mod platform;
mod program;
mod queue;
mod schedule;
mod state;
mod transfer;

pub(crate) use callbacks::{deferred, later};
pub(crate) use context::*;
pub(crate) use event::*;
pub(crate) use host::{arrived, leaving};
pub(crate) use image::*;
pub(crate) use info::give_list;
pub(crate) use kernel::*;
pub(crate) use launch::*;
pub(crate) use mapping::*;
pub(crate) use memory::*;
pub(crate) use platform::*;
pub(crate) use program::*;
pub(crate) use queue::*;
pub(crate) use schedule::{NOT_YET, over_yet, still_running};
pub(crate) use state::{PLATFORM, is_object, ours};
pub(crate) use transfer::*;

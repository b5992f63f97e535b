//! Every picture of the course, as SVG with real text; where pixels are the data they are a PNG
//! file, alone or inside of the SVG. One look everywhere: Okabe and Ito's colours with a mark and a
//! dash for each, ticks at 1, 2 and 5, names beside the lines instead of a legend over them,
//! colours of their own on a dark page. The same data give the same bytes.
//!
//! Charts ([`Chart`]) are lines, points, bars and pixels over two [`Axis`]; diagrams are functions
//! of plain data ([`timing`], [`blocks`], [`lanes`], [`roofline`]); what has a form of its own is
//! drawn on a [`Sheet`].

#![forbid(unsafe_code)]

mod axis;
mod chart;
mod diagrams;
pub mod ideas;
mod pixels;
mod sheet;
mod ticks;

pub use axis::Axis;
pub use chart::{Chart, Series, csv, panels_in_rows, stacked_panels};
pub use diagrams::{Cell, Kind, Lanes, Part, Roofline, Signal, blocks, lanes, roofline, timing};
pub use pixels::{Palette, Raster, base64, png};
pub use sheet::{Anchor, Sheet, text_width};

//! Draws the Julia set: the program of exercises 1.2.1 and 1.2.2. `--help` lists options and keys.

use std::path::Path;
use std::process::ExitCode;

use cuda_driver as _;
use lab1_cuda_intro::e1_2_01::apply_key;
use lab1_cuda_intro::julia::options::Options;
use lab1_cuda_intro::julia::render::Renderer;
use lab1_cuda_intro::julia::session::Action;
use lab1_cuda_intro::julia::{plots, viewer};
use labkit::LabError;

fn main() -> ExitCode {
    let options = match Options::read(std::env::args_os()) {
        Ok(options) => options,
        Err((text, 0)) => {
            print!("{text}");
            return ExitCode::SUCCESS;
        }
        Err((text, code)) => {
            eprint!("{text}");
            return ExitCode::from(code);
        }
    };
    labkit::exit(run(&options))
}

fn run(options: &Options) -> Result<(), LabError> {
    if let Some(dir) = &options.plots {
        return plots::write(dir, options.dim);
    }
    let png = options.png.as_deref().unwrap_or(Path::new("julia.png"));
    let mut renderer = Renderer::new(options.dim);
    let mut session = options.session();
    if options.keys.is_none() && options.png.is_none() {
        match viewer::open(options.dim) {
            Ok(window) => return viewer::run(window, session, &mut renderer, png),
            Err(why) => eprintln!("note: no window ({why}); the picture goes to {}", png.display()),
        }
    }
    for press in options.script().map_err(LabError::msg)? {
        if !session.open {
            break;
        }
        session.press(press, options.dim, apply_key);
        if press.action == Action::Save {
            viewer::save(&renderer.render(&session)?, options.dim, png)?;
        }
    }
    let frame = renderer.render(&session)?;
    viewer::save(&frame, options.dim, png)?;
    println!(
        "{}: {dim} x {dim} pixels, {}, kmax {}, centre ({}, {}), scale {}: {}",
        png.display(),
        session.device.name(),
        session.kmax,
        session.view.dx,
        session.view.dy,
        session.view.scale,
        frame.time_text(),
        dim = options.dim
    );
    Ok(())
}

//! `cargo lab pictures`: every picture of handouts and documents, drawn anew.
//!
//! Three kinds. Ideas and data that lie in the repository (measured on a card, say) are drawn at
//! once; a test draws them, too, and compares the bytes. The results of a study or of a program
//! take longer; of those `docs/pictures.txt` keeps a digest of what they were drawn from and of the
//! pictures, and a test says which is older than its code.

mod measured;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{App, cargo_run, progress, say, study};

/// A picture: its path below the root, and the file.
type Drawn = (String, Vec<u8>);

/// Where pictures come from.
enum How {
    /// Drawn here.
    Draw(fn(&Path) -> Result<Vec<Drawn>, String>),
    /// Files of a study with the reference solutions: name there, path here.
    Study(&'static str, &'static [(&'static str, &'static str)]),
    /// Files that the reference solutions' programs write into the current folder: calls of `cargo
    /// run` in turn, then names there and paths here. `ROOT` in a call is the repository;
    /// `page.html#2` is the second picture of a page.
    Run(&'static [&'static str], &'static [(&'static str, &'static str)]),
}

/// Pictures that are drawn together.
struct Recipe {
    name: &'static str,
    how: How,
    /// Files and folders whose text decides what the pictures look like, beside the crate
    /// `figures`.
    from: &'static [&'static str],
}

const RECIPES: &[Recipe] = &[
    Recipe { name: "ideas", how: How::Draw(ideas), from: &[] },
    Recipe { name: "measured", how: How::Draw(measured::all), from: &[] },
    Recipe {
        name: "julia",
        how: How::Run(
            &["-p lab1-cuda-intro --features solutions --bin julia -- --dim 512 --png julia.png"],
            &[("julia.png", "lab1-cuda-intro/pictures/julia.png")],
        ),
        from: &["lab1-cuda-intro/src/julia/viewer.rs", "solutions/lab1-cuda-intro/src/e1_2_01.rs"],
    },
    Recipe {
        name: "sound",
        how: How::Run(
            &[
                "-p lab2-optimization --features solutions --bin audio -- synth",
                "-p lab2-optimization --features solutions --bin audio -- spoil",
            ],
            &[
                ("response.svg", "lab2-optimization/pictures/response.svg"),
                ("ripple.svg", "lab2-optimization/pictures/ripple.svg"),
                ("spectra.svg", "lab2-optimization/pictures/spectra.svg"),
                ("spectrogram-in.svg", "lab2-optimization/pictures/spectrogram-in.svg"),
                ("spectrogram-ref.svg", "lab2-optimization/pictures/spectrogram-ref.svg"),
                ("in.wav", "lab2-optimization/pictures/in.wav"),
                ("ref.wav", "lab2-optimization/pictures/ref.wav"),
            ],
        ),
        from: &["crates/sound/src", "lab2-optimization/src/bin/audio.rs"],
    },
    Recipe {
        name: "filter",
        how: How::Study(
            "fir",
            &[
                ("fir_roofline.svg", "lab2-optimization/pictures/roofline.svg"),
                ("fir_speedup.svg", "lab2-optimization/pictures/speedup.svg"),
            ],
        ),
        from: &["solutions/lab2-optimization/kernels", "crates/lab/src/course/study/plot.rs"],
    },
    Recipe {
        name: "monte-carlo",
        how: How::Run(
            &["-p lab3-libraries --features solutions --bin mcint -- \
               --n 1e7 --on cpu --rng all --plot spread.svg"],
            &[("spread.svg", "lab3-libraries/pictures/spread.svg")],
        ),
        from: &["lab3-libraries/src/bin/mcint.rs"],
    },
    Recipe {
        name: "rain",
        how: How::Run(
            &["-p lab3-libraries --features solutions --bin raindemo -- --pictures ."],
            &[("rain.svg", "lab3-libraries/pictures/rain.svg")],
        ),
        from: &["lab3-libraries/src/bin/raindemo.rs"],
    },
    Recipe {
        name: "lab4",
        how: How::Run(
            &[
                "-p lab4-fpga --features solutions --bin fpga -- run fpgatop --out .",
                "-p lab4-fpga --features solutions --bin fpga -- run fir1 --out .",
                "-p lab4-fpga --features solutions --bin fpga -- run fir1_fast --out .",
                "-p lab4-fpga --features solutions --bin fpga -- build fir1 --out .",
            ],
            &[
                ("fir1_blocks.svg", "lab4-fpga/pictures/fir1_blocks.svg"),
                ("fir1_timing.svg", "lab4-fpga/pictures/fir1_timing.svg"),
                ("fir1_fast_timing.svg", "lab4-fpga/pictures/fir1_fast_timing.svg"),
                ("fpgatop_timing.svg", "lab4-fpga/pictures/fpgatop_timing.svg"),
            ],
        ),
        from: &["solutions/lab4-fpga/src", "crates/hdl/src/diagram.rs"],
    },
    Recipe {
        name: "lab5",
        how: How::Study(
            "lab5",
            &[
                ("blocks-mag16.svg", "lab5-fpga-ip/pictures/blocks-mag16.svg"),
                ("blocks-systolic.svg", "lab5-fpga-ip/pictures/blocks-systolic.svg"),
                ("blocks-transposed.svg", "lab5-fpga-ip/pictures/blocks-transposed.svg"),
                ("fir-systolic.svg", "lab5-fpga-ip/pictures/fir-systolic.svg"),
                ("lab5_da.svg", "lab5-fpga-ip/pictures/lab5_da.svg"),
                ("spectrum-radix4.svg", "lab5-fpga-ip/pictures/spectrum-radix4.svg"),
                ("timing-systolic.svg", "lab5-fpga-ip/pictures/timing-systolic.svg"),
            ],
        ),
        from: &["lab5-fpga-ip/checks/src/study.rs", "crates/hdl/src/diagram.rs"],
    },
    Recipe {
        name: "rtm",
        how: How::Run(
            &["-p rtm -- demo"],
            &[
                ("rtm-demo/model.svg", "rtm/pictures/model.svg"),
                ("rtm-demo/shot.svg", "rtm/pictures/shot.svg"),
                ("rtm-demo/wave.svg", "rtm/pictures/wave.svg"),
                ("rtm-demo/depth.svg", "rtm/pictures/depth.svg"),
                ("rtm-demo/image.svg", "rtm/pictures/image.svg"),
            ],
        ),
        from: &["rtm/library/src/run/demo.rs", "rtm/library/src/picture.rs"],
    },
    Recipe {
        name: "field",
        how: How::Run(
            &[
                "-p rtm -- model --kind interfaces --interfaces ROOT/rtm/tests/data/interfaces.txt \
                 --velocities 1500,2000,2500,3000,3500,4000 --n 101,1,101 --d 10 -o v.npy \
                 --svg ground.svg",
                "-p rtm -- shoot vfile=v.npy data=field.sgy fq=20 wavelet_zero=-0.06 Lpml=10 \
                 tmax=1.0 dt_rec=0.002 sources_x=40:80:12 sources_y=0 sources_z=10 \
                 receivers_x=0:20:51 receivers_y=0 receivers_z=10",
                "-p rtm -- inspect field.sgy --vmin 1500 --vmax 4000 --html inspect.html",
                "-p rtm -- prepare field.sgy ready.sgy --shift -0.06 --band 2,5,50,70 --start 0 \
                 --mute 1500,0.06,0.03",
                "-p rtm -- wavelet field.sgy --svg wavelet.svg",
                "-p rtm -- look field.sgy ready.sgy --gathers 1 --gain 1 --html look.html",
                "-p rtm -- model --from v.npy --smooth 30 -o smooth.npy",
                "-p rtm -- migrate vfile=smooth.npy data=ready.sgy dimensions=2 fq=20 Lpml=10 \
                 differentiate=0.5 out=line format=npy restart=0",
                "-p rtm -- look line/image.npy --gain 1 --html image.html",
            ],
            &[
                ("ground.svg", "rtm/pictures/field-ground.svg"),
                ("inspect.html#3", "rtm/pictures/field-spectrum.svg"),
                ("look.html#1", "rtm/pictures/field-recorded.svg"),
                ("look.html#4", "rtm/pictures/field-ready.svg"),
                ("wavelet.svg", "rtm/pictures/field-wavelet.svg"),
                ("image.html#1", "rtm/pictures/field-image.svg"),
            ],
        ),
        from: &[
            "rtm/library/src/look.rs",
            "rtm/library/src/picture.rs",
            "rtm/src/cli/inspect_page.rs",
            "rtm/tests/data/interfaces.txt",
        ],
    },
    Recipe {
        name: "verification",
        how: How::Run(
            &[
                "-p rtm -- study dispersion --svg dispersion.svg",
                "-p rtm -- study ghost --svg ghost.svg",
                "-p rtm -- study echoes --svg echoes.svg",
                "-p rtm -- study between --svg between.svg",
                "-p rtm -- study hill --svg hill.svg",
                "-p rtm -- study devito --svg devito.svg",
            ],
            &[
                ("dispersion.svg", "rtm/pictures/dispersion.svg"),
                ("ghost.svg", "rtm/pictures/ghost.svg"),
                ("echoes.svg", "rtm/pictures/echoes.svg"),
                ("between.svg", "rtm/pictures/between.svg"),
                ("hill.svg", "rtm/pictures/hill.svg"),
                ("devito.svg", "rtm/pictures/devito.svg"),
            ],
        ),
        from: &["rtm/studies/src/physics.rs", "rtm/tests/data/devito.sgy"],
    },
    Recipe {
        name: "tti",
        how: How::Run(
            &["-p rtm -- fletcher TTI 512 192 24 0 12.5 12.5 12.5 0.001 0.01 \
               --roofline tti-roofline.svg \
               --measured base=13227,shared=14864,shared-queue=22042,best=71170"],
            &[("tti-roofline.svg", "rtm/pictures/tti-roofline.svg")],
        ),
        from: &[
            "rtm/tti/src/roofline.rs",
            "rtm/tti/kernels/cuda/tti.cuh",
            "rtm/tti/kernels/cuda/tti_base.cu",
            "rtm/tti/kernels/cuda/tti_best.cu",
            "rtm/tti/kernels/cuda/tti_shared.cu",
            "rtm/tti/kernels/cuda/tti_shared_queue.cu",
            "rtm/tti/kernels/cuda/tti_tile.cuh",
        ],
    },
];

/// Where the digests are kept.
const RECORD: &str = "docs/pictures.txt";

/// Pictures of ideas: they need no data.
fn ideas(_: &Path) -> Result<Vec<Drawn>, String> {
    let all = figures::ideas::ALL.iter();
    Ok(all.map(|(path, draw)| (path.to_string(), draw().svg().into_bytes())).collect())
}

impl App {
    /// Draws the pictures with these names, or all.
    pub(super) fn pictures(&self, names: &[String], out: &mut dyn Write) -> Result<u8, String> {
        let known = |n: &String| RECIPES.iter().any(|r| r.name == *n);
        if let Some(name) = names.iter().find(|n| !known(n)) {
            let all: Vec<&str> = RECIPES.iter().map(|r| r.name).collect();
            return Err(format!("there are no pictures {name}: choose of {}", all.join(", ")));
        }
        let root = &self.place.root;
        for recipe in RECIPES {
            if !names.is_empty() && !names.iter().any(|n| n == recipe.name) {
                continue;
            }
            for (path, bytes) in self.draw(recipe)? {
                let file = root.join(&path);
                let same = std::fs::read(&file).is_ok_and(|old| old == bytes);
                let folder = file.parent().unwrap_or(root);
                std::fs::create_dir_all(folder)
                    .and_then(|()| std::fs::write(&file, bytes))
                    .map_err(|e| format!("{path}: {e}"))?;
                say(out, &format!("{} {path}\n", if same { "same" } else { "NEW " }))?;
            }
            record(root, recipe)?;
        }
        Ok(0)
    }

    fn draw(&self, recipe: &Recipe) -> Result<Vec<Drawn>, String> {
        let root = &self.place.root;
        let folder = self.place.state_dir().join("pictures").join(recipe.name);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let files = match &recipe.how {
            How::Draw(draw) => return draw(root),
            How::Study(name, files) => {
                let args = study::Args::of_solutions(name, &folder);
                let mut silent = Vec::new();
                if self.study(&args, &mut silent)? != 0 {
                    return Err(String::from_utf8_lossy(&silent).into_owned());
                }
                files
            }
            How::Run(calls, files) => {
                for call in *calls {
                    run(root, &folder, call)?;
                }
                files
            }
        };
        let read = |(from, to): &(&str, &str)| {
            let (file, number) = from.split_once('#').unwrap_or((from, ""));
            let bytes = std::fs::read(folder.join(file));
            let bytes = bytes.map_err(|e| format!("{}: {file}: {e}", recipe.name))?;
            let bytes = match number.parse() {
                Ok(number) => of_page(&bytes, number)
                    .ok_or_else(|| format!("{}: {from}: no such picture", recipe.name))?,
                Err(_) => bytes,
            };
            let bytes = if to.ends_with(".wav") { excerpt(&bytes) } else { bytes };
            Ok((to.to_string(), bytes))
        };
        files.iter().map(read).collect()
    }
}

/// A page's picture, counted from 1.
fn of_page(page: &[u8], number: usize) -> Option<Vec<u8>> {
    let page = str::from_utf8(page).ok()?;
    let rest = page.split("<svg").nth(number)?;
    let (picture, _) = rest.split_once("</svg>")?;
    Some(format!("<svg{picture}</svg>\n").into_bytes())
}

/// Two seconds of a sound from its tenth on, left channel: the file is one of ours, 44 bytes of
/// head and then frames of two samples of 16 bits, 44,100 a second.
fn excerpt(wav: &[u8]) -> Vec<u8> {
    const RATE: u32 = 44_100;
    let frames = wav.get(44..).unwrap_or(&[]).chunks_exact(4).skip(10 * RATE as usize);
    let data: Vec<u8> =
        frames.take(2 * RATE as usize).flat_map(|frame| [frame[0], frame[1]]).collect();
    let mut out = b"RIFF".to_vec();
    out.extend((36 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    out.extend([RATE, 2 * RATE].iter().flat_map(|rate| rate.to_le_bytes()));
    out.extend(b"\x02\0\x10\0data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

/// `cargo run` of the course's workspace in `folder`, on the emulated device.
fn run(root: &Path, folder: &Path, call: &str) -> Result<(), String> {
    let mut command = cargo_run(root, &call.replace("ROOT", &root.to_string_lossy()));
    command.current_dir(folder).env("LAB_DEVICE", "emulated");
    let done = progress::build("a picture", &mut command);
    let done = done.map_err(|e| format!("cargo cannot be run: {e}"))?;
    match done.status.success() {
        true => Ok(()),
        false => Err(format!("cargo run {call}\n{}", done.words)),
    }
}

/// What is wrong with the pictures: a sentence for each that is older than its data or its code, or
/// was changed by hand.
///
/// # Errors
/// A file cannot be read.
pub fn stale(root: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let records = records(root);
    for recipe in RECIPES {
        let redraw = format!("`cargo lab pictures {}` draws it anew", recipe.name);
        if let How::Draw(draw) = recipe.how {
            for (path, bytes) in draw(root)? {
                if std::fs::read(root.join(&path)).ok() != Some(bytes) {
                    found.push(format!("{path} is not what its code draws: {redraw}"));
                }
            }
            continue;
        }
        let (inputs, outputs) = digests(root, recipe)?;
        match records.get(recipe.name) {
            Some((i, _)) if *i != inputs => {
                found.push(format!(
                    "{}: older than its code: {redraw}",
                    recipe.outputs().join(", ")
                ));
            }
            Some((_, o)) if *o != outputs => {
                found
                    .push(format!("{}: not what was drawn: {redraw}", recipe.outputs().join(", ")));
            }
            Some(_) => {}
            None => found.push(format!("{}: was never drawn: {redraw}", recipe.name)),
        }
    }
    Ok(found)
}

impl Recipe {
    fn outputs(&self) -> Vec<&'static str> {
        match &self.how {
            How::Draw(_) => Vec::new(),
            How::Study(_, files) | How::Run(_, files) => files.iter().map(|f| f.1).collect(),
        }
    }
}

/// Digests of what a recipe is drawn from, and of its pictures.
fn digests(root: &Path, recipe: &Recipe) -> Result<(u64, u64), String> {
    let drawing = ["axis", "chart", "diagrams", "pixels", "sheet", "ticks"];
    let drawing = drawing.map(|module| root.join(format!("crates/figures/src/{module}.rs")));
    let from = recipe.from.iter().map(|p| root.join(p));
    let inputs: Vec<PathBuf> = from.chain(drawing).collect();
    let outputs: Vec<PathBuf> = recipe.outputs().iter().map(|p| root.join(p)).collect();
    let call = match recipe.how {
        How::Run(calls, _) => calls.join("\n"),
        _ => String::new(),
    };
    Ok((digest(call.as_bytes(), &inputs)?, digest(b"", &outputs)?))
}

/// FNV-1a of some bytes and of all files at and below these paths, in the order of their names.
fn digest(first: &[u8], paths: &[PathBuf]) -> Result<u64, String> {
    fn add(path: &Path, eat: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        if !path.is_dir() {
            eat(&std::fs::read(path).map_err(failed)?);
            return Ok(());
        }
        let entries = std::fs::read_dir(path).map_err(failed)?;
        let mut below: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
        below.sort();
        below.iter().try_for_each(|p| add(p, eat))
    }
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut eat = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    eat(first);
    paths.iter().try_for_each(|p| add(p, &mut eat))?;
    Ok(hash)
}

/// The recorded digests of each recipe.
fn records(root: &Path) -> BTreeMap<String, (u64, u64)> {
    let text = std::fs::read_to_string(root.join(RECORD)).unwrap_or_default();
    let line = |l: &str| {
        let [name, inputs, outputs] = l.split_whitespace().collect::<Vec<_>>()[..] else {
            return None;
        };
        let number = |hex| u64::from_str_radix(hex, 16).ok();
        Some((name.to_string(), (number(inputs)?, number(outputs)?)))
    };
    text.lines().filter_map(line).collect()
}

fn record(root: &Path, recipe: &Recipe) -> Result<(), String> {
    if matches!(recipe.how, How::Draw(_)) {
        return Ok(());
    }
    let mut all = records(root);
    all.insert(recipe.name.into(), digests(root, recipe)?);
    let mut text = String::from(
        "# What `cargo lab pictures` drew: name, digest of the code and data, digest of the \
            pictures.\n",
    );
    for (name, (inputs, outputs)) in all {
        text += &format!("{name} {inputs:016x} {outputs:016x}\n");
    }
    std::fs::write(root.join(RECORD), text).map_err(|e| format!("{RECORD}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    #[test]
    fn no_picture_is_older_than_its_data_or_its_code() {
        if !root().join("solutions").is_dir() {
            eprintln!("skipped: the students' pack cannot draw anew");
            return;
        }
        let found = stale(&root()).unwrap();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn a_picture_is_cut_out_of_its_page() {
        let page = b"<p><svg a></svg><figure><svg b><g></g></svg></figure>";
        assert_eq!(of_page(page, 2).unwrap(), b"<svg b><g></g></svg>\n");
        assert!(of_page(page, 3).is_none());
    }

    /// A changed letter in a source, a changed picture, another name: each changes the digest.
    #[test]
    fn a_digest_sees_every_byte_of_every_file() {
        let dir = std::env::temp_dir().join(format!("lab-digest-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("sub")).unwrap();
        let write = |text: &str| std::fs::write(dir.join("sub/a.rs"), text).unwrap();
        let now = || digest(b"", std::slice::from_ref(&dir)).unwrap();
        write("fn a() {}");
        let (first, again) = (now(), now());
        write("fn b() {}");
        assert!(first == again && first != now());
        assert!(digest(b"", &[dir.join("nothing")]).unwrap_err().contains("nothing"));
        std::fs::remove_dir_all(dir).unwrap();
    }
}

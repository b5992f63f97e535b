//! Checks of exercise 6.9: a shot is migrated.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Picture, Reply, Trial, expect, trace};
use simt::fault::FaultKind;
use wire::{ApiCall, LaunchCall};

use crate::shot::Shot;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L6-6.9",
    key: "e6_9",
    title: "A shot is migrated",
    points: 10,
    files: &["src/e6_9.rs"],
    todo: "Write the two loops of migrate in src/e6_9.rs; they launch your kernels of 6.4 to 6.7.",
    hints: &[
        (
            "n",
            "nt levels have nt - 1 steps between them; backward, the source wavefield's last two \
             levels are there already",
        ),
        ("s", "the shell of every level forward, from 1 on, is saved after the source was added"),
        (
            "l",
            "load_shell after the backward step: what the step computes near the layers is wrong",
        ),
        (
            "b",
            "the step from k + 1 to k + 2 added sample k + 1 to level k + 2: going back to level \
             k, add that sample to it",
        ),
        ("t", "both wavefields must be at level k when they are correlated"),
        ("d", "the data of level k are added to level k, those of nt - 1 too"),
        ("c", "every level is correlated once"),
        ("h", "nothing is copied between host and device inside of the loops"),
    ],
    checks: &[
        Check {
            name: "calls",
            what: "each launch as often as it must be, no copies",
            weight: 3,
            run: calls,
        },
        Check { name: "exact", what: "the image of a small shot", weight: 4, run: exact },
        Check {
            name: "reflector",
            what: "two layers: the reflector within one cell",
            weight: 3,
            run: reflector,
        },
    ],
};

fn migrated(t: &Trial, shot: &Shot) -> Result<(Vec<f64>, Reply), Finding> {
    let reply = t.call("e6_9.migrate", &shot.request())?;
    if let Some(fault) = reply.faults.iter().find(|f| f.kind != FaultKind::Leak) {
        return Err(Finding::fault(fault.clone()));
    }
    let bits: Vec<u32> = trace::value(&reply)?;
    Ok((bits.into_iter().map(|b| f64::from(f32::from_bits(b))).collect(), reply))
}

/// Small, and long enough for the wave to come back: the source within the shell, which then
/// restores it, and deeper.
fn small() -> [Shot; 2] {
    [1, 5].map(|surface| Shot::over_two_layers([19, 18, 22], 4, surface, 4, 60))
}

fn launches<'r>(reply: &'r Reply, kernel: &str) -> Vec<&'r ApiCall> {
    let is = |c: &&ApiCall| c.launch.as_ref().is_some_and(|l| l.kernel == kernel);
    reply.api.iter().filter(is).collect()
}

fn calls(t: &Trial) -> Outcome {
    let shot = Shot::over_two_layers([19, 19, 19], 4, 1, 4, 12);
    let (_, reply) = migrated(t, &shot)?;
    let nt = shot.nt;
    for (kernel, want, hint) in [
        ("stencil_queue", 3 * nt - 4, "n"),
        ("cpml_psi", 12 * (nt - 1), "n"),
        ("cpml_apply", 12 * (nt - 1), "n"),
        ("shell_save", nt - 1, "s"),
        ("shell_load", nt - 2, "l"),
        ("add_points", (nt - 1) + nt + (nt - 2), "d"),
        ("correlate", nt, "c"),
    ] {
        let found = launches(&reply, kernel).len();
        expect::that(found == want, || {
            format!("{nt} levels: {want} launches of {kernel}, counted {found}")
        })
        .map_err(|f| f.hint(hint))?;
    }
    let first = reply.api.iter().position(|c| c.launch.is_some()).unwrap_or(0);
    let last = |c: &ApiCall| c.launch.as_ref().is_some_and(|l| l.kernel == "correlate");
    let last = reply.api.iter().rposition(last).unwrap_or(0);
    let copies = reply.api[first..last.max(first)].iter().filter(|c| c.name.contains("Memcpy"));
    let copies = copies.count();
    expect::that(copies == 0, || format!("{copies} copies between the first and the last step"))
        .map_err(|f| f.hint("h"))?;
    Ok(Evidence::new(format!(
        "{nt} levels: {} stencils (3 nt - 4), {} of each layer, no copies",
        3 * nt - 4,
        2 * (nt - 1)
    )))
}

/// How far the image is from the oracle's, relative to the oracle's size.
fn distance(got: &[f64], want: &[f64]) -> f64 {
    let size: f64 = want.iter().map(|v| v * v).sum();
    let error: f64 = got.iter().zip(want).map(|(a, b)| (a - b).powi(2)).sum();
    (error / size).sqrt()
}

fn exact(t: &Trial) -> Outcome {
    let mut evidence = Evidence::default();
    for shot in small() {
        let (image, reply) = migrated(t, &shot)?;
        let want = shot.image();
        expect::same("points of the image", &image.len(), &want.len())?;
        let off = distance(&image, &want);
        // NaN is wrong, too.
        let right = off <= 1e-3;
        expect::that(right, || {
            format!("the image is off by {:.1} % of what every level kept would give", 100.0 * off)
        })
        .map_err(|f| match hint(&shot, &reply) {
            Some(hint) => f.hint(hint),
            None => f,
        })?;
        evidence = evidence.line(format!(
            "source at {:?}: {} points, off by less than 0.1 % from an image with every level kept",
            shot.source,
            image.len()
        ));
    }
    Ok(evidence)
}

/// What the launches say about a wrong image.
fn hint(shot: &Shot, reply: &Reply) -> Option<&'static str> {
    let launched: Vec<&LaunchCall> = trace::launches(reply);
    let order: Vec<&str> = launched.iter().map(|l| l.kernel.as_str()).collect();
    let at = |kernel: &str| order.iter().position(|k| *k == kernel);
    let behind = |kernel: &str| order.iter().rposition(|k| *k == kernel);
    if !order[..at("shell_save")?].contains(&"add_points") {
        return Some("s");
    }
    // Backward, in each step: stencil, source, shell.
    let load = behind("shell_load")?;
    if order[..load].iter().rev().find(|k| **k != "add_points") != Some(&"stencil_queue") {
        return Some("l");
    }
    // The samples of the wavelet that were added, one point each: forward 0 .. nt - 2, backward
    // nt - 2 .. 1.
    let number = |l: &LaunchCall, k: usize| -> Option<usize> {
        let bytes: [u8; 4] = l.params.get(k)?.bytes.as_slice().try_into().ok()?;
        usize::try_from(i32::from_le_bytes(bytes)).ok()
    };
    let of_source = launched.iter().filter(|l| l.kernel == "add_points" && number(l, 3) == Some(1));
    let samples: Vec<usize> = of_source.filter_map(|l| number(l, 4)).collect();
    if samples != (0..shot.nt - 1).chain((1..shot.nt - 1).rev()).collect::<Vec<_>>() {
        return Some("b");
    }
    Some("t")
}

fn reflector(t: &Trial) -> Outcome {
    let shot = Shot::over_two_layers([24, 24, 28], 5, 1, 10, 120);
    let (image, _) = migrated(t, &shot)?;
    expect::same("points of the image", &image.len(), &shot.interior().len())?;
    let found = shot.brightest(&image);
    expect::that(image.iter().all(|v| v.is_finite()), || "the image is not finite".into())
        .map_err(|f| f.hint("t"))?;
    expect::that(found.abs_diff(shot.reflector) <= 1, || {
        format!("the reflector is at z = {}, the image shows it at {found}", shot.reflector)
    })
    .map_err(|f| f.hint("t"))?;
    Ok(Evidence::new(format!(
        "the reflector is at z = {}, the image shows it at {found}",
        shot.reflector
    ))
    .picture(section(&shot, &image)))
}

/// The plane through the source, z downwards, blue to red.
fn section(shot: &Shot, image: &[f64]) -> Picture {
    const SCALE: usize = 8;
    let y = shot.source[1];
    let of_plane: Vec<([usize; 3], f64)> =
        shot.interior().into_iter().zip(image.iter().copied()).filter(|(p, _)| p[1] == y).collect();
    let below = |p: &[usize; 3]| p[2] > shot.source[2] + 3;
    let largest =
        of_plane.iter().filter(|(p, _)| below(p)).fold(0.0, |m: f64, (_, v)| m.max(v.abs()));
    let [nx, _, nz] = shot.grid.n.map(|n| n - 2 * shot.grid.layers);
    let mut rgba = vec![255; 4 * nx * nz * SCALE * SCALE];
    for (p, value) in of_plane {
        let (x, z) = (p[0] - shot.grid.layers, p[2] - shot.grid.layers);
        let v = (value / largest).clamp(-1.0, 1.0);
        let pale = (255.0 * (1.0 - v.abs())) as u8;
        let colour = if v > 0.0 { [255, pale, pale] } else { [pale, pale, 255] };
        for row in z * SCALE..(z + 1) * SCALE {
            for column in x * SCALE..(x + 1) * SCALE {
                let at = 4 * (row * nx * SCALE + column);
                rgba[at..at + 3].copy_from_slice(&colour);
            }
        }
    }
    let title = "Image of two layers, through the source: x to the right, z downwards";
    Picture::new(title, (nx * SCALE) as u32, (nz * SCALE) as u32, &rgba)
}

//! What the tour's page shows of the whole course: a picture, a sentence, the exercise.

use std::path::Path;

use grading::report::Shown;

/// Exercise, picture, sentence.
const PICTURES: &[(&str, &str, &str)] = &[
    (
        "L1-1.2.2",
        "lab1-cuda-intro/pictures/escape.svg",
        "A Julia set, one thread for a pixel: some have much to do, their neighbours little.",
    ),
    (
        "L1-1.1.9",
        "lab1-cuda-intro/pictures/sectors.svg",
        "What a warp asks of memory, and what is moved for nothing.",
    ),
    (
        "L1-1.2.2",
        "lab1-cuda-intro/pictures/divergence.svg",
        "A warp parts at a branch and meets behind it: the others wait.",
    ),
    (
        "L2-2.1.4",
        "lab2-optimization/pictures/spectrogram-in.svg",
        "Music with hum and noise: listen to it.",
    ),
    (
        "L2-2.1.4",
        "lab2-optimization/pictures/spectrogram-ref.svg",
        "The same through your filter of order 1024.",
    ),
    (
        "L2-2.1.11",
        "lab2-optimization/pictures/ladder-fir.svg",
        "Five versions of the filter: what the emulator counts, what a card takes.",
    ),
    (
        "L2-2.1.9",
        "lab2-optimization/pictures/halo.svg",
        "A tile in shared memory, and the halo that it needs.",
    ),
    (
        "L2-2.2.2",
        "lab2-optimization/pictures/banks.svg",
        "Banks of shared memory: two good patterns, two bad ones.",
    ),
    (
        "L2-2.1.11",
        "lab2-optimization/pictures/roofline.svg",
        "The roofline of the filter: what bounds each version.",
    ),
    (
        "L2-2.1.11",
        "lab2-optimization/pictures/speedup.svg",
        "Speed over the size of a block, as the counts predict it.",
    ),
    ("L3-3.1.6", "lab3-libraries/pictures/spread.svg", "How random points approach an integral."),
    (
        "L3-3.2.3",
        "lab3-libraries/pictures/rain.svg",
        "The rain of a year, found again from a few looks into a bucket.",
    ),
    ("L3-3.3.5", "lab3-libraries/pictures/ep_mk.svg", "NAS EP: how much work a thread should get."),
    (
        "L3-3.4.7",
        "lab3-libraries/pictures/ft_phases.svg",
        "NAS FT: where the time goes, in three layouts.",
    ),
    (
        "L4-4.1",
        "lab4-fpga/pictures/fir1_blocks.svg",
        "A filter as hardware, drawn from its netlist.",
    ),
    (
        "L4-4.3",
        "lab4-fpga/pictures/fir1_fast_timing.svg",
        "The pipeline at work: a result at each clock.",
    ),
    (
        "L5-5.10",
        "lab5-fpga-ip/pictures/lab5_da.svg",
        "Eight filters with the same bits: area against time.",
    ),
    (
        "L5-5.7",
        "lab5-fpga-ip/pictures/butterflies.svg",
        "The butterflies of a Fourier transform, with their addresses.",
    ),
    ("L5-5.8", "lab5-fpga-ip/pictures/spectrum-radix4.svg", "A tone in a transform made of gates."),
    ("L6-6.4", "lab6-rtm/pictures/ladder.svg", "Four stencils: counts and times."),
    (
        "L6-6.9",
        "rtm/pictures/wave.svg",
        "A wave in the ground, and what comes back from each reflector.",
    ),
    ("L6-6.9", "rtm/pictures/image.svg", "The image that the echoes make, over the true ground."),
];

/// The pictures that this course has.
pub fn shown(root: &Path) -> Vec<Shown> {
    let one = |&(exercise, path, says): &(&str, &str, &str)| {
        let picture = std::fs::read(root.join(path)).ok()?;
        // The sound of a spectrogram lies beside it.
        let sound = path
            .contains("spectrogram-")
            .then(|| root.join(path.replace("spectrogram-", "").replace(".svg", ".wav")));
        let sound = sound.and_then(|file| std::fs::read(file).ok());
        Some(Shown {
            exercise: exercise.into(),
            svg: path.ends_with(".svg"),
            picture,
            sound,
            says: says.into(),
        })
    };
    PICTURES.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_there_and_belongs_to_an_exercise() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(shown(&root).len(), PICTURES.len());
        assert_eq!(shown(&root).iter().filter(|s| s.sound.is_some()).count(), 2);
        for (exercise, path, _) in PICTURES {
            let known = super::super::LABS.iter().any(|lab| lab.exercise(exercise).is_some());
            assert!(known, "{path}: {exercise}");
        }
    }
}

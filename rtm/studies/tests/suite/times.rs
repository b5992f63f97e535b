//! Models of run times: on a GPU if there is one, else on the emulated device.

use rtm::cuda::{Cuda, Options};
use rtm_studies::times::calibrate::{Settings, block_study, report};

#[test]
fn the_report_of_run_times_has_models_and_whole_shots() {
    kept::once!(crate::STEPS);
    let settings = Settings {
        orders: vec![2, 4, 6],
        sizes: vec![[8, 8, 8], [8, 10, 16], [10, 12, 16], [12, 12, 24]],
        layers: 2,
        repeats: 1,
        shot: [12, 12, 14],
        shot_order: 2,
        levels: 4,
        ks_store: 3,
    };
    let mut gpu = Cuda::new(0, Options::best()).unwrap();
    let (text, drawn) = report(&mut gpu, &settings).unwrap();
    let names: Vec<&str> = drawn.iter().map(|d| d.name.as_str()).collect();
    let sets = ["fit-naive", "fit-improved", "fit-vector", "speed-up-improved", "speed-up-vector"];
    assert_eq!(names, sets);
    for part in ["Stencil<", "left face<", "Image<", ">order 4<"] {
        assert!(drawn[0].svg.contains(part), "{part}");
    }
    for part in ["Stencil: improved", "left face<", "top face<", ">Image<", "Bounds for large"] {
        assert!(drawn[3].svg.contains(part), "{part}");
    }
    for set in ["naive: milliseconds", "improved: milliseconds", "vector: milliseconds"] {
        assert!(text.contains(set), "{text}");
    }
    // The stencil by two ways of fitting, six faces and the image for each set; six mixes of
    // kernels for each strategy.
    let starting = |word: &str| text.lines().filter(|l| l.starts_with(word)).count();
    assert_eq!((starting("stencil"), starting("bottom"), starting("image")), (3, 3, 3), "{text}");
    for strategy in ["1 checkpoints", "2 boundaries", "3 random"] {
        assert_eq!(starting(strategy), 6, "{text}");
    }
    assert!(!text.contains("NaN"), "{text}");
}

#[test]
fn blocks_are_studied_for_stencils_image_and_the_layers_of_each_axis() {
    kept::once!(crate::STEPS);
    let gpu = Cuda::new(0, Options::best()).unwrap();
    let (text, drawn) = block_study(&gpu, [12, 12, 32], 4, 2).unwrap();
    let names: Vec<&str> = drawn.iter().map(|d| d.name.as_str()).collect();
    let layers = ["blocks-left-and-right", "blocks-back-and-front", "blocks-top-and-bottom"];
    assert_eq!(names[..3], ["blocks-aligned", "blocks-improved", "blocks-image"]);
    assert_eq!(names[3..], layers);
    // Four blocks, and both passes of each axis have a time: the kernels' names are found.
    let of_layers: Vec<&str> = text.lines().filter(|l| l.contains(" and ")).collect();
    assert_eq!(of_layers.len(), 3, "{text}");
    for line in of_layers {
        assert!(line.contains(": 4 blocks;"), "{line}");
        assert!(!line.contains(" 0.0000 ms"), "{line}");
    }
}

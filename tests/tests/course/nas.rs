//! Class S of the NAS benchmarks, by the solutions of lab 3 and by the given fast versions, the
//! latter on the emulated device.

use cust::prelude::*;
use lab3_libraries::ft::{Class, Layout, Params};
use lab3_libraries::{e3_3_02, e3_4_07, nas};
use labkit::Lab;
use npb::{ep, ft};

/// Kernels come from the repository's folders; nothing but this file uses this process's device.
fn lab() -> Lab {
    Lab::new().expect("the emulated device is always there")
}

#[test]
fn ep_s_of_3_3_2_is_verified() {
    let class = ep::Class::by_name("S").unwrap();
    let found = e3_3_02::ep_cpu(class.m, ep::OFFICIAL_MK, 2, &e3_3_02::batch).unwrap();
    assert_eq!(class.verify(&found), Ok(()));
}

#[test]
#[ignore = "long: some seconds of emulation, as all others of this file together"]
fn ep_s_is_verified_on_the_emulated_device() {
    let class = ep::Class::by_name("S").unwrap();
    let (found, _) = nas::ep::fast(&lab(), class.m, 1).unwrap();
    assert_eq!(class.verify(&found), Ok(()));
}

fn ft_is_verified(name: &str) {
    let class = Class::by_name(name).unwrap();
    let (own, t) = (nas::ft::Version::Own, class.iterations());
    let (found, _) = nas::ft::run(&lab(), own, class.size, t, 1, &mut |_| ()).unwrap();
    assert_eq!(class.verify(&found), Ok(()), "{name}");
}

#[test]
fn ft_s_is_verified_on_the_emulated_device() {
    ft_is_verified("S");
}

#[test]
#[ignore = "long: some seconds of emulation"]
fn ft_w_is_verified_on_the_emulated_device() {
    ft_is_verified("W");
}

#[test]
fn planes_moved_once_have_the_bits_of_two_passes() {
    let lab = lab();
    for size in [[64, 32, 5], [16, 128, 3], [8, 8, 2]] {
        let n: usize = size.iter().product();
        let field: Vec<ft::C64> =
            (0..n).map(|i| ft::C64::new((i % 7) as f64, -((i % 11) as f64))).collect();
        let [passes, planes] = [false, true].map(|planes| {
            let own = nas::ft::Own::new(&lab, size, false, planes).unwrap();
            let u = DeviceBuffer::from_slice(&field).unwrap();
            // Twice: counters between blocks must be as at the beginning.
            own.both(&lab, false, u.as_device_ptr()).unwrap();
            own.both(&lab, true, u.as_device_ptr()).unwrap();
            u.as_host_vec().unwrap()
        });
        assert_eq!(passes, planes, "{size:?}");
        let scaled = passes.iter().zip(&field).map(|(z, f)| z / (size[0] * size[1]) as f64 - f);
        assert!(scaled.map(|z| z.norm()).all(|error| error < 1e-12), "{size:?}");
    }
}

#[test]
#[ignore = "long: a quarter of a minute of emulation"]
fn ft_s_of_3_4_7_is_verified_in_every_layout() {
    let class = Class::by_name("S").unwrap();
    let [nx, ny, nz] = class.size;
    let p = Params { nx, ny, nz, niter: class.iterations() };
    for layout in [Layout::Direct, Layout::Paper, Layout::Shared] {
        let (found, _) = e3_4_07::ft_gpu(&lab(), &p, layout).unwrap();
        assert!(e3_4_07::verified(class, &found), "{layout:?}");
        assert_eq!(class.verify(&found), Ok(()), "{layout:?}");
    }
}

fn lab_3() -> &'static grading::Lab {
    course_tests::LABS.iter().find(|lab| lab.id == "lab3").unwrap()
}

/// What `cargo lab study NAME` makes, on the emulated device: the text and the files.
fn study(name: &str) -> grading::study::Tables {
    let lab = lab_3();
    let host = grading::Host::ready(crate::PROGRAM);
    let work = course_tests::place().solution_work(lab, host);
    let study = lab3_checks::TABLES.iter().find(|s| s.name == name).unwrap();
    let exercise = lab.exercise(study.exercise).unwrap();
    let trial = grading::Trial::new(lab, exercise, "study", &work, 1);
    (study.run)(&trial).unwrap_or_else(|e| panic!("{e}\n{}", e.details))
}

/// The lines of a CSV file, all with as many cells as the first.
fn lines<'a>(tables: &'a grading::study::Tables, name: &str) -> Vec<Vec<&'a str>> {
    let csv = &tables.files.iter().find(|(file, _)| file == name).unwrap().1;
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{csv}");
    lines
}

#[test]
fn the_studies_of_lab_3_are_complete() {
    let Some(due) = kept::due("studies of lab 3", crate::solution_inputs(lab_3())) else { return };
    let ep = study("ep");
    let rows = lines(&ep, "ep.csv");
    // Seven sizes of a batch and five more blocks for each of two versions; the fast one.
    assert_eq!(rows.len(), 1 + 2 * (7 + 5) + 1);
    let column = |name: &str| rows[0].iter().position(|c| *c == name).unwrap();
    let lanes = |version: &str| -> Vec<f64> {
        let of = rows.iter().filter(|r| r[0] == version && r[column("block")] == "128");
        of.map(|r| r[column("atom_lane_per_thread")].parse().unwrap()).collect()
    };
    assert!(lanes("paper").iter().all(|lanes| *lanes > 1.0), "{rows:?}");
    assert!(lanes("better").iter().all(|lanes| *lanes < 0.1), "{rows:?}");
    assert!(ep.text.contains("A step of the generator: "), "{}", ep.text);

    let ft = study("ft");
    let rows = lines(&ft, "ft.csv");
    // Three classes in five versions, all of them right.
    assert_eq!(rows.len(), 1 + 3 * 5);
    assert!(rows[1..].iter().all(|row| row.last() == Some(&"yes")), "{rows:?}");
    // Loads and stores of axis x, class T2: the numbers of the handout, and 124 for the roots.
    for text in
        ["direct  49276\n", " paper  36988 (12288 of", "shared  ", "one array after the other"]
    {
        assert!(ft.text.contains(text), "{text}: {}", ft.text);
    }

    let npb = study("npb");
    let rows = lines(&npb, "npb.csv");
    // Five versions of EP and seven of FT in our own classes, those of the CPU in class S.
    assert_eq!(rows.len(), 1 + (5 + 2) + (2 * 7 + 2), "{}", npb.text);
    assert!(rows[1..].iter().all(|row| row.last() == Some(&"yes")), "{rows:?}");
    let predicted = |row: &&Vec<&str>| row.contains(&"predicted");
    assert_eq!(rows.iter().filter(predicted).count(), 3 + 2 * 5, "{rows:?}");

    let svgs = |t: &grading::study::Tables| -> Vec<String> {
        t.files.iter().filter(|(name, _)| name.ends_with(".svg")).map(|f| f.1.clone()).collect()
    };
    assert_eq!((svgs(&ep).len(), svgs(&ft).len(), svgs(&npb).len()), (1, 3, 2));
    for svg in [&ep, &ft, &npb].into_iter().flat_map(svgs) {
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.len() > 2000, "{svg}");
    }
    due.passed();
}

//! The programs of the lab: `cores` (run a design on the board, build its files) and `explain`.

use hdl::desk::{Refusal, command};
use lab5_fpga_ip::compiler::{FirArchitecture, explain};
use lab5_fpga_ip::designs::DESIGNS;

fn desk(line: &str, folder: &std::path::Path) -> Result<String, Refusal> {
    let mut words: Vec<String> = line.split(' ').map(String::from).collect();
    if words.len() > 1 {
        words.extend(["--out".into(), folder.display().to_string()]);
    }
    let mut text = String::new();
    assert_eq!(command(&DESIGNS, &words, &mut text)?, 0, "{text}");
    Ok(text)
}

/// The largest number beside the vertical axis.
fn top_of(svg: &str) -> f64 {
    let labels = svg.split("text-anchor=\"end\">").skip(1);
    labels
        .map(|l| {
            l[..l.find('<').unwrap()].replace(',', "").replace('−', "-").parse::<f64>().unwrap()
        })
        .fold(0.0, f64::max)
}

#[test]
fn the_plot_has_the_axis_that_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let tone = "run fft_radix4 --late --tone 8000,0.25";
    let text = desk(tone, folder.path()).unwrap();
    assert!(text.contains("Result words:     1024"), "{text}");
    // A tone on a bin, right shifts by 8: 8000 * 512 / 256, of which the magnitude shows 15/16; at
    // both of a pair of bins.
    let peaks: Vec<String> = read("fft_radix4.csv")
        .lines()
        .filter(|l| l.ends_with(",15000"))
        .map(String::from)
        .collect();
    assert_eq!(peaks.len(), 2, "{peaks:?}");
    assert!(top_of(&read("fft_radix4.svg")) >= 15000.0);
    desk(&format!("{tone} --axis 0,5000 --show 512"), folder.path()).unwrap();
    assert_eq!(top_of(&read("fft_radix4.svg")), 5000.0);
    for bad in ["--axis 5000", "--axis 9,1", "--axis a,b", "--tone 5"] {
        let refusal = desk(&format!("run fir_mac {bad}"), folder.path()).unwrap_err();
        assert!(refusal.code == 2 && refusal.message.contains("usage"), "{bad}");
    }
}

#[test]
fn the_desk_builds_every_design() {
    let folder = tempfile::tempdir().unwrap();
    let list = desk("list", folder.path()).unwrap();
    for design in &DESIGNS {
        assert!(list.contains(design.name));
        desk(&format!("build {}", design.name), folder.path()).unwrap();
        for end in [".vhd", ".v", "_blocks.svg", "_report.json"] {
            let file = folder.path().join(format!("{}{end}", design.name));
            assert!(std::fs::metadata(&file).unwrap().len() > 100, "{}", file.display());
        }
    }
    let refusal = desk("run fir", folder.path()).unwrap_err();
    assert!(refusal.message.contains("fir_systolic"), "{}", refusal.message);
}

#[test]
fn every_filter_can_be_explained() {
    for architecture in FirArchitecture::ALL {
        let text = explain(&architecture.name()).unwrap();
        for word in ["frequency  |H| in dB", "clocks per sample", "35 bits", "total"] {
            assert!(text.contains(word), "{text}");
        }
    }
    let refused = explain("da3").unwrap_err();
    assert!(refused.contains("da3") && refused.contains("systolic, transposed"), "{refused}");
}

//! Predicted against measured times of the kernels in `tools/rates/large`.

use std::path::Path;

use simt::ExecOptions;

use crate::card::{fields, read};
use crate::case::{Case, execute};

/// Prints the table; `times.csv` holds a line per run: number, case, run, kernel, least and median
/// microseconds.
pub fn print(folder: &Path) -> Result<(), String> {
    let large = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/rates/large");
    let options =
        ExecOptions { races: false, uninit: false, step_limit: 1 << 40, ..ExecOptions::default() };
    println!("| kernel | grid, block | measured (us) | predicted (us) | ratio | bound by |");
    println!("|---|---|---:|---:|---:|---|");
    let (mut within, mut all, mut logs) = (0, 0, 0.0);
    for case in Case::folder(&large)? {
        let program = case.compile().map_err(|e| e.diagnostics[0].message.clone())?;
        let outcome = execute(&case, &program, &options).map_err(|stop| stop.to_string())?;
        for line in read(folder, "times.csv")?.lines() {
            let f = fields(line);
            let number = |i: usize| f.get(i).and_then(|t| t.parse::<f64>().ok());
            let (Some(run), Some(median)) = (number(2), number(5)) else { continue };
            let Some(report) = outcome.reports.get(run as usize).filter(|_| f[1] == case.name)
            else {
                continue;
            };
            let prediction = &report.prediction;
            let predicted = 1e3 * prediction.ms;
            let ratio = predicted / median;
            all += 1;
            within += usize::from((1.0 / 1.5..=1.5).contains(&ratio));
            logs += ratio.ln().abs();
            let [gx, gy, gz] = report.grid;
            let [bx, by, bz] = report.block;
            println!(
                "| `{}` | {gx}x{gy}x{gz}, {bx}x{by}x{bz} | {median:.1} | {predicted:.1} | \
                 {ratio:.2} | {} |",
                report.kernel, prediction.bound
            );
            if std::env::args().any(|a| a == "parts") {
                let parts = prediction.parts.iter().filter(|p| p.ms > 0.0);
                let texts: Vec<String> =
                    parts.map(|p| format!("{} {:.1}", p.bound, 1e3 * p.ms)).collect();
                println!("    {}", texts.join(", "));
            }
        }
    }
    println!(
        "\n{within} of {all} within a factor of 1.5; typical factor (geometric mean) {:.2}.",
        (logs / f64::from(all.max(1))).exp()
    );
    Ok(())
}

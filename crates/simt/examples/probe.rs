#[path = "../tests/support/case.rs"]
mod case;
use case::*;
fn main() {
    for f in std::env::args().skip(1) {
        let p = std::path::PathBuf::from(&f);
        let text = String::from_utf8_lossy(&std::fs::read(&p).unwrap()).into_owned();
        let c = match Case::parse_as(
            &p.file_stem().unwrap().to_string_lossy(),
            &text,
            f.ends_with(".cl"),
        ) {
            Ok(c) => c,
            Err(e) => {
                println!("== {f}: header {e}");
                continue;
            }
        };
        let prog = match c.compile() {
            Ok(p) => p,
            Err(e) => {
                println!("== {f}: REFUSED\n{e}");
                continue;
            }
        };
        let o = simt::ExecOptions { step_limit: 1 << 24, ..Default::default() };
        match execute(&c, &prog, &o) {
            Err(e) => println!("== {f}: STOP {e}"),
            Ok(o) => {
                let mut bad = false;
                for (name, words) in &c.expected {
                    let b = c.buffers.iter().find(|b| b.name == *name).unwrap();
                    let bytes =
                        Generator::List(words.clone()).bytes(b.elem, b.count).unwrap().unwrap();
                    let want = Data::from_bytes(b.elem, &bytes);
                    if let Some(t) = o.buffers[name].difference(&want, None) {
                        println!("== {f}: WRONG {name}{t} {:?}", o.buffers[name]);
                        bad = true;
                    }
                }
                let printed: Vec<&str> = o.printed.lines().collect();
                if !c.prints.is_empty() && printed != c.prints {
                    println!("== {f}: PRINTED {printed:?}");
                    bad = true;
                }
                for w in prog.warnings() {
                    println!("== {f}: warning {}", w.message);
                }
                if !bad {
                    println!("== {f}: ok");
                }
            }
        }
    }
}

//! Scratch.
use simt::compile::CompileOptions;
use simt::language::Language;
use simt::program::Program;
fn show(text: &str, o: &CompileOptions) -> String {
    match Program::compile(text, o) {
        Ok(p) => simt::stages::ir(&p, "sm_90"),
        Err(e) => format!("ERROR {e:?}\n"),
    }
}
fn main() {
    let mode = std::env::args().nth(1).unwrap();
    let list = std::fs::read_to_string(std::env::args().nth(2).unwrap()).unwrap();
    if mode == "files" {
        for f in list.lines() {
            let text = String::from_utf8_lossy(&std::fs::read(f).unwrap()).into_owned();
            let dir = std::path::Path::new(f).parent().unwrap().to_path_buf();
            let o = CompileOptions {
                file: f.into(),
                include_dirs: vec![dir],
                language: Language::of_file(f),
                ..Default::default()
            };
            println!("=== {f}\n{}", show(&text, &o));
        }
        return;
    }
    let cl = mode == "cl";
    let args: &[&str] = if cl {
        &[
            "",
            "i",
            "u",
            "f",
            "d",
            "l",
            "c",
            "f4",
            "i4",
            "d2",
            "us",
            "f,f",
            "i,i",
            "u,u",
            "f,d",
            "f4,f4",
            "i4,i4",
            "f4,f",
            "f,i",
            "f4,i4",
            "f4,i",
            "f,pf",
            "f,pi",
            "f4,pf4",
            "f4,pi4",
            "i,f",
            "f,f,f",
            "i,i,i",
            "u,u,u",
            "f4,f4,f4",
            "c,c,c",
            "f,f,i",
            "f,f,pi",
            "f4,f4,pi4",
            "f4,f,f",
            "pi",
            "pi,i",
            "pi,i,i",
            "pf,f",
            "pf",
            "lp,pf,u,ul",
            "us,us",
            "uc4",
        ]
    } else {
        &[
            "",
            "i",
            "u",
            "f",
            "d",
            "l",
            "c",
            "h",
            "b",
            "s",
            "ull",
            "ll",
            "pf",
            "f,f",
            "i,i",
            "u,u",
            "f,d",
            "h,h",
            "d,d",
            "ll,ll",
            "f,i",
            "i,f",
            "f,pf",
            "f,pi",
            "d,pd",
            "h,pf",
            "f,pf,pf",
            "d,pd,pd",
            "pf,pf,pf",
            "i,i,i",
            "u,u,u",
            "f,f,f",
            "d,d,d",
            "h,h,h",
            "h,f",
            "pi,i",
            "pi,i,i",
            "pf,f",
            "pd,d",
            "ps,s,s",
            "pus,us,us",
            "u,f,i",
            "u,i,i,i",
            "u,d,i",
            "cpi",
            "cpi,i",
            "pu,u",
            "pull,ull",
            "e",
            "pb,b",
        ]
    };
    for name in list.lines() {
        println!("=== {name}");
        for a in args {
            for store in [false, true] {
                let call = format!("{name}({a})");
                let stmt = match (store, cl) {
                    (false, _) => format!("{call};"),
                    (true, false) => format!("auto r = {call}; *(decltype(r) *)o = r;"),
                    (true, true) => format!("*pd = (double)({call});"),
                };
                let text = if cl {
                    format!(
                        "__kernel void k(__global float *pf, __global int *pi, __global double *pd, __global float4 *pf4, __global int4 *pi4, __local float *lp, int i, uint u, float f, double d, long l, ulong ul, char c, ushort us, float4 f4, int4 i4, uchar4 uc4, double2 d2) {{ {stmt} }}"
                    )
                } else {
                    format!(
                        "struct E {{ int a; }}; extern \"C\" __global__ void k(void *o, const int *cpi, float *pf, int *pi, double *pd, short *ps, unsigned short *pus, unsigned *pu, unsigned long long *pull, bool *pb, int i, unsigned u, float f, double d, long l, char c, __half h, bool b, short s, unsigned short us, unsigned long long ull, long long ll, E e) {{ {stmt} }}"
                    )
                };
                let o = CompileOptions {
                    file: "k".into(),
                    language: if cl { Language::OpenClC } else { Language::CudaC },
                    ..Default::default()
                };
                println!("--- {stmt}\n{}", show(&text, &o));
            }
        }
    }
}

//! The debugger on whole kernels, by script.

use simt::debug::{Subject, Transcript, run_script};
use simt::{CompileOptions, ExecOptions, Instance, Launch, Memory, Program};

const ADD: &str = "\
extern \"C\" __global__ void add(int *c, const int *a, const int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
";

const LOOP: &str = "\
__device__ int twice(int x)
{
    int y = 2 * x;
    return y;
}

extern \"C\" __global__ void sum(int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = twice(t);
    __syncthreads();
    int s = 0;
    for (int k = 0; k < 4; k++) {
        s += tile[k];
    }
    out[t] = s;
}
";

/// Runs `script` on a kernel whose first arguments are buffers of `n` ints (the first never written, the others 0, 1,
/// 2, ...) and whose last is `n` if there are more parameters than `buffers`.
fn debug(text: &str, buffers: usize, n: usize, grid: u32, block: u32, script: &str) -> Transcript {
    let options = CompileOptions { file: "k.cu".into(), ..CompileOptions::default() };
    let program = Program::compile(text, &options).unwrap_or_else(|e| panic!("{e}"));
    let memory = Memory::new(1 << 30);
    let instance = Instance::load(&program, &memory).unwrap();
    let kernel = &program.kernels()[0];
    let mut args = Vec::new();
    let mut bases = Vec::new();
    for k in 0..buffers {
        let base = memory.alloc(4 * n as u64, &kernel.params[k].name).unwrap();
        if k > 0 {
            let data: Vec<u8> = (0..n as i32).flat_map(|i| i.to_le_bytes()).collect();
            memory.write(base, &data).unwrap();
        }
        bases.push(base);
        args.push(base.to_le_bytes().to_vec());
    }
    if kernel.params.len() > buffers {
        args.push((n as i32).to_le_bytes().to_vec());
    }
    let launch = Launch { grid: [grid, 1, 1], block: [block, 1, 1], dynamic_shared: 0, args };
    let subject = Subject {
        device: simt::device::model("h200").unwrap(),
        memory: &memory,
        instance: &instance,
        symbol: &kernel.symbol,
        launch: &launch,
        options: &ExecOptions::default(),
    };
    run_script(&subject, script)
}

fn value<'a>(t: &'a Transcript, n: usize) -> &'a str {
    t.prints[n].value.as_deref().unwrap_or_else(|e| panic!("{e}\n{}", t.text))
}

#[test]
fn one_thread_is_stopped_at_before_and_after_its_addition() {
    let t = debug(
        ADD,
        3,
        2000,
        8,
        256,
        "# the last element\n\
         break 5 if blockIdx.x == 7 && threadIdx.x == 207\n\
         run\nprint i\nprint a[i]\nprint b[i]\nprint c[i]\nmask\nmem c 1998 2\nstep\nprint c[i]\nmem c 1998 2\n\
         continue\nhits 1\n",
    );
    assert_eq!(t.stops.len(), 2, "{}", t.text);
    let stop = &t.stops[0];
    assert_eq!((stop.breakpoint, stop.block, stop.thread), (Some(1), [7, 0, 0], [207, 0, 0]));
    assert_eq!((stop.global_warp, stop.warp, stop.mask), (62, 6, 0x0000_ffff));
    assert_eq!(stop.at.line, 5);
    assert_eq!((value(&t, 0), value(&t, 1), value(&t, 2)), ("1999", "1999", "1999"));
    assert!(t.prints[3].value.is_err(), "c[1999] has not been written: {}", t.text);
    assert_eq!(value(&t, 4), "3998");
    assert!(t.text.contains("mask 0x0000ffff: 16 of 32 lanes of warp 62 are active"), "{}", t.text);
    assert!(t.text.contains("c[1999] = <never written>"), "{}", t.text);
    assert!(t.text.contains("c[1999] = 3998"), "{}", t.text);
    assert_eq!(t.breakpoints[0].hits, 1);
    assert!(matches!(t.outcome, Some(Ok(_))));
}

#[test]
fn hits_are_counted_by_warp_and_condition() {
    let continues = "continue\n".repeat(64);
    for (condition, hits) in [
        (" if threadIdx.x == 0", 8),
        (" if threadIdx.x == 207", 8),
        (" if i >= 2000", 0),
        (" if i == 64 || i == 65", 1),
        ("", 63),
    ] {
        let t = debug(ADD, 3, 2000, 8, 256, &format!("break 5{condition}\nrun\n{continues}"));
        assert_eq!(t.breakpoints[0].hits, hits, "{condition}: {}", t.text);
        assert_eq!(t.stops.len() as u64, hits);
        assert!(matches!(t.outcome, Some(Ok(_))), "{}", t.text);
    }
}

#[test]
fn stepping_goes_through_loops_and_called_functions() {
    let t = debug(LOOP, 1, 64, 1, 64, &format!("break 10\nrun\n{}", "step\n".repeat(40)));
    let lines: Vec<u32> =
        t.stops.iter().filter(|s| s.warp == t.stops[0].warp).map(|s| s.at.line).collect();
    assert_eq!(lines.iter().filter(|l| **l == 15).count(), 4, "{lines:?}\n{}", t.text);
    assert!(lines.contains(&3) && lines.contains(&17), "{lines:?}");
    assert!(matches!(t.outcome, Some(Ok(_))), "{}", t.text);
}

#[test]
fn values_of_lanes_shared_arrays_and_other_warps() {
    let t = debug(
        LOOP,
        1,
        64,
        1,
        64,
        "break 13\nrun\nlanes tile[t]\nprint tile[63]\nmem tile 3 2\nprint sizeof(tile)\ninfo warps\nwarp next\nprint t\n\
         warp prev\nlane 5\nprint t\nprint blockDim.x * 2\n",
    );
    assert_eq!(t.mistakes, Vec::<String>::new(), "{}", t.text);
    assert!(t.text.contains("0:  0  2  4  6  8 10 12 14"), "{}", t.text);
    assert_eq!(value(&t, 0), "126");
    assert!(t.text.contains("tile[4] = 8"), "{}", t.text);
    assert_eq!(value(&t, 1), "256");
    assert_eq!(value(&t, 2), "32", "{}", t.text);
    assert_eq!(value(&t, 3), "5");
    assert_eq!(value(&t, 4), "128");
}

#[test]
fn a_watched_value_stops_where_it_changes() {
    let t = debug(
        LOOP,
        1,
        64,
        1,
        64,
        "break 14\nrun\nwatch s\ncontinue\nprint k\ncontinue\nprint k\nquit\n",
    );
    // tile[0] is 0: the sum first changes when tile[1] = 2 is added.
    assert!(t.text.contains("watch s: 0 -> 2"), "{}", t.text);
    assert!(t.text.contains("watch s: 2 -> 6"), "{}", t.text);
    assert!(t.outcome.is_none(), "quit stops the kernel");
}

#[test]
fn nothing_can_be_changed_and_mistakes_are_named() {
    let t = debug(
        ADD,
        3,
        64,
        1,
        64,
        "print i\nstep\nbreak 99\nbreak 5 if j == 3\nhits 7\nfly\nrun\nprint i = 3\nprint i++\nprint nothing\nprint a[100000]\n\
         mem z 0 1\nbreak 5\ncontinue\nprint i + 1\ncontinue\ncontinue\nprint i\nmem c 0 2\n",
    );
    let all = t.mistakes.join("\n");
    for part in [
        "does not run yet",
        "line 99",
        "no breakpoint 7",
        "unknown command `fly`",
        "breakpoint 1",
        "nothing",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    let refused = t.prints.iter().filter(|p| p.value.is_err()).count();
    assert!(refused >= 4, "{}", t.text);
    assert!(t.text.contains("c[1] = 2"), "{}", t.text);
    assert!(matches!(t.outcome, Some(Ok(_))));
}

#[test]
fn a_fault_ends_the_session_with_its_text() {
    let wild = ADD.replace("i < n", "i <= n");
    let t = debug(&wild, 3, 2000, 8, 256, "run\nmem a 0 1\n");
    assert!(matches!(t.outcome, Some(Err(_))));
    assert!(t.text.contains("fault[OOB-G]"), "{}", t.text);
    assert!(t.text.contains("a[0] = 0"), "{}", t.text);
}

#[test]
fn the_ir_of_the_line_can_be_shown() {
    let t = debug(ADD, 3, 64, 1, 64, "layout ir\nbreak 5\nrun\nlayout src\ncontinue\n");
    assert!(t.text.contains("ld") && t.text.contains("st") && t.text.contains("%b"), "{}", t.text);
}

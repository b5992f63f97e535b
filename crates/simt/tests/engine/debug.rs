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

/// Runs `script` on a kernel whose first arguments are buffers of `n` ints (the first never
/// written, the others 0, 1, 2, ...) and whose last is `n` if there are more parameters than
/// `buffers`.
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
    let launch = Launch {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        dynamic_shared: 0,
        args,
        ..Launch::default()
    };
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

fn value(t: &Transcript, n: usize) -> &str {
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
         run\nprint i\nprint a[i]\nprint b[i]\nprint c[i]\nmask\nmem c 1998 2\nstep\nprint c[i]\n\
         mem c 1998 2\n\
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

/// Lines of the stops of warp 0, in order.
fn lines(t: &Transcript) -> Vec<u32> {
    t.stops.iter().filter(|s| s.warp == 0).map(|s| s.at.line).collect()
}

#[test]
fn stepping_goes_through_loops_and_called_functions() {
    let t = debug(LOOP, 1, 64, 1, 32, &format!("break 10\nrun\n{}", "step\n".repeat(20)));
    let turns = [14, 15, 14, 15, 14, 15, 14, 15, 14];
    let want = [&[10, 11, 3, 4, 12, 13, 14][..], &turns, &[17, 17]].concat();
    assert_eq!(lines(&t), want, "{}", t.text);
    assert!(t.text.contains("the warp has ended: k.cu:17"), "{}", t.text);
    assert!(matches!(t.outcome, Some(Ok(_))), "{}", t.text);
}

#[test]
fn a_step_ends_in_its_own_warp_although_others_run_in_between() {
    let t = debug(LOOP, 1, 64, 1, 64, "break 12\nrun\ndelete 1\nstep\n");
    let stops: Vec<(u32, u32)> = t.stops.iter().map(|s| (s.warp, s.at.line)).collect();
    assert_eq!(stops, [(0, 12), (0, 13)], "the barrier lets both warps through: {}", t.text);
    // Another warp's breakpoint comes first: then that warp is in focus.
    let t = debug(LOOP, 1, 64, 1, 64, "break 12\nrun\nstep\nstep\n");
    let stops: Vec<(u32, u32)> = t.stops.iter().map(|s| (s.warp, s.at.line)).collect();
    assert_eq!(stops, [(0, 12), (1, 12), (1, 13)], "{}", t.text);
}

#[test]
fn next_runs_through_calls_finish_out_of_them_and_until_out_of_loops() {
    let t = debug(LOOP, 1, 64, 1, 32, "break 11\nrun\nnext\nprint tile[t]\n");
    assert_eq!(lines(&t), [11, 12], "{}", t.text);
    assert_eq!(value(&t, 0), "0");
    let t = debug(LOOP, 1, 64, 1, 32, "break 11\nrun\nstep\nprint x\nlane 5\nfinish\nprint t\n");
    assert_eq!(lines(&t), [11, 3, 12], "{}", t.text);
    assert_eq!((value(&t, 0), value(&t, 1)), ("0", "5"), "the thread stays in focus");
    let t = debug(LOOP, 1, 64, 1, 32, "break 15\nrun\ndelete 1\nuntil 16\nprint s\nfinish\n");
    assert_eq!(lines(&t), [15, 17], "{}", t.text);
    assert_eq!(value(&t, 0), "12");
    assert_eq!(t.mistakes, ["this is the kernel itself (continue goes on)"]);
}

/// Every form of loop, a branch that parts the warp, and a `continue`.
const CONTROL: &str = "\
extern \"C\" __global__ void k(int *out)
{
    int t = threadIdx.x;
    int s = 0;
    while (s < 2)
        s++;
    do {
        s += 2;
    } while (s < 6);
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        if (t % 2 == k)
            continue;
        s += k;
    }
    switch (t) {
    case 0:
        s = 100;
        break;
    default:
        s += 1;
    }
    out[t] = s;
}
";

#[test]
fn every_statement_is_come_to_as_often_as_it_runs() {
    let t = debug(CONTROL, 1, 32, 1, 32, &format!("break 3\nrun\n{}", "step\n".repeat(60)));
    let count = |line: u32| t.stops.iter().filter(|s| s.at.line == line).count();
    assert!(t.text.contains("the kernel has ended"), "{}", t.text);
    let seen: Vec<(u32, usize)> = (3..=23).map(|l| (l, count(l))).filter(|c| c.1 > 0).collect();
    // Line 14 is missing in no turn: in turns 0 and 1 half of the lanes come to it, in turn 2 all.
    let want = [
        (3, 1),
        (4, 1),
        (5, 3), // two turns and the last test
        (6, 2),
        (7, 1),
        (8, 2),
        (9, 2),
        (11, 5), // `int k = 0`, then four tests
        (12, 3),
        (13, 2),
        (14, 3),
        (16, 1),
        (18, 1),
        (19, 1),
        (21, 1),
        (23, 2), // and the warp's end
    ];
    assert_eq!(seen, want, "{}", t.text);
    let masks: Vec<u32> = t.stops.iter().filter(|s| s.at.line == 14).map(|s| s.mask).collect();
    assert_eq!(masks, [0xaaaa_aaaa, 0x5555_5555, u32::MAX]);
    let arms: Vec<u32> =
        t.stops.iter().filter(|s| [18, 21].contains(&s.at.line)).map(|s| s.mask).collect();
    assert_eq!(arms, [1, !1]);
    // A breakpoint at a loop's test is hit at each test.
    let t = debug(CONTROL, 1, 32, 1, 32, &format!("break 5\nrun\n{}", "continue\n".repeat(9)));
    assert_eq!(t.breakpoints[0].hits, 3, "{}", t.text);
}

#[test]
fn values_of_lanes_shared_arrays_and_other_warps() {
    let t = debug(
        LOOP,
        1,
        64,
        1,
        64,
        "break 13\nrun\nlanes tile[t]\nprint tile[63]\nmem tile 3 2\nprint sizeof(tile)\n\
         warp next\nprint t\n\
         print tile[t]\nwarp prev\nlane 5\nprint t\nprint blockDim.x * 2\nthread 40\nprint t\n\
         thread (3,0,0)\nprint t\n",
    );
    assert_eq!(t.mistakes, Vec::<String>::new(), "{}", t.text);
    assert!(t.text.contains("0:  0  2  4  6  8 10 12 14"), "{}", t.text);
    assert_eq!(value(&t, 0), "126");
    assert!(t.text.contains("tile[4] = 8"), "{}", t.text);
    assert_eq!(value(&t, 1), "256");
    let values: Vec<&str> = (2..8).map(|n| value(&t, n)).collect();
    assert_eq!(values, ["32", "64", "5", "128", "40", "3"], "{}", t.text);
}

#[test]
fn threads_and_warps_are_listed_with_what_they_do() {
    let t =
        debug(LOOP, 1, 64, 1, 50, "break 13 if threadIdx.x == 33\nrun\ninfo threads\ninfo warps\n");
    for line in [
        "  warp 0, threads (0,0,0) to (31,0,0): has ended at k.cu:17",
        "* warp 1, threads (32,0,0) to (49,0,0): at k.cu:13",
        "  warp 0: mask 0x00000000, has ended at k.cu:17",
        "* warp 1: mask 0x0003ffff, at k.cu:13",
    ] {
        assert!(t.text.contains(line), "{line}\n{}", t.text);
    }
    let t = debug(LOOP, 1, 64, 1, 64, "break 12 if threadIdx.x == 33\nrun\ninfo threads\n");
    assert!(t.text.contains("  warp 0, threads (0,0,0) to (31,0,0): waits at the barrier k.cu:12"));
    // A parted warp: the lanes that took the other way wait.
    let t = debug(CONTROL, 1, 32, 1, 32, "break 18\nrun\ninfo threads\n");
    assert!(t.text.contains("* warp 0, threads (0,0,0) to (0,0,0): at k.cu:18"), "{}", t.text);
    assert!(t.text.contains("(1,0,0) to (31,0,0): waits for the active ones"), "{}", t.text);
    // Without barriers there is one warp at a time.
    let t =
        debug(ADD, 3, 256, 1, 256, "break 5 if i == 70\nrun\ninfo threads\nthread 0\nthread 200\n");
    assert!(t.text.contains("  warp 1, threads (32,0,0) to (63,0,0): ended"), "{}", t.text);
    assert!(t.text.contains("  warp 3, threads (96,0,0) to (127,0,0): not begun"), "{}", t.text);
    assert_eq!(t.mistakes.len(), 2, "{}", t.text);
}

#[test]
fn threads_and_blocks_that_are_not_there_are_refused() {
    let t = debug(
        LOOP,
        1,
        64,
        2,
        50,
        "break 13\nrun\nthread 50\nthread 0,1\nlane 31\nblock 0\nblock 1\nwarp next\nlane 18\n\
         warp next\nprint t\n",
    );
    let all = t.mistakes.join("\n");
    assert_eq!(t.mistakes.len(), 5, "{all}");
    assert!(all.contains("a block is (50,1,1) threads here"), "{all}");
    assert!(all.contains("blocks run one after another, now (0,0,0)"), "{all}");
    assert!(all.contains("`if blockIdx.x == 1` stops in the other"), "{all}");
    assert!(all.contains("this warp has 18 threads only"), "{all}");
    assert!(all.contains("the block has no such warp"), "{all}");
    assert_eq!(value(&t, 0), "32");
}

/// Structs, arrays and pointers, in registers, in local and in constant memory.
const VALUES: &str = "\
struct Point { float x, y; int tag[2]; };
__constant__ int table[3] = {7, 8, 9};
__device__ Point origin = {0.5f, -1.0f, {1, 2}};

extern \"C\" __global__ void k(int *out)
{
    Point p;
    p.x = 1.5f;
    p.y = 2.25f;
    p.tag[0] = 40 + threadIdx.x;
    int a[4] = {1, 2, 3, 4};
    int *q = &a[threadIdx.x % 4];
    float4 v = make_float4(1, 2, 3, 4);
    unsigned char byte = 200;
    double d = 0.1;
    bool yes = threadIdx.x > 0;
    out[threadIdx.x] = *q + (int)v.z + byte + (int)d + yes + p.tag[0];
}
";

#[test]
fn variables_arrays_members_and_pointers_are_printed() {
    let cases = [
        ("p.x", "1.5"),
        ("p", "{x = 1.5, y = 2.25, tag = {43, ?}}"),
        ("p.tag[0] + 1", "44"),
        ("a", "{1, 2, 3, 4}"),
        ("a[1] * 10", "20"),
        ("*q", "4"),
        ("q[-1]", "3"),
        ("q - a", "3"),
        ("*(q - 2)", "2"),
        ("v", "{x = 1, y = 2, z = 3, w = 4}"),
        ("v.z / 2", "1.5"),
        ("byte", "200"),
        ("byte > 100 && !yes", "false"),
        ("d", "0.1"),
        ("yes", "true"),
        ("table", "{7, 8, 9}"),
        ("table[2] % 4", "1"),
        ("origin.tag[1]", "2"),
        ("&table[1] - &table[0]", "1"),
        ("threadIdx.x + 32 * blockIdx.x", "3"),
        ("(float)a[2] / 2", "1.5"),
        ("yes ? a[0] : a[1]", "1"),
    ];
    let prints: String = cases.iter().map(|(e, _)| format!("print {e}\n")).collect();
    let script = format!("break 17\nrun\nlane 3\n{prints}info locals\nprint q\nprint out\n");
    let t = debug(VALUES, 1, 32, 1, 32, &script);
    for (k, (expression, want)) in cases.iter().enumerate() {
        assert_eq!(t.prints[k].value.as_deref(), Ok(*want), "{expression}\n{}", t.text);
    }
    for line in ["a = {1, 2, 3, 4}", "byte = 200", "d = 0.1", "yes = true"] {
        assert!(t.text.matches(&format!("\n{line}\n")).count() >= 1, "{line}\n{}", t.text);
    }
    let pointer = value(&t, cases.len() + 1);
    assert!(pointer.starts_with("0x"), "{pointer}");
}

#[test]
fn what_has_no_value_says_so_and_long_arrays_are_cut() {
    let t = debug(
        VALUES,
        1,
        32,
        1,
        32,
        "break 8\nrun\nprint p\nprint p.x\nprint a\nprint out[0]\nprint *out\n",
    );
    assert_eq!(t.prints[0].value.as_deref(), Ok("{x = ?, y = ?, tag = {?, ?}}"), "{}", t.text);
    assert_eq!(t.prints[1].value, Err("never written".into()));
    assert!(t.prints[2].value.is_err(), "a is not declared yet: {}", t.text);
    assert_eq!(t.prints[3].value, Err("never written".into()));
    assert_eq!(t.prints[4].value, Err("never written".into()));
    let t = debug(LOOP, 1, 64, 1, 64, "break 13\nrun\nprint tile\n");
    let shown = value(&t, 0);
    assert!(shown.starts_with("{0, 2, 4,") && shown.ends_with("62, ... 32 more}"), "{shown}");
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
        "print i\nstep\nbreak 99\nbreak 5 if j == 3\nhits 7\nfly\nrun\nprint i = 3\nprint i++\n\
         print nothing\nprint a[100000]\n\
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
    let t = debug(
        &wild,
        3,
        2000,
        8,
        256,
        "run\nprint i\nprint blockIdx.x\nprint threadIdx.x\nprint a[i - 1]\nprint a[i]\nwhere\n\
         mask\nstep\ncontinue\nmem a 0 1\n",
    );
    assert!(matches!(t.outcome, Some(Err(_))));
    assert_eq!(t.stops.len(), 1, "{}", t.text);
    let stop = &t.stops[0];
    assert_eq!((stop.breakpoint, stop.block, stop.thread), (None, [7, 0, 0], [208, 0, 0]));
    assert_eq!((stop.mask, stop.at.line), (1 << 16, 5));
    let values: Vec<&str> = (0..4).map(|n| value(&t, n)).collect();
    assert_eq!(values, ["2000", "7", "208", "1999"], "{}", t.text);
    let beyond = "there is no element 2000: the buffer has 2000 elements";
    assert_eq!(t.prints[4].value, Err(beyond.to_string()));
    assert!(t.text.contains("lane 16 of warp 62"), "{}", t.text);
    assert_eq!(t.mistakes, ["the fault ends the kernel (continue shows how)"]);
    assert_eq!(t.text.matches("fault[OOB-G]").count(), 2, "{}", t.text);
    assert!(t.text.contains("a[0] = 0"), "{}", t.text);
}

#[test]
fn the_ir_of_the_line_can_be_shown() {
    let t = debug(ADD, 3, 64, 1, 64, "layout ir\nbreak 5\nrun\nlayout src\ncontinue\n");
    assert!(t.text.contains("ld") && t.text.contains("st") && t.text.contains("%b"), "{}", t.text);
}

#[test]
fn what_the_debugger_shows_is_what_the_kernel_does_and_looking_changes_nothing() {
    let looks = "print i\nlanes c[i]\ninfo threads\ninfo locals\nmem c 0 8\nlist\n";
    let script = format!("break 5\nrun\n{}", format!("{looks}step\ncontinue\n").repeat(30));
    let watched = debug(ADD, 3, 700, 3, 256, &format!("{script}delete 1\ncontinue\nmem c 0 700\n"));
    let alone = debug(ADD, 3, 700, 3, 256, "run\nmem c 0 700\n");
    let sums = |t: &Transcript| -> Vec<String> {
        let lines: Vec<&str> = t.text.lines().collect();
        lines[lines.len() - 700..].iter().map(|l| l.to_string()).collect()
    };
    assert_eq!(sums(&watched), sums(&alone));
    assert_eq!(sums(&alone)[699], "c[699] = 1398");
    let total = |t: &Transcript| t.outcome.clone().unwrap().unwrap().total;
    assert_eq!(total(&watched), total(&alone));
}

#[test]
fn printf_and_the_end_are_shown() {
    let text = ADD
        .replace("        c[i]", "        if (i == 1) printf(\"one %d\\n\", a[i]);\n        c[i]");
    let t = debug(&text, 3, 32, 1, 32, "run\ncontinue\nquit\n");
    assert!(t.text.contains("one 1"), "{}", t.text);
    assert!(t.text.contains("the kernel has ended ("), "{}", t.text);
    assert_eq!(t.mistakes, ["the kernel has ended (memory can still be read)"]);
}

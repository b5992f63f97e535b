//! The protocol as a page uses it.

use serde_json::{Value, json};
use workbench::Workbench;

fn ask(request: &Value) -> Value {
    let answer = Workbench { labs: &[] }.answer(&request.to_string());
    serde_json::from_str(&answer).expect("JSON")
}

fn program(text: &str) -> Value {
    json!({ "file": "k.cu", "text": text })
}

const TRANSPOSED: &str = "__global__ void k(int* out, const int* in, int n) {
    __shared__ int tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
    __syncthreads();
    if (threadIdx.x % 2 == 0)
        out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
";

fn transposed(op: &str, at: usize) -> Value {
    let args = ["out=zeros:int:128", "in=iota:int:128", "n=32"];
    let launch = json!({ "block": [32, 4, 1], "args": args, "uninit": false });
    json!({ "op": op, "program": program(TRANSPOSED), "launch": launch, "at": at })
}

#[test]
fn what_the_compiler_says_has_places() {
    let text = "#include \"tile.h\"\n__global__ void k(int* out) { out[0] = SIZE + wdth; }\n";
    let mut source = program(text);
    source["files"] = json!([["tile.h", "#define SIZE 4\n__constant__ int width = 3;\n"]]);
    let said = ask(&json!({ "op": "check", "program": source }));
    let at = json!({ "file": "k.cu", "line": 2, "col": 47, "width": 4 });
    assert_eq!(said["diagnostics"][0]["at"], at, "{said}");
    assert_eq!(said["diagnostics"][0]["help"], "did you mean `width`?");
    assert!(said["kernels"].is_null());
    source["text"] = text.replace("wdth", "width").into();
    let said = ask(&json!({ "op": "check", "program": source }));
    assert_eq!(said["kernels"][0]["params"][0]["example"], "out:int:1024", "{said}");
}

#[test]
fn a_launch_has_results_counts_and_faults() {
    let add = "__global__ void add(int* c, const int* a, int n) {\n    int i = threadIdx.x;\n    \
        if (i < n) c[i] = a[i] + 1;\n}\n";
    let run = |n: u32| {
        let args = ["c=out:int:32".into(), "a=iota:int:32".into(), format!("n={n}")];
        let launch = json!({ "block": [64, 1, 1], "args": args });
        ask(&json!({ "op": "run", "program": program(add), "launch": launch, "patterns": true }))
    };
    let right = run(32);
    assert_eq!(right["buffers"][0]["values"][31], "32");
    assert_eq!(right["buffers"][0]["shown"], true);
    assert_eq!(right["buffers"][1]["shown"], false);
    assert_eq!(right["report"]["total"]["gld_sec"], 4);
    let load = &right["patterns"][0];
    assert_eq!((&load["moved"], &load["used"]), (&json!(128), &json!(128)), "{load}");
    assert!(right["table"].as_str().unwrap().contains("occupancy"));
    let wrong = run(64);
    assert_eq!(
        (&wrong["code"], &wrong["fault"]["site"]["at"]["line"]),
        (&json!("OOB-G"), &json!(3))
    );
    let said = ask(&json!({ "op": "run", "program": program(add), "launch": { "args": ["c=5"] } }));
    assert!(said["error"].as_str().unwrap().contains("the parameter is a pointer"), "{said}");
}

#[test]
fn every_stop_of_a_launch_can_be_looked_at() {
    let steps = ask(&transposed("steps", 0));
    let stops = steps["stops"].as_array().unwrap();
    assert_eq!((&steps["more"], &steps["text"]), (&json!(false), &Value::Null), "{steps}");
    let line = |stop: &Value| steps["places"][stop[4].as_u64().unwrap() as usize]["line"].clone();
    // The store to the tile by warp 2: a row of it, and four sectors of the input.
    let store = stops.iter().position(|s| s[1] == 2 && line(s) == 3).unwrap();
    let seen = ask(&transposed("look", store));
    assert_eq!(seen["threads"][5], json!([5, 2, 0]));
    let asked: Vec<_> = seen["requests"].as_array().unwrap().iter().collect();
    let about =
        |r: &Value| (r["name"].clone(), r["space"].clone(), r["write"].clone(), r["cost"].clone());
    assert_eq!(about(asked[0]), (json!("in"), json!("global"), json!(false), json!(4)));
    assert_eq!(about(asked[1]), (json!("tile"), json!("shared"), json!(true), json!(1)));
    assert_eq!(asked[1]["lanes"][3], json!([3, 4 * (2 * 32 + 3)]));
    assert_eq!(seen["warps"][0]["state"], "barrier");
    assert_eq!(seen["shared"][0]["dims"], json!([32, 32]));
    assert_eq!(seen["shared"][0]["values"][33], "33");
    // Then a column of it, by the even lanes alone: their words are in one bank.
    let load = stops.iter().position(|s| s[1] == 2 && line(s) == 6).unwrap();
    let seen = ask(&transposed("look", load));
    assert_eq!(seen["mask"], 0x5555_5555);
    let tile = seen["requests"].as_array().unwrap().iter().find(|r| r["name"] == "tile").unwrap();
    assert_eq!((&tile["cost"], &tile["best"]), (&json!(16), &json!(1)));
    assert_eq!(tile["rows"].as_array().unwrap().len(), 16);
    let beyond = ask(&transposed("look", stops.len()));
    assert!(beyond["error"].as_str().unwrap().contains("no stop"), "{beyond}");
}

#[test]
fn only_lanes_that_evaluate_an_access_ask_for_it() {
    let text = "__global__ void k(int* c, const int* a) {\n    int i = threadIdx.x;\n    \
        c[i] = i >= 8 && a[i] > 0 ? a[i - 8] : 0;\n}\n";
    let args = ["c=out:int:32", "a=iota:int:32"];
    let request = |op: &str, at: usize| {
        ask(&json!({ "op": op, "program": program(text), "launch": { "args": args }, "at": at }))
    };
    let last = request("steps", 0)["stops"].as_array().unwrap().len() - 1;
    let seen = request("look", last);
    let lanes: Vec<(Value, usize)> = seen["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| (r["name"].clone(), r["lanes"].as_array().unwrap().len()))
        .collect();
    assert_eq!(lanes, [(json!("a"), 24), (json!("a"), 24), (json!("c"), 32)]);
}

#[test]
fn nonsense_is_answered() {
    let text = Workbench { labs: &[] }.answer("{");
    assert!(text.starts_with("{\"error\":\"the request cannot be read"), "{text}");
    for request in [
        json!({ "op": "fly" }),
        json!({ "op": "run" }),
        json!({ "op": "run", "program": program(TRANSPOSED), "gpu": "abacus" }),
        json!({ "op": "grade", "lab": "lab9", "exercise": "1", "seed": 1, "files": [] }),
    ] {
        assert!(ask(&request)["error"].is_string(), "{request}");
    }
}

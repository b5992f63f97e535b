//! What the judge may ask of the student's functions, one module per exercise.
//!
//! Each module has a struct `Api` of function pointers, the functions that the exercise asks for; its `handlers` turn a
//! JSON request into a call and the result into JSON. The macro of the same name as the exercise fills an `Api` from
//! any module with the right functions, so the same handlers also serve a mutated copy of a solution in another crate.
//! `f32` and `f64` cross as bit patterns, so that NaN survives.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub mod e1_1_01;
pub mod e1_1_02;
pub mod e1_1_03;
pub mod e1_1_04;
pub mod e1_1_05;
pub mod e1_1_06;
pub mod e1_1_07;
pub mod e1_1_08;
pub mod e1_1_09;
pub mod e1_1_10;
pub mod e1_1_11;
pub mod e1_1_12;
pub mod e1_1_13;
pub mod e1_1_14;
pub mod e1_2_01;
pub mod e1_2_02;

/// Answers one kind of request: `Err` carries what the student's function returned as its error.
pub type Handler = Box<dyn Fn(Value) -> Result<Value, String>>;

/// Handlers by name, such as `e1_1_03.fill`.
pub type Handlers = Vec<(&'static str, Handler)>;

/// A handler of typed requests and replies.
pub fn handler<Q, R, E>(f: impl Fn(Q) -> Result<R, E> + 'static) -> Handler
where
    Q: DeserializeOwned,
    R: Serialize,
    E: std::fmt::Display,
{
    Box::new(move |request| {
        let request = serde_json::from_value(request).map_err(|e| format!("bad request: {e}"))?;
        let reply = f(request).map_err(|e| e.to_string())?;
        serde_json::to_value(reply).map_err(|e| format!("reply is not JSON: {e}"))
    })
}

/// All handlers, over the student's modules (the solutions' with feature `solutions`).
pub fn handlers() -> Handlers {
    // One line per exercise: `all.extend(lab1_cuda_intro::e1_1_03!(lab1_cuda_intro::e1_1_03));`
    Vec::new()
}

// The engine in a thread of its own: texts come in, texts go out. See crates/web-engine.

let engine = null;
let panic = "";
const decoder = new TextDecoder();
const encoder = new TextEncoder();

const imports = {
  page: {
    panicked(at, bytes) {
      panic = decoder.decode(new Uint8Array(engine.memory.buffer, at, bytes));
    },
  },
};

function ask(text) {
  const request = encoder.encode(text);
  const at = engine.reserve(request.length);
  new Uint8Array(engine.memory.buffer, at, request.length).set(request);
  const answer = engine.answer(at, request.length);
  const bytes = new DataView(engine.memory.buffer).getUint32(answer, true);
  const said = decoder.decode(new Uint8Array(engine.memory.buffer, answer + 4, bytes));
  engine.release(answer);
  return said;
}

// The first message is the compiled engine, each further one a question.
addEventListener("message", ({ data: { module, number, request } }) => {
  try {
    if (module) engine = new WebAssembly.Instance(module, imports).exports;
    else postMessage({ number, answer: ask(request) });
  } catch (error) {
    // What a panic leaves behind is not used again.
    postMessage({ number, broken: panic || String(error) });
  }
});

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

async function load() {
  const file = new URL(import.meta.url).searchParams.get("engine");
  const response = await fetch(new URL(`../${file}.wasm`, import.meta.url));
  if (!response.ok) throw new Error(`${file}.wasm: ${response.status} ${response.statusText}`);
  // Not every file server knows the type that streaming asks for.
  const bytes = await response.arrayBuffer();
  const { instance } = await WebAssembly.instantiate(bytes, imports);
  engine = instance.exports;
}

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

const ready = load();

addEventListener("message", async ({ data: { number, request } }) => {
  try {
    await ready;
    postMessage({ number, answer: ask(request) });
  } catch (error) {
    // What a panic leaves behind is not used again.
    postMessage({ number, broken: panic || String(error) });
  }
});

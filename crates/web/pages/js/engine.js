// Asks the engine: the worker of a static site, or the server of `cargo lab serve`.

const server = document.querySelector("meta[name=engine]")?.content;

/** The engines of this page, compiled: one for all workers that run it. */
const modules = new Map();

function moduleOf(file) {
  if (!modules.has(file)) {
    const module = compiled(file);
    modules.set(file, module);
    // A network that comes back is asked again.
    module.catch(() => modules.delete(file));
  }
  return modules.get(file);
}

/** Fetches an engine, and compiles it while it comes in. */
async function compiled(file) {
  const name = `${file}.wasm.gz`;
  const response = await fetch(new URL(`../${name}`, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  // Some servers name the packing, and the browser has undone it.
  const gzip = !response.headers.get("Content-Encoding");
  const bytes = gzip
    ? response.body.pipeThrough(new DecompressionStream("gzip"))
    : response.body;
  const headers = { "Content-Type": "application/wasm" };
  return WebAssembly.compileStreaming(new Response(bytes, { headers }));
}

class WorkerEngine {
  #file;
  #worker = null;
  #ready = null;
  #waiting = new Map();
  #number = 0;

  constructor(file) {
    this.#file = file;
    // It comes in while the page is put together; who asks will hear of an error.
    moduleOf(file).catch(() => {});
  }

  ask(request) {
    this.#worker ??= this.#start();
    const number = this.#number++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      const worker = this.#worker;
      const post = () => worker.postMessage({ number, request: JSON.stringify(request) });
      this.#ready.then(post, () => {});
    });
  }

  /** Ends what runs; whoever waits for it is told so. */
  stop(why = "stopped") {
    this.#worker?.terminate();
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new Error(why));
  }

  #start() {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    // A question that is there before the engine would find none.
    this.#ready = moduleOf(this.#file).then((module) => worker.postMessage({ module }));
    this.#ready.catch((error) => this.stop(`the engine cannot be started: ${error.message}`));
    worker.onmessage = ({ data: { number, answer, broken } }) => {
      if (broken !== undefined) return this.stop(`the engine failed: ${broken}`);
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      waiting?.resolve(JSON.parse(answer));
    };
    worker.onerror = (event) => this.stop(`the engine cannot be started: ${event.message}`);
    return worker;
  }
}

class ServerEngine {
  #running = new AbortController();

  async ask(request) {
    const response = await fetch(`${server}ask`, {
      method: "POST",
      body: JSON.stringify(request),
      signal: this.#running.signal,
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }

  stop(why = "stopped") {
    this.#running.abort(new Error(why));
    this.#running = new AbortController();
  }
}

/**
 * An engine of its own: one may type while another runs. `engine` knows kernels; `lab1` and so on
 * know the exercises of that lab, too, and are larger.
 */
export function newEngine(file = "engine") {
  return server ? new ServerEngine() : new WorkerEngine(file);
}

/** True if the pages come from `cargo lab serve`. */
export const served = Boolean(server);
export const serverRoot = server;

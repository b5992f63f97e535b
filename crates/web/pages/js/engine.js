// Asks the engine: the worker of a static site, or the server of `cargo lab serve`.

const server = document.querySelector("meta[name=engine]")?.content;

class WorkerEngine {
  #file;
  #worker = null;
  #waiting = new Map();
  #number = 0;

  constructor(file) {
    this.#file = file;
  }

  ask(request) {
    this.#worker ??= this.#start();
    const number = this.#number++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#worker.postMessage({ number, request: JSON.stringify(request) });
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
    const script = new URL(`./worker.js?engine=${this.#file}`, import.meta.url);
    const worker = new Worker(script, { type: "module" });
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

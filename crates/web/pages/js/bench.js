// How fast the engine is here: the figures of docs/browser.md.

import { byId, el, grouped } from "./dom.js";
import { newEngine } from "./engine.js";

const TEXT = `__global__ void naive(float* c, const float* a, const float* b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
__global__ void tiled(float* c, const float* a, const float* b, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
`;
const TIMES = 3;

const engine = newEngine();

/** How long a visitor of this page waits for the engine; a second visit has it in its cache. */
async function first() {
  await engine.ask({ op: "gpus" });
  byId("first").textContent =
    `From opening this page to the engine's first answer: ${performance.now().toFixed(0)} ms.`;
}

async function measure() {
  byId("bench").disabled = true;
  byId("rows").replaceChildren();
  for (const kernel of ["naive", "tiled"]) {
    for (const checks of [false, true]) {
      byId("status").textContent = `${kernel} …`;
      let best = Infinity;
      let inst = 0;
      for (let k = 0; k < TIMES; k += 1) {
        const began = performance.now();
        const answer = await engine.ask({
          op: "run",
          program: { file: "product.cu", text: TEXT },
          launch: {
            kernel,
            grid: [16, 16, 1],
            block: [16, 16, 1],
            races: checks,
            uninit: checks,
            args: ["c=out:float:65536", "a=rand:float:65536", "b=rand:float:65536", "n=256"],
          },
          show: 1,
        });
        best = Math.min(best, performance.now() - began);
        inst = answer.report.total.inst;
      }
      byId("rows").append(
        el(
          "tr",
          {},
          el("th", { scope: "row" }, kernel),
          el("td", {}, checks ? "all" : "none"),
          el("td", {}, `${best.toFixed(0)} ms`),
          el("td", {}, grouped(inst)),
          el("td", {}, (inst / best / 1000).toFixed(1)),
        ),
      );
    }
  }
  byId("status").textContent = "";
  byId("bench").disabled = false;
  document.documentElement.dataset.measured = "true";
}

byId("bench").addEventListener("click", measure);
first().catch((error) => (byId("first").textContent = error.message));

// A visitor's work: texts by lab and file, kept in this browser, and where the browser can, in a
// folder that the visitor names. A lab is an object as `course/LAB.json` has it.

import { later } from "./dom.js";
import { store } from "./store.js";

const key = (lab, path) => `work:${lab.id}:${path}`;

export class Work {
  #folder = null;
  #lost;
  /** What the folder does not have yet: place in it, and text. */
  #unwritten = new Map();
  #writeSoon = later(400, () => this.#write());

  /** `lost` is told why the folder is used no more. */
  constructor(lost) {
    this.#lost = lost;
  }

  /** A file as the visitor has it. */
  text(lab, path) {
    return store.get(key(lab, path)) ?? lab.files[path] ?? "";
  }

  /** True if a file of the lab was written here. */
  begun(lab) {
    return store.keys(`work:${lab.id}:`).length > 0;
  }

  /** Keeps a file's text; false if this browser cannot. */
  put(lab, path, text) {
    const kept = this.#keep(lab, path, text);
    if (this.#folder) {
      this.#unwritten.set(`${lab.package}/${path}`, text);
      this.#writeSoon();
    }
    return kept;
  }

  #keep(lab, path, text) {
    if (text !== lab.files[path]) return store.set(key(lab, path), text);
    store.remove(key(lab, path));
    return true;
  }

  /** Keeps work in a folder, too, beginning with that of a lab. */
  async keepIn(folder, lab) {
    this.#folder = folder;
    await this.meet(lab);
  }

  /** The folder in use, or null. */
  get folder() {
    return this.#folder;
  }

  async #write() {
    for (const [place, text] of [...this.#unwritten]) {
      await this.#inFolder(() => this.#folder?.write(place, text));
      if (this.#unwritten.get(place) === text) this.#unwritten.delete(place);
    }
  }

  /** Does something in the folder; if that fails, work goes on without it. */
  async #inFolder(action) {
    try {
      return await action();
    } catch (error) {
      this.#folder = null;
      this.#lost(String(error.message ?? error));
      return undefined;
    }
  }

  /**
   * Makes folder and browser say the same of a lab: what only one of them has goes to the other;
   * where both have work and it differs, the visitor chooses.
   */
  async meet(lab) {
    const folder = this.#folder;
    if (!folder) return;
    await this.#inFolder(async () => {
      const paths = Object.keys(lab.skeletons);
      const there = new Map();
      for (const path of paths) there.set(path, await folder.read(`${lab.package}/${path}`));
      const differ = paths.filter(
        (path) =>
          store.get(key(lab, path)) !== null &&
          there.get(path) !== null &&
          there.get(path) !== this.text(lab, path),
      );
      const which = differ.length === 1 ? `${differ[0]} is` : `${differ.length} files are`;
      const question =
        `${which} not the same in the folder ${folder.name} and in this browser.\n\n` +
        "OK takes the folder's text. Cancel writes this browser's text into the folder.";
      const own = new Set(differ.length > 0 && !confirm(question) ? differ : []);
      for (const path of paths) {
        const text = there.get(path);
        if (text !== null && !own.has(path)) this.#keep(lab, path, text);
        else await folder.write(`${lab.package}/${path}`, this.text(lab, path));
      }
    });
  }

  /** Takes over what another program has written into these files of the folder; which they are. */
  async reread(lab, paths) {
    const changed = [];
    for (const path of paths) {
      const place = `${lab.package}/${path}`;
      if (!this.#folder || this.#unwritten.has(place)) continue;
      const text = await this.#inFolder(() => this.#folder.read(place));
      if (typeof text !== "string" || this.#unwritten.has(place)) continue;
      if (text !== this.text(lab, path)) changed.push(path);
      this.#keep(lab, path, text);
    }
    return changed;
  }

  /** `[path, text]` of whole labs, as a submission is: what was not touched is as it was given. */
  all(labs) {
    return labs.flatMap((lab) =>
      Object.keys(lab.skeletons)
        .sort()
        .map((path) => [`${lab.package}/${path}`, this.text(lab, path)]),
    );
  }
}

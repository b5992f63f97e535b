// A folder of the visitor's in which work is kept, where the browser can (Chromium). Which one it
// is stays in the browser's database: local storage holds texts only.

const NAME = "lab";
const TABLE = "folders";
const KEY = "work";

/** True if this browser lets a page write into a folder that its user names. */
export const canKeep = "showDirectoryPicker" in window;

/** The answer to a request of a database, or to the opening of one. */
function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function table(mode) {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(TABLE);
  const database = await answered(opening);
  return database.transaction(TABLE, mode).objectStore(TABLE);
}

export class Folder {
  #handle;

  constructor(handle) {
    this.#handle = handle;
  }

  /** The folder that the visitor names now; throws `AbortError` if none is named. */
  static async choose() {
    const handle = await showDirectoryPicker({ id: "work", mode: "readwrite" });
    await answered((await table("readwrite")).put(handle, KEY));
    return new Folder(handle);
  }

  /** The folder of the last visit, or null. */
  static async before() {
    try {
      const handle = await answered((await table("readonly")).get(KEY));
      return handle ? new Folder(handle) : null;
    } catch {
      return null;
    }
  }

  get name() {
    return this.#handle.name;
  }

  /** Whether it may be read and written; `ask` asks the visitor, at a click only. */
  async allowed(ask) {
    const what = { mode: "readwrite" };
    const said = ask
      ? await this.#handle.requestPermission(what)
      : await this.#handle.queryPermission(what);
    return said === "granted";
  }

  async #file(path, create) {
    const parts = path.split("/");
    const name = parts.pop();
    let at = this.#handle;
    for (const part of parts) at = await at.getDirectoryHandle(part, { create });
    return at.getFileHandle(name, { create });
  }

  /** A file's text, or null if there is none. */
  async read(path) {
    try {
      const file = await (await this.#file(path, false)).getFile();
      return await file.text();
    } catch (error) {
      if (error.name === "NotFoundError") return null;
      throw error;
    }
  }

  async write(path, text) {
    const out = await (await this.#file(path, true)).createWritable();
    await out.write(text);
    await out.close();
  }
}

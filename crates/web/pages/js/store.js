// What the browser keeps between visits. Without storage everything works, but nothing is kept.

const PREFIX = "lab:";

export const store = {
  get(key) {
    try {
      return JSON.parse(localStorage.getItem(PREFIX + key));
    } catch {
      return null;
    }
  },
  /** True if it is kept. */
  set(key, value) {
    try {
      localStorage.setItem(PREFIX + key, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  },
  remove(key) {
    try {
      localStorage.removeItem(PREFIX + key);
    } catch {
      // There was nothing.
    }
  },
  /** All keys that begin so. */
  keys(prefix) {
    try {
      const all = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX + prefix));
      return all.map((key) => key.slice(PREFIX.length));
    } catch {
      return [];
    }
  },
};

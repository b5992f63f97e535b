// Zip files: written without compression, read with it or without.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k += 1) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Little-endian fields: `[value, bytes]`. */
function fields(...list) {
  const out = new Uint8Array(list.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of list) {
    for (let k = 0; k < bytes; k += 1) out[at + k] = (value >>> (8 * k)) & 255;
    at += bytes;
  }
  return out;
}

/** A zip of `[path, text]`. */
export function zip(files) {
  const DATE = 0x21; // 1 January 1980: the same files give the same bytes.
  const parts = [];
  const directory = [];
  let at = 0;
  const put = (list, bytes) => {
    list.push(bytes);
    return bytes.length;
  };
  let size = 0;
  for (const [path, text] of files) {
    const name = encoder.encode(path);
    const data = encoder.encode(text);
    // Version, flags (UTF-8 names), method, time, date, sum, both sizes, length of the name.
    const common = [
      [20, 2],
      [0x800, 2],
      [0, 2],
      [0, 2],
      [DATE, 2],
      [crc32(data), 4],
      [data.length, 4],
      [data.length, 4],
      [name.length, 2],
      [0, 2],
    ];
    size += put(
      directory,
      fields([0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]),
    );
    size += put(directory, name);
    at += put(parts, fields([0x04034b50, 4], ...common)) + put(parts, name) + put(parts, data);
  }
  const end = fields(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [files.length, 2],
    [files.length, 2],
    [size, 4],
    [at, 4],
    [0, 2],
  );
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/** Most bytes of one file that are read. */
const MOST = 4 << 20;

/** The `[path, text]` of a zip; throws a sentence if it is none. */
export async function unzip(buffer) {
  const view = new DataView(buffer);
  let end = buffer.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) throw new Error("this is no zip file");
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const out = [];
  for (let k = 0; k < count; k += 1) {
    if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50)
      throw new Error("this zip file is damaged");
    const method = view.getUint16(at + 10, true);
    const packed = view.getUint32(at + 20, true);
    const plain = view.getUint32(at + 24, true);
    const [name, extra, comment] = [28, 30, 32].map((o) => view.getUint16(at + o, true));
    const local = view.getUint32(at + 42, true);
    const path = decoder.decode(new Uint8Array(buffer, at + 46, name));
    at += 46 + name + extra + comment;
    if (path.endsWith("/") || plain > MOST) continue;
    const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    let bytes = new Uint8Array(buffer, from, packed);
    if (method === 8) {
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    } else if (method !== 0) {
      throw new Error(`${path}: this kind of compression is not read`);
    }
    out.push([path, decoder.decode(bytes)]);
  }
  return out;
}

// A program in the fragment of a link: compressed JSON, never sent to a server.

async function through(bytes, stream) {
  return new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer(),
  );
}

/** The fragment for a value. */
export async function pack(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  return "p=" + text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The value of a fragment; `null` if it is none of ours. */
export async function unpack(fragment) {
  const found = /^#?p=([\w-]+)$/.exec(fragment);
  if (!found) return null;
  try {
    const text = atob(found[1].replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
    const plain = await through(bytes, new DecompressionStream("deflate-raw"));
    return JSON.parse(new TextDecoder().decode(plain));
  } catch {
    return null;
  }
}

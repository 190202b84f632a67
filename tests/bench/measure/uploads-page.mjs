// The page's part of the uploads: Mediagate's, and one with nothing but an XMLHttpRequest.
import { connect, load } from "mediagate/slim";

let media;
let memory;
let progress = 0;
const blocked = [];

/** Loads the client and makes the page ready; `document` gets the input for the file. */
export async function prepare(document) {
  const { Instance } = WebAssembly;
  // The wasm's memory is the glue's own; whoever makes the instance can see it.
  WebAssembly.Instance = function (...given) {
    const made = new Instance(...given);
    memory = made.exports.memory;
    return made;
  };
  await load("/client.wasm");
  WebAssembly.Instance = Instance;
  media = await connect({ url: location.origin, token: "t" });
  document.body.append(Object.assign(document.createElement("input"), { type: "file" }));
  new PerformanceObserver((list) => blocked.push(...list.getEntries().map((it) => it.duration))).observe({ type: "longtask" });
}

/** Uploads a file: seconds, bytes that the wasm's memory grew by, and the longest task meanwhile. */
export async function upload(kind, file) {
  const before = memory.buffer.byteLength;
  blocked.length = 0;
  const start = performance.now();
  await (kind === "mediagate" ? media.upload(file, { onProgress: ({ loaded }) => (progress = loaded) }) : bare(file));
  const seconds = (performance.now() - start) / 1000;
  if (progress !== file.size) throw new Error(`progress ended at ${progress} of ${file.size}`);
  return { seconds, growth: memory.buffer.byteLength - before, blocked: Math.max(0, ...blocked) };
}

function bare(file) {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open("PUT", "/storage");
    xhr.upload.onprogress = ({ loaded }) => (progress = loaded);
    xhr.onload = resolve;
    xhr.onerror = () => reject(new Error("the storage took no bytes"));
    xhr.send(file);
  });
}

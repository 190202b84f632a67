// The page's part of the uploads: Mediagate's, and one with nothing but an XMLHttpRequest.
import { connect, load } from "mediagate/slim";

let media;
let memory;
let storage;
let input;
const blocked = [];

/** Loads the client, and asks for a file with an `<input>`. `url` is the storage's. */
export async function prepare(url) {
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
  storage = url;
  input = document.body.appendChild(Object.assign(document.createElement("input"), { type: "file" }));
  new PerformanceObserver((list) => blocked.push(...list.getEntries().map((it) => it.duration))).observe({ type: "longtask" });
}

const upload = { mediagate: (file, onProgress) => media.upload(file, { onProgress }), xhr: bare };

function bare(file, onProgress) {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open("PUT", storage);
    xhr.upload.onprogress = onProgress;
    xhr.onload = resolve;
    xhr.onerror = () => reject(new Error("the storage took no bytes"));
    xhr.send(file);
  });
}

/** Seconds that an upload of the chosen file takes. */
async function seconds(kind) {
  const [file] = input.files;
  let progress = 0;
  const start = performance.now();
  await upload[kind](file, ({ loaded }) => (progress = loaded));
  if (progress !== file.size) throw new Error(`progress ended at ${progress} of ${file.size}`);
  return (performance.now() - start) / 1000;
}

/** One upload: seconds, bytes that the wasm's memory grew by, and the longest task meanwhile. */
export async function alone(kind) {
  const before = memory.buffer.byteLength;
  blocked.length = 0;
  return { seconds: await seconds(kind), growth: memory.buffer.byteLength - before, blocked: Math.max(0, ...blocked) };
}

/** Two uploads at once: how many times as fast as the bare one the other is. `ahead` starts first. */
export async function race(kind, ahead) {
  const both = ahead ? [kind, "xhr"] : ["xhr", kind];
  const [first, second] = await Promise.all(both.map(seconds));
  return ahead ? second / first : first / second;
}

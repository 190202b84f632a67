// The part of `uploads.mjs` that runs in the page: uploads with Mediagate, and with a bare
// XMLHttpRequest.
import { connect, load } from "mediagate/slim";

let media;
let memory;
let storage;
let input;
const longTasks = [];

/** Loads the client, and adds a file input. `url` is the storage's. */
export async function prepare(url) {
  const { Instance } = WebAssembly;
  // The glue does not export the wasm's memory; the instance does.
  // biome-ignore lint/complexity/useArrowFunction: the glue calls it with `new`
  /** @type {any} */ (WebAssembly).Instance = function (module, imports) {
    const instance = new Instance(module, imports);
    memory = instance.exports.memory;
    return instance;
  };
  await load("/client.wasm");
  WebAssembly.Instance = Instance;
  media = await connect({ url: location.origin, token: "t" });
  storage = url;
  input = document.body.appendChild(
    Object.assign(document.createElement("input"), { type: "file" }),
  );
  new PerformanceObserver((list) =>
    longTasks.push(...list.getEntries().map((entry) => entry.duration)),
  ).observe({
    type: "longtask",
  });
}

const upload = {
  mediagate: (file, onProgress) => media.upload(file, { onProgress }),
  xhr: bareUpload,
};

function bareUpload(file, onProgress) {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open("PUT", storage);
    xhr.upload.onprogress = onProgress;
    xhr.onload = resolve;
    xhr.onerror = () => reject(new Error("the storage accepted no bytes"));
    xhr.send(file);
  });
}

/** Uploads the chosen file. Returns the duration in seconds. */
async function seconds(kind) {
  const [file] = input.files;
  let progress = 0;
  const start = performance.now();
  await upload[kind](file, ({ loaded }) => (progress = loaded));
  if (progress !== file.size)
    throw new Error(`progress ended at ${progress} of ${file.size}`);
  return (performance.now() - start) / 1000;
}

/**
 * Measures one upload: its seconds, the growth of the wasm's memory in bytes, and the longest task
 * meanwhile in milliseconds.
 */
export async function measureOne(kind) {
  const before = memory.buffer.byteLength;
  longTasks.length = 0;
  return {
    seconds: await seconds(kind),
    growth: memory.buffer.byteLength - before,
    longestTask: Math.max(0, ...longTasks),
  };
}

/**
 * Runs two uploads at once. Returns the throughput of `kind` divided by that of the bare one.
 * `ahead` lets `kind` start first.
 */
export async function race(kind, ahead) {
  const both = ahead ? [kind, "xhr"] : ["xhr", kind];
  const [first, second] = await Promise.all(both.map(seconds));
  return ahead ? second / first : first / second;
}

// Deletes the global that the argument names, imports every entry of the package that Node can
// import, and prints the outcomes of first uses.

// Node loads these when they are first read, by means of other globals, so they are read first.
void [fetch, Response, DecompressionStream];
// Node's fetch needs WebAssembly, and is not used.
process.on("unhandledRejection", () => {});

const path = process.argv[2]?.split(".") ?? [];
const name = path.pop() ?? "";
/** @type {any} */
let owner = globalThis;
for (const part of path) owner = owner[part];
// The member may be on a prototype, or missing in this version of Node.
while (owner && !Object.hasOwn(owner, name))
  owner = Object.getPrototypeOf(owner);
if (owner) delete owner[name];

const entry = (file) => import(`../../dist/${file}.js`);
const [{ connect }, inline, testing] = await Promise.all(
  ["node", "inline", "testing", "index", "slim", "store", "react", "server"]
    .concat("platform", "wasm/mediagate")
    .map(entry),
);

const respond = async () => ({
  status: 200,
  headers: { get: () => null },
  text: async () => '{"code":0,"data":{"task":{"id":"k","state":"RUNNING"}}}',
});

/** Connects, creates a task, and returns the outcome. */
async function outcome(connect, options) {
  try {
    const url = "https://gateway.test";
    const media = await connect({ url, token: "t", ...options });
    if (options) await media.textToImage({ prompt: "p" });
    return "ok";
  } catch (/** @type {any} */ error) {
    return `${error.code}: ${error.message}`;
  }
}

// The first successful one loads the WebAssembly for all.
const outcomes = {
  inline: await outcome(inline.connect),
  connect: await outcome(connect),
  ownFetch: await outcome(connect, { fetch: respond }),
  testing: await outcome(() => testing.fakeMedia(), {}),
};
console.log(JSON.stringify(outcomes));

// Counts the calls between JavaScript and wasm. This file also runs inside workerd, so it imports nothing.

/**
 * Starts counting, in every module that is loaded afterwards.
 *
 * @returns {{ crossings: number, strings: number, steps: number, memory: () => number }} `crossings` are calls between
 *   JavaScript and wasm, in both directions; `strings` are those that JavaScript decoded; `steps` are calls of `log_execution`; `memory` is the size of the wasm's memory in bytes
 */
export function startCounting() {
  const counts = { crossings: 0, strings: 0, steps: 0, memory: () => 0 };
  const { Instance } = WebAssembly;
  const { decode } = TextDecoder.prototype;
  TextDecoder.prototype.decode = function (...values) {
    counts.strings++;
    return decode.apply(this, values);
  };
  const crossing = (members) =>
    Object.fromEntries(
      Object.entries(members).map(([name, it]) => [
        name,
        typeof it === "function" ? counted(it) : it,
      ]),
    );
  const counted = (work) =>
    /** @this {unknown} */
    function (...values) {
      counts.crossings++;
      return work.apply(this, values);
    };
  // biome-ignore lint/complexity/useArrowFunction: the glue calls it with `new`
  /** @type {any} */ (WebAssembly).Instance = function (module, imports) {
    // binaryen imports its hook from a module that the wasm imports already.
    const wrap = ([name, members]) => [
      name,
      { ...crossing(members), log_execution: () => counts.steps++ },
    ];
    const { exports } = new Instance(
      module,
      Object.fromEntries(Object.entries(imports).map(wrap)),
    );
    counts.memory = () =>
      /** @type {WebAssembly.Memory} */ (exports.memory).buffer.byteLength;
    return { exports: crossing(exports) };
  };
  return counts;
}

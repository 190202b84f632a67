// What needs no client: the catalogue, and what follows from it.

import { copy } from "./dist/copy.js";
import { atOnce } from "./dist/driver.js";
import { at, hold, parseJson } from "./dist/values.js";
import { wasm } from "./loading.js";

/** @type {typeof import("./index.js").validate} */
export const validate = (name, input) => {
  const [{ validate }, named, copied] = [wasm(), copy(name), copy(input)];
  return at(atOnce(() => validate(hold(named), hold(copied))));
};

/** @type {typeof import("./index.js").capabilities} */
export const capabilities = () => at(atOnce(wasm().capabilities)).map(describe);

/** @type {(status: number, text: string, name?: import("./index.js").CapabilityName) => any} */
export const decodeEnvelope = (status, text, name) => {
  const [{ decodeEnvelope }, body] = [
    wasm(),
    typeof text === "string" ? parseJson(text) : undefined,
  ];
  const [code, named] = [copy(status), copy(name)];
  return at(atOnce(() => decodeEnvelope(hold(code), hold(body), hold(named))));
};

/**
 * @param {string} path
 * @returns {import("./index.js").CapabilityInfo}
 */
function describe(path) {
  const [group, medium, name] = path.split("/").slice(-3);
  return /** @type {any} */ ({
    name,
    method: name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
    group,
    medium,
    path,
  });
}

import { MediagateError } from "./error.js";

/**
 * Checks that the platform has these globals. React Native, old browsers and environments of test
 * runners lack some.
 *
 * @throws {MediagateError} `load_failed`, with a message that names the missing globals.
 */
export function checkGlobals(
  names: readonly string[],
  hint = 'load a polyfill first; in Jest, set testEnvironment to "node"; ' +
    "in React Native, run the client in a WebView or on your server",
): void {
  const globals = globalThis as { [name: string]: unknown };
  const missing = names.filter((name) => globals[name] === undefined);
  if (missing.length === 0) return;
  throw new MediagateError({
    code: "load_failed",
    message: `this platform has no ${missing.join(", ")}`,
    hint,
  });
}

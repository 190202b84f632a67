// workerd's messages, for the operator.
import { openFilesLimit, REMEDY } from "./open-files.js";

/** Requests that workerd refuses before the Worker runs: an address or a host that is none, and CONNECT. */
const REFUSED =
  /Uncaught exception: (kj\/compat\/url\.c\+\+:|.*Incoming CONNECT on a worker not supported)/;
const STACK = /^stack: /;
const OUT_OF_FILES = /^\*\*\* Fatal .*Too many open files/;

/**
 * Returns a function that takes workerd's lines one by one, and returns those to print.
 *
 * The stack of a refused request is left out: anyone can cause it, and it says nothing of the gateway.
 *
 * @returns {(line: string) => string[]}
 */
export function messages() {
  const state = { isRefusal: false };
  return (line) => {
    if (state.isRefusal && STACK.test(line)) return [];
    state.isRefusal = REFUSED.test(line);
    if (!OUT_OF_FILES.test(line)) return [line];
    return [
      line,
      `error: the limit of open files (${openFilesLimit()}) is reached; ${REMEDY}`,
    ];
  };
}

// Translates workerd's messages for the operator.
import { openFilesLimit, REMEDY } from "./open-files.js";

/** A request that workerd answers with 500, because the Worker did not run or has crashed. */
const UNANSWERED = /server\.c\+\+:\d+: error: Uncaught exception: /;
/**
 * Requests that workerd refuses before the Worker runs: those with an invalid address or host, and
 * CONNECT.
 */
const REFUSED =
  /Uncaught exception: (kj\/compat\/url\.c\+\+:|.*Incoming CONNECT on a worker not supported)/;
const STACK = /^stack: /;
/** An alarm that `alarms.js` has put off, which runs as it should. */
const PUT_OFF = /SQLite alarm (overdue, running despite|handler canceled)/;
const OUT_OF_FILES = /^\*\*\* Fatal .*Too many open files/;

/**
 * Returns a function that takes workerd's lines one by one, and returns what to print: messages for
 * the standard error, and lines of the log for the standard output.
 *
 * The stack of a refused request is left out: anyone can cause it, and it tells nothing about the
 * gateway. The queries of URLs, which may have secrets, are left out too.
 *
 * @returns {(line: string) => { messages: string[], log: string[] }}
 */
export function createTranslator() {
  const state = { isRefusal: false };
  return (line) => {
    if (state.isRefusal && STACK.test(line)) return { messages: [], log: [] };
    if (PUT_OFF.test(line)) return { messages: [], log: [] };
    state.isRefusal = REFUSED.test(line);
    const messages = [line.replace(/\?\S*/g, "?…")];
    if (OUT_OF_FILES.test(line))
      messages.push(
        `error: the limit of open files (${openFilesLimit()}) is reached; ${REMEDY}`,
      );
    const reason = state.isRefusal ? "malformed_request" : "crashed";
    return { messages, log: UNANSWERED.test(line) ? [logLine(reason)] : [] };
  };
}

/** Returns a line of the log in the form of `worker/log.js`. workerd does not say the method. */
const logLine = (reason) =>
  JSON.stringify({
    code: null,
    method: null,
    operation: "-",
    reason,
    status: 500,
    time: new Date().toISOString(),
  });

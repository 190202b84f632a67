import type { Issue } from "../types/issues.js";

type Reason = Issue["reason"];

/** Returns an issue that the media service would refuse. */
export function error(path: string, reason: Reason, message: string): Issue {
  return { path, reason, message, severity: "error" };
}

/** Returns an issue that the media service may refuse. */
export function doubt(path: string, reason: Reason, what: string): Issue {
  return warning(path, reason, `${what}; the media service may refuse it`);
}

/** Returns an issue that a person may not expect. */
export function warning(path: string, reason: Reason, message: string): Issue {
  return { path, reason, message, severity: "warning" };
}

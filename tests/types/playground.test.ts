// The playground's constants are those of the core and the gateway. `cargo xtask test --only types` makes
// ./dist/shared.d.ts.
import type { KEY_LIFETIME_MS, Kind, TERMINAL_STATES } from "../../www/src/shared.js";
import type { FieldKind, RetentionMs, TerminalState } from "./dist/shared.js";

/** Whether two types are assignable to each other. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

export const kinds: Same<Kind, FieldKind> = true;
export const states: Same<(typeof TERMINAL_STATES)[number], TerminalState> = true;
export const lifetime: Same<typeof KEY_LIFETIME_MS, RetentionMs> = true;

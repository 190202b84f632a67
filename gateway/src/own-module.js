// The upstream module of the project in the current folder: `init --provider` writes it, `dev` runs
// it, and `deploy` deploys it.
import { firstOf } from "./files.js";

const FOLDER = "upstream";
/** The module's variables on this machine. wrangler reads them, too. */
export const MODULE_VARIABLES = `${FOLDER}/.dev.vars`;
/** wrangler's configuration of the module's Worker. */
export const MODULE_CONFIG = `${FOLDER}/wrangler.toml`;
/** The source that `init` writes. */
export const MODULE_SOURCE = `${FOLDER}/upstream.ts`;

/** Returns the path of the module's source; `undefined` if the project has none. */
export const findOwnModule = () =>
  firstOf([MODULE_SOURCE, `${FOLDER}/upstream.js`]);

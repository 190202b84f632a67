import { fileURLToPath } from "node:url";

/** The checkout that this file is in. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

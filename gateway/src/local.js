// What `dev` and `token` have in common: the folder in which a gateway on this machine stores what is its own.
import { join } from "node:path";

/** In the current folder. */
export const FOLDER = ".mediagate";
/** The data of its Durable Objects. */
export const DATA = join(FOLDER, "data");

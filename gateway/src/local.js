// What `dev` and `token` have in common: the folder in which a gateway on this machine stores what is its own.
import { join } from "node:path";

/** In the current folder. */
export const FOLDER = ".mediagate";
/** The data of its Durable Objects. */
export const DATA = join(FOLDER, "data");
/** The emulator's tasks and files. */
export const EMULATOR_DATA = join(FOLDER, "emulator");
/** The port that the emulator had: it is part of the URLs of results. */
export const EMULATOR_PORT = join(FOLDER, "emulator.port");

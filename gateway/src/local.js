// The folder in which a gateway on this machine stores its data, for `dev` and `token`.
import { join } from "node:path";

export const FOLDER = ".mediagate";
export const DATA = join(FOLDER, "data");
export const EMULATOR_DATA = join(FOLDER, "emulator");
/** The port of the last run's emulator: the URLs of results contain it. */
export const EMULATOR_PORT = join(FOLDER, "emulator.port");

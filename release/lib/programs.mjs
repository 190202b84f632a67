// The emulator's programs, one for each platform: `linux-x64=PATH` on the command line.
import { open } from "node:fs/promises";
import { PLATFORMS } from "../../gateway/scripts/platforms.mjs";
import { run } from "./process.mjs";

/** @typedef {typeof PLATFORMS[number] & { name: string, path: string }} Program */

/** More than the headers of any program take. */
const HEADER_BYTES = 4096;
/** The kind of an ELF segment that names a dynamic linker; a program that has none is statically linked. */
const PT_INTERP = 3;

export const platformName = ({ platform, arch }) => `${platform}-${arch}`;

/**
 * @param {string[]} args
 * @returns {Program[]}
 * @throws {Error} for a platform that the project does not build for
 */
export function parsePrograms(args) {
  return args.map((it) => {
    const [, name = "", path = ""] = /^([^=]+)=(.+)$/.exec(it) ?? [];
    const platform = PLATFORMS.find((known) => platformName(known) === name);
    const names = PLATFORMS.map(platformName).join(", ");
    if (!platform) throw new Error(`${it} names no platform; expected PLATFORM=PROGRAM with one of ${names}`);
    return { ...platform, name, path };
  });
}

/**
 * Checks that a program is one for its platform and, where this machine can run it, of this version.
 *
 * @param {Program} program
 * @param {string} version
 * @param {(what: string) => void} leaveOut
 */
export async function checkProgram(program, version, leaveOut) {
  const { name, path } = program;
  const header = await readHeader(path);
  const found = formatOf(header);
  if (found !== name)
    throw new Error(`${path} is a program for ${found}, expected one for ${name}; build it for that target`);
  if (program.platform === "linux" && !isStatic(header))
    leaveOut(`static linking of ${path}: build it for ${program.target} with --profile program`);
  if (name === platformName(process)) await checkPrintedVersion(path, version);
}

async function checkPrintedVersion(path, version) {
  const printed = (await run(path, ["--version"])).trim();
  const expected = `mediagate-emulator ${version}`;
  if (printed !== expected)
    throw new Error(`${path} --version prints ${printed}, expected ${expected}; build it again`);
}

async function readHeader(path) {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The codes of each format for x64 and arm64. */
const ELF = new Map([
  [0x3e, "x64"],
  [0xb7, "arm64"],
]);
const MACH_O = new Map([
  [0x01000007, "x64"],
  [0x0100000c, "arm64"],
]);
const PE = new Map([
  [0x8664, "x64"],
  [0xaa64, "arm64"],
]);

/** @param {Buffer} header */
function formatOf(header) {
  if (header.length < HEADER_BYTES) return "no platform";
  if (header.readUInt32BE(0) === 0x7f454c46) return `linux-${ELF.get(header.readUInt16LE(18)) ?? "other"}`;
  if (header.readUInt32LE(0) === 0xfeedfacf) return `darwin-${MACH_O.get(header.readUInt32LE(4)) ?? "other"}`;
  if (header.toString("latin1", 0, 2) === "MZ") return `win32-${PE.get(peMachine(header)) ?? "other"}`;
  return "no platform";
}

/** The machine's code is after the signature, whose place the header of the DOS program has. */
function peMachine(header) {
  const at = header.readUInt32LE(0x3c);
  return at + 6 <= header.length ? header.readUInt16LE(at + 4) : 0;
}

/** Whether no segment of an ELF program of 64 bits names a dynamic linker. */
function isStatic(header) {
  const start = Number(header.readBigUInt64LE(0x20));
  const size = header.readUInt16LE(0x36);
  const offsets = Array.from({ length: header.readUInt16LE(0x38) }, (_, index) => start + index * size);
  return !offsets.some((it) => it + 4 <= header.length && header.readUInt32LE(it) === PT_INTERP);
}

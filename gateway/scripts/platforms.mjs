// The platforms for which npm has the emulator: of each its names in Node, and the target of Rust that it is built for.

/** @type {readonly { platform: NodeJS.Platform, arch: NodeJS.Architecture, target: string }[]} */
export const PLATFORMS = [
  // Statically linked, so that it runs with any C library, and with none.
  { platform: "linux", arch: "x64", target: "x86_64-unknown-linux-musl" },
  { platform: "linux", arch: "arm64", target: "aarch64-unknown-linux-musl" },
  { platform: "darwin", arch: "x64", target: "x86_64-apple-darwin" },
  { platform: "darwin", arch: "arm64", target: "aarch64-apple-darwin" },
  { platform: "win32", arch: "x64", target: "x86_64-pc-windows-msvc" },
];

/** The name of a platform's package. */
export const packageName = ({ platform, arch }) => `mediagate-emulator-${platform}-${arch}`;

/** The name of the program in it. */
export const programName = ({ platform }) => `mediagate-emulator${platform === "win32" ? ".exe" : ""}`;

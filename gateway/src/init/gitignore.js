// Keeps secrets, and the data of a gateway on this machine, out of git.
import { append, create, isLink, readText } from "../files.js";

const FILE = ".gitignore";
export const PATTERNS = [".dev.vars", ".mediagate/", ".wrangler/"];

/**
 * @param {string[]} [patterns] names of files, and of folders with a slash at the end
 * @returns {Promise<{ done: import("../files.js").Done, notes?: string[] }>}
 */
export async function ignoreLocalFiles(patterns = PATTERNS) {
  if (await isLink(FILE)) return reportSkipped(patterns);
  const text = await readText(FILE);
  if (text === undefined) {
    const done = await create(FILE, formatLines("", patterns));
    // If another process has made the file meanwhile, that file gets the lines.
    return done.action === "written" ? { done } : ignoreLocalFiles(patterns);
  }
  const missing = missingPatterns(text, patterns);
  if (missing.length === 0)
    return {
      done: { action: "unchanged", path: FILE, detail: "it has all lines" },
    };
  await append(FILE, formatLines(text, missing));
  return {
    done: { action: "appended", path: FILE, detail: missing.join(" ") },
  };
}

/** Reports that nothing was done: git does not follow a symbolic link here. */
const reportSkipped = (patterns) => ({
  done: {
    action: /** @type {const} */ ("skipped"),
    path: FILE,
    detail: "it is a symbolic link",
  },
  notes: [
    `Git does not follow a symbolic link as ${FILE}: ` +
      `add ${patterns.join(", ")} to .git/info/exclude.`,
  ],
});

function missingPatterns(text, patterns) {
  // Git ignores spaces at the end of a line, unless they are escaped.
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/(?<!\\) +$/, ""));
  return patterns.filter((pattern) => !isIgnored(pattern, lines));
}

/**
 * Returns true if the last line about a pattern ignores it. A line with `!` before the pattern
 * includes it again.
 */
function isIgnored(pattern, lines) {
  const last = lines.findLast((line) =>
    isAbout(line.replace(/^!/, ""), pattern),
  );
  return last !== undefined && !last.startsWith("!");
}

/**
 * Returns true if a line is about a file or a folder: `.dev.vars`, `/.dev.vars`, `.env*.local`, …
 */
function isAbout(line, pattern) {
  const name = pattern.replace(/\/$/, "");
  const inFolder = line.replace(/^(?:\*\*)?\//, "");
  const glob = pattern === name ? inFolder : inFolder.replace(/\/$/, "");
  const parts = glob.split(/\*+/).map((part) => part.replace(/\W/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

function formatLines(text, patterns) {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const isEnded = text === "" || text.endsWith("\n");
  return (
    (isEnded ? "" : newline) +
    patterns.map((pattern) => pattern + newline).join("")
  );
}

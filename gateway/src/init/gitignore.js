// What git must not have: secrets, and what a gateway on this machine leaves in the folder.
import { append, create, isLink, readText } from "./files.js";

const FILE = ".gitignore";
const PATTERNS = [".dev.vars", ".mediagate/", ".wrangler/"];

/**
 * Adds to `.gitignore` what it lacks.
 *
 * @returns {Promise<{ done: import("./files.js").Done, notes?: string[] }>}
 */
export async function ignoreLocalFiles() {
  if (await isLink(FILE)) return skipped();
  const text = await readText(FILE);
  if (text === undefined) {
    const done = await create(FILE, addition("", PATTERNS));
    // Another process may have made one meanwhile: then that one gets the lines.
    return done.action === "written" ? { done } : ignoreLocalFiles();
  }
  const missing = missingPatterns(text);
  if (missing.length === 0)
    return {
      done: { action: "unchanged", path: FILE, detail: "it has all lines" },
    };
  await append(FILE, addition(text, missing));
  return {
    done: { action: "appended", path: FILE, detail: missing.join(" ") },
  };
}

/** Git itself does not follow a symbolic link here. */
const skipped = () => ({
  done: {
    action: /** @type {const} */ ("skipped"),
    path: FILE,
    detail: "it is a symbolic link",
  },
  notes: [
    `Git does not follow a symbolic link as ${FILE}: add ${PATTERNS.join(", ")} to .git/info/exclude.`,
  ],
});

function missingPatterns(text) {
  // Git ignores spaces at the end of a line, unless they are escaped.
  const lines = text.split(/\r?\n/).map((it) => it.replace(/(?<!\\) +$/, ""));
  return PATTERNS.filter((it) => !isIgnored(it, lines));
}

/** Whether the last line about a pattern ignores it; a `!` before it means the opposite. */
function isIgnored(pattern, lines) {
  const forms = formsOf(pattern);
  const last = lines.findLast((it) => forms.includes(it.replace(/^!/, "")));
  return last !== undefined && !last.startsWith("!");
}

/** The simple forms in which a line ignores the same: `.dev.vars`, `/.dev.vars`, `.dev.vars*`, … */
function formsOf(pattern) {
  const name = pattern.replace(/\/$/, "");
  const ends = pattern === name ? ["", "*"] : ["", "*", "/", "*/"];
  return ["", "/", "**/"].flatMap((before) =>
    ends.map((end) => before + name + end),
  );
}

/** The lines, with the ends of lines that the file has, after the end of its last line. */
function addition(text, patterns) {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const isEnded = text === "" || text.endsWith("\n");
  return (isEnded ? "" : newline) + patterns.map((it) => it + newline).join("");
}

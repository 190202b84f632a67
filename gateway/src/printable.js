// Texts that this program did not write, as a terminal may have them.

/** Control characters, which a terminal would obey, as escapes. */
export const printable = (text) =>
  text.replace(/\p{Cc}/gu, (it) => (it === "\t" ? it : escaped(it)));

const escaped = (it) => `\\x${it.charCodeAt(0).toString(16).padStart(2, "0")}`;

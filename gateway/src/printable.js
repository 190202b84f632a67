// Makes texts that others wrote safe to print.

/** Escapes control characters, which a terminal would obey. */
export const printable = (text) =>
  text.replace(/\p{Cc}/gu, (character) =>
    character === "\t" ? character : escaped(character),
  );

const escaped = (character) =>
  `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

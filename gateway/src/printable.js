/** Escapes control characters in a text from elsewhere, since a terminal would obey them. */
export const printable = (text) =>
  text.replace(/\p{Cc}/gu, (character) =>
    character === "\t" ? character : escapeCharacter(character),
  );

const escapeCharacter = (character) =>
  `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

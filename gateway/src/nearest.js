/** The most edits for which a word counts as a slip: `prot` for `port` needs two. */
const MAX_EDITS = 2;

/**
 * @param {string} word
 * @param {string[]} words
 * @returns {string | undefined} the nearest of `words`; `undefined` if none is near
 */
export function nearest(word, words) {
  const [best] = words
    .map((known) => ({ known, edits: editsBetween(word, known) }))
    .sort((a, b) => a.edits - b.edits);
  return best && best.edits <= Math.min(MAX_EDITS, word.length - 1)
    ? best.known
    : undefined;
}

/** Counts the letters to add, leave out or replace (Levenshtein). */
function editsBetween(word, other) {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const letter of word) {
    const next = [row[0] + 1];
    for (const [column, character] of [...other].entries()) {
      const replaced = row[column] + (character === letter ? 0 : 1);
      next.push(Math.min(next[column] + 1, row[column + 1] + 1, replaced));
    }
    row = next;
  }
  return row[other.length];
}

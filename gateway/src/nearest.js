/** The most edits for which a word counts as a slip: `prot` for `port` needs two. */
const MAX_EDITS = 2;

/**
 * Finds the word that a person meant by a misspelt one.
 *
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
  const first = Array.from({ length: other.length + 1 }, (_, index) => index);
  const last = [...word].reduce(
    (above, letter, row) => nextRow(above, letter, row, other),
    first,
  );
  return last[other.length];
}

function nextRow(above, letter, row, other) {
  const line = [row + 1];
  for (const [column, character] of [...other].entries())
    line.push(
      Math.min(
        line[column] + 1,
        above[column + 1] + 1,
        above[column] + (character === letter ? 0 : 1),
      ),
    );
  return line;
}

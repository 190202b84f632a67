// The word that was probably meant.

/** Edits up to which a word is taken for a slip: `prot` for `port` are two. */
const MAX_EDITS = 2;

/**
 * @param {string} word
 * @param {string[]} words
 * @returns {string | undefined} the one of `words` that is nearest, if one is near
 */
export function nearest(word, words) {
  const [best] = words
    .map((it) => ({ it, edits: editsBetween(word, it) }))
    .sort((a, b) => a.edits - b.edits);
  return best && best.edits <= Math.min(MAX_EDITS, word.length - 1)
    ? best.it
    : undefined;
}

/** The letters to add, leave out or replace (Levenshtein). */
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
  for (const [column, it] of [...other].entries())
    line.push(
      Math.min(
        line[column] + 1,
        above[column + 1] + 1,
        above[column] + (it === letter ? 0 : 1),
      ),
    );
  return line;
}

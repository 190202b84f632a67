/**
 * Returns the known name that a misspelt name probably means. Case and punctuation do not count.
 *
 * A library for this would be a dependency of every page.
 *
 * @returns The name with the fewest different letters, at most two. Otherwise the only name that
 * contains the text or is contained in it. `undefined` if there is none.
 */
export function nearest(
  text: string,
  names: readonly string[],
): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, "");
  const given = plain(text);
  const mostTypos = Math.min(2, given.length / 2);
  for (let typos = 0; typos <= mostTypos; typos++) {
    const near = names.find((name) => distance(given, plain(name)) <= typos);
    if (near) return near;
  }
  const related = names.filter((name) => {
    const known = plain(name);
    return given && (given.includes(known) || known.includes(given));
  });
  return related.length === 1 ? related[0] : undefined;
}

/** Returns the number of letters to insert, to delete or to replace (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const letter of from) {
    const [first = 0] = row;
    const next = [first + 1];
    for (const [column, other] of [...to].entries()) {
      const [diagonal = 0, above = 0] = row.slice(column);
      const replaced = letter === other ? diagonal : diagonal + 1;
      next.push(Math.min(replaced, above + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

// What the same user has created elsewhere, from the gateway's history.

/** @typedef {import("./index.js").HistoryEntry} HistoryEntry */

/** The most entries of a page, as the gateway has it. */
const PAGE = 100;

/**
 * The tasks of the history that are not known, newest first, as far back as they are wanted.
 *
 * @param {{ tasks: (options?: import("./index.js").TasksOptions) => Promise<import("./index.js").TaskPage> }} media
 * @param {import("./index.js").CallOptions | undefined} options
 * @param {Set<string | number>} known ids
 * @param {number} since milliseconds since 1970; older ones are not wanted
 */
export async function unknownTasks(media, options, known, since) {
  /** @type {HistoryEntry[]} */
  const found = [];
  for (let cursor, isMore = true; isMore; ) {
    const before = cursor;
    /** @type {import("./index.js").TaskPage} */
    const page = await media.tasks({
      ...options,
      limit: PAGE,
      ...(cursor && { cursor }),
    });
    // Of a create whose response was lost, there may be no task.
    const isUnknown = (/** @type {HistoryEntry} */ { id, outcome }) =>
      outcome === undefined && !known.has(id);
    const wanted = page.tasks.filter(
      (it) => Date.parse(it.created_at) >= since,
    );
    const unknown = wanted.filter(isUnknown);
    for (const it of unknown) known.add(it.id);
    found.push(...unknown);
    ({ cursor } = page);
    // A page may be empty, and the next one not. What this device has made may be newer than what is missing.
    isMore =
      cursor !== undefined &&
      cursor !== before &&
      wanted.length === page.tasks.length;
  }
  return found;
}

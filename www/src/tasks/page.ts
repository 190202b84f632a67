/** This page among those of its browser: another one can wait until it is gone. */

/** Its id. */
export const PAGE = crypto.randomUUID();

const lockOf = (page: string) => `mediagate.playground.page.${page}`;

// The browser releases it when the page is gone, in whatever way.
void navigator.locks.request(lockOf(PAGE), () => new Promise(() => undefined));

export async function afterPage(page: string): Promise<void> {
  await navigator.locks.request(lockOf(page), () => undefined);
}

/** This page among those of its browser: another one can wait until it is gone. */
import { withLock } from "../parts/lock";
import { newKey } from "../parts/newKey";

/** Its id. */
export const PAGE = newKey();

void withLock(`page.${PAGE}`, () => new Promise(() => undefined));

/** Waits until a page is gone. */
export async function afterPage(page: string): Promise<void> {
  await withLock(`page.${page}`, async () => undefined);
}

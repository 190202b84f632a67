/** Parts of the script that are loaded when they are needed, so that a load that failed can be repeated. */

/** The URLs of the scripts that could not be loaded, each with the number of failures. */
const failures = new Map<string, number>();

// Vite takes a style sheet in the document for loaded, also one that failed.
document.addEventListener(
  "error",
  ({ target }) => target instanceof HTMLLinkElement && target.rel === "stylesheet" && target.remove(),
  true,
);

/**
 * Imports a module. Some browsers never repeat an import that failed. So where a repeated one fails too, the script is
 * imported under another URL: the same file, with a query.
 */
export async function chunk<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (failure) {
    const url = scriptIn(failure);
    if (url === undefined) throw failure;
    const count = (failures.get(url) ?? 0) + 1;
    failures.set(url, count);
    if (count === 1) throw failure;
    return import(/* @vite-ignore */ `${url}?again=${count}`);
  }
}

/** The URL of the page's own script in the message of a failed import; Chromium and Firefox name it. */
function scriptIn(failure: unknown): string | undefined {
  const [url] = /https?:\/\/[^\s?]+\.js/.exec(failure instanceof Error ? failure.message : "") ?? [];
  return url?.startsWith(location.origin) ? url : undefined;
}

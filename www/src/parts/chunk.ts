/** Parts of the script that are loaded when they are needed, so that a load that failed can be repeated. */

/** The URLs of the scripts that could not be loaded, each with the number of failures. */
const failures = new Map<string, number>();

/** The URLs of the style sheets that could not be loaded. Vite loads each once, and takes a failed one for loaded. */
const missingStyles = new Set<string>();

document.addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet")
      return;
    missingStyles.add(target.href);
    target.remove();
  },
  true,
);

/**
 * Imports a module. Some browsers never repeat an import that failed. So where a repeated one fails too, the script is
 * imported under another URL: the same file, with a query.
 */
export async function chunk<Module>(
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    await Promise.all([...missingStyles].map(loadStyle));
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

function loadStyle(href: string): Promise<void> {
  const link = Object.assign(document.createElement("link"), {
    rel: "stylesheet",
    href,
  });
  return new Promise((resolve, reject) => {
    link.onload = () => {
      missingStyles.delete(href);
      resolve();
    };
    link.onerror = () => reject(new Error("a style sheet could not be loaded"));
    document.head.append(link);
  });
}

/** The URL of the page's own script in the message of a failed import; Chromium and Firefox name it. */
function scriptIn(failure: unknown): string | undefined {
  const [url] =
    /https?:\/\/[^\s?]+\.js/.exec(
      failure instanceof Error ? failure.message : "",
    ) ?? [];
  return url?.startsWith(location.origin) ? url : undefined;
}

/** Parts of the script that are loaded when they are needed, and again if a load fails. */

/** The number of failed loads of each script, by its URL. */
const failures = new Map<string, number>();

/** The URLs of style sheets that failed to load. Vite does not try to load one a second time. */
const missingStyles = new Set<string>();

document.addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet")
      return;
    missingStyles.add(target.href);
    target.remove();
  },
  // The error of an element does not bubble, so it is captured.
  true,
);

/** Imports a module. After a second failure, the script is imported by a URL with a query. */
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
    // Some browsers never repeat a failed import of a URL.
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

/** Finds the URL of the page's own script in the message of a failed import. WebKit names none. */
function scriptIn(failure: unknown): string | undefined {
  const [url] =
    /https?:\/\/[^\s?]+\.js/.exec(
      failure instanceof Error ? failure.message : "",
    ) ?? [];
  return url?.startsWith(location.origin) ? url : undefined;
}

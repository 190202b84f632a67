/** Small values in `localStorage`. If a browser forbids it, they last as long as the page. */

const PREFIX = "mediagate.playground.";

export function readLocal(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function writeLocal(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Storage is full or forbidden.
  }
}

/** Light or dark colours, as on the device until a person chooses. */
import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "mediagate.playground.theme";
const NEXT: Record<Theme, Theme> = {
  system: "light",
  light: "dark",
  dark: "system",
};

export const theme = signal<Theme>(read());

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

export function changeTheme(): void {
  theme.value = NEXT[theme.value];
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // If storage is full or forbidden, the choice lasts as long as the page.
  }
}

function read(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

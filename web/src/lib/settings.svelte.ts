// What a visitor prefers: light or dark, and the colours of boards. Kept in this browser; the colours are in app.css.

export const THEMES = ['system', 'light', 'dark'] as const;
export const BOARDS = ['wood', 'green', 'blue', 'grey'] as const;

type Settings = { theme: (typeof THEMES)[number]; board: (typeof BOARDS)[number] };

function kept<T extends string>(name: string, all: readonly T[]): T {
  try {
    const value = localStorage.getItem(name);
    return all.find((each) => each === value) ?? all[0];
  } catch {
    return all[0];
  }
}

export const settings: Settings = $state({ theme: kept('theme', THEMES), board: kept('board', BOARDS) });

/** Writes a preference down, and shows it. */
export function prefer<K extends keyof Settings>(name: K, value: Settings[K]) {
  settings[name] = value;
  try {
    localStorage.setItem(name, value);
  } catch {
    // It holds until the page is closed.
  }
  show();
}

export function show() {
  const { dataset } = document.documentElement;
  dataset.theme = settings.theme;
  dataset.board = settings.board;
}

// Gives a person a file that this page made: the browser or the window asks where it goes. Nothing is sent anywhere.

/** How long the browser may take to fetch what it saves. */
const FETCH_MAX_MS = 60_000;

export function saveFile(name: string, type: string, parts: readonly string[]): void {
  const href = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), FETCH_MAX_MS);
}

/** What long work waits for between its pieces, so that everything else of the process goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

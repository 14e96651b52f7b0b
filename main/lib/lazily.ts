// What takes long to make and is seldom used, such as a pattern of many scripts: a start waits for
// none of it.

/** Makes the value when it is first asked for, once. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

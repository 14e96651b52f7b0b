// Why the system did not let a file be read, as the end of a sentence. Pure.

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'its path leads through something that is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'your user may not read it',
  EPERM: 'your user may not read it',
  ELOOP: 'a link leads in a circle',
  ENAMETOOLONG: 'the name is too long',
};

export function whyUnread(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) return 'the system refuses it';
  const code = String(error.code);
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  return known ?? `the system refuses it (${code})`;
}

// What the error of a file system says: its code, such as ENOENT, and its reason in words.

/** Empty for an error that has none. */
export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}

/**
 * What an error says, for a message that names the file itself: of a file system error `permission denied`,
 * without code, call and path.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error.message;
  const [, said] = new RegExp(`^${code}: (.*?), ${syscall}\\b`, 's').exec(error.message) ?? [];
  return said ?? error.message;
}

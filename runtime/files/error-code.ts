// The code of a file system error, such as ENOENT.

/** Empty for an error that has none. */
export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}

// The URL of one of our modules that is loaded by URL, as the first file of a thread is. A checkout runs the
// sources (`.ts`), an installed package the JavaScript compiled from them (`.js`).

/**
 * `path`: of the module, relative to `from` and without extension: `./entry`. `from`: `import.meta.url` of
 * the caller.
 */
export function moduleUrl(path: string, from: string): URL {
  return new URL(`${path}${from.slice(from.lastIndexOf('.'))}`, from);
}

// This program: its version, and the URLs of its modules.
import { readFileSync } from 'node:fs';

/** Version in `package.json`; a compiled package has its own. */
export function programVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

// The URL of one of our modules that is loaded by URL, as the first file of a thread is. A checkout runs the
// sources (`.ts`), an installed package the JavaScript compiled from them (`.js`).

/**
 * `path`: of the module, relative to `from` and without extension: `./entry`. `from`: `import.meta.url` of
 * the caller.
 */
export function moduleUrl(path: string, from: string): URL {
  return new URL(`${path}${from.slice(from.lastIndexOf('.'))}`, from);
}

// Prints how many files and lines the product, its rooms and the tests have. Run it with
// `node runtime/process/launch.mjs --node test/counts.ts`.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const product = ['runtime', 'actors', 'http', 'events', 'cli', 'main.ts', 'settings.ts'];

/** A row of the table. `paths`: files, and folders with all that is in them. */
function row(name: string, paths: readonly string[]) {
  const sources = paths.flatMap((path) =>
    statSync(join(root, path)).isFile() ? [path] : globSync(`${path}/**/*.ts`, { cwd: root }),
  );
  const lines = sources.reduce((sum, path) => sum + linesOf(path), 0);
  return { name, files: sources.length, lines, 'files per 1,000 lines': perThousand(sources.length, lines) };
}

function linesOf(path: string): number {
  return readFileSync(join(root, path), 'utf8').split('\n').length - 1;
}

function perThousand(files: number, lines: number): number {
  return lines === 0 ? 0 : Math.round((files / lines) * 10_000) / 10;
}

const rooms = globSync('actors/*/', { cwd: root }).toSorted();
console.table([
  row('product', product),
  row('tests', ['test']),
  ...rooms.map((room) => row(room.replaceAll('\\', '/'), [room])),
]);

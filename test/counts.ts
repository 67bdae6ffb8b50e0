// Prints how many files and lines the product, its rooms and the tests have, and how many messages, comment
// lines and names of values that are no nouns the product has. Run it with
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

/** Participles and determiners that say of a value neither what it is nor what it holds. */
const words = 'told|own|known|asked|found|wanted|kept|left|held|one|other|rest';
const declaration = new RegExp(
  String.raw`\b(?:const|let)\s+(?:${words})\b|\breadonly\s+#?(?:${words})\??:|[(,]\s*(?:${words})\s*(?::|\)\s*=>)|\b(?:${words})\s*=>`,
  'g',
);
const comment = /^\s*(?:\/\/|\/\*|\*)/;

/** Occurrences in the sources of the product, line by line. */
function occurrences(countOf: (line: string) => number): number {
  const paths = product.flatMap((path) =>
    path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.ts`, { cwd: root }),
  );
  const lines = paths.flatMap((path) => readFileSync(join(root, path), 'utf8').split('\n'));
  return lines.reduce((sum, line) => sum + countOf(line), 0);
}

const rooms = globSync('actors/*/', { cwd: root }).toSorted();
console.table([
  row('product', product),
  row('tests', ['test']),
  ...rooms.map((room) => row(room.replaceAll('\\', '/'), [room])),
]);
console.table({
  'messages of actors': occurrences((line) => line.match(/^ {2}\w+: (?:ask|feed)\(/g)?.length ?? 0),
  'comment lines': occurrences((line) => (comment.test(line) ? 1 : 0)),
  'values named by a participle or a determiner': occurrences((line) =>
    comment.test(line) ? 0 : (line.match(declaration)?.length ?? 0),
  ),
});

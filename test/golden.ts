// Golden files: what the product shows to others, kept in test/golden/ so that a change inside can be shown
// to change nothing outside. FRAMEHOUND_GOLDEN=write writes them anew.
import { AssertionError } from 'node:assert';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diff } from 'node:util';

const golden = join(import.meta.dirname, 'golden');

export interface GoldenOptions {
  /** Where the folders lie. */
  readonly root?: string;
  readonly write?: boolean;
}

/**
 * Compares texts by file name with the files of a folder of test/golden/. Fails when one differs, is missing
 * or is left over, and says how.
 */
export function assertGolden(
  folder: string,
  texts: Readonly<Record<string, string>>,
  { root = golden, write = process.env['FRAMEHOUND_GOLDEN'] === 'write' }: GoldenOptions = {},
): void {
  const path = join(root, folder);
  if (write) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(path, name), text);
    return;
  }
  const stored = storedIn(path);
  const names = [...new Set([...Object.keys(stored), ...Object.keys(texts)])].sort();
  const wrong = names.flatMap((name) => differenceOf(`${folder}/${name}`, stored[name], texts[name]));
  if (wrong.length === 0) return;
  const how =
    'If the change is meant, write the golden files anew with FRAMEHOUND_GOLDEN=write and commit them.';
  throw new AssertionError({
    message: `${wrong.join('\n\n')}\n\n${how}`,
    operator: 'assertGolden',
    stackStartFn: assertGolden,
  });
}

/** A value as the text of a golden file. */
export function goldenJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function storedIn(folder: string): Record<string, string> {
  try {
    const names = readdirSync(folder);
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function differenceOf(name: string, stored: string | undefined, now: string | undefined): string[] {
  if (stored === now) return [];
  if (stored === undefined) return [`test/golden/${name} is missing`];
  if (now === undefined) return [`test/golden/${name} is left over`];
  return [`test/golden/${name}:\n${shortDiff(stored, now)}`];
}

/** Lines around a change, and lines of all changes of a file, at most. */
const [around, mostLines] = [2, 40];

/** What changed, with the lines around it: `-` was, `+` is. */
function shortDiff(stored: string, now: string): string {
  const lines = diff(stored.split('\n'), now.split('\n')).map(([kind, line]) => ({ kind, line }));
  const changed = lines.flatMap(({ kind }, at) => (kind === 0 ? [] : [at]));
  const shown = new Set<number>();
  for (const at of changed) for (let near = at - around; near <= at + around; near++) shown.add(near);
  const written = lines.flatMap(({ kind, line }, at) => {
    if (!shown.has(at)) return [];
    // `diff` says 1 for what only the first text has.
    const sign = kind === 0 ? ' ' : kind > 0 ? '-' : '+';
    return [`${at > 0 && !shown.has(at - 1) ? '  …\n' : ''}${sign} ${line}`];
  });
  const left = written.length - mostLines;
  return [...written.slice(0, mostLines), ...(left > 0 ? [`… and ${left} lines more`] : [])].join('\n');
}

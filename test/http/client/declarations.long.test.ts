import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { declarationsText } from '../../../http/client/declarations.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What the compiler says is wrong with these files. */
function complaints(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const compilerOptions = { incremental: false, typeRoots: [join(root, 'node_modules', '@types')] };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [join(folder, '*.mts')] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '--project', folder], { encoding: 'utf8' });
  return status === 0 ? '' : stdout;
}

test('the interfaces that are written out are the types of the routes', async (t) => {
  const same = `import type { Methods, Progress } from '${root}http/client/methods.ts';
import type { Methods as Plain, Progress as PlainProgress } from './plain.d.mts';
type Answers<M> = { [K in keyof M]: M[K] extends (...given: never[]) => Promise<infer A> ? A : never };
declare const [methods, plain]: [Methods<1>, Plain<1>];
declare const [progress, plainProgress]: [Progress, PlainProgress];
// They take all that the routes take, and answer the same.
export const taken: Methods<1> = plain;
export const answered: Answers<Plain<1>> = {} as Answers<typeof methods>;
export const told: [Progress, PlainProgress] = [plainProgress, progress];
`;
  assert.equal(complaints(t, { 'plain.d.mts': await declarationsText(), 'same.mts': same }), '');
});

// Commands, options and types in the README and the guide exist; their commands are run by
// test/release/readme.test.ts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { commandTable } from '../cli/command-table.ts';
import { blocks, commands, elsewhere, readme } from './readme.ts';
import { untilRelease } from './shared.ts';

const root = dirname(import.meta.dirname);

test('each block of the README and the guide names its language, and the commands that are not run are still there', () => {
  for (const { language, text } of blocks) {
    assert.match(language, /^(bash|ts|json|text)$/, text);
    if (language === 'json') assert.doesNotThrow(() => JSON.parse(text), text);
  }
  for (const beginning of Object.keys(elsewhere))
    assert.ok(
      commands.some((command) => command.startsWith(beginning)),
      beginning,
    );
});

test('npm scripts, commands and options that the text names exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  for (const [, name = ''] of readme.matchAll(/npm (?:run )?(start|test|run [\w-]+)/g))
    assert.ok(name.replace('run ', '') in scripts, name);
  for (const [, name = ''] of readme.matchAll(/`?(?:npx |sudo )framehound (\w+)/g))
    assert.ok(name in commandTable || name === 'help', name);
});

test('the TypeScript of the guide compiles against the client', { skip: untilRelease }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-readme-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // What a program has of its own.
  const given = 'declare const key: string, cache_dir: string, visual_media_paths: string[];\n';
  const examples = blocks.filter(({ language }) => language === 'ts');
  assert.ok(examples.length > 0);
  const files = examples.map(({ text }, n) => {
    writeFileSync(join(folder, `${n}.ts`), given + text);
    return `${n}.ts`;
  });
  const compilerOptions = {
    paths: { 'framehound/client': [join(root, 'http', 'client', 'client.ts')] },
    typeRoots: [join(root, 'node_modules', '@types')],
    noUnusedLocals: false,
  };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

// Every bench still ends, at sizes of a few seconds. What it says about speed is not looked at.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { questions } from '../../bench/questions.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const launcher = fileURLToPath(new URL('../../runtime/process/launch.mjs', import.meta.url));

for (const name of Object.keys(questions)) {
  test(`the bench ${name} ends, and measures something or says why not`, async (t) => {
    const { code, out, said } = await bench(name);
    assert.equal(code, 0, said);
    const rows = out.split('\n').filter((line) => line.startsWith(`| ${name} `)).length;
    if (rows === 0) assert.match(said, /: nothing was measured$/m);
    t.diagnostic(rows === 0 ? said.trim() : `${rows} rows`);
  });
}

test('a bench that is not there is named', async () => {
  const { code, said } = await bench('nothing');
  assert.equal(code, 2);
  assert.match(said, /no question nothing; there are .*fanout/);
});

/** It ends by itself within its own limit of five minutes. */
async function bench(name: string): Promise<{ code: number | null; out: string; said: string }> {
  const child = spawn(process.execPath, [launcher, '--node', 'bench/run.ts', name, '--quick'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, said] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, said };
}

// onnxruntime's telemetry in processes that the launcher did not start. A copy of the environment says
// nothing about what its native code sees, so the tests look at the process: at the files it writes, and at
// its end. With telemetry it writes into the home folder, and with a long command line a worker of it dies of
// SIGSEGV.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const longArgument = 'a'.repeat(15_000);

/** A program of somebody else that starts the engine and loads a model. */
const embedding = `
  import { startEngine } from '${new URL('../../main.ts', import.meta.url)}';
  import { resolveConfig } from '${new URL('../../runtime/config.ts', import.meta.url)}';
  import { createLog } from '${new URL('../../runtime/log.ts', import.meta.url)}';
  import { settings } from '${new URL('../../settings.ts', import.meta.url)}';
  const { values } = resolveConfig(settings, { flags: {}, env: process.env, file: {} });
  const engine = await startEngine(values, 0, createLog('test', () => {}));
  await engine.search.models.load(values.model);
  await engine.stop();
  process.stdout.write('model loaded');
`;

const linux = { skip: process.platform !== 'linux' };

/** Runs Node with the arguments in a home of its own; `use` makes arguments of its folder. */
async function run(use: (folder: string) => Promise<string[]>) {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-telemetry-'));
  try {
    const { ORT_DISABLE_TELEMETRY: _, XDG_CACHE_HOME: __, ...env } = process.env;
    const home = { HOME: folder, FRAMEHOUND_HOME: join(folder, 'framehound') };
    const child = spawn(process.execPath, ['--no-warnings', ...(await use(folder))], {
      env: { ...env, ...home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        said += text;
      });
    }
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve([code, signal]));
    });
    return { code, signal, said, wrote: existsSync(join(folder, '.cache', 'Microsoft')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a search with an argument of 15,000 bytes writes no telemetry and does not crash', linux, async () => {
  const { signal, said, wrote } = await run(async () => [file('cli/framehound.ts'), 'search', longArgument]);
  assert.deepEqual({ signal, wrote }, { signal: null, wrote: false }, said);
});

test('an analysis of 300 paths writes no telemetry and does not crash', linux, async () => {
  const { code, signal, said, wrote } = await run(async (folder) => {
    const path = join(folder, 'a-picture-with-a-name-of-some-length.png');
    await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } }).toFile(path);
    return [file('cli/framehound.ts'), 'analyze', ...Array.from({ length: 300 }, () => path)];
  });
  assert.deepEqual({ code, signal, wrote }, { code: 0, signal: null, wrote: false }, said);
});

test('a program that starts the engine itself writes no telemetry and does not crash', linux, async () => {
  const { code, signal, said, wrote } = await run(async (folder) => {
    const program = join(folder, 'program.mjs');
    writeFileSync(program, embedding);
    return [program, longArgument];
  });
  assert.deepEqual(
    { code, signal, said, wrote },
    { code: 0, signal: null, said: 'model loaded', wrote: false },
  );
});

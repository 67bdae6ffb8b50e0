import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeCommand } from '../node-command.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const folder = temporaryFolder();
const cli = fileURLToPath(new URL('../../cli/framehound.ts', import.meta.url));
/** Writes the address of every module that is loaded, in every thread, to a file. */
const hook = `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load: (url, context, next) => {
    appendFileSync(process.env.LOADED_MODULES, url + '\\n');
    return next(url, context);
  },
});
`;
const hookFile = join(folder, 'hook.mjs');
writeFileSync(hookFile, hook);

const native = /node_modules\/(onnxruntime-node|node-av|sharp|lmdb|pg|@uwsjs|@seydx|@img|@lmdb)\/|\.node$/;
const media = /node_modules\/(onnxruntime-node|node-av|sharp|pg|@uwsjs|@seydx|@img)\//;
const model = /actors\/(embedder|things|faces|text-reader|transcriber|diarizer|summarizer)\/actor\.ts$/;

/** Modules that the command loads before it ends. */
async function loadedBy(name: string, ...args: string[]): Promise<string[]> {
  const file = join(folder, `${name}.txt`);
  writeFileSync(file, '');
  const [node, ...before] = nodeCommand;
  const env = { ...process.env, LOADED_MODULES: file, FRAMEHOUND_HOME: join(folder, 'home') };
  const child = spawn(node, [...before, '--import', hookFile, cli, ...args], { env, stdio: 'ignore' });
  await once(child, 'exit');
  const urls = readFileSync(file, 'utf8').trim().split('\n');
  assert.ok(
    urls.some((url) => url.endsWith('/cli/framehound.ts')),
    `${name} did not run`,
  );
  return urls;
}

test('help and the list of models load no model and no native package', async () => {
  for (const args of [['help'], ['help', 'search'], ['models', 'list']]) {
    const urls = await loadedBy(args.join('-'), ...args);
    assert.deepEqual(
      urls.filter((url) => native.test(url) || model.test(url)),
      [],
    );
  }
});

test('a search that asks a service loads no model and no native package', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(401, { 'Content-Type': 'application/json' });
    response.end('{"error":"Authentication required","message":"A key is needed"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const urls = await loadedBy('search', 'search', 'car', '--server', `http://127.0.0.1:${port}`);
  server.close();
  assert.notEqual(asked.length, 0);
  assert.deepEqual(
    urls.filter((url) => native.test(url) || model.test(url)),
    [],
  );
});

test('without a service the list of a library loads the store alone, and a search by words no model runtime', async () => {
  const list = await loadedBy('list', 'list');
  assert.deepEqual(
    list.filter((url) => media.test(url) || model.test(url)),
    [],
  );
  const search = await loadedBy('search-here', 'search', 'car');
  assert.deepEqual(
    search.filter((url) => media.test(url)),
    [],
  );
});

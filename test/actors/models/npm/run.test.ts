import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { npmError } from '../../../../actors/models/npm/package.ts';
import { npmProgram, withoutOuterNpm } from '../../../../runtime/process/npm.mjs';

test('of what npm prints the code and the first line that says something are told', () => {
  const refused = `npm error code ECONNREFUSED
npm error syscall connect
npm error errno ECONNREFUSED
npm error FetchError: request to http://127.0.0.1:9/a failed, reason: connect ECONNREFUSED 127.0.0.1:9
npm error     at ClientRequest.<anonymous> (index.js:130:14)
npm error A complete log of this run can be found in: /tmp/a-debug-0.log
`;
  assert.deepEqual(npmError(refused), {
    code: 'ECONNREFUSED',
    text: 'FetchError: request to http://127.0.0.1:9/a failed, reason: connect ECONNREFUSED 127.0.0.1:9',
  });
  const absent = 'npm ERR! code E404\nnpm ERR! 404 Not Found - GET http://r/a\nnpm ERR! 404\n';
  assert.deepEqual(npmError(absent), { code: 'E404', text: 'Not Found - GET http://r/a' });
  assert.deepEqual(npmError('Segmentation fault\n'), { code: '', text: '' });
});

test('npm is started by its name, and on Windows by the script beside it, which needs no shell', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'npm-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js');
  mkdirSync(join(script, '..'), { recursive: true });
  writeFileSync(script, '');
  const env = { Path: ['/nowhere', folder].join(delimiter) };
  assert.deepEqual(npmProgram(env, 'linux'), { command: 'npm', args: [] });
  assert.deepEqual(npmProgram(env, 'win32'), { command: process.execPath, args: [script] });
  assert.deepEqual(npmProgram({ Path: '/nowhere' }, 'win32'), { command: 'npm', args: [] });
});

test('another npm keeps registry and proxy of the one above, and not where that one installs', () => {
  const kept = { npm_config_registry: 'http://r/', npm_config_https_proxy: 'http://p/', PATH: '/bin' };
  const outer = {
    npm_config_global: 'true',
    npm_config_prefix: '/usr',
    npm_package_name: 'a',
    npm_command: 'exec',
  };
  assert.deepEqual(withoutOuterNpm({ ...kept, ...outer }), kept);
});

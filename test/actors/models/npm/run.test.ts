import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

test('the JavaScript of npm runs under the Node that is asked for, and a command that is none by its name', (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'npm-')));
  t.after(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js');
  mkdirSync(join(script, '..'), { recursive: true });
  writeFileSync(script, '');
  const env = { Path: ['/nowhere', folder].join(delimiter) };
  const byName = { command: 'npm', args: [] };
  assert.deepEqual(npmProgram(env, 'linux'), byName);
  assert.deepEqual(npmProgram(env, 'win32'), { command: process.execPath, args: [script] });
  assert.deepEqual(npmProgram({ Path: '/nowhere' }, 'win32'), byName);
  // Started by npm, of which only the process knows where it is.
  const started = { Path: '/nowhere', npm_execpath: join(script, '..', 'npx-cli.js') };
  assert.deepEqual(npmProgram(started, 'win32', 'node'), { command: 'node', args: [script] });
  if (process.platform === 'win32') return;
  symlinkSync(script, join(folder, 'npm'));
  assert.deepEqual(npmProgram(env, 'linux', '/pinned/node'), { command: '/pinned/node', args: [script] });
  // The first one in the path decides, also when it is the command of a version manager.
  mkdirSync(join(folder, 'manager'));
  writeFileSync(join(folder, 'manager', 'npm'), '#!/bin/sh');
  assert.deepEqual(npmProgram({ PATH: [join(folder, 'manager'), folder].join(delimiter) }, 'linux'), byName);
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

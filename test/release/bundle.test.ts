// The bundle as somebody gets it on a machine without network, Node and npm: unpacked, and run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { temporaryFolder } from '../temporary-folder.ts';
import { packageFiles } from './package-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const place = temporaryFolder();

const windows = process.platform === 'win32';
const noRegistry = /E(NOTFOUND|CONNREFUSED|CONNRESET|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTCACHED)\b/;

/** No Node in the path, and every way to a registry or a model leads nowhere. */
const offline = {
  PATH: windows ? 'C:\\Windows\\System32' : join(place, 'bin'),
  HOME: join(place, 'home'),
  USERPROFILE: join(place, 'home'),
  ...Object.fromEntries(
    ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'npm_config_registry'].map((name) => [
      name,
      'http://127.0.0.1:9',
    ]),
  ),
};

test('a bundle that was unpacked analyses a still without network', async (t) => {
  for (const folder of ['bin', 'home', 'media', 'to']) mkdirSync(join(place, folder));
  if (!windows)
    for (const name of ['dirname', 'readlink']) symlinkSync(`/usr/bin/${name}`, join(place, 'bin', name));
  const made = spawnSync(process.execPath, [join(root, '.ci', 'bundle.mjs'), '--to', join(place, 'to')], {
    encoding: 'utf8',
  });
  if (made.status !== 0 && noRegistry.test(made.stderr)) return t.skip('the package registry is not reached');
  assert.equal(made.status, 0, made.stderr);
  const [archive, ...more] = readdirSync(join(place, 'to'));
  assert.deepEqual(more, []);
  assert.equal(spawnSync('tar', ['-xzf', join(place, 'to', archive!)], { cwd: place }).status, 0);
  const folder = join(place, archive!.replace(/\.tgz$/, ''));
  const run = (...args: string[]) => {
    const command = join(folder, windows ? 'framehound.cmd' : 'framehound');
    const options = { env: offline, encoding: 'utf8', cwd: place, shell: windows } as const;
    const { status, stdout, stderr } = spawnSync(command, args, options);
    assert.equal(status, 0, `${args.join(' ')}: ${stderr}`);
    return { out: stdout, err: stderr };
  };
  const before = packageFiles(folder);
  assert.doesNotMatch(run('doctor').err, /installing what is missing/);
  const picture = join(place, 'media', 'blue.png');
  await sharp({ create: { width: 320, height: 200, channels: 3, background: '#1040e0' } }).toFile(picture);
  run('analyze', join(place, 'media'));
  const { matches } = JSON.parse(run('search', 'blue', '--json').out) as {
    matches: { video_path: string }[];
  };
  assert.deepEqual(
    matches.map(({ video_path }) => video_path),
    [picture],
  );
  assert.deepEqual(packageFiles(folder), before);
});

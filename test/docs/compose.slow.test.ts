// The recipe for a cluster in containers, as far as it can be checked without a network and images.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { settings } from '../../settings.ts';

const recipes = fileURLToPath(new URL('../../docs/operations/', import.meta.url));
const composePath = join(recipes, 'compose.yaml');
const composer = [
  ['docker', 'compose'],
  ['docker-compose', ''],
].find(([program, action]) => spawnSync(program!, [action!, 'version'].filter(Boolean)).status === 0);

/** Names of environment variables that settings are read from. */
const variables: ReadonlySet<string> = new Set(Object.values(settings).map(({ env }) => env ?? ''));

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: object;
}

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly depends_on?: object;
}

test('the compose file starts a database, a front and workers, with settings that exist', () => {
  const file = parse(readFileSync(composePath, 'utf8'), { merge: true }) as ComposeFile;
  const { database, front, worker, ...others } = file.services;
  assert.deepEqual(others, {});
  const named = [front, worker].map((service) => Object.keys(service!.environment));
  for (const name of named.flat()) assert.ok(variables.has(name), name);
  assert.deepEqual(
    [front, worker].map((service) => service!.environment['FRAMEHOUND_ROLES']),
    ['front', 'worker'],
  );
  const { FRAMEHOUND_CLUSTER: url } = front!.environment;
  assert.match(
    url!,
    /^postgres:\/\/framehound:\$\{FRAMEHOUND_DATABASE_PASSWORD:\?[^}]+\}@database\/framehound$/,
  );
  const { POSTGRES_USER: user, POSTGRES_DB: name } = database!.environment;
  assert.deepEqual([user, name], ['framehound', 'framehound']);
  // Every volume that is used is declared; two workers with one home folder would be one node.
  const mounted = [database, front, worker].flatMap((service) => service!.volumes);
  const volumes = mounted.map((one) => one.split(':')[0]!).filter((one) => /^\w+$/.test(one));
  assert.deepEqual(new Set(volumes), new Set(Object.keys(file.volumes)));
  assert.ok(!worker!.volumes.some((one) => one.endsWith(':/data')));
  const image = readFileSync(join(recipes, 'Containerfile'), 'utf8');
  assert.match(image, /^VOLUME \/data$/m);
});

test('the compose file is one, and asks for what it needs', {
  skip: !composer && 'Docker Compose is not on this machine',
}, () => {
  const [program, action] = composer!;
  const read = (more: Record<string, string>) => {
    const args = [action!, '-f', composePath, 'config', '--quiet'].filter(Boolean);
    const env = { PATH: process.env['PATH'], HOME: tmpdir(), ...more };
    return spawnSync(program!, args, { encoding: 'utf8', env });
  };
  const needed = {
    FRAMEHOUND_DATABASE_PASSWORD: 'secret',
    FRAMEHOUND_FOOTAGE: '/srv/footage',
    FRAMEHOUND_SHARED: '/srv/framehound',
  };
  const { status, stderr } = read(needed);
  assert.equal(status, 0, stderr);
  const without = read({ ...needed, FRAMEHOUND_FOOTAGE: '' });
  assert.notEqual(without.status, 0);
  assert.match(without.stderr, /is the folder of the footage/);
});

// The recipes for services, as far as they can be checked without the system that they are for.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { create } from 'xmlbuilder2';
import { settings } from '../../settings.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const page = readFileSync(join(docs, 'operations.md'), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

const unitOfPage = () => /^```ini\n([\s\S]+?)^```/m.exec(page)![1]!;
const unitOfNode = () => readFileSync(join(docs, 'operations', 'framehound@.service'), 'utf8');

/** Names of environment variables that settings are read from. */
const variables: ReadonlySet<string> = new Set(Object.values(settings).map(({ env }) => env ?? ''));

test('the units of systemd are some', { skip: !hasSystemd && 'systemd is not on this machine' }, (t) => {
  const folder = temporaryFolder(t);
  const units = { 'framehound.service': unitOfPage(), 'framehound@.service': unitOfNode() };
  for (const [name, unit] of Object.entries(units)) {
    const path = join(folder, name);
    writeFileSync(path, unit);
    // Manual pages and a user that this machine lacks are no faults of the unit.
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
    const faults = verified.stderr.split('\n').filter((line) => line.includes('framehound'));
    assert.deepEqual([verified.status, faults], [0, []], verified.stderr);
  }
});

test('the unit of a node of a cluster is that of a service, with settings that exist', () => {
  const said = (unit: string) => unit.split('\n').filter((line) => /^\w+=/.test(line));
  const [one, node] = [said(unitOfPage()), said(unitOfNode())];
  const missing = one.filter((line) => !node.includes(line) && !/^(Description|After)=/.test(line));
  assert.deepEqual(missing, []);
  const named = [...unitOfNode().matchAll(/FRAMEHOUND_\w+/g)].map(([name]) => name);
  assert.deepEqual(
    named.filter((name) => !variables.has(name)),
    [],
  );
  assert.ok(node.includes('Environment=FRAMEHOUND_ROLES=%i'));
});

test('the agent of launchd is a property list of keys that launchd knows', () => {
  const text = readFileSync(join(docs, 'operations', 'framehound.plist'), 'utf8');
  create(text);
  const [, outer] = /<plist[^>]*>\s*<dict>([\s\S]*)<\/dict>\s*<\/plist>/.exec(text)!;
  const keys = outer!.replace(/<dict>[\s\S]*?<\/dict>/g, '').matchAll(/<key>(\w+)<\/key>/g);
  // man launchd.plist
  const known = [
    ...['Label', 'ProgramArguments', 'EnvironmentVariables', 'RunAtLoad', 'KeepAlive', 'ThrottleInterval'],
    ...['ExitTimeOut', 'ProcessType', 'SoftResourceLimits', 'StandardErrorPath'],
  ];
  assert.deepEqual(
    Array.from(keys, ([, key]) => key),
    known,
  );
  // In every dictionary a key and a value take turns.
  for (const [, inside] of text.matchAll(/<dict>((?:(?!<dict>)[\s\S])*?)<\/dict>/g)) {
    const plain = inside!.replace(/<!--[\s\S]*?-->/g, '');
    const names = [...plain.matchAll(/<(key|string|integer|true|false)\b/g)].map(
      ([, name]) => name === 'key',
    );
    assert.deepEqual(
      names,
      names.map((_, i) => i % 2 === 0),
    );
  }
  assert.match(text, /<string>serve<\/string>/);
});

test('the task of Windows has the elements of its schema, and stops by itself only', () => {
  const text = readFileSync(join(docs, 'operations', 'framehound-task.xml'), 'utf8');
  const { Task } = create(text).toObject() as unknown as { Task: Record<string, Record<string, unknown>> };
  const elements = Object.keys(Task).filter((name) => !name.startsWith('@'));
  assert.deepEqual(elements, ['RegistrationInfo', 'Triggers', 'Principals', 'Settings', 'Actions']);
  assert.equal(Task['@xmlns'], 'http://schemas.microsoft.com/windows/2004/02/mit/task');
  // After three days a task would be ended, were there no limit of none.
  assert.equal(Task['Settings']!['ExecutionTimeLimit'], 'PT0S');
  const { Command, Arguments } = Task['Actions']!['Exec'] as Record<string, string>;
  assert.match(Command!, /\\framehound\.cmd$/);
  assert.equal(Arguments, 'serve');
  assert.ok(page.includes('framehound.cmd stop'));
});

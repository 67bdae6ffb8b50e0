// The recipes for services, as far as they can be checked without the system that they are for.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { create } from 'xmlbuilder2';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const page = readFileSync(join(docs, 'operations.md'), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test('the unit of systemd is one', { skip: !hasSystemd && 'systemd is not on this machine' }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-unit-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [, unit] = /^```ini\n([\s\S]+?)^```/m.exec(page)!;
  const path = join(folder, 'framehound.service');
  writeFileSync(path, unit!);
  // Manual pages and a user that this machine lacks are no faults of the unit.
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
  const faults = stderr.split('\n').filter((line) => line.includes('framehound.service'));
  assert.deepEqual([status, faults], [0, []], stderr);
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

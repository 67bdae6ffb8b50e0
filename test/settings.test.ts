import assert from 'node:assert/strict';
import test from 'node:test';
import { resolveConfig } from '../runtime/config.ts';
import { engineErrors } from '../runtime/errors.ts';
import { folders, settings } from '../settings.ts';

test('a list is parted by commas in text and stands as a list in config.json', () => {
  const names = { hosts: settings.hosts };
  const read = (env: string | undefined, file: Record<string, unknown> = {}) =>
    resolveConfig(names, { flags: {}, env: { FRAMEHOUND_HOSTS: env }, file }).values.hosts;
  assert.deepEqual(read(' a.example , b:1 ,'), ['a.example', 'b:1']);
  assert.deepEqual(read(undefined, { hosts: ['a'] }), ['a']);
  assert.deepEqual(read(undefined), []);
  assert.throws(() => read(undefined, { hosts: 'a' }), /config.json: hosts must be an array, not a/);
});

test('settings of the service refuse what cannot be meant', () => {
  const cases = [
    ['FRAMEHOUND_ORIGINS', '*'],
    ['FRAMEHOUND_ORIGINS', 'https://a.example/page'],
    ['FRAMEHOUND_LICENSE_URL', 'ftp://a.example'],
    ['FRAMEHOUND_PORT', '65536'],
    ['FRAMEHOUND_PORT', '66x'],
    ['FRAMEHOUND_WATCH_INTERVAL_SECONDS', '0.5'],
  ] as const;
  for (const [name, value] of cases) {
    const read = () => resolveConfig(settings, { flags: {}, env: { [name]: value }, file: {} });
    assert.throws(read, engineErrors.INVALID_CONFIG.is, `${name}=${value}`);
  }
});

test('a setting that is true or false is read from text, and nothing else is taken for one', () => {
  const read = (text: string) =>
    resolveConfig(settings, { flags: {}, env: { FRAMEHOUND_WATCH_RESUME: text }, file: {} }).values
      .watch_resume;
  assert.deepEqual(['true', 'false', '1', '0', ''].map(read), [true, false, true, false, true]);
  for (const text of ['no', '2', 'off'])
    assert.throws(() => read(text), /FRAMEHOUND_WATCH_RESUME must be true or false, not/, text);
});

test('the defaults of every setting fit their own schema', () => {
  const file = Object.fromEntries(Object.entries(settings).map(([key, { fallback }]) => [key, fallback]));
  const { values } = resolveConfig(settings, { flags: {}, env: {}, file });
  assert.match(folders(values).cache, /\.framehound[/\\]analysis$/);
});

test('a device may be followed by the number of a card, where it has cards', () => {
  const read = (text: string) =>
    resolveConfig(settings, { flags: {}, env: { FRAMEHOUND_DEVICE: text }, file: {} }).values.device;
  for (const text of ['auto', 'cuda:1', 'auto:0', 'dml:12'] as const) assert.equal(read(text), text);
  for (const text of ['cuda:x', 'cpu:1', 'coreml:1', 'cuda:', 'cuda:100'])
    assert.throws(
      () => read(text),
      /FRAMEHOUND_DEVICE must be one of auto, .+, coreml, or one with a number such as cuda:1, not/,
      text,
    );
});

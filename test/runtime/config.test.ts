import assert from 'node:assert/strict';
import test from 'node:test';
import { Type } from 'typebox';
import { resolveConfig, setting } from '../../runtime/config.ts';
import { engineErrors } from '../../runtime/errors.ts';

const declared = {
  port: setting(Type.Integer({ minimum: 1, maximum: 65_535 }), {
    fallback: 6699,
    env: 'T_PORT',
    flag: 'port',
    doc: '',
  }),
  mode: setting(Type.Union([Type.Literal('a'), Type.Literal('b')]), {
    fallback: 'a',
    env: 'T_MODE',
    doc: '',
  }),
};

test('a value comes from the flag, else the environment, else config.json, else the default', () => {
  const flags = { port: '1' };
  const env = { T_PORT: '2', T_MODE: 'b' };
  const file = { port: 3 };
  const nothing = { flags: {}, env: {}, file: {} };
  const table = [
    [{ flags, env, file }, 1, 'flag'],
    [{ flags: {}, env, file }, 2, 'environment'],
    [{ ...nothing, file }, 3, 'config.json'],
    [nothing, 6699, 'default'],
    [{ ...nothing, env: { T_PORT: '' } }, 6699, 'default'],
  ] as const;
  for (const [given, value, source] of table) {
    const config = resolveConfig(declared, given);
    assert.deepEqual([config.values.port, config.sources.port], [value, source]);
  }
});

test('an impossible value names the setting and its source', () => {
  const cases = [
    [{ flags: { port: 'x' }, env: {}, file: {} }, /^--port must be a whole number, not x$/],
    [{ flags: {}, env: { T_PORT: '0' }, file: {} }, /^T_PORT must be at least 1, not 0$/],
    [{ flags: {}, env: { T_MODE: 'c' }, file: {} }, /^T_MODE must be one of .*, not c$/],
    [{ flags: {}, env: {}, file: { port: '3' } }, /^config.json: port must be a whole number, not 3$/],
    [{ flags: {}, env: {}, file: { prot: 3 } }, /unknown setting "prot"/],
  ] as const;
  for (const [given, message] of cases) {
    assert.throws(
      () => resolveConfig(declared, given),
      (error) => engineErrors.INVALID_CONFIG.is(error) && message.test(error.message),
    );
  }
});

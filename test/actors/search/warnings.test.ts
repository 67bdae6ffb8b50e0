import assert from 'node:assert/strict';
import test from 'node:test';
import { warning } from '../../../actors/search/warnings.ts';

test('a warning names what was not understood, and there is none when nothing is missing', () => {
  assert.deepEqual(
    warning({
      nothingUnderstood: false,
      gone: [],
      changed: [],
      unknownWords: [],
      missing: [],
      unloaded: [],
      unreadable: [],
      fallbackFrom: null,
      noPreview: 0,
    }),
    {},
  );
  const { toast_warning } = warning({
    nothingUnderstood: false,
    gone: ['/g'],
    changed: ['/new'],
    unknownWords: ['car'],
    missing: ['/a'],
    unloaded: ['/b', '/c', '/d', '/e', '/f', '/x', '/y'],
    unreadable: ['h'],
    fallbackFrom: 'big',
    noPreview: 2,
  });
  assert.match(toast_warning ?? '', /big.*car.*\/a.*loaded: \/b, .* and 2 more.*\/new.*h.*2/);
});

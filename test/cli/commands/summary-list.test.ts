import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerptOf } from '../../../cli/commands/summary.ts';

const part = (text_preview: string) => excerptOf({ text_preview, preview_truncated: true });

test('a part of a text shows where it is cut', () => {
  assert.equal(
    part('that come again: “car”. The gardener cuts tu'),
    '…that come again: “car”. The gardener cuts tu…',
  );
  assert.equal(part('A forest. No speech.'), 'A forest. No speech.');
  assert.equal(part('“Snow lies until June.” (27:31). The'), '“Snow lies until June.” (27:31). The…');
  assert.equal(part('橋は川へ落ちた。誰も'), '橋は川へ落ちた。誰も…');
  assert.equal(excerptOf({ text_preview: 'a forest', preview_truncated: false }), 'a forest');
});

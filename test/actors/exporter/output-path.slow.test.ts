import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { fileName, safeName } from '../../../actors/exporter/output-path.ts';

const names: [string, string][] = [
  ['Interview', 'Interview'],
  ['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['  .hidden. ', 'hidden'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ['lpt9 .x', '_lpt9 .x'],
  ['conout$', '_conout$'],
  ['\u200b', 'transcript'],
  ['end.\u200b', 'end'],
  ['\u202efdp.exe', 'fdp.exe'],
  ['a\0b\nc', 'a b c'],
  ['...', 'transcript'],
  ['', 'transcript'],
  ['日本', '日本'],
];
for (const [given, name] of names) {
  test(`a document called ${JSON.stringify(given)} is the file ${name}`, () =>
    assert.equal(safeName(given), name));
}

test('any name becomes safe and short, and stays as it is a second time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
      const name = fileName(given, 'pdf');
      assert.ok(Buffer.byteLength(name) <= 210);
      assert.doesNotMatch(name, /[<>:"/\\|?*\p{Cc}]|^[. ]/u);
      assert.ok(name.endsWith('.pdf') || name.toLowerCase().endsWith('.pdf'));
      assert.equal(safeName(safeName(given)), safeName(given));
    }),
  );
  assert.equal(fileName('a.PDF', 'pdf'), 'a.PDF');
});

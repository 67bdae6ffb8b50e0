import assert from 'node:assert/strict';
import test from 'node:test';
import { update } from '../../../../../../http/page/app/store.ts';
import { copiesText } from '../../../../../../http/page/app/views/search/group-head.ts';

test('two other files of the same content are named and further ones are counted, in both languages', (t) => {
  t.after(() => update({ language: 'en' }));
  const of = (...other_paths: string[]) => copiesText({ other_paths });
  assert.equal(copiesText({}), '');
  assert.equal(of('/b.mp4'), 'Also at /b.mp4');
  assert.equal(of('/b.mp4', '/c.mp4'), 'Also at /b.mp4, /c.mp4');
  assert.equal(of('/b', '/c', '/d', '/e'), 'Also at /b, /c and 2 more');
  update({ language: 'de' });
  assert.equal(of('/b', '/c', '/d'), 'Auch unter /b, /c und 1 weiteren');
});

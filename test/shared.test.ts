import assert from 'node:assert/strict';
import { basename, join, relative } from 'node:path';
import test from 'node:test';
import { sharedPath, skipWithout } from './shared.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('nothing is skipped when all is there; else the highest folder that is missing is the reason', (t) => {
  const folder = temporaryFolder(t);
  assert.equal(basename(sharedPath('media')), 'media');
  const here = relative(sharedPath(''), folder);
  const reason = (name: string) => skipWithout(here, join(here, name));
  // A checkout without ../shared lacks all of it.
  if (!skipWithout('')) {
    assert.equal(skipWithout(here), false);
    const missing = join('../shared', here, 'none');
    assert.equal(reason('none/of/it'), `needs ${missing}, which is not here`);
  } else assert.equal(reason('none'), 'needs ../shared, which is not here');
});

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { facesFor, fontFolders } from '../../../actors/exporter/fonts.ts';

const folder = await mkdtemp(join(tmpdir(), 'fonts-'));
after(() => rm(folder, { recursive: true, force: true }));

test('characters that no font has are answered; the bundled font has those of Europe', () => {
  const own = new Set('aéßñŁžőαωЯжіңאب…—“€');
  assert.deepEqual(facesFor(own, []).missing, []);
  const { faces, missing, of } = facesFor(new Set('a語ส'), []);
  assert.deepEqual(missing, ['語', 'ส']);
  assert.equal(faces.length, 1);
  assert.equal(of('語'), 0);
});

test('files that are no fonts are skipped', async () => {
  const place = join(folder, 'fonts');
  await mkdir(place);
  await writeFile(join(place, 'NotoSansCJK-Regular.ttc'), 'ttcf no font at all');
  await writeFile(join(place, 'empty.ttf'), '');
  assert.deepEqual(facesFor(new Set('語'), [place, join(folder, 'nowhere')]).missing, ['語']);
});

test('every system has its font folders', () => {
  assert.ok(fontFolders({ HOME: '/home/a', XDG_DATA_DIRS: '/x/share' }, 'linux').includes('/x/share/fonts'));
  assert.ok(fontFolders({ HOME: '/Users/a' }, 'darwin').includes('/System/Library/Fonts'));
  assert.match(fontFolders({ WINDIR: 'C:/W', LOCALAPPDATA: 'C:/L' }, 'win32').join(), /C:.W.Fonts,C:.L/);
});

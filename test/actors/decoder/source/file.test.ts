import assert from 'node:assert/strict';
import { appendFile, copyFile, mkdtemp, rename, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { mediaError } from '../../../../actors/decoder/ffmpeg.ts';
import { cannotOpen } from '../../../../actors/decoder/source/file.ts';
import { frameItems, turnFor } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';

const clip = clips.find(({ name }) => name === 'H.264, GOP 250')!;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'framehound-stamp-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function copied(name: string): Promise<string> {
  const path = join(folder, name);
  await copyFile(await clip.make(), path);
  return path;
}

test('a file that grows, is replaced or deleted meanwhile is FILE_CHANGED', async () => {
  const changes: readonly ((path: string) => Promise<void>)[] = [
    (path) => appendFile(path, 'more'),
    (path) => unlink(path),
    async (path) => rename(await copied('other.mp4'), path),
  ];
  for (const change of changes) {
    const path = await copied('film.mp4');
    const all = (async () => {
      for await (const { frame_index } of frameItems({ path }, turnFor())) {
        if (frame_index === 1) await change(path);
      }
    })();
    await assert.rejects(all, { code: 'FILE_CHANGED', message: /film\.mp4/ });
  }
});

test('a file that cannot be opened because too many are open is not called unreadable or damaged', () => {
  const { TOO_MANY_FILES, FILE_UNREADABLE } = mediaErrors;
  for (const [code, row] of [
    ['EMFILE', TOO_MANY_FILES],
    ['ENFILE', TOO_MANY_FILES],
    ['EACCES', FILE_UNREADABLE],
  ] as const) {
    const error = cannotOpen('/film', Object.assign(new Error(code), { code }));
    assert.ok(row.is(error), code);
    assert.equal(error.retryable, row === TOO_MANY_FILES);
    assert.match(error.message, /\/film: .*E/);
  }
  // As FFmpeg says EMFILE on Linux and macOS.
  const emfile = -24;
  assert.ok(TOO_MANY_FILES.is(mediaError(emfile, '/film', 'cannot be opened')));
});

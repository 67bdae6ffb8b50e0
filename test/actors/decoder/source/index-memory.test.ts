import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AVFMT_FLAG_IGNIDX } from '../../../../actors/decoder/ffmpeg.ts';
import { openSource } from '../../../../actors/decoder/source/source.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { TestTurn } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';
import { box, u32 } from '../footage/heif.ts';
import { fragment, promisingFilm } from '../footage/promising-film.ts';

const folder = temporaryFolder();

/** `length`: zeros follow the film up to it. */
function written(name: string, film: Buffer, length = film.length): string {
  const path = join(folder, name);
  writeFileSync(path, film);
  truncateSync(path, length);
  return path;
}

test('a film that promises more than its bytes can hold is refused by name before FFmpeg reads it', async () => {
  const film = promisingFilm({ samples: 80e6 });
  const path = written('promise.mp4', film);
  await assert.rejects(openSource(path, { turn: new TestTurn(0) }), {
    code: 'NOT_MEDIA',
    message: `${path}: it is damaged: it declares 80000000 samples of one size (stsz), more than fit in its ${film.length} bytes`,
  });
});

test('an index above the budget is refused by name, with the setting', async () => {
  const path = written('large.mp4', promisingFilm({ samples: 80e6 }), 2 ** 30);
  await assert.rejects(openSource(path, { turn: new TestTurn(0) }), {
    code: 'TOO_LARGE',
    message:
      /large\.mp4: the index of the 80000000 samples that it declares needs about 2747 MB .* still_memory_mb allows 2048$/,
  });
});

test('memory for a long index is held until the film is closed, once for all sources of a turn', async () => {
  const path = written('long.mp4', promisingFilm({ samples: 2.5e6 }), 2.6e6);
  const turn = new TestTurn(0);
  const first = await openSource(path, { turn });
  const held = turn.reserved;
  assert.ok(held > 8e7);
  (await openSource(path, { turn })).close();
  assert.equal(turn.reserved, held);
  first.close();
  assert.equal(turn.reserved, 0);
});

test('memory for the index of a film that cannot be opened is given back', async () => {
  const path = written('broken.mp4', Buffer.concat([box('ftyp', u32(0), u32(0)), fragment(2e6)]), 2.1e6);
  const turn = new TestTurn(0);
  await assert.rejects(openSource(path, { turn }), { code: 'NOT_MEDIA' });
  assert.equal(turn.mostReserved, 2e6 * 36);
  assert.equal(turn.reserved, 0);
});

test('an ordinary film reserves nothing', async () => {
  const turn = new TestTurn(0);
  const source = await openSource(await clips.find(({ name }) => name === 'one frame')!.make(), { turn });
  source.close();
  assert.equal(turn.mostReserved, 0);
});

test('the list of keyframes in Flash video is left alone: FFmpeg takes memory for as many as it promises', async () => {
  const path = await clips.find(({ name }) => name === 'H.264 in Flash video')!.make();
  const source = await openSource(path, { turn: new TestTurn(0) });
  assert.ok(source.format.hasFlags(AVFMT_FLAG_IGNIDX));
  source.close();
});

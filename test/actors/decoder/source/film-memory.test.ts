import assert from 'node:assert/strict';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { avGetPixFmtFromName, Codec, FormatContext } from '../../../../actors/decoder/ffmpeg.ts';
import { FilmMemory } from '../../../../actors/decoder/source/film-memory.ts';
import { openSource } from '../../../../actors/decoder/source/source.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { TestTurn } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';
import { attachments, ebml, element, segment } from '../footage/matroska.ts';

const folder = temporaryFolder();
const idOf = (codec: string) => Codec.findDecoderByName(codec as never)!.id;
const plainClip = () => clips.find(({ name }) => name === 'one frame')!.make();

/** The clip whose header states another size, 2 bytes each, in its sample description. */
async function clipOfSize(name: string, width: number, height: number): Promise<string> {
  const bytes = readFileSync(await plainClip());
  const entry = bytes.indexOf('avc1', bytes.indexOf('stsd'));
  assert.ok(entry > 0);
  bytes.writeUInt16BE(width, entry + 28);
  bytes.writeUInt16BE(height, entry + 30);
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

test('memory for large pictures is reserved while their streams are looked at', async () => {
  const path = await clipOfSize('large.mp4', 12_000, 12_000);
  const turn = new TestTurn(0);
  const source = await openSource(path, { turn });
  assert.equal(turn.mostReserved, 12_000 * 12_000 * 4);
  assert.equal(turn.reserved, 0);
  source.close();
});

test('pictures above the budget are refused by name, with their size', async () => {
  const path = await clipOfSize('above.mp4', 16_000, 16_000);
  const turn = new TestTurn(0);
  turn.memoryLimit = 2 ** 29;
  await assert.rejects(openSource(path, { turn }), {
    code: 'TOO_LARGE',
    message: /above\.mp4: its picture of 16000x16000 needs about 977 MB .* still_memory_mb allows 512$/,
  });
  assert.equal(turn.reserved, 0);
});

test('memory for pictures is held until the film is closed, more of it the more pictures a decoder holds', async () => {
  const path = await plainClip();
  const reservedFor = async (codec: string, further: number) => {
    const turn = new TestTurn(0);
    const film = await FilmMemory.ofIndex(path, statSync(path).size, turn);
    const codecpar = {
      width: 8192,
      height: 8192,
      format: avGetPixFmtFromName('yuv420p' as never),
      codecId: idOf(codec),
    };
    await film.forDecoding({ codecpar } as never, further);
    const { reserved } = turn;
    film.release();
    assert.equal(turn.reserved, 0);
    return reserved / (1.5 * 8192 * 8192);
  };
  assert.equal(await reservedFor('mjpeg', 0), 3);
  assert.equal(await reservedFor('h264', 0), 8);
  assert.equal(await reservedFor('h264', 8), 16);
  assert.equal(await reservedFor('jpeg2000', 0), 11);
});

test('a source that a turn opens beside one that holds memory goes without', async () => {
  const path = await clipOfSize('twice.mp4', 12_000, 12_000);
  const turn = new TestTurn(0);
  const film = await FilmMemory.ofIndex(path, statSync(path).size, turn);
  const codecpar = { width: 9000, height: 9000, format: -1, codecId: idOf('mjpeg') };
  await film.forDecoding({ codecpar } as never, 0);
  const { reserved } = turn;
  (await openSource(path, { turn })).close();
  assert.deepEqual([turn.reserved, turn.mostReserved], [reserved, reserved]);
  film.release();
});

test('memory for attached files is reserved before a Matroska film is opened', async () => {
  const attached = 30 * 2 ** 20;
  const path = join(folder, 'fonts.mkv');
  writeFileSync(
    path,
    Buffer.concat([element(ebml, 0), element(segment, attached + 12), element(attachments, attached)]),
  );
  truncateSync(path, 36 + attached);
  const turn = new TestTurn(0);
  await assert.rejects(openSource(path, { turn }), { code: 'NOT_MEDIA' });
  assert.deepEqual([turn.mostReserved, turn.reserved], [3 * attached, 0]);
});

test('a film with more streams of pictures than a multiplex has is refused by name', async () => {
  const path = join(folder, 'many.mkv');
  const clip = await clips.find(({ name }) => name === 'H.264 in Matroska with sound')!.make();
  const source = await openSource(clip, { turn: new TestTurn(0) });
  const film = new FormatContext();
  const { codecpar } = source.video!;
  const number = 65;
  assert.equal(film.allocOutputContext2(null, 'matroska', path), 0);
  for (let i = 0; i < number; i++) codecpar.copy(film.newStream().codecpar);
  film.openOutputSync();
  film.writeHeaderSync(null);
  const packet = source.next()!;
  film.writeFrameSync(packet);
  packet.free();
  film.writeTrailerSync();
  film.closeOutputSync();
  film.freeContext();
  source.close();
  await assert.rejects(openSource(path, { turn: new TestTurn(0) }), {
    code: 'TOO_LARGE',
    message: `${path}: has more than 64 streams of pictures`,
  });
});

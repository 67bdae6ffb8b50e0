import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AVDISCARD_ALL,
  AVERROR_EOF,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  type FormatContext,
  type Packet,
} from '../../../../actors/decoder/ffmpeg.ts';
import { Source } from '../../../../actors/decoder/source/source.ts';
import { engineErrors } from '../../../../runtime/errors.ts';

const GiB = 1024 ** 3;
const hours = 3600;

/**
 * A film of three streams as FFmpeg shows it: ten hours, milliseconds. `packets`: indexes of their streams.
 */
function film(container: string, bytes: number, packets: readonly number[] = []) {
  const types = [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_SUBTITLE];
  const streams = types.map((codecType, index) => ({
    index,
    disposition: 0,
    discard: 0,
    timeBase: { num: 1, den: 1000 },
    codecpar: { codecType, codecId: 0, extradata: null },
  }));
  const seeks: number[] = [];
  let at = 0;
  const format = {
    streams,
    findBestStream: () => 0,
    iformat: { name: container },
    duration: BigInt(10 * hours) * 1_000_000n,
    readFrameSync: (packet: { streamIndex: number }) => {
      while (streams[packets[at] ?? 0]?.discard === AVDISCARD_ALL && at < packets.length) at++;
      if (at >= packets.length) return AVERROR_EOF;
      packet.streamIndex = packets[at++]!;
      return 0;
    },
    seekFrameSync: (_index: number, to: bigint) => seeks.push(Number(to)),
  };
  let signs = 0;
  const turn = {
    alive: () => {},
    throwIfCancelled: () => {
      signs++;
      if (turn.cancelled) throw engineErrors.CANCELLED();
    },
    cancelled: false,
  };
  const source = new Source('/film', format as unknown as FormatContext, bytes, turn);
  return { source, streams, seeks, turn, signs: () => signs };
}

const packet = { streamIndex: -1, unref: () => {} };

test('a sparse stream of a large film is read with a sign of life for every packet of a dense one', () => {
  const packets = [...Array.from({ length: 5000 }, (_, i) => i % 2), 2];
  const { source, streams, signs, turn } = film('matroska,webm', 60 * GiB, packets);
  source.only([2]);
  assert.deepEqual(
    streams.map(({ discard }) => discard === AVDISCARD_ALL),
    [true, false, false],
  );
  assert.equal(source.read(packet as unknown as Packet), true);
  assert.equal(packet.streamIndex, 2);
  assert.ok(signs() > 2500);
  turn.cancelled = true;
  assert.throws(() => source.read(packet as unknown as Packet), engineErrors.CANCELLED.is);
});

test('a small film, and one whose container knows every packet, reads nothing but what is wanted', () => {
  for (const { source, streams } of [film('matroska,webm', GiB / 4), film('mov,mp4,m4a', 60 * GiB)]) {
    source.only([2]);
    assert.deepEqual(
      streams.map(({ discard }) => discard === AVDISCARD_ALL),
      [true, true, false],
    );
  }
});

test('a late place in a large film without an index is reached in steps of bounded size, once', () => {
  const { source, seeks, signs } = film('matroska,webm', 60 * GiB);
  const last = 9 * hours * 1000;
  assert.ok(source.seek(last));
  assert.equal(seeks.at(-1), last);
  assert.ok(seeks.length > 100 && seeks.length < 130, String(seeks.length));
  const most = Math.max(...seeks.map((to, i) => to - (seeks[i - 1] ?? 0)));
  assert.ok((most / (10 * hours * 1000)) * 60 <= 0.5, 'half a GiB at most');
  assert.ok(signs() >= seeks.length);
  const before = seeks.length;
  source.seek(last - 1000);
  assert.equal(seeks.length, before + 1);
});

test('a place in a container that is searched by halves, or in a small film, is reached at once', () => {
  for (const { source, seeks } of [
    film('mpegts', 60 * GiB),
    film('mov,mp4', 60 * GiB),
    film('matroska,webm', GiB / 4),
  ]) {
    source.seek(9 * hours * 1000);
    assert.equal(seeks.length, 1);
  }
});

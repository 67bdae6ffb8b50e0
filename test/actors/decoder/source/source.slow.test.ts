import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile, copyFile, rename, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import {
  AVDISCARD_ALL,
  AVERROR_EOF,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  type FormatContext,
  mediaError,
  type Packet,
} from '../../../../actors/decoder/ffmpeg.ts';
import { cannotOpen } from '../../../../actors/decoder/source/file.ts';
import { openSource, Source } from '../../../../actors/decoder/source/source.ts';
import { stillFormat } from '../../../../actors/decoder/source/still.ts';
import { frameRate } from '../../../../actors/decoder/source/stream.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askFrames, askProbe, frameItems, turnFor } from '../ask-decoder.ts';
import { clipFolder, stamped } from '../footage/clip.ts';
import { clips } from '../footage/clips.ts';
import { pyramid } from '../footage/codec-options.ts';

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

/** A transport stream that is tables alone: so many programs, each of so many streams. */
function tables(programs: number, streams: number): Buffer {
  const crc = (bytes: Buffer) => {
    let sum = 0xffffffff;
    for (const byte of bytes) {
      sum ^= byte << 24;
      for (let bit = 0; bit < 8; bit++) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
    }
    return sum >>> 0;
  };
  const packet = (pid: number, table: number, id: number, body: Buffer) => {
    const head = Buffer.of(table, 0xb0, body.length + 9, id >> 8, id & 255, 0xc1, 0, 0);
    const section = Buffer.concat([head, body, Buffer.alloc(4)]);
    section.writeUInt32BE(crc(section.subarray(0, -4)), section.length - 4);
    const start = Buffer.of(0x47, 0x40 | (pid >> 8), pid & 255, 0x10, 0);
    return Buffer.concat([start, section, Buffer.alloc(188 - start.length - section.length, 0xff)]);
  };
  const ids = Array.from({ length: programs }, (_, i) => i + 1);
  const listed = ids.map((id) =>
    packet(0, 0, 1, Buffer.of(id >> 8, id & 255, 0xe0 | ((id + 32) >> 8), (id + 32) & 255)),
  );
  const described = ids.map((id) => {
    const each = Array.from({ length: streams }, (_, i) => {
      const pid = 0x400 + id * streams + i;
      return [0x1b, 0xe0 | (pid >> 8), pid & 255, 0xf0, 0];
    });
    return packet(id + 32, 2, id, Buffer.from([0xe1, 0, 0xf0, 0, ...each.flat()]));
  });
  return Buffer.concat([...listed, ...described]);
}

test('a film with more programs or streams than any has is refused by that', async () => {
  const folder = temporaryFolder();
  for (const [programs, streams, message] of [
    [300, 1, /has more than 256 programs$/],
    [20, 15, /has more than 255 streams$/],
  ] as const) {
    const path = join(folder, `${programs}.ts`);
    writeFileSync(path, tables(programs, streams));
    await assert.rejects(openSource(path, { turn: turnFor() }), (error: Error) => {
      return mediaErrors.TOO_LARGE.is(error) && message.test(error.message) && error.message.startsWith(path);
    });
  }
});

test('a file that cannot be opened in time is refused by name, and a cancelled turn waits for none', async () => {
  const path = await clips[1]!.make();
  await assert.rejects(openSource(path, { turn: turnFor(), limitMs: 0 }), (error: Error) => {
    return mediaErrors.TOO_SLOW.is(error) && error.message.startsWith(`${path}: cannot be opened within 0 s`);
  });
  const turn = turnFor();
  const opening = openSource(path, { turn });
  turn.cancel();
  await assert.rejects(opening, engineErrors.CANCELLED.is);
});

test('a file that is a hole behind its head is refused as incomplete', async () => {
  const path = join(temporaryFolder(), 'hole.mp4');
  await copyFile(await clips[1]!.make(), path);
  await truncate(path, 600 * 2 ** 20);
  await assert.rejects(askProbe(path), (error: Error) => {
    return mediaErrors.INCOMPLETE.is(error) && /of its 629 MB are stored/.test(error.message);
  });
});

const options = { ...pyramid, g: '30' };
const encryption = {
  encryption_scheme: 'cenc-aes-ctr',
  encryption_key: '76a6c65c5ea762046bd749a2e632ccbb',
  encryption_kid: 'a7e61c373e219033c21091fa607bf3b8',
};
const clip = (file: string, container: object) =>
  stamped(file, { frames: 50, file, options, container: { ...encryption, ...container } });

test('an encrypted film is refused as that, wherever its header stands', async () => {
  for (const [file, container] of [
    ['encrypted.mp4', {}],
    ['encrypted-index-first.mp4', { movflags: 'faststart' }],
  ] as const) {
    const path = await clip(file, container).make();
    const { video } = await askProbe(path);
    assert.equal(video?.codec, 'h264', file);
    await assert.rejects(askFrames({ path }), (error: Error) => {
      assert.ok(mediaErrors.UNSUPPORTED_CODEC.is(error), error.message);
      assert.equal(error.message, `${path}: is encrypted (cenc)`);
      return true;
    });
  }
});

test('a header of an encrypted film that cannot be read is refused as that; other damage is not', async (t) => {
  const whole = await clip('encrypted-fragments.mp4', { movflags: 'frag_keyframe+empty_moov' }).make();
  const bytes = readFileSync(whole);
  const path = join(clipFolder, `encrypted-damaged-${process.pid}.mp4`);
  t.after(() => rmSync(path));
  // A table of initialisation vectors that says it holds more than it has bytes for.
  const table = bytes.indexOf('senc');
  assert.ok(table > 0);
  bytes.writeUInt32BE(0x10000, table + 8);
  writeFileSync(path, bytes);
  const text = await askProbe(path).then(() => 'read', String);
  assert.match(text, /is encrypted \(cenc\)/);
  bytes.write('xxxx', bytes.indexOf('schm'), 'latin1');
  writeFileSync(path, bytes);
  assert.doesNotMatch(await askProbe(path).then(() => 'read', String), /is encrypted/);
});

const long = clips.find(({ name }) => name === 'H.264, GOP 250')!;

const folder = temporaryFolder();

async function copied(name: string): Promise<string> {
  const path = join(folder, name);
  await copyFile(await long.make(), path);
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
  // FFmpeg says EMFILE like this on Linux and macOS.
  const emfile = -24;
  assert.ok(TOO_MANY_FILES.is(mediaError(emfile, '/film', 'cannot be opened')));
});

test('a file that cannot be opened is refused in words of ours', async (t) => {
  const folder = temporaryFolder(t);
  const table: [string, Uint8Array | string, RegExp][] = [
    [
      'notes.mp4',
      'shot list\n'.repeat(40),
      /notes\.mp4: cannot be opened: it is damaged or not a media file$/,
    ],
    // The first bytes of a sound file, of which no more has arrived.
    [
      'cut.aac',
      Buffer.from('41444946003e8000000001', 'hex'),
      /cut\.aac: cannot be opened: it ends before the first picture or sound$/,
    ],
  ];
  for (const [name, bytes, words] of table) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    await assert.rejects(askProbe(path), (error: Error) => {
      assert.ok(mediaErrors.NOT_MEDIA.is(error), error.message);
      assert.match(error.message, words);
      return true;
    });
  }
});

test('stills are recognised by their first bytes', () => {
  const text = (value: string) => Uint8Array.from(value, (letter) => letter.charCodeAt(0));
  const rows = [
    ['\xff\xd8\xff\xe0', 'jpeg'],
    ['\x89PNG\r\n\x1a\n', 'png'],
    ['GIF89a', 'gif'],
    ['RIFF....WEBPVP8 ', 'webp'],
    ['RIFF....AVI LIST', null],
    ['II*\0', 'tiff'],
    ['....ftypavif', 'heif'],
    ['....ftypisom', null],
    ['', null],
  ] as const;
  for (const [bytes, format] of rows) assert.equal(stillFormat(text(bytes)), format);
});

type Told = Parameters<typeof frameRate>[0];

test('the average rate is taken, unless it is one of ticks and another is not', () => {
  const told = (avg: string, real: string, codec: string) => {
    const [avgFrameRate, rFrameRate, own] = [avg, real, codec].map((text) => {
      const [num, den] = text.split('/').map(Number);
      return { num, den };
    });
    return frameRate({ avgFrameRate, rFrameRate, codecpar: { frameRate: own } } as unknown as Told);
  };
  assert.deepEqual(told('24000/1001', '25/1', '30/1'), { num: 24000, den: 1001 });
  assert.deepEqual(told('0/0', '25/1', '30/1'), { num: 25, den: 1 });
  assert.deepEqual(told('60000/1', '30000/1001', '0/1'), { num: 30000, den: 1001 });
  assert.deepEqual(told('1200/1', '0/0', '0/1'), { num: 1200, den: 1 });
  assert.equal(told('0/0', '0/1', '0/0'), null);
});

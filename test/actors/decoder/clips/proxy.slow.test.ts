// Proxies of all films of the tests: each picture is there, at its own time. The numbers drawn into the
// pictures are read back.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import test, { describe } from 'node:test';
import type { ProxyMade, ProxyStep } from '../../../../actors/decoder/clips/contract.ts';
import { indexFirst, proxy, proxyShape } from '../../../../actors/decoder/clips/proxy.ts';
import { speakersOf, toStereo } from '../../../../actors/decoder/clips/sound-encoder.ts';
import { AVMEDIA_TYPE_VIDEO, FormatContext, Packet } from '../../../../actors/decoder/ffmpeg.ts';
import { playable } from '../../../../actors/decoder/probe/probe.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { sampled, sharedPath, skipWithout } from '../../../shared.ts';
import { askProbe, askSound, turnFor } from '../ask-decoder.ts';
import { clips, someClips } from '../footage/clips.ts';
import { fullDecode } from '../footage/full-decode.ts';
import { level, measureTone, pitches, tones } from '../footage/tones.ts';
import { newOutput, stampsOf } from './cut.ts';

async function make(
  path: string,
  max_side = 1280,
): Promise<ProxyMade & { path: string; steps: ProxyStep[] }> {
  const output = newOutput();
  const steps: ProxyStep[] = [];
  for await (const step of proxy({ path, output, max_side }, turnFor())) steps.push(step);
  const { made } = steps.at(-1)!;
  return { ...made!, path: output, steps };
}

describe('picture n of a proxy is picture n of the film, at the same time', () => {
  for (const film of someClips) {
    test(film.name, async () => {
      const { frames } = film.facts;
      const made = await make(await film.make());
      assert.equal(made.frames, frames.length);
      const stamps = await stampsOf(made.path);
      assert.deepEqual(
        stamps.map(({ stamp }) => stamp),
        frames.map(({ stamp }) => stamp),
      );
      for (const [i, { seconds }] of stamps.entries()) {
        const own = frames[i]!.seconds - frames[0]!.seconds;
        assert.ok(Math.abs(seconds - stamps[0]!.seconds - own) < 0.0015, `${i} at ${seconds}, not ${own}`);
      }
      const { video } = await askProbe(made.path);
      // The j says that the samples use their whole range, as those of the film do.
      assert.match(`${video?.codec} ${video?.pixel_format}`, /^h264 yuvj?420p$/);
      assert.match((await playable({ path: made.path }, turnFor())) ?? '', /^video\/mp4; codecs="avc1\.64/);
    });
  }
});

/** Times of the pictures that can be decoded by themselves, in seconds. */
function keyTimes(path: string): number[] {
  const format = new FormatContext();
  const packet = new Packet();
  packet.alloc();
  const keys: number[] = [];
  try {
    format.openInputSync(`file:${path}`);
    format.findStreamInfoSync();
    for (; format.readFrameSync(packet) >= 0; packet.unref()) {
      const { codecpar, timeBase } = format.streams[packet.streamIndex]!;
      if (codecpar.codecType !== AVMEDIA_TYPE_VIDEO || !packet.isKeyframe) continue;
      keys.push((Number(packet.pts) * timeBase.num) / timeBase.den);
    }
    return keys;
  } finally {
    packet.free();
    format.closeInputSync();
  }
}

const films = ['car-detection.mp4', 'bottle-detection.mp4'].map((name) => `media/video/${name}`);
for (const name of sampled(films, 2)) {
  test(`a real film: ${name}`, { skip: skipWithout(name) }, async () => {
    const path = sharedPath(name);
    const made = await make(path, 320);
    const shape = { width: 32, height: 18, fit: 'stretch', resample: 'area' } as const;
    const [of, from] = [await fullDecode(made.path, shape), await fullDecode(path, shape)];
    assert.equal(of.length, from.length);
    assert.equal(made.frames, from.length);
    const late = of.filter(
      ({ seconds }, i) => Math.abs(seconds - (from[i]!.seconds - from[0]!.seconds)) > 0.0015,
    );
    assert.deepEqual(late, []);
    assert.ok(Math.max(made.width, made.height) === 320);
    const told = made.steps.map(({ seconds }) => seconds);
    assert.ok(told.length > 10);
    const keys = keyTimes(made.path);
    const gaps = keys.slice(1).map((seconds, i) => seconds - keys[i]!);
    assert.ok(gaps.length > 10 && Math.max(...gaps) <= 1.001, `${Math.max(...gaps)}`);
  });
}

test('what a player needs first comes first in the file', async () => {
  const { path } = await make(await clips[0]!.make(), 160);
  const bytes = readFileSync(path).toString('latin1');
  assert.ok(bytes.indexOf('moov') < bytes.indexOf('mdat'));
});

const speech = 'media/speech/jfk.flac';
test('of a long film the index is not written twice, but space is left for all of it', () => {
  assert.deepEqual(indexFirst(60, null), { movflags: '+faststart' });
  assert.deepEqual(indexFirst(null, null), { movflags: '+faststart' });
  const hours = Number(indexFirst(10_800, { num: 30_000, den: 1001 })['moov_size']);
  assert.ok(hours > 10_800 * 30 * 44 && hours < 100e6);
});

test('sound alone becomes AAC of the same length', { skip: skipWithout(speech) }, async () => {
  const made = await make(sharedPath(speech));
  assert.deepEqual([made.extension, made.frames, made.width], ['m4a', 0, 0]);
  const { kind, duration_seconds, audio } = await askProbe(made.path);
  assert.deepEqual([kind, audio[0]?.codec], ['audio', 'aac']);
  assert.ok(Math.abs(duration_seconds - 11) < 0.05);
  assert.equal(await playable({ path: made.path }, turnFor()), 'audio/mp4; codecs="mp4a.40.2"');
});

test('the microphones of a recording are heard together, and a track of another kind is not', async () => {
  const silent = {
    ...tones({ encoder: 'pcm_s16le' }),
    fill: (_: number, samples: Float32Array) => samples.fill(0),
  };
  const sound = [
    silent,
    tones({ encoder: 'pcm_s16le' }),
    tones({ encoder: 'pcm_s16le', channels: 2, from: 1 }),
  ];
  const path = newOutput();
  await writeFilm({ path: `${path}.mov`, sound });
  const made = await make(`${path}.mov`);
  const { audio } = await askProbe(made.path);
  assert.deepEqual(
    audio.map(({ channels }) => channels),
    [1],
  );
  const [samples] = await askSound(made.path);
  assert.ok(Math.abs(measureTone(samples!, pitches[0]!).level - level / 2) < 0.02);
  assert.ok(measureTone(samples!, pitches[1]!).level < 0.01);
});

test('a proxy that is cancelled leaves nothing, nor does one of a file that changes meanwhile', async () => {
  const path = `${newOutput()}.mp4`;
  writeFileSync(path, readFileSync(await clips[0]!.make()));
  const output = newOutput();
  const turn = turnFor();
  const steps = proxy({ path, output, max_side: 640 }, turn);
  await steps.next();
  await steps.return(undefined);
  assert.ok(!existsSync(output));
  const changed = async () => {
    for await (const { made } of proxy({ path, output, max_side: 640 }, turnFor())) {
      if (!made) writeFileSync(path, readFileSync(path));
    }
  };
  await assert.rejects(changed(), { code: 'FILE_CHANGED' });
  assert.ok(!existsSync(output));
});

test('pictures become square pixels of even size, and never larger', () => {
  const shape = {
    ...{ width: 720, height: 576, format: 'yuv422p10le', base: { num: 1, den: 25 }, rate: null },
    ...{ pixelAspect: { num: 64, den: 45 }, firstField: 'top' as const, colours: {} as never },
  };
  const { width, height, format, pixelAspect, firstField } = proxyShape(shape, 512);
  assert.deepEqual([width, height, format, firstField], [512, 288, 'yuv420p', null]);
  assert.deepEqual(pixelAspect, { num: 1, den: 1 });
  assert.deepEqual([proxyShape(shape, 4000).width, proxyShape(shape, 4000).height], [1024, 576]);
});

test('of many loudspeakers the middle is heard on both sides, and nothing clips', () => {
  const surround = speakersOf(0x3fn);
  assert.deepEqual(surround, [0, 1, 2, 3, 4, 5]);
  const gains = toStereo(surround);
  const [left, right] = [gains.slice(0, 6), gains.slice(6)];
  assert.equal(left[2], right[2]);
  assert.ok(left[2]! > 0.2 && left[1] === 0 && right[0] === 0 && left[3] === 0);
  for (const row of [left, right]) assert.ok(row.reduce((sum, gain) => sum + gain, 0) <= 1.000001);
});

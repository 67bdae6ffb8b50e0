// Clips, proxies and samples of a build of FFmpeg that lacks encoders, and of a service that must not use
// them.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test, { type TestContext } from 'node:test';
import { clip } from '../../../../actors/decoder/clips/clip.ts';
import {
  type ClipMode,
  newEncoderFailures,
  type ProxyMade,
} from '../../../../actors/decoder/clips/contract.ts';
import {
  describeEncoders,
  noEncoders,
  PictureEncoders,
  softwareEncoders,
} from '../../../../actors/decoder/clips/encoders/machine.ts';
import { proxy } from '../../../../actors/decoder/clips/proxy.ts';
import { Codec } from '../../../../actors/decoder/ffmpeg.ts';
import { createLog } from '../../../../runtime/log.ts';
import { sampled } from '../../../shared.ts';
import { askProbe, turnFor } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';
import { fullDecode, meanDifference } from '../footage/full-decode.ts';
import { newOutput, stampsOf, wanted } from './cut.ts';
import { type Faults, fakeCandidate, faulty } from './encoders/fake-encoder.ts';
import { groupFilms } from './smart/films.ts';

const usual = clips.find(({ name }) => name === 'H.264, GOP 12')!;
const span = [1.25, 3.5] as const;
const shape = { width: 192, height: 108, fit: 'stretch', resample: 'area' } as const;

/** FFmpeg without these encoders; `instead`: another one under the name of one that it lacks. */
function without(t: TestContext, names: readonly string[], instead: Readonly<Record<string, string>> = {}) {
  const find = Codec.findEncoderByName.bind(Codec);
  t.mock.method(Codec, 'findEncoderByName', (name: Parameters<typeof find>[0]) =>
    names.includes(name) ? null : find((instead[name] ?? name) as typeof name),
  );
}

async function cut(
  path: string,
  [start_seconds, end_seconds]: readonly [number, number],
  mode: ClipMode,
  encoders: PictureEncoders,
) {
  const output = newOutput();
  const made = await clip({ path, output, start_seconds, end_seconds, mode }, turnFor(), encoders).catch(
    (error) => {
      assert.ok(!existsSync(output));
      throw error;
    },
  );
  return { ...made, path: output };
}

async function proxyOf(path: string, encoders: PictureEncoders): Promise<ProxyMade & { path: string }> {
  const output = newOutput();
  let made: ProxyMade | null = null;
  const request = { path, output, max_side: 1280 };
  for await (const step of proxy(request, turnFor(), encoders)) made = step.made;
  return { ...made!, path: output };
}

function devices(faults: Faults = {}) {
  return new PictureEncoders(false, {
    ...faulty(faults),
    candidates: [fakeCandidate()],
    failures: newEncoderFailures(),
    log: createLog('test', () => {}),
  });
}

const refused = (message: RegExp) => ({ code: 'CLIP_NO_ENCODER', message });

test('without an encoder clips and proxies say what FFmpeg lacks; what is copied needs none', async (t) => {
  const [path, [film]] = [await usual.make(), groupFilms];
  const grouped = await film!.make();
  const at = (n: number) => film!.facts.frames[n]!.seconds;
  without(t, ['libx264', 'libopenh264']);
  const lacks = refused(/built without libx264 and libopenh264.*docs\/gpu\.md/);
  for (const mode of ['precise', 'smart'] as const)
    await assert.rejects(cut(path, span, mode, softwareEncoders), lacks, mode);
  await assert.rejects(proxyOf(path, softwareEncoders), lacks);
  assert.throws(() => describeEncoders('off'), lacks);
  const whole = await cut(grouped, [at(film!.group), at(3 * film!.group)], 'smart', softwareEncoders);
  assert.deepEqual([whole.mode_used, whole.encoder], ['smart', null]);
  assert.equal((await cut(path, span, 'copy', softwareEncoders)).mode_used, 'copy');
});

test('where devices alone may encode, they make clips and proxies, and nothing takes their place', async () => {
  const path = await usual.make();
  const made = await cut(path, span, 'smart', devices());
  assert.deepEqual([made.mode_used, made.encoder], ['precise', 'h264_fake']);
  assert.match(made.mode_reason!, /the ends need libx264, which cannot be used here/);
  const whole = await proxyOf(path, devices());
  const stamps = await stampsOf(whole.path);
  assert.deepEqual(
    stamps.map(({ stamp }) => stamp),
    usual.facts.frames.map(({ stamp }) => stamp),
  );
  await assert.rejects(cut(path, span, 'precise', devices({ failsAt: 3 })), refused(/"only"/));
  await assert.rejects(proxyOf(path, devices({ failsAt: 3 })), refused(/h264_fake: encoding/));
  await assert.rejects(proxyOf(path, noEncoders), refused(/hardware_encoding is "only"/));
  assert.throws(() => describeEncoders('only', () => []), refused(/"only"/));
});

test('OpenH264 takes the place of x264, with pictures of 8 bits and 4:2:0', async (t) => {
  const names = ['ProRes', 'an odd size', 'Motion JPEG in AVI', 'H.264, GOP 12'];
  const films = sampled(names, 4).map((name) => clips.find((one) => one.name === name)!);
  const made = await Promise.all(films.map(async (film) => ({ ...film, path: await film.make() })));
  // A stand-in that knows the options it is given: this FFmpeg has no OpenH264.
  without(t, ['libx264'], { libopenh264: 'libx264' });
  for (const film of made) {
    const { path, name, facts } = film;
    const own = await cut(path, span, 'smart', softwareEncoders);
    const { video } = await askProbe(own.path);
    // The j says that the samples use their whole range, as those of the film do.
    assert.match(`${own.encoder} ${video?.codec} ${video?.pixel_format}`, /^libopenh264 h264 yuvj?420p$/);
    const numbers = wanted(film, span);
    const [source, pictures] = [await fullDecode(path, shape), await fullDecode(own.path, shape)];
    assert.ok(own.frames > 10 && pictures.length === numbers.length, name);
    for (const [i, { rgb }] of pictures.entries()) {
      const difference = meanDifference(rgb, source[numbers[i]!]!.rgb);
      assert.ok(difference < 6, `${name}, picture ${i} differs by ${difference}`);
    }
    const { path: proxied } = await proxyOf(path, softwareEncoders);
    assert.equal((await stampsOf(proxied)).length, facts.frames.length, name);
  }
});

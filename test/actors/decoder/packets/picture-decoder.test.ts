import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PictureShape } from '../../../../actors/decoder/contract.ts';
import { frames } from '../../../../actors/decoder/frames/frames.ts';
import { decodingDevices, type Hardware } from '../../../../actors/decoder/packets/picture-decoder.ts';
import { pictureReader } from '../../../../actors/decoder/packets/reference.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { draws } from '../../../shared.ts';
import { stampShape, type TestTurn, turnFor } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';

const clip = clips.find(({ name }) => name === 'HEVC, closed GOP')!;

/** A device of which decoders only know `attach`. */
const device = (attach: () => boolean) => ({ attach }) as unknown as Hardware;

async function secondsOf(
  turn: TestTurn,
  hardware: Hardware,
  further_shapes: PictureShape[] = [],
): Promise<number[]> {
  const path = await clip.make();
  const request = {
    path,
    shape: stampShape,
    further_shapes,
    preview: null,
    mode: 'exact' as const,
    from_frame: 0,
  };
  const seconds: number[] = [];
  for await (const { value } of frames(request, turn, hardware)) seconds.push(value.frame_index);
  return seconds;
}

const broken = device(() => {
  throw new Error('the device is lost');
});

test('where hardware fails software decodes, and the log says so', async () => {
  const turn = turnFor();
  const expected = await secondsOf(
    turnFor(),
    device(() => false),
  );
  assert.ok(expected.length > 1);
  assert.deepEqual(await secondsOf(turn, broken), expected);
  const warned = turn.lines.filter(({ level }) => level === 'warn');
  assert.deepEqual(
    warned.map(({ message }) => message),
    ['not decoded in hardware, so decoded in software'],
  );
});

test('slots taken before the device failed serve the first picture of software', async () => {
  const turn = turnFor();
  const take = turn.freeSlot.bind(turn);
  const view = turn.slot.bind(turn);
  let taken = 0;
  let views = 0;
  turn.freeSlot = () => {
    taken++;
    return take();
  };
  turn.slot = (handle) => {
    if (++views === 2) throw new Error('the picture cannot be had');
    return view(handle);
  };
  const seconds = await secondsOf(
    turn,
    device(() => false),
    [stampShape],
  );
  assert.equal(taken, 2 * seconds.length);
});

test('a cancelled turn is not tried again in software', async () => {
  const turn = turnFor();
  const lost = device(() => {
    turn.cancel();
    throw engineErrors.CANCELLED();
  });
  await assert.rejects(secondsOf(turn, lost), { code: 'CANCELLED' });
  assert.deepEqual(
    turn.lines.filter(({ level }) => level === 'warn'),
    [],
  );
});

test('films are decoded on the card that models run on', () => {
  const devices = (platform: string, card: number) =>
    decodingDevices(platform, card).map(({ kind, name }) => `${kind} ${name ?? 'first'}`);
  assert.deepEqual(devices('linux', 0), ['cuda first', 'vaapi first']);
  assert.deepEqual(devices('linux', 1), ['cuda 1', 'vaapi /dev/dri/renderD129']);
  // The first card of DirectX is often one inside the processor; CUDA finds the other one.
  assert.deepEqual(devices('win32', 0), ['cuda first', 'd3d11va first']);
  // Models count the cards of Windows as DirectX does, which CUDA does not.
  assert.deepEqual(devices('win32', 1), ['d3d11va 1']);
  assert.deepEqual(devices('darwin', 1), ['videotoolbox first']);
  assert.deepEqual(devices('freebsd', 0), []);
});

test('no reader fails on arbitrary bytes', () => {
  const codecs = ['h264', 'hevc', 'mpeg2video', 'mpeg4', 'vp8', 'vp9', 'av1', 'vc1'];
  const bytes = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(
      fc.constantFrom(...codecs),
      fc.option(bytes),
      bytes,
      fc.boolean(),
      (codec, extra, data, key) => {
        const picture = pictureReader(codec, false, extra).read(() => data, key);
        assert.equal(typeof picture.reference, 'boolean');
      },
    ),
    { numRuns: draws(2000) },
  );
});

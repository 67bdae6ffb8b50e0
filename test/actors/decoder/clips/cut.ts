// Cuts clips in tests, and looks at what was written with the decoder itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clip } from '../../../../actors/decoder/clips/clip.ts';
import type { ClipMade, ClipMode } from '../../../../actors/decoder/clips/contract.ts';
import type { PictureShape } from '../../../../actors/decoder/contract.ts';
import { AVMEDIA_TYPE_AUDIO, FormatContext, Packet, ticks } from '../../../../actors/decoder/ffmpeg.ts';
import { type TestTurn, turnFor } from '../ask-decoder.ts';
import type { Clip } from '../footage/clip.ts';
import { fullDecode } from '../footage/full-decode.ts';
import { readStamp } from '../footage/stamp.ts';

export const folder = mkdtempSync(join(tmpdir(), 'framehound-cut-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let cuts = 0;

/** Where the next clip is written. */
export const newOutput = () => join(folder, `clip-${cuts++}.part`);

export async function cut(
  path: string,
  [start_seconds, end_seconds]: readonly [number, number],
  mode: ClipMode = 'precise',
  turn: TestTurn = turnFor(),
  begins: (output: string) => void = () => {},
): Promise<ClipMade & { path: string }> {
  const output = newOutput();
  begins(output);
  const made = await clip({ path, output, start_seconds, end_seconds, mode }, turn);
  return { ...made, path: output };
}

const stampShape: PictureShape = { width: 192, height: 108, fit: 'stretch', resample: 'area' };

/** The numbers drawn into the pictures of a film, and when each is shown. */
export async function stampsOf(path: string) {
  const pictures = await fullDecode(path, stampShape);
  return pictures.map(({ rgb, seconds }) => ({ seconds, stamp: readStamp(rgb, 192, 108) }));
}

/**
 * The numbers of the pictures of a clip: cuts lie at the border of pictures that is nearest, but in one that
 * is shown longer than others.
 */
export function wanted({ facts }: Clip, [start, end]: readonly [number, number]) {
  const { frames, duration, frameRate } = facts;
  const usual = frameRate ? (1.01 * frameRate.den) / frameRate.num + 0.001 : 0;
  return frames
    .filter(({ seconds }, i) => {
      const until = frames[i + 1]?.seconds ?? duration;
      const near = until - seconds <= usual ? (until - seconds) / 2 : 0.002;
      return until - near > start + 0.001 && seconds + near <= end + 0.001;
    })
    .map(({ stamp }) => stamp);
}

/** Times of all packets in file order, in seconds. */
export function packetTimes(path: string) {
  const format = new FormatContext();
  const packet = new Packet();
  packet.alloc();
  try {
    format.openInputSync(`file:${path}`);
    format.findStreamInfoSync();
    const streams = format.streams.map(({ codecpar, timeBase: { num, den } }) => ({
      isSound: codecpar.codecType === AVMEDIA_TYPE_AUDIO,
      unit: num / den,
      pts: [] as number[],
      dts: [] as number[],
    }));
    for (; format.readFrameSync(packet) >= 0; packet.unref()) {
      const { pts, dts, unit } = streams[packet.streamIndex]!;
      pts.push((ticks(packet.pts) ?? Number.NaN) * unit);
      dts.push((ticks(packet.dts) ?? Number.NaN) * unit);
    }
    return streams;
  } finally {
    packet.free();
    format.closeInputSync();
  }
}

// How fast clips are cut, against the ffmpeg command line with the same settings on the same cores.
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ClipMode } from '../actors/decoder/clips/contract.ts';
import { createClips } from '../actors/exporter/clips/clips.ts';
import { Writers } from '../actors/exporter/clips/writers.ts';
import { createLog } from '../runtime/log.ts';
import { startBench } from './actors.ts';
import { cutClip, hasFfmpeg } from './command-line.ts';
import { type Footage, footage, type Kind, kinds } from './footage.ts';
import { beside, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

const sampleRate = 48_000;
const channels = 2;

/** Two tones with noise, so that the encoder has work. */
function fill(start: number, samples: Float32Array) {
  for (let i = 0; i < samples.length; i++) {
    const at = start + Math.floor(i / channels);
    const noise = ((Math.imul(at, 1_103_515_245) >>> 16) % 1000) / 10_000;
    samples[i] = 0.3 * Math.sin((2 * Math.PI * (i % channels === 0 ? 220 : 330) * at) / sampleRate) + noise;
  }
}

const seconds = sized(30, 6);
const film: Kind = {
  ...kinds.h264Gop60,
  name: 'H.264 1080p with sound, GOP 2 s',
  seconds,
  sound: { encoder: 'aac', seconds, sampleRate, channels, fill },
};
/** Cuts into the first and the last group of pictures. */
const long = [1.51, seconds - 1.51] as const;

interface Cut {
  readonly mode: ClipMode;
  readonly span: readonly [number, number];
  /**
   * Options with which the command line does the same; null where it cannot, and precise clips are the
   * peer.
   */
  readonly codecs: readonly string[] | null;
  readonly rounds: number;
  readonly least: number;
}

const x264 = ['-c:v', 'libx264', '-preset', 'fast', '-crf', '17', '-g', '30'];
const cuts: readonly Cut[] = [
  {
    mode: 'precise',
    span: sized([5.51, 9.49], [0.51, 0.99]),
    codecs: [...x264, '-c:a', 'aac', '-b:a', '256k'],
    rounds: 3,
    least: 1,
  },
  { mode: 'smart', span: long, codecs: null, rounds: 1, least: 4 },
  { mode: 'copy', span: long, codecs: ['-c', 'copy'], rounds: 9, least: 0.9 },
];

export const clips: Question = async (say, folder) => {
  if (!hasFfmpeg()) {
    say('the ffmpeg command line is not installed; there is nothing to compare with');
    return [];
  }
  const source = await footage(film, say);
  const bench = startBench(2, 16);
  try {
    const exporter = createClips({
      writers: new Writers(await bench.decoders(2)),
      log: createLog('bench', () => {}),
    });
    const rows: Row[] = [];
    for (const cut of cuts) {
      say(`${cut.mode} clips of ${source.name}`);
      rows.push(await compare(cut, source, folder, exporter));
    }
    return rows;
  } finally {
    await bench.stop();
  }
};

async function compare(
  { mode, span, codecs, rounds, least }: Cut,
  { name, path }: Footage,
  folder: string,
  exporter: ReturnType<typeof createClips>,
): Promise<Row> {
  const [start_seconds, end_seconds] = span;
  const never = new AbortController().signal;
  /** Media seconds per second. */
  const timed = async (work: () => Promise<string>) => {
    const start = performance.now();
    const output = await work();
    const speed = (end_seconds - start_seconds) / ((performance.now() - start) / 1000);
    if (statSync(output).size < 100_000) throw new Error(`${output} is no clip of ${path}`);
    rmSync(output);
    return { speed };
  };
  const ours = (mode: ClipMode) =>
    timed(async () => {
      const clip = { media_path: path, start_seconds, end_seconds };
      const { results } = await exporter.export({ output_dir: folder, mode, clips: [clip] }, never);
      const [result] = results;
      if (result?.output_path && result.mode_used === mode) return result.output_path;
      throw new Error(result?.error ?? result?.mode_reason ?? 'no clip');
    });
  const theirs = (codecs: readonly string[]) =>
    timed(async () => {
      const output = join(folder, 'theirs.mp4');
      await cutClip(path, output, span, codecs);
      return output;
    });
  const peer = () => (codecs ? theirs(codecs) : ours('precise'));
  const { speed } = await beside(rounds, () => ours(mode), peer);
  return {
    question: 'clips',
    name: `${name}: ${mode}`,
    value: speed.value,
    unit: '× real time',
    against: { name: codecs ? 'ffmpeg, same settings' : 'precise', value: speed.peer },
    ratio: speed.ratio,
    goal: { of: 'ratio', at: 'least', than: least },
  };
}

// How fast grid frames come out of films, against the ffmpeg command line decoding everything on the same
// cores.
import { availableParallelism } from 'node:os';
import { type DecodeOptions, drain, startBench } from './actors.ts';
import { decodeAll, hasFfmpeg } from './command-line.ts';
import { footage, kinds } from './footage.ts';
import { alternate, type Question, type Row } from './row.ts';

const shape = { width: 224, height: 224, fit: 'stretch', resample: 'area' } as const;
const exact: DecodeOptions = { shape, preview: null, mode: 'exact' };
const keyframes: DecodeOptions = { shape, preview: null, mode: 'keyframes' };
const withPreview: DecodeOptions = { ...exact, preview: { max_side: 640, quality: 80 } };

/** Speed that exact decoding has to reach, by kind; keyframes have to reach 8 everywhere. */
const goals: Readonly<Record<string, number>> = { h264Gop60: 2, h264Gop12: 3.5 };

export const decode: Question = async (say) => {
  const peer = hasFfmpeg();
  if (!peer) say('the ffmpeg command line is not installed; its column is left out');
  const cores = availableParallelism();
  const bench = startBench(cores * 10, 224 * 224 * 3);
  const decoders = await bench.decoders(cores);
  const rows: Row[] = [];
  for (const [key, kind] of Object.entries(kinds)) {
    const film = await footage(kind, say);
    say(film.name);
    /** Media seconds per second: every core has a film of its own. */
    const ours = (options: DecodeOptions) => async () => {
      const start = performance.now();
      await Promise.all(decoders.map((decoder) => drain(decoder, film.path, options)));
      return (film.seconds * cores) / ((performance.now() - start) / 1000);
    };
    const theirs = async () => {
      const start = performance.now();
      for (let i = 0; i < cores; i++) await decodeAll(film.path, 224);
      return (film.seconds * cores) / ((performance.now() - start) / 1000);
    };
    const speed = await alternate(peer ? 3 : 2, {
      exact: ours(exact),
      withPreview: ours(withPreview),
      keyframes: ours(keyframes),
      ...(peer ? { theirs } : { theirs: () => Number.NaN }),
    });
    const row = (name: string, value: number, least: number | undefined): Row => ({
      question: 'decode',
      name: `${film.name}: ${name}`,
      value,
      unit: '× real time',
      against: peer ? { name: 'ffmpeg, full decode', value: speed.theirs } : null,
      ratio: peer ? value / speed.theirs : null,
      goal: least && peer ? { of: 'ratio', at: 'least', than: least } : null,
    });
    rows.push(row('exact', speed.exact, goals[key]));
    rows.push(row('exact with 640 px previews', speed.withPreview, undefined));
    rows.push(row('keyframes', speed.keyframes, key in goals ? 8 : undefined));
  }
  await bench.stop();
  return rows;
};

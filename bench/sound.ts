// How fast sound becomes 16 kHz samples, against the ffmpeg command line writing the same on the same cores.
import { availableParallelism } from 'node:os';
import { type Decoder, startBench } from './actors.ts';
import { decodeSound, hasFfmpeg } from './command-line.ts';
import { alternate, type Question, type Row } from './row.ts';
import { soundFiles } from './sound-files.ts';

const slotBytes = 786_432;
const least = 0.8;

export const sound: Question = async (say) => {
  const peer = hasFfmpeg();
  if (!peer) say('the ffmpeg command line is not installed; its column is left out');
  const cores = availableParallelism();
  const bench = startBench(cores * 4, slotBytes);
  try {
    const decoders = await bench.decoders(cores);
    const files = await soundFiles({ decoder: decoders[0]!, pool: bench.pool }, say);
    if (!files) {
      say('the shared recordings of speech are missing; nothing to measure');
      return [];
    }
    const rows: Row[] = [];
    for (const { name, path, seconds } of files) {
      say(name);
      /** Media seconds per second: every core has a file of its own. */
      const timed = (work: (core: number) => Promise<unknown>) => async () => {
        const start = performance.now();
        await Promise.all(Array.from({ length: cores }, (_, core) => work(core)));
        return (seconds * cores) / ((performance.now() - start) / 1000);
      };
      const speed = await alternate(3, {
        ours: timed((core) => drain(decoders[core]!, path)),
        theirs: peer ? timed(() => decodeSound(path)) : () => Number.NaN,
      });
      rows.push({
        question: 'sound',
        name: `decoding ${name}`,
        value: speed.ours,
        unit: '× real time',
        against: peer ? { name: 'ffmpeg, 16 kHz PCM', value: speed.theirs } : null,
        ratio: peer ? speed.ours / speed.theirs : null,
        goal: peer ? { of: 'ratio', at: 'least', than: least } : null,
      });
    }
    return rows;
  } finally {
    await bench.stop();
  }
};

async function drain(decoder: Decoder, path: string): Promise<void> {
  for await (const _ of decoder.feed('sound', { path, channels: null }, { credit: 2 }));
}

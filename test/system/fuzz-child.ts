// Reads damaged copies with the decoder and says what came of each. A process of its own, so that a crash
// inside native code ends nothing else.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { mediaErrors } from '../../actors/decoder/contract.ts';
import { EngineError } from '../../runtime/errors.ts';
import {
  askIdentity,
  askPicture,
  askProbe,
  askSubtitles,
  frameItems,
  soundBlocks,
  soundSlotBytes,
  TestTurn,
  turnFor,
} from '../actors/decoder/ask-decoder.ts';
import { answerJobs, type FuzzResult } from './fuzz-jobs.ts';
import { mutateHeader } from './headers/mutate.ts';
import { mutate } from './mutation.ts';

const shape = { width: 64, height: 36, fit: 'stretch', resample: 'bilinear' } as const;
/** A damaged header may claim years; the pictures are read as far as this. */
const mostFrames = 40;

async function someFrames(path: string, mode: 'exact' | 'keyframes', from: number): Promise<void> {
  let frames = 0;
  for await (const _ of frameItems({ path, shape, mode, from }, turnFor(shape)))
    if (++frames >= mostFrames) break;
}

async function someSound(path: string): Promise<void> {
  const turn = new TestTurn(soundSlotBytes);
  let blocks = 0;
  for await (const _ of soundBlocks(path, null, turn)) if (++blocks >= mostFrames) break;
}

/** Of the first stream that has some. */
async function someSubtitles(path: string): Promise<void> {
  const { subtitles } = await askProbe(path);
  if (subtitles[0]) await askSubtitles(path, subtitles[0].index);
}

const questions: Record<string, (path: string) => Promise<unknown>> = {
  probe: askProbe,
  identify: askIdentity,
  sound: someSound,
  subtitles: someSubtitles,
  exact: (path) => someFrames(path, 'exact', 0),
  keyframes: (path) => someFrames(path, 'keyframes', 2),
  picture: (path) => askPicture(path, 1.3, shape),
};

async function read(path: string): Promise<Pick<FuzzResult, 'outcome' | 'reasons' | 'fault'>> {
  const outcome: Record<string, string> = {};
  const reasons: Record<string, string> = {};
  for (const [name, ask] of Object.entries(questions)) {
    try {
      await ask(path);
      outcome[name] = 'ok';
    } catch (error) {
      if (!(error instanceof EngineError) || !(error.code in mediaErrors)) {
        return {
          outcome,
          reasons,
          fault: `${name}: ${error instanceof Error ? error.stack : String(error)}`,
        };
      }
      outcome[name] = error.code;
      reasons[name] = error.message.replaceAll(path, '');
    }
  }
  return { outcome, reasons, fault: null };
}

const folder = mkdtempSync(join(tmpdir(), 'framehound-fuzz-'));
try {
  await answerJobs(async (job) => {
    const damage = job.part === 'header' ? mutateHeader : mutate;
    const { bytes, done } = damage(readFileSync(job.path), job.seed);
    const path = join(folder, `damaged${extname(job.path)}`);
    writeFileSync(path, bytes);
    return { done, ...(await read(path)) };
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

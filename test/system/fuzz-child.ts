// Reads damaged copies with the decoder and says what came of each. A process of its own, so that a crash inside
// native code ends nothing else. Asked by lines of JSON on stdin; each job is answered by a line when it begins and
// one when it ends, so the last line names the job a crash or a hang happened in.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { mediaErrors } from '../../actors/decoder/contract.ts';
import { EngineError } from '../../runtime/errors.ts';
import { askIdentity, askPicture, askProbe, frameItems, turnFor } from '../actors/decoder/ask-decoder.ts';
import { mutate } from './mutation.ts';

export interface FuzzJob {
  readonly path: string;
  readonly seed: number;
}

export interface FuzzResult extends FuzzJob {
  readonly done: readonly string[];
  readonly milliseconds: number;
  /** What each question ended in: `ok` or the code of an error. */
  readonly outcome: Readonly<Record<string, string>>;
  /** The words of each refusal, without the path. */
  readonly reasons: Readonly<Record<string, string>>;
  /** What must not happen: an error that is not the decoder's own, with its stack. */
  readonly fault: string | null;
}

const shape = { width: 64, height: 36, fit: 'stretch', resample: 'bilinear' } as const;
/** A damaged header may claim years; the pictures are read as far as this. */
const mostFrames = 40;

async function someFrames(path: string, mode: 'exact' | 'keyframes', from: number): Promise<void> {
  let frames = 0;
  for await (const _ of frameItems({ path, shape, mode, from }, turnFor(shape)))
    if (++frames >= mostFrames) break;
}

const questions: Record<string, (path: string) => Promise<unknown>> = {
  probe: askProbe,
  identify: askIdentity,
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

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const folder = mkdtempSync(join(tmpdir(), 'framehound-fuzz-'));
try {
  for (const job of JSON.parse(readFileSync(0, 'utf8')) as FuzzJob[]) {
    say({ begins: job });
    const { bytes, done } = mutate(readFileSync(job.path), job.seed);
    const path = join(folder, `damaged${extname(job.path)}`);
    writeFileSync(path, bytes);
    const began = performance.now();
    const result = await read(path);
    say({ ...job, done, milliseconds: Math.round(performance.now() - began), ...result });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

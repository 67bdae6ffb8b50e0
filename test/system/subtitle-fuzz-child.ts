// Reads odd subtitles, beside a film and as the events of a track inside one, and says what came of each. A
// process of its own, so that a regular expression that never ends can be ended.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { speechErrors } from '../../actors/transcriber/contract.ts';
import { captions, decodeText, sidecar } from '../../actors/transcriber/text/subtitles/sidecar.ts';
import { EngineError } from '../../runtime/errors.ts';
import { answerJobs } from './fuzz-jobs.ts';
import { oddSubtitles } from './odd-subtitles.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehound-fuzz-'));
const media_path = join(folder, 'film.mp4');

type Question = (bytes: Uint8Array) => Promise<unknown> | unknown;

const languages = [null, 'de', 'ja', 'ru', 'zh-Hant'] as const;

function questions(seed: number): Readonly<Record<string, Question>> {
  const language = languages[seed % languages.length]!;
  const inside = ['subrip', 'ass', 'webvtt', 'ttml', 'mov_text'].map((codec) => {
    const ask: Question = (bytes) => {
      const { text } = decodeText(bytes, language);
      return captions({ codec, header: null, cues: [{ start_seconds: 1, end_seconds: 2, text }] });
    };
    return [codec, ask];
  });
  return { sidecar: () => sidecar({ media_path, language }), ...Object.fromEntries(inside) };
}

try {
  await answerJobs(async ({ seed }) => {
    const { ending, bytes, done } = oddSubtitles(seed);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    writeFileSync(join(folder, `film.${ending}`), bytes);
    const outcome: Record<string, string> = {};
    const reasons: Record<string, string> = {};
    let fault: string | null = null;
    for (const [name, ask] of Object.entries(questions(seed))) {
      const before = process.cpuUsage();
      try {
        await ask(bytes);
        outcome[name] = 'ok';
      } catch (error) {
        if (error instanceof EngineError && error.code in speechErrors) {
          outcome[name] = error.code;
          reasons[name] = error.message.replaceAll(folder, '');
        } else fault = `${name}: ${error instanceof Error ? error.stack : String(error)}`;
      }
      // More than a few seconds for a megabyte grows faster than the file.
      const seconds = process.cpuUsage(before).user / 1e6;
      if (seconds > 5) fault ??= `${name}: ${seconds} s for ${bytes.length} bytes`;
    }
    return { done: [ending, ...done], outcome, reasons, fault };
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

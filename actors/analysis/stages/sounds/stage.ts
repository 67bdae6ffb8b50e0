// The stage of sounds: a model listens to every second of a file, and what stays for some seconds is stored.
import { engineErrors } from '../../../../runtime/errors.ts';
import { type SoundBlock, soundRate } from '../../../decoder/contract.ts';
import { type Sound, soundNames } from '../../../index/sounds/contract.ts';
import type { HeardSounds } from '../../../transcriber/contract.ts';
import { frameAnalysis, loadedFor } from '../frame-analysis.ts';
import type { SpeechParts } from '../parts.ts';
import type { FileWork, Stage, StageRun } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { soundsKind } from './kind.ts';

export const soundsStage: Stage = {
  kind: soundsKind,
  journal: 'sounds',
  reads: 'sound',
  open: async (task) => {
    const { speech } = task.parts;
    if (!speech) throw engineErrors.INTERNAL('an engine that only searches was asked for sounds');
    const { model_key } = await loadedFor(modelOf(speech), task.signal);
    return soundRun(task, speech, model_key);
  },
};

const modelOf = ({ transcriber }: SpeechParts) => ({
  load: (signal: AbortSignal) => transcriber.ask('load_sounds', {}, { signal }),
  unload: () => transcriber.ask('unload_sounds', {}),
});

function soundRun({ parts, request, signal }: TaskContext, speech: SpeechParts, model_key: string): StageRun {
  const analysis = frameAnalysis(parts.log, {
    model: { model_key },
    actor: modelOf(speech),
    ...{ index: parts.index, cache_dir: request.cache_dir, type: 'sounds', signal },
    factsOf: (ranges) => ({ sounds: { model_key, ranges } }),
  });
  return {
    ...analysis.run,
    applies: ({ probe }) => probe.audio.length > 0,
    work: async (file) => {
      const { media, signal } = file;
      const seconds = await listen(file, (block, before) => {
        const { count = 0, samples = null } = block ?? {};
        const call = { signal, slots: samples === null ? [] : [samples] };
        const hear = () => speech.transcriber.ask('hear_sounds', { model_key, count, samples, before }, call);
        return analysis.askModel(hear, signal);
      });
      const items = soundsIn(seconds);
      const counts = { looked: media.probe.grid_frames, count: items.length };
      return { finished: analysis.commit(file, counts, { type: 'sounds', items }) };
    },
  };
}

/** `hear`: null for the end of the sound. */
async function listen(
  { media, reader, signal, worked }: FileWork,
  hear: (block: SoundBlock | null, before: HeardSounds | null) => Promise<HeardSounds>,
): Promise<HeardSounds['seconds']> {
  if (!reader) throw engineErrors.INTERNAL('there is nothing that reads sound');
  const seconds: HeardSounds['seconds'] = [];
  let [before, heardSeconds]: [HeardSounds | null, number] = [null, 0];
  for await (const block of reader.feed(
    'sound',
    { path: media.path, channels: null },
    { signal, credit: 2 },
  )) {
    before = await hear(block, before);
    seconds.push(...before.seconds);
    heardSeconds += block.count / soundRate;
    worked(block.count / soundRate);
  }
  const last = await hear(null, before);
  // The duration in a header is not exact to the sample.
  worked(media.probe.duration_seconds - heardSeconds);
  return [...seconds, ...last.seconds];
}

/**
 * Mean probability of a second from which a sound is claimed, if it is heard for some seconds: .93 of these
 * were music, and .96 were sung.
 */
const claimed = { music: 0.7, singing: 0.8 } as const;
const leastSeconds = 3;

/** In the order of their beginning. */
export function soundsIn(seconds: HeardSounds['seconds']): Sound[] {
  const sounds = soundNames.flatMap((sound) => {
    const claims: Sound[] = [];
    for (let start = 0; start < seconds.length; start++) {
      let end = start;
      while (end < seconds.length && seconds[end]![sound] >= claimed[sound]) end++;
      if (end - start >= leastSeconds) {
        const sum = seconds.slice(start, end).reduce((all, second) => all + second[sound], 0);
        claims.push({ sound, start, end, confidence: Math.round((1000 * sum) / (end - start)) / 1000 });
      }
      start = end;
    }
    return claims;
  });
  return sounds.sort((a, b) => a.start - b.start);
}

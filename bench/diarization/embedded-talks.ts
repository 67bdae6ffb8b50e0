// Talks embedded once, with ideal voice detection and with the one in use, and kept, so that a setting is
// tried in seconds and another model in a minute.
import { fileURLToPath } from 'node:url';
import { digestOf, kept } from '../voices/kept.ts';
import { rate, type Voice } from './compose.ts';
import { type EmbeddedSpeech, idealSpeech, type Pipeline } from './pipeline.ts';
import type { Turn } from './score.ts';
import { type Group, talksOf } from './talks.ts';

/** A talk without its sound. */
export interface EmbeddedTalk {
  readonly group: string;
  readonly count: number;
  readonly seconds: number;
  readonly turns: readonly Turn[];
  readonly ideal: EmbeddedSpeech;
  readonly detected: EmbeddedSpeech;
}

/** A talk as a file holds it. */
export interface RecordedTalk {
  readonly group: string;
  readonly count: number;
  readonly turns: readonly Turn[];
  readonly samples: Int16Array;
}

export interface TalkSet {
  /** Names the set of voices. */
  readonly name: string;
  readonly voices: readonly Voice[];
  readonly groups: readonly Group[];
  readonly seed: number;
}

const full = 32_767;

/** Sources that decide, besides the model, which parts of a talk are embedded. */
const parts = ['transcriber/voice', 'diarizer/turns.ts', 'acoustics/fbank.ts'].map((path) =>
  fileURLToPath(new URL(`../../actors/${path}`, import.meta.url)),
);

/** `model`: the file that the pipeline embeds with. `fresh`: made anew even where they are kept. */
export async function embeddedTalks(
  pipeline: Pick<Pipeline, 'detectSpeech' | 'embed'>,
  model: string,
  set: TalkSet,
  say: (text: string) => void,
  fresh = false,
): Promise<EmbeddedTalk[]> {
  const { name, voices, groups, seed } = set;
  const key = { names: voices.map((voice) => voice.name), groups, seed };
  const embed = async () => {
    say(`${name}: embedding`);
    const embedded: EmbeddedTalk[] = [];
    for (const { group, count, turns, samples } of await recordedTalks(set, say, fresh)) {
      const sound = Float32Array.from(samples, (x) => x / full);
      embedded.push({
        group,
        count,
        seconds: sound.length / rate,
        turns,
        ideal: await pipeline.embed(sound, idealSpeech(turns)),
        detected: await pipeline.embed(sound, await pipeline.detectSpeech(sound)),
      });
    }
    return embedded;
  };
  return kept(
    `${name} embedded`,
    { ...key, model: digestOf(model), parts: parts.map(digestOf) },
    embed,
    fresh,
  );
}

/** The talks themselves, kept: they depend on no model. */
export function recordedTalks(
  { name, voices, groups, seed }: TalkSet,
  say: (text: string) => void,
  fresh = false,
): Promise<RecordedTalk[]> {
  const key = { names: voices.map((voice) => voice.name), groups, seed };
  const record = () => {
    const talks: RecordedTalk[] = [];
    for (const { samples, turns, group, count } of talksOf(voices, groups, seed)) {
      talks.push({ group, count, turns, samples: Int16Array.from(samples, (x) => Math.round(full * x)) });
      if (talks.length % 10 === 0) say(`${name}: ${talks.length} talks composed`);
    }
    return talks;
  };
  return kept(`${name} sound`, key, record, fresh);
}

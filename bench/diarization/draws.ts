// Scores over several draws of the talks of a set: by one draw of 64, counts are only known to within 7 %.
import { sized } from '../size.ts';
import { embeddedTalks, type TalkSet } from './embedded-talks.ts';
import type { Evidence, Pipeline } from './pipeline.ts';
import { scoreTalks, type TalkScore } from './talk-scores.ts';

/** How often talks are drawn for published figures. */
export const publishedDraws = sized(4, 1);

export interface DrawOptions {
  /** The first draw has the seed of the set, each other one the next. */
  readonly draws?: number;
  readonly changes?: Partial<Evidence>;
  /** Embedded anew even where they are kept. */
  readonly fresh?: boolean;
}

/** `model`: the file that the pipeline embeds with. */
export async function scoreDraws(
  pipeline: Pick<Pipeline, 'detectSpeech' | 'embed' | 'diarizing'>,
  model: string,
  set: TalkSet,
  say: (text: string) => void,
  { draws = publishedDraws, changes = {}, fresh = false }: DrawOptions = {},
): Promise<TalkScore[]> {
  const scores: TalkScore[] = [];
  for (let seed = set.seed; seed < set.seed + draws; seed++) {
    const talks = await embeddedTalks(pipeline, model, { ...set, seed }, say, fresh);
    scores.push(...(await scoreTalks(pipeline, talks, changes)));
  }
  return scores;
}

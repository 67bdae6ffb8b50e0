// One question to the nodes that hold the parts of the library. A part that nobody answers for is asked no
// more: the answer is that of the others, and says how much is missing.
import type { Reply, Request } from '../../runtime/contract.ts';
import { engineErrors, toFields } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import type { CallOptions, Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';
import type { AskTakes } from '../index/parts/joint.ts';
import type { RankedMatch } from '../index/visual/contract.ts';
import type { Scoring } from '../index/visual/scoring.ts';
import { clusterErrors, holdText } from './contract.ts';
import type { Division, Holder } from './division.ts';
import type { Holders } from './holders.ts';
import type { PartClient } from './part-client.ts';
import type { IndexQuestion, PartMessage, PartReplies } from './part-message.ts';

type Contract = typeof indexContract;

/** ms that a node may take to answer a question, and one of a comparison: searches overtake those. */
const WITHIN = 4_000;
const COMPARED_WITHIN = 30_000;

export interface JointParts {
  readonly index: Ref<Contract>;
  readonly holders: Pick<Holders, 'own' | 'division' | 'rest'>;
  readonly client: Pick<PartClient, 'ask'>;
  /** The last change that the replica has. */
  applied(): number;
  readonly log: Log;
}

/** By other nodes than this one, one after the other; null where none of them answers. CANCELLED. */
export async function askPart<K extends PartMessage['name']>(
  { holders, client, applied, log }: JointParts,
  those: readonly Holder[],
  name: K,
  request: PartMessage['request'],
  { lane = 'now', signal }: CallOptions,
  within: number,
): Promise<PartReplies[K] | null> {
  const first = Math.floor(Math.random() * those.length);
  for (const holder of [...those.slice(first), ...those.slice(0, first)]) {
    if (holder.id === holders.own.id) continue;
    const { address, hold } = holder;
    const asked = { address, hold, within, signal };
    try {
      return (await client.ask(asked, { name, lane, request, applied: applied() })) as PartReplies[K];
    } catch (error) {
      if (engineErrors.CANCELLED.is(error)) throw error;
      if (clusterErrors.PART_LATE.is(error)) holders.rest(holder);
      const { message: reason } = toFields(error);
      log.warn('a node does not answer about its part', { node: holder.id, part: holdText(hold), reason });
    }
  }
  return null;
}

interface Asked {
  readonly cache_dir: string;
  readonly model_key: string;
  readonly dimensions: number;
  /** What is left of each part. */
  readonly parts: Reply<Contract, 'narrowed'>['parts'];
  readonly division: Division;
}

type Compared = Omit<Request<Contract, 'take_sequences'>, 'cache_dir' | 'model_key' | 'hashes' | 'seeds'>;

export interface RankedPart {
  readonly matches: readonly RankedMatch[];
  readonly searched: number;
}

export class Question {
  readonly #parts: JointParts;
  readonly #asked: Asked;
  readonly #options: CallOptions;
  readonly #silent = new Set<number>();
  /** Frames that parts have looked at. */
  readonly #searched = new Map<number, number>();

  constructor(parts: JointParts, asked: Asked, options: CallOptions) {
    this.#parts = parts;
    this.#asked = asked;
    this.#options = options;
  }

  get dimensions(): number {
    return this.#asked.dimensions;
  }

  /** Frames that are looked at. */
  get total(): number {
    return this.#asked.parts.reduce((sum, { frames }) => sum + frames, 0);
  }

  /** Every part has answered. */
  get isWhole(): boolean {
    return this.#silent.size === 0;
  }

  /** Of what is left of each part, what nobody has looked at. */
  unsearched(parts = this.#asked.parts): { readonly unsearched?: number } {
    const left = parts.map(({ frames }, i) => {
      if (this.#silent.has(i)) return frames;
      return Math.max(0, frames - (this.#searched.get(i) ?? frames));
    });
    const all = left.reduce((sum, frames) => sum + frames, 0);
    return all === 0 ? {} : { unsearched: all };
  }

  /** Of each part that answers, how the frames that stand for it score by each. */
  async samples(scorings: readonly Scoring[]) {
    const request = { total: this.total, scorings: scorings.map(mutable) };
    const answers = await this.#each((part) =>
      this.#ask(part, 'sample', { ...request, ...this.#within(part) }),
    );
    return answers.map(({ samples }) => samples);
  }

  /** The best of each part that answers. */
  ranked(scoring: Scoring, most: number, perMedia: number | undefined): Promise<RankedPart[]> {
    const limits = { scoring: mutable(scoring), ...(perMedia !== undefined && { max_per_media: perMedia }) };
    return this.#each((part) => this.#rank(part, limits, most));
  }

  /** A step of a comparison; fields as those of `take_sequences`. */
  takes(how: Compared): AskTakes {
    const { hash_str, once, mirror } = how;
    const votes = new Map<number, Reply<Contract, 'take_votes'>>();
    return {
      samples: (scorings) => this.samples(scorings),
      votes: async (seeds) => {
        const request = { hash_str, once, mirror, seeds: [...seeds] };
        const answers = await this.#each(async (part) => {
          const answer = await this.#ask(part, 'take_votes', request, COMPARED_WITHIN);
          if (answer !== null) votes.set(part, answer);
          return answer;
        });
        return answers.map(({ contents }) => contents);
      },
      sequences: async (seeds) => {
        const answers = await this.#each(async (part) => {
          const { hashes } = votes.get(part)!;
          if (hashes.length === 0) return { takes: [] };
          const request = { ...how, hashes, seeds: [...seeds] };
          return this.#ask(part, 'take_sequences', request, COMPARED_WITHIN);
        });
        return answers.map(({ takes }) => takes);
      },
    };
  }

  async #each<T>(work: (part: number) => Promise<T | null>): Promise<T[]> {
    // Nothing is left of some parts where few media are searched.
    const some = this.#asked.parts.flatMap(({ frames }, i) =>
      frames > 0 && !this.#silent.has(i) ? [i] : [],
    );
    const answers = await Promise.all(
      some.map(async (part) => {
        const answer = await work(part);
        if (answer === null) this.#silent.add(part);
        return answer;
      }),
    );
    return answers.filter((answer) => answer !== null);
  }

  /** Another node may have media that this one has not, or not any more: the next ones take their places. */
  async #rank(
    part: number,
    limits: Pick<Request<Contract, 'rank'>, 'scoring' | 'max_per_media'>,
    most: number,
  ): Promise<RankedPart | null> {
    const { index } = this.#parts;
    const { cache_dir, model_key } = this.#asked;
    for (let depth = most; ; depth *= 2) {
      const asked = { ...limits, max_results: depth, ...this.#within(part) };
      const answer = await this.#ask(part, 'rank', asked);
      if (answer === null) return null;
      const { searched } = answer;
      const ranking = answer.matches.toSorted((a, b) => a.original_index - b.original_index);
      const hashes = ranking.map(({ hash_str }) => hash_str);
      const { paths } = await index.ask('searched_paths', { cache_dir, model_key, hashes }, this.#options);
      const known = ranking.flatMap((match, i) => (paths[i] == null ? [] : [{ ...match, path: paths[i] }]));
      if (known.length < most && ranking.length === depth) continue;
      this.#searched.set(part, searched);
      return { matches: known.slice(0, most), searched };
    }
  }

  #within(part: number) {
    return { within: this.#asked.parts[part]!.within };
  }

  async #ask<K extends IndexQuestion>(
    part: number,
    name: K,
    rest: Omit<Request<Contract, K>, 'cache_dir' | 'model_key'>,
    within = WITHIN,
  ): Promise<PartReplies[K] | null> {
    const { index, holders } = this.#parts;
    const { cache_dir, model_key, division } = this.#asked;
    const request = { ...rest, model_key };
    const those = division[part]!;
    if (!those.some(({ id }) => id === holders.own.id))
      return askPart(this.#parts, those, name, request, this.#options, within);
    return (await index.ask(name, { ...request, cache_dir } as never, this.#options)) as PartReplies[K];
  }
}

/** As messages have it. */
export function mutable({ bases, exclude }: Scoring) {
  return { bases: [...bases], exclude: exclude.map((one) => ({ ...one })) };
}

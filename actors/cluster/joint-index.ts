// The index for searches of an engine that holds a part of the library: questions about vectors go to one
// node for each part, and their answers become the one that an engine with the whole library gives.
// Everything else, filters and people included, this engine knows by itself.
import type { Reply, Request } from '../../runtime/contract.ts';
import { redirected } from '../../runtime/redirected.ts';
import type { CallOptions, Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';
import {
  type AskSamples,
  jointBackgrounds,
  jointRanking,
  jointScoring,
  jointTakes,
  plain,
} from '../index/parts/joint.ts';
import { type Aspect, aspectsOf, checkedQuery, checkedWords, eachOf } from '../index/visual/scoring.ts';
import { VectorCache } from '../index/visual/vector-cache.ts';
import { askPart, type JointParts, mutable, Question, type RankedPart } from './question.ts';

type Contract = typeof indexContract;
type Index = Ref<Contract>;

/** ms that other nodes may take to have something in memory. */
const LOADED_WITHIN = 60_000;

const everything = { hashes: null, ranges: {}, filters: [] };

export function jointIndex(parts: JointParts): Index {
  const joint = new JointSearch(parts);
  const own: { [name: string]: (request: never, options: CallOptions) => Promise<unknown> } = {
    load: (request: Request<Contract, 'load'>, options) => joint.load(request, options),
    search: (request: Request<Contract, 'search'>, options) => joint.search(request, options),
    relevance: (request: Request<Contract, 'relevance'>, options) => joint.relevance(request, options),
    standing: (request: Request<Contract, 'standing'>, options) => joint.standing(request, options),
    takes: (request: Request<Contract, 'takes'>, options) => joint.takes(request, options),
  };
  return redirected(parts.index, async (name, request, options = {}) => {
    const answered = own[name];
    if (answered === undefined) return parts.index.ask(name, request, options);
    return (await answered(request as never, options)) as never;
  });
}

/** For a text, in everything. */
function isPlain({ text, picture, exclude, scope, people }: Request<Contract, 'search'>): boolean {
  const isWhole = scope.hashes === null && scope.filters.length === 0 && people === undefined;
  return isWhole && Object.keys(scope.ranges).length === 0 && !picture && !exclude && text !== null;
}

function joined(answers: readonly RankedPart[], most: number) {
  const lists = answers.map(({ matches }) => matches);
  return {
    matches: jointRanking(lists, most),
    searched: answers.reduce((sum, { searched }) => sum + searched, 0),
  };
}

class JointSearch {
  readonly #parts: JointParts;
  readonly #scales = new VectorCache<{ readonly background: number; readonly best: number }>(8);
  readonly #backgrounds = new VectorCache<{ readonly centre: number; readonly deviation: number }>(64);

  constructor(parts: JointParts) {
    this.#parts = parts;
  }

  /** The part of this engine, then those of the others: at the end all of them can be searched. */
  async load(
    { hold: _, ...request }: Request<Contract, 'load'>,
    options: CallOptions,
  ): Promise<Reply<Contract, 'load'>> {
    const { index, holders } = this.#parts;
    const answer = await index.ask('load', { ...request, hold: holders.own.hold }, options);
    if (!answer.done) return answer;
    const { model_key, hashes } = request;
    const asked = { model_key, hashes };
    const division = holders.division();
    const all = await Promise.all(
      division.map((those) => askPart(this.#parts, those, 'load', asked, options, LOADED_WITHIN)),
    );
    const unreadable = new Set([answer, ...all].flatMap((one) => one?.unreadable ?? []));
    return { ...answer, unreadable: [...unreadable].sort() };
  }

  async search(
    request: Request<Contract, 'search'>,
    options: CallOptions,
  ): Promise<Reply<Contract, 'search'>> {
    if (isPlain(request)) return this.#searchPlainly(request, options);
    const { max_results, max_per_media } = request;
    const { question, told } = await this.#begin(request, options);
    if (question.total === 0) return { matches: [], searched: 0, ...told };
    const query = checkedQuery(request, question.dimensions);
    const scoring = await jointScoring(query, (scorings) => question.samples(scorings));
    const answers = await question.ranked(scoring, max_results, max_per_media);
    return { ...joined(answers, max_results), ...told, ...question.unsearched() };
  }

  /** What the other parts are asked is known before this engine has looked at its own. */
  async #searchPlainly(
    { cache_dir, model_key, scope, text, max_results, max_per_media }: Request<Contract, 'search'>,
    options: CallOptions,
  ): Promise<Reply<Contract, 'search'>> {
    const { index, holders } = this.#parts;
    const division = holders.division();
    const parts = division.map(() => ({ within: { hashes: null, ranges: {}, only: null }, frames: 1 }));
    const asked = { cache_dir, model_key, dimensions: text!.length, parts, division };
    const question = new Question(this.#parts, asked, options);
    const [left, answers] = await Promise.all([
      index.ask('narrowed', { cache_dir, model_key, scope, of: division.length }, options),
      question.ranked(plain([text!]), max_results, max_per_media),
    ]);
    return { ...joined(answers, max_results), ...question.unsearched(left.parts) };
  }

  async relevance(
    request: Request<Contract, 'relevance'>,
    options: CallOptions,
  ): Promise<Reply<Contract, 'relevance'>> {
    const { text_weight, text, picture, exclude } = request;
    const { question, state } = await this.#begin({ ...request, scope: everything }, options);
    const query = checkedQuery(request, question.dimensions);
    const samples: AskSamples = (scorings) => question.samples(scorings);
    const scoring = await jointScoring(query, samples);
    const key = [state, text_weight, text, picture, exclude];
    let scale = this.#scales.get(key);
    if (scale === undefined) {
      const [background] = await jointBackgrounds([scoring], samples);
      const answers = await question.ranked(scoring, 1, 1);
      const [best] = joined(answers, 1).matches;
      const { centre } = background!;
      scale = { background: centre, best: best?.score ?? centre };
      if (question.isWhole) this.#scales.set(key, scale);
    }
    const given = { scoring: mutable(scoring), ...scale };
    const answer = await this.#parts.index.ask('relevance', { ...request, given }, options);
    return { ...answer, ...question.unsearched() };
  }

  async standing(
    request: Request<Contract, 'standing'>,
    options: CallOptions,
  ): Promise<Reply<Contract, 'standing'>> {
    const { question, state } = await this.#begin({ ...request, scope: everything }, options);
    const words = checkedWords(request.words, question.dimensions);
    const query = checkedQuery(request, question.dimensions);
    const scoring = await jointScoring(query, (scorings) => question.samples(scorings));
    const aspects = aspectsOf({ ...query, words });
    const all = [aspects.text, aspects.picture, ...aspects.words].filter((one) => one !== null);
    const usual = await this.#usual(question, state, all);
    const background = eachOf(aspects, (aspect) => usual.get(aspect)!);
    const given = { scoring: mutable(scoring), background };
    return this.#parts.index.ask('standing', { ...request, given }, options);
  }

  async takes(request: Request<Contract, 'takes'>, options: CallOptions): Promise<Reply<Contract, 'takes'>> {
    const { index } = this.#parts;
    const { asked, begun, next, at, end, seeds } = await index.ask('take_seeds', request, options);
    if (asked === null || seeds.length === 0) return { asked, takes: [], begun, next };
    const { cache_dir, model_key, only, place: _, ...how } = request;
    const { question } = await this.#begin({ cache_dir, model_key, scope: everything }, options);
    const asking = question.takes({ ...how, hash_str: asked, at, end, once: only === null });
    const takes = await jointTakes(seeds, how, asking);
    return { asked, takes, begun, next, ...question.unsearched() };
  }

  async #usual(question: Question, state: number, aspects: readonly Aspect[]) {
    const keyOf = (aspect: Aspect) => [state, ...aspect];
    const unknown = aspects.filter((one) => this.#backgrounds.get(keyOf(one)) === undefined);
    const found = await jointBackgrounds(unknown.map(plain), (scorings) => question.samples(scorings));
    const usual = new Map(aspects.map((one) => [one, this.#backgrounds.get(keyOf(one))!]));
    for (const [i, aspect] of unknown.entries()) {
      usual.set(aspect, found[i]!);
      if (question.isWhole) this.#backgrounds.set(keyOf(aspect), found[i]!);
    }
    return usual;
  }

  /** `state`: another number whenever something else is loaded. NOT_LOADED, errors of filters and people. */
  async #begin(
    {
      cache_dir,
      model_key,
      scope,
      people,
    }: Pick<Request<Contract, 'search'>, 'cache_dir' | 'model_key' | 'scope' | 'people'>,
    options: CallOptions,
  ) {
    const division = this.#parts.holders.division();
    const asked = { cache_dir, model_key, scope, ...(people && { people }), of: division.length };
    const { parts, state, dimensions, people_twice } = await this.#parts.index.ask(
      'narrowed',
      asked,
      options,
    );
    const question = new Question(
      this.#parts,
      { cache_dir, model_key, dimensions, parts, division },
      options,
    );
    return { question, state, told: people_twice === undefined ? {} : { people_twice } };
  }
}

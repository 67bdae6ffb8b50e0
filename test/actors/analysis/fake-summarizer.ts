// A fake summarizer: a root over a leaf for every two seconds, written by rote, with faults on demand.
import type { NewSummaryNode } from '../../../actors/index/summaries/contract.ts';
import { type OpenFilm, summarizerContract, summarizerErrors } from '../../../actors/summarizer/contract.ts';
import type { Sights } from '../../../actors/summarizer/facts/film.ts';
import { actor } from '../../../runtime/actor.ts';
import { engineErrors } from '../../../runtime/errors.ts';

type Message = keyof typeof summarizerContract.messages;

interface FakeFilm {
  readonly asked: OpenFilm;
  readonly frames: number[];
  readonly words: string[];
  readonly people: string[];
  readonly sights: string[];
  readonly taken: string[];
}

export interface SummarizerWorld {
  /** Every message, in the order they came; of `write` with the nodes. */
  readonly heard: string[];
  /** Promises that messages wait for. */
  hold: Partial<Record<Message, Promise<void>>>;
  /** How often each of these messages ends the actor. */
  readonly crashes: Partial<Record<Message, number>>;
  readonly films: Map<number, FakeFilm>;
  /** The films that were closed, as they were then. */
  readonly closed: FakeFilm[];
  /** Visual models whose concepts are known. */
  readonly concepts: Set<string>;
  /** Numbers of phrases that were set; null for those that were kept. */
  readonly phrases: (number | null)[];
  /** Nodes of which nothing usable can be made. */
  readonly unusable: Set<string>;
  language: string | null;
  last: number;
}

export const newSummarizer = (): SummarizerWorld => ({
  heard: [],
  hold: {},
  crashes: {},
  films: new Map(),
  closed: [],
  concepts: new Set(),
  phrases: [],
  unusable: new Set(),
  language: null,
  last: 0,
});

/** Phrases of the lexicon: more than one message takes. */
export const phraseCount = 100;

export function fakeSummarizer(world: SummarizerWorld) {
  const filmOf = (film: number): FakeFilm => {
    const found = world.films.get(film);
    if (!found) throw summarizerErrors.FILM_LOST(String(film));
    return found;
  };
  const hear = async (message: Message, more = '') => {
    world.heard.push(`${message}${more}`);
    await world.hold[message];
    const crashes = world.crashes[message] ?? 0;
    if (crashes === 0) return;
    world.crashes[message] = crashes - 1;
    world.films.clear();
    world.concepts.clear();
    throw engineErrors.ACTOR_CRASHED('the summarizer ended');
  };
  return actor<typeof summarizerContract, unknown>({
    contract: summarizerContract,
    create: () => ({ handlers: { ...modelHandlers(world, hear), ...filmHandlers(world, hear, filmOf) } }),
  });
}

type Hear = (message: Message, more?: string) => Promise<void>;

const loaded = { is_loading: false, load_status: 'ready', fallback_from: null, error: null } as const;

function modelHandlers(world: SummarizerWorld, hear: Hear) {
  return {
    load: async ({ model_key }: { model_key: string }) => {
      await hear('load');
      world.language = model_key;
      return { ...loaded, model_key, requested_model_key: model_key, device: 'cpu', device_reason: null };
    },
    unload: async () => {
      await hear('unload');
      world.language = null;
      return {};
    },
    has_concepts: async ({ model_key }: { model_key: string }) => ({
      present: world.concepts.has(model_key),
      named: true,
    }),
    concept_phrases: async () => ({
      phrases: Array.from({ length: phraseCount }, (_, i) => (i === 0 ? 'xyzzy' : `thing ${i}`)),
    }),
    set_concepts: async (asked: { model_key: string; dimensions: number; phrases: Float32Array | null }) => {
      const { model_key, dimensions, phrases } = asked;
      await hear('set_concepts');
      world.concepts.add(model_key);
      world.phrases.push(phrases && phrases.length / dimensions);
      return {};
    },
  };
}

function filmHandlers(world: SummarizerWorld, hear: Hear, filmOf: (film: number) => FakeFilm) {
  type Film = { film: number };
  return {
    open_film: async (asked: OpenFilm) => {
      await hear('open_film');
      world.films.set(++world.last, { asked, frames: [], words: [], people: [], sights: [], taken: [] });
      return { film: world.last };
    },
    add_vectors: async ({ film, frames }: Film & { frames: Int32Array }) => {
      await hear('add_vectors');
      filmOf(film).frames.push(...frames);
      return { frames: frames.length };
    },
    add_words: async ({
      film,
      segments,
    }: Film & { segments: { text: string; speaker: string | null }[] }) => {
      filmOf(film).words.push(...segments.map(({ speaker, text }) => `${speaker}: ${text}`));
      return {};
    },
    add_people: async ({ film, people }: Film & { people: { person: string }[] }) => {
      filmOf(film).people.push(...people.map(({ person }) => person));
      return {};
    },
    add_sights: async ({ film, things, lines }: Film & Sights) => {
      filmOf(film).sights.push(...things.map((thing) => thing.class), ...lines.map(({ text }) => text));
      return {};
    },
    outline: async ({ film }: Film) => {
      await hear('outline');
      const { asked } = filmOf(film);
      const frames = (from: number) => (asked.language_model === null ? [] : [from]);
      const leaves = leavesOf(asked).map((from) => ({
        node_id: `n${from}`,
        stage: 'generating_observations' as const,
        frames: frames(from),
      }));
      const root = { node_id: 'root', stage: 'generating_summary' as const, frames: [] };
      return { nodes: [...leaves, root], root_id: 'root' };
    },
    take_up: async ({ film, nodes }: Film & { nodes: { node_id: string }[] }) => {
      filmOf(film).taken.push(...nodes.map(({ node_id }) => node_id));
      return {};
    },
    write: async ({ film, nodes }: Film & { nodes: { node_id: string; pictures: unknown[] }[] }) => {
      const { asked } = filmOf(film);
      const texts = nodes.map(({ node_id, pictures }) => `${node_id}+${pictures.length}`);
      await hear('write', ` ${texts.join(' ')}`);
      filmOf(film);
      return { nodes: nodes.map(({ node_id }) => nodeOf(asked, node_id, world.unusable.has(node_id))) };
    },
    conclude: async ({ film, warnings }: Film & { warnings: string[] }) => {
      await hear('conclude');
      const { asked } = filmOf(film);
      const none = { uncovered_ranges: [], uncovered_range_count: 0 };
      const failed = [...world.unusable];
      const told = { warnings, warning_count: warnings.length, ...none };
      const quality = { ...told, failed_node_ids: failed, failed_node_count: failed.length };
      return { one_line_summary: asked.objective.preset, short_summary: `of ${asked.seconds} s`, quality };
    },
    close_film: async ({ film }: Film) => {
      const open = world.films.get(film);
      if (open) world.closed.push(open);
      world.films.delete(film);
      return {};
    },
  };
}

function leavesOf({ seconds }: OpenFilm): number[] {
  return Array.from({ length: Math.ceil(seconds / 2) }, (_, i) => 2 * i);
}

function nodeOf(asked: OpenFilm, node_id: string, failed: boolean): NewSummaryNode {
  const same = { node_id, verification_hints: [], failed, text: `${asked.language_model}: ${node_id}` };
  const { seconds } = asked;
  const evidence = { frames: [], transcript: [], speakers: [], people: [], attribution_hints: [] };
  if (node_id !== 'root') {
    const from = Number(node_id.slice(1));
    const range: [number, number] = [from, Math.min(seconds, from + 2)];
    return { ...same, parent_id: 'root', level: 1, range, child_ids: [], evidence };
  }
  const child_ids = leavesOf(asked).map((from) => `n${from}`);
  return { ...same, parent_id: null, level: 0, range: [0, seconds], child_ids, evidence: null };
}

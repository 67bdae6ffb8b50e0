// The summarizer actor: holds what is stored of a few files while their summaries are written, from templates
// or by a language model.

import { randomInt } from 'node:crypto';
import { type ActorEnv, type ActorInstance, actor, type Handlers, type Turn } from '../../runtime/actor.ts';
import type { Log } from '../../runtime/log.ts';
import { type Checkpoint, createCheckpoint, inSteps } from '../../runtime/sync/checkpoint.ts';
import { modelErrors } from '../models/contract.ts';
import { CurrentModel } from '../models/current.ts';
import type { DeviceChoice } from '../models/device.ts';
import {
  conceptPhrases,
  type KnownConcepts,
  knownConceptsSteps,
  namesConcepts,
} from './concepts/concepts.ts';
import { summarizerContract, summarizerErrors } from './contract.ts';
import { SummarizedFilm, type WithWriter } from './film.ts';
import type { LanguageWriter, OpenLanguageWriter } from './language/contract.ts';
import { openLanguageWriter } from './language/open.ts';

interface SummarizerSettings {
  /** Absolute path of the folder with a folder for each model. */
  readonly modelsDir: string;
  readonly device: DeviceChoice;
  /** Threads inside one run; 0 leaves it to the runtime. */
  readonly threads: number;
}

/** Opens language models; tests pass their own. */
type WriterOpener = (env: ActorEnv<SummarizerSettings>) => OpenLanguageWriter;

/** Loads can be cancelled in native code, too. */
type Cancellable = Checkpoint & { readonly signal: AbortSignal };

export const definition = summarizerActor(openLanguageWriter);

export function summarizerActor(opener: WriterOpener) {
  return actor({
    contract: summarizerContract,
    create: (env: ActorEnv<SummarizerSettings>): ActorInstance<typeof summarizerContract> => {
      const films = new Films<SummarizedFilm>(env.log);
      const writers = currentWriter(opener(env), env);
      let concepts: KnownConcepts | null = null;
      return {
        handlers: {
          load: async ({ model_key }, turn) => (await writers.load(model_key, cancellable(turn, env))).state,
          unload: async () => {
            await writers.unload();
            return {};
          },
          has_concepts: ({ model_key }) => ({
            present: concepts?.model_key === model_key,
            named: namesConcepts(model_key),
          }),
          concept_phrases: () => ({ phrases: [...conceptPhrases] }),
          set_concepts: async ({ model_key, dimensions, ...vectors }, turn) => {
            const steps = knownConceptsSteps(model_key, dimensions, vectors, concepts);
            concepts = await inSteps(steps, createCheckpoint(turn));
            return {};
          },
          open_film: (request) => {
            if (request.language_model !== null) mostPicturesOf(writers, request.language_model);
            return { film: films.add(new SummarizedFilm(request)) };
          },
          ...materialHandlers(films),
          outline: ({ film: number }, turn) => {
            const film = films.get(number);
            const { language_model: key } = film.film;
            const pictures = key === null ? 0 : mostPicturesOf(writers, key);
            return film.outline(concepts, pictures, createCheckpoint(turn));
          },
          take_up: ({ film, nodes }) => {
            films.get(film).takeUp(nodes);
            return {};
          },
          write: async ({ film: number, nodes }, turn) => {
            const film = films.get(number);
            return { nodes: await film.write(nodes, turn, withWriter(writers, film)) };
          },
          conclude: ({ film: number, warnings }, turn) => {
            const film = films.get(number);
            return film.conclude(warnings, turn, withWriter(writers, film));
          },
          close_film: ({ film }) => {
            films.close(film);
            return {};
          },
        },
        close: () => writers.close(),
      };
    },
  });
}

/** Handlers that take the stored facts of a file piece by piece. */
function materialHandlers(films: Films<SummarizedFilm>) {
  return {
    add_vectors: ({ film, frames, vectors, cuts }) => ({
      frames: films.get(film).intake.addVectors(frames, vectors, cuts),
    }),
    add_words: ({ film, segments }) => {
      films.get(film).intake.addWords(segments);
      return {};
    },
    add_people: ({ film, people }) => {
      films.get(film).intake.addPeople(people);
      return {};
    },
    add_sights: ({ film, ...sights }) => {
      films.get(film).intake.addSights(sights);
      return {};
    },
  } satisfies Partial<Handlers<typeof summarizerContract>>;
}

type Writers = CurrentModel<{ readonly key: string }, LanguageWriter, Cancellable>;

function currentWriter(open: OpenLanguageWriter, { log }: ActorEnv<SummarizerSettings>): Writers {
  return new CurrentModel({
    kind: 'language',
    defaultModel: null,
    log,
    find: async (key: string) => ({ key }),
    open: ({ key }, { signal }: Cancellable) => open(key, signal),
  });
}

function cancellable(turn: Turn, { stopping }: ActorEnv<SummarizerSettings>): Cancellable {
  return Object.assign(createCheckpoint(turn, { stopping }), { signal: turn.signal });
}

/** Throws LANGUAGE_MODEL_LOST. */
function mostPicturesOf(writers: Writers, key: string): number {
  try {
    return writers.using(key).family.mostPictures;
  } catch (error) {
    throw lost(key, error);
  }
}

/** Null for texts from templates. */
function withWriter(writers: Writers, { film: { language_model: key } }: SummarizedFilm): WithWriter | null {
  if (key === null) return null;
  return async (work) => {
    try {
      return await writers.run(key, ({ family }) => work(family));
    } catch (error) {
      throw modelErrors.MODEL_NOT_LOADED.is(error) ? lost(key, error) : error;
    }
  };
}

function lost(key: string, cause: unknown) {
  if (!modelErrors.MODEL_NOT_LOADED.is(cause)) return cause;
  return summarizerErrors.LANGUAGE_MODEL_LOST(cause.message, { model_key: key }, cause);
}

// The files that are being summarised, by number.

/** Files that are open at the same time; a caller that closes its files never has so many. */
export const mostFilms = 8;

export class Films<F> {
  /** The one that was used last at the end. */
  readonly #films = new Map<number, F>();
  readonly #log: Log;
  /** Numbers start at random: a file of this actor from before a restart must not be taken for a new one. */
  #last = randomInt(2 ** 46);

  constructor(log: Log) {
    this.#log = log;
  }

  /** Where too many are open, the one that nobody used for longest is forgotten. */
  add(film: F): number {
    while (this.#films.size >= mostFilms) {
      const [oldest] = this.#films.keys();
      this.#films.delete(oldest!);
      this.#log.warn('a summary was not closed and is forgotten', { film: oldest!, open: mostFilms });
    }
    this.#last += 1;
    this.#films.set(this.#last, film);
    return this.#last;
  }

  /** Throws FILM_LOST. */
  get(number: number): F {
    const film = this.#films.get(number);
    if (!film) throw summarizerErrors.FILM_LOST(`File ${number} is not open`, { film: number });
    this.#films.delete(number);
    this.#films.set(number, film);
    return film;
  }

  close(number: number): void {
    this.#films.delete(number);
  }
}

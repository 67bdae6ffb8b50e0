// What an index answers whose engine holds a part of a library, or asks those that do.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { storeErrors } from '../store/contract.ts';
import { sampledRows, sampleOf } from '../visual/background.ts';
import { maxQueries } from '../visual/cells.ts';
import { lookedAt, type VisualParts } from '../visual/handlers.ts';
import type { LoadedVectors } from '../visual/loaded.ts';
import { queriesOf } from '../visual/scan.ts';
import type { Scoring } from '../visual/scoring.ts';
import type { partMessages } from './contract.ts';
import { narrowedTo, scopeWithin } from './narrowed.ts';

export type PartContract = Contract<typeof partMessages>;
export type TakeName = 'take_seeds' | 'take_votes' | 'take_sequences';

export function partHandlers(parts: VisualParts): Omit<Handlers<PartContract>, TakeName> {
  const { folders, visual } = parts;
  return {
    narrowed: (request, turn) => narrowed(parts, request, () => turn.throwIfCancelled()),
    sample: ({ cache_dir, model_key, within, total, scorings }, turn) =>
      folders.with(cache_dir, (store) => {
        const loaded = visual.of(store, model_key);
        for (const scoring of scorings) expectFitting(loaded, scoring);
        const rows = sampledRows(loaded.catalog.picks(scopeWithin(within)), total);
        const samples = scorings.map((scoring) => {
          turn.throwIfCancelled();
          return sampleOf(loaded.bank, rows, scoring);
        });
        return { samples };
      }),
    rank: async ({ cache_dir, ...request }, turn) => {
      const { model_key, scoring, within, max_results: matches, max_per_media: perVideo = matches } = request;
      const loaded = await folders.with(cache_dir, (store) => visual.of(store, model_key));
      if (loaded.catalog.vectors === 0) return { matches: [], searched: 0 };
      expectFitting(loaded, scoring);
      const pause = () => turn.throwIfCancelled();
      const search = { query: scoring, scope: scopeWithin(within), matches, perVideo, pause };
      return parts.passes.join({ loaded, cache_dir, search });
    },
    searched_paths: ({ cache_dir, model_key, hashes }) =>
      folders.with(cache_dir, (store) => {
        const { catalog } = visual.of(store, model_key);
        return { paths: hashes.map((hash) => catalog.get(hash)?.path ?? null) };
      }),
  };
}

async function narrowed(parts: VisualParts, request: Request<PartContract, 'narrowed'>, pause: () => void) {
  const { scope, people, of } = request;
  const { loaded, within, told } = await lookedAt(parts, request, pause);
  const { dimensions, catalog, kept } = loaded;
  const isWhole = people === undefined && scope.hashes === null && scope.filters.length === 0;
  const left =
    isWhole && Object.keys(scope.ranges).length === 0
      ? kept.whole(catalog, of)
      : narrowedTo(catalog, await within(), of);
  return { dimensions, state: kept.state, parts: [...left], ...told };
}

/** WRONG_DIMENSIONS, INVALID_MESSAGE. */
export function expectFitting({ dimensions }: LoadedVectors, scoring: Scoring, most = maxQueries): void {
  const vectors = [...scoring.bases, ...scoring.exclude.map(({ vector }) => vector)];
  const wrong = vectors.find(({ length }) => length !== dimensions);
  if (wrong !== undefined) {
    throw storeErrors.WRONG_DIMENSIONS(
      `scoring: ${wrong.length} numbers do not fit the ${dimensions} dimensions of the loaded model`,
    );
  }
  if (queriesOf(scoring) > most)
    throw engineErrors.INVALID_MESSAGE(`scoring: at most ${most} vectors are possible`);
}

// The steps of a comparison for takes between engines that hold parts of a library: what is looked for, which
// contents have frames like it, and the sequences there.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Request } from '../../../runtime/contract.ts';
import { storeErrors } from '../store/contract.ts';
import type { LoadedMedia } from '../visual/catalog.ts';
import { blanksOf, type VisualParts } from '../visual/handlers.ts';
import type { LoadedVectors } from '../visual/loaded.ts';
import { mostTogether } from '../visual/scan.ts';
import { stepFrom } from '../visual/takes/compare.ts';
import { Look } from '../visual/takes/look.ts';
import { followed, vote } from '../visual/takes/votes.ts';
import { expectFitting, type PartContract, type TakeName } from './handlers.ts';

export function takeHandlers({ folders, visual }: VisualParts): Pick<Handlers<PartContract>, TakeName> {
  return {
    take_seeds: ({ cache_dir, model_key, place, blank, ...request }, turn) =>
      folders.with(cache_dir, (store) => {
        const loaded = visual.of(store, model_key);
        const pause = () => turn.throwIfCancelled();
        const at = loaded.searched(store, pause);
        const how = { ...request, blank: blanksOf(blank, loaded) };
        const { question, begun, after } = stepFrom(at.catalog, how, place);
        if (question === null) return { asked: null, begun, next: after(null), at: 0, end: 0, seeds: [] };
        const { media, at: first, end } = question;
        const seeds = loaded.lend(store, media, pause, (runs) => new Look(at, question, runs).seeds());
        const told = { asked: media.hash, begun, next: after(seeds.next) };
        return { ...told, at: first, end, seeds: seeds.seeds };
      }),
    take_votes: ({ cache_dir, model_key, ...request }, turn) =>
      folders.with(cache_dir, (store) => {
        const loaded = visual.of(store, model_key);
        const { mirror, once: isOnce, seeds } = request;
        const asked = { media: askedMedia(loaded, request), mirror, isOnce };
        const at = loaded.searched(store, () => turn.throwIfCancelled());
        const { votes, contents } = vote(at, asked, seeds, null);
        return { hashes: [...new Set(votes.map(({ media }) => media.hash))], contents };
      }),
    take_sequences: ({ cache_dir, model_key, blank, ...request }, turn) =>
      folders.with(cache_dir, (store) => {
        const loaded = visual.of(store, model_key);
        const { seeds, hashes, once, hash_str: _, ...how } = request;
        const media = askedMedia(loaded, request);
        const question = { ...how, media, isOnce: once, blank: blanksOf(blank, loaded) };
        const pause = () => turn.throwIfCancelled();
        const at = loaded.searched(store, pause);
        const { votes } = vote(at, question, seeds, hashes);
        const takes = loaded.lend(store, media, pause, (runs) =>
          followed(new Look(at, question, runs), votes, seeds, pause),
        );
        return { takes };
      }),
  };
}

function askedMedia(
  loaded: LoadedVectors,
  { hash_str, seeds, mirror }: Pick<Request<PartContract, 'take_votes'>, 'hash_str' | 'seeds' | 'mirror'>,
): LoadedMedia {
  const bases = seeds.map(({ vector }) => vector);
  expectFitting(loaded, { bases, exclude: [] }, mirror === null ? mostTogether : mostTogether / 2);
  const media = loaded.catalog.get(hash_str);
  if (media === undefined)
    throw storeErrors.NOT_LOADED(`${hash_str} is not loaded`, { folder: loaded.folder, hash_str });
  return media;
}

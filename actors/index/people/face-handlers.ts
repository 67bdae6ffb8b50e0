// What the index answers about the faces of media while they are found.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { Folders } from '../folders.ts';
import type { OpenStages } from '../open-stages.ts';
import { storeErrors } from '../store/contract.ts';
import type { FaceStage } from '../store/people/face-stage.ts';
import type { Store } from '../store/store.ts';
import type { peopleMessages } from './contract.ts';

export interface FaceParts {
  readonly folders: Folders;
  readonly faceStages: OpenStages<FaceStage>;
}

type Names = 'faces_stored' | 'begin_faces' | 'append_faces' | 'commit_faces' | 'abort_faces';

export function faceHandlers({
  folders,
  faceStages,
}: FaceParts): Handlers<Contract<Pick<typeof peopleMessages, Names>>> {
  return {
    faces_stored: ({ cache_dir, model_key, hashes }) =>
      folders.with(cache_dir, (store) => {
        const stored = store.people.faces.stored(model_key, hashes);
        return {
          faces: stored.map((one) => one?.count ?? null),
          from_previews: stored.map((one) => one?.fromPreviews ?? false),
        };
      }),
    begin_faces: ({ cache_dir, hash_str, model_key, dimensions, span }) =>
      folders.with(cache_dir, (store) => {
        const stage = store.peopleWriter().faces.begin(hash_str, model_key, dimensions, span);
        const { frames, next } = stage.kept;
        return { stage: faceStages.add(store, stage), kept: frames, next_frame: next };
      }),
    append_faces: ({ stage: number, frames, vectors, aligned, displays, keep }) => {
      const { store, stage } = faceStages.get(number);
      writerOf(store, stage).append(stage, { frames, vectors, aligned, displays }, keep);
      return {};
    },
    commit_faces: ({ stage: number, media, from_previews }) => {
      const { store, stage } = faceStages.get(number);
      // Whatever becomes of the commit, the store has no stage afterwards.
      faceStages.remove(number);
      return writerOf(store, stage).commit(stage, media, from_previews);
    },
    abort_faces: ({ stage: number }) => {
      const open = faceStages.remove(number);
      if (open?.store.isBusy) open.store.peopleWriter().faces.suspend(open.stage);
      return {};
    },
  };
}

/** The stages of a store that was closed are lost with it. */
function writerOf(store: Store, stage: FaceStage) {
  if (store.isBusy) return store.peopleWriter().faces;
  throw storeErrors.STAGE_LOST(`The stage of ${stage.hash} was lost when ${store.folder} was closed`);
}

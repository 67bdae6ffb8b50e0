// The face stage: in every grid frame of a file faces are found and stored with a vector and pictures of
// each; then the faces of each job are clustered into people.
import { engineErrors } from '../../../../runtime/errors.ts';
import { mediaErrors, type PictureShape, type PictureSize } from '../../../decoder/contract.ts';
import { compactFacesInSteps } from '../../../index/store/compact-in-steps.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import { expectUnchanged } from '../../media/survey.ts';
import type { WorkItem } from '../kind.ts';
import { type FacesActor, loadFaceModel } from '../parts.ts';
import type { FileWork, SpanRules, Stage, StageRun, StartedWork } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { FaceClosing } from './closing.ts';
import { FaceFinder, FileFaces, FilmFaces, faceShape, stillSide } from './file-faces.ts';
import { type FaceFacts, facesKind } from './kind.ts';

export const facesStage: Stage = {
  kind: facesKind,
  journal: 'faces',
  reads: 'frames',
  open: async (task) => {
    const { parts, request, signal } = task;
    const { faces, faceModel: inUse, pool } = parts;
    if (!faces) throw engineErrors.INTERNAL('an engine that only searches was asked for faces');
    // Faces that are there already are clustered without a model.
    const isWithoutMedia = request.face_jobs.every(({ paths }) => paths.length === 0);
    if (isWithoutMedia) return new FaceRun(task, faces, null);
    const model = await loadFaceModel(inUse, faces, { signal }).catch(async (error) => {
      // The actor may have loaded them by now all the same.
      if (signal.aborted) await inUse.unload(() => faces.ask('unload', {})).catch(() => {});
      throw error;
    });
    return new FaceRun(task, faces, new FaceFinder({ faces, inUse, model, pool }));
  },
};

/** Frames in a span: some five seconds of work where several faces are seen, which a crash costs at most. */
const spanFrames = 30;
/** Frames decoded ahead: they are large, and looking at one takes longer than decoding it. */
const CREDIT = 3;

class FaceRun implements StageRun {
  readonly #task: TaskContext;
  readonly #faces: FacesActor;
  /** Null where no file is looked at. */
  readonly #finder: FaceFinder | null;
  /** Faces of files that were looked at before, by content. */
  readonly #stored = new Map<string, FaceCount>();
  readonly closing;

  constructor(task: TaskContext, faces: FacesActor, finder: FaceFinder | null) {
    this.#task = task;
    this.#faces = faces;
    this.#finder = finder;
    this.closing = new FaceClosing(task, faces, finder);
  }

  modelOf(): string {
    return this.#finder?.model.model_key ?? '';
  }

  applies({ probe }: MediaRecord): boolean {
    return probe.grid_frames > 0;
  }

  /** Results from previews stand until the file is back. */
  async isStored({ identity: { hash_str } }: MediaRecord, _: WorkItem, isGone: boolean): Promise<boolean> {
    const { parts, request, signal } = this.#task;
    const query = { cache_dir: request.cache_dir, model_key: this.modelOf(), hashes: [hash_str] };
    const { faces, from_previews } = await parts.index.ask('faces_stored', query, { signal });
    const [[count = null], [fromPreviews = false]] = [faces, from_previews];
    if (count === null || (fromPreviews && !isGone)) return false;
    this.#stored.set(hash_str, { count, fromPreviews });
    return true;
  }

  storedFacts({ identity }: MediaRecord) {
    const { count, fromPreviews } = this.#stored.get(identity.hash_str) ?? { count: 0, fromPreviews: false };
    return factsOf({ model_key: this.modelOf(), count, missing_frames: 0 }, fromPreviews);
  }

  spans({ probe }: MediaRecord): SpanRules {
    const { parts, request } = this.#task;
    const { device = null, dimensions = 0 } = this.#finder?.model ?? {};
    const shape = this.#shapeOf(probe);
    const { hardware } = parts;
    const { decode } = request;
    return { every: spanFrames, settings: { dimensions, shape, device, hardware, decode } };
  }

  #shapeOf(probe: MediaRecord['probe'], shown: PictureSize = probe): PictureShape {
    const { faceSide, pool } = this.#task.parts;
    return faceShape(shown, probe.kind === 'image' ? stillSide : faceSide, pool.memory.slotBytes);
  }

  async work(file: FileWork<WorkItem>): Promise<StartedWork> {
    const finder = this.#finder;
    if (!finder) throw engineErrors.INTERNAL('no face model was opened for a file');
    const { media, spans, worked } = file;
    const { index } = this.#task.parts;
    const { model_key, dimensions } = finder.model;
    // Not cancellable: a stage that was begun has to be known here, or nobody would end it.
    const { stage, stored_frames, next_frame } = await index.ask('begin_faces', {
      cache_dir: this.#task.request.cache_dir,
      hash_str: media.identity.hash_str,
      model_key,
      dimensions,
      ...(spans && { span: spans.key }),
    });
    const controller = new AbortController();
    const signal = AbortSignal.any([file.signal, controller.signal]);
    const faces = new FileFaces({ index, stage, stored_frames, spans, signal, onAppended: worked });
    const giveUp = async (error: unknown): Promise<never> => {
      controller.abort(error);
      await faces.quiet();
      await index.ask('abort_faces', { stage }).catch(() => {});
      throw error;
    };
    try {
      spans?.takenUp(stored_frames);
      await this.#look(file, finder, faces, next_frame, signal);
    } catch (error) {
      return giveUp(error);
    }
    return { finished: this.#commit(file, stage, stored_frames, faces).catch(giveUp) };
  }

  async #look(
    { media, previews, frames }: FileWork<WorkItem>,
    finder: FaceFinder,
    faces: FileFaces,
    from: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (from >= media.probe.grid_frames) return;
    const shape = this.#shapeOf(media.probe, previews ?? media.probe);
    const film = new FilmFaces(finder, shape);
    for await (const { frame_index, picture } of frames({
      shape,
      from,
      preview: false,
      credit: CREDIT,
      signal,
    })) {
      await faces.add(frame_index, film.find(picture, signal));
    }
  }

  async #commit(
    { media, previews }: FileWork<WorkItem>,
    stage: number,
    keptFrames: number,
    faces: FileFaces,
  ) {
    await faces.finish();
    const { path, probe } = media;
    const looked = keptFrames + faces.frames;
    if (looked === 0 && probe.grid_frames > 0) {
      throw mediaErrors.DECODE_FAILED(`${path}: none of its pictures can be decoded`, { path });
    }
    const from_previews = previews !== null;
    if (!from_previews) await expectUnchanged(media);
    // Not cancellable: a commit that was begun is finished, and what is finished stays.
    const { faces: count } = await this.#task.parts.index.ask('commit_faces', {
      stage,
      media,
      from_previews,
    });
    const missing_frames = Math.max(0, probe.grid_frames - looked);
    return factsOf({ model_key: this.modelOf(), count, missing_frames }, from_previews);
  }

  /** The models are used by nobody else; what they take is given back. */
  async close(): Promise<void> {
    if (!this.#finder) return;
    const { parts, request, signal } = this.#task;
    const query = { cache_dir: request.cache_dir, model_key: this.modelOf() };
    await compactFacesInSteps(parts.index, query, signal);
    await parts.faceModel
      .unload(() => this.#faces.ask('unload', {}))
      .catch((error) => {
        parts.log.warn('the face models cannot be freed', { error });
      });
  }
}

interface FaceCount {
  readonly count: number;
  readonly fromPreviews: boolean;
}

function factsOf(facts: FaceFacts, from_previews: boolean) {
  const warning = 'found in stored previews, not in the file: small faces may be missing';
  const faces: FaceFacts = { ...facts, from_previews };
  return { faces: from_previews ? { ...faces, warning } : faces, clustering: null };
}

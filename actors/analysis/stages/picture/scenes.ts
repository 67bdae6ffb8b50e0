// The picture stage where only the scenes of films are wanted: the edges of films whose visual analysis is
// stored are found anew, and no model takes part.
import type { Log } from '../../../../runtime/log.ts';
import { mediaErrors, type PictureShape } from '../../../decoder/contract.ts';
import { type MediaRecord, storeErrors } from '../../../index/store/contract.ts';
import type { EarlierRuns } from '../../contract.ts';
import { expectUnchanged } from '../../media/survey.ts';
import type { WorkItem } from '../kind.ts';
import type { AnalysisParts, IndexActor } from '../parts.ts';
import type { FileWork, ResultFacts, StageRun, StartedWork } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { FrameChoice, lookBytes, lookHeight, lookWidth, SmallPicture } from './cuts.ts';
import { EdgeSearch, edgesIfReadable, Liveliness, type PictureEdges } from './edges.ts';
import { pictureKind } from './kind.ts';

const shape: PictureShape = { width: lookWidth, height: lookHeight, fit: 'stretch', resample: 'area' };
/** Grid frames that may be decoded ahead. */
const credit = 8;

export class SceneRun implements StageRun {
  readonly #index: IndexActor;
  readonly #pool: AnalysisParts['pool'];
  readonly #log: Log;
  readonly #liveliness = new Liveliness();
  readonly #cacheDir: string;
  readonly #signal: AbortSignal;
  readonly #earlier: EarlierRuns | null;

  constructor({ parts, run, signal }: TaskContext) {
    this.#index = parts.index;
    this.#pool = parts.pool;
    this.#log = parts.log;
    this.#cacheDir = run.request.cache_dir;
    this.#signal = signal;
    this.#earlier = run.earlier;
  }

  /** No model: a name of its own for the journal. */
  modelOf(): string {
    return 'scenes';
  }

  applies({ probe }: MediaRecord): boolean {
    return probe.grid_frames > 0;
  }

  /** A still has no scenes. Those of a film are found anew, once in a task. */
  async isStored({ probe, identity }: MediaRecord, { path }: WorkItem): Promise<boolean> {
    const isDone = probe.kind === 'image' || this.#earlier?.finished(pictureKind.type, path) === true;
    return isDone && (await this.#hasPictures(identity.hash_str));
  }

  storedFacts({ probe }: MediaRecord) {
    return { frames: probe.grid_frames, missing_frames: 0 };
  }

  async work(file: FileWork<WorkItem>): Promise<StartedWork> {
    const { media, previews, reader, signal } = file;
    const { path, identity, probe } = media;
    if (!(await this.#hasPictures(identity.hash_str))) {
      throw storeErrors.NOT_ANALYZED(
        `${path}: its pictures have not been analysed, so it has no scenes: analyse it`,
        { path },
      );
    }
    if (previews) throw mediaErrors.FILE_NOT_FOUND(`${path}: there is no such file`, { path });
    const search = new EdgeSearch(media, this.#liveliness, signal);
    const frameCount = await this.#look(file, search);
    const missing_frames = probe.grid_frames - frameCount;
    const edges = reader && (await edgesIfReadable(search, reader, media, this.#log));
    return { finished: this.#store(media, edges, { frames: frameCount, missing_frames }) };
  }

  async #hasPictures(hash: string): Promise<boolean> {
    const request = { cache_dir: this.#cacheDir, model_key: null, hashes: [hash] };
    const { stored } = await this.#index.ask('stored', request, { signal: this.#signal });
    return stored[0] === true;
  }

  /** Answers the number of frames. */
  async #look({ frames, worked }: FileWork<WorkItem>, search: EdgeSearch): Promise<number> {
    const looks = new FrameChoice();
    let count = 0;
    const request = { shape, preview: false, credit, small: search.small };
    for await (const { frame_index, picture, small } of frames(request)) {
      looks.see(frame_index, new SmallPicture(this.#pool.view(picture).subarray(0, lookBytes)));
      await search.see(frame_index, looks.frames.at(-1) === frame_index, small);
      count++;
      worked(1);
    }
    return count;
  }

  /** Where only the grid tells, the scenes that are stored stay. */
  async #store(media: MediaRecord, edges: PictureEdges | null, frames: ResultFacts): Promise<ResultFacts> {
    await expectUnchanged(media);
    if (edges === null) return frames;
    // Not cancellable: what is stored stays.
    await this.#index.ask('set_edges', {
      cache_dir: this.#cacheDir,
      hash_str: media.identity.hash_str,
      edges,
    });
    return { ...frames, shots: edges.seconds.length + 1 };
  }

  async close(): Promise<void> {}
}

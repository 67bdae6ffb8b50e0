// One file being diarized: all its channels, and an embedding for every part of speech in them. Sound is not
// kept.

import type { FbankOptions } from '../acoustics/fbank.ts';
import type { SpeechRegion } from '../transcriber/contract.ts';
import { OverlapChannel } from './overlap/channel.ts';
import type { Plda } from './plda.ts';
import { RecentFeatures, type SubsegmentFeatures } from './recent-features.ts';
import type { SegmentationChannel } from './segmentation-channel.ts';
import { type Subsegment, Subsegmenter, type SubsegmentOptions } from './turns.ts';

/** A subsegment whose embedding is row `vector` of the session's vectors. */
export interface EmbeddedSubsegment extends Subsegment {
  readonly vector: number;
}

/** Turns count×frames×80 features into count×d embeddings. */
export type Embed = (features: Float32Array, count: number) => Promise<Float32Array>;

/** Facts about a channel at its end. */
export interface ChannelSpeech {
  readonly regions: readonly (readonly [number, number])[];
  readonly overlap: Pick<OverlapChannel, 'start' | 'probabilities'>;
}

interface DiarizationOptions<C extends ChannelSpeech> {
  readonly modelKey: string;
  /** The model and its version, under which voices are kept. */
  readonly voiceModel?: string;
  readonly dimensions: number;
  readonly batch: number;
  /** Null where the model has none. */
  readonly plda: Plda | null;
  readonly channels: readonly C[];
  /** Used in the place of `channels` where a segmentation model is loaded. */
  readonly segmentationChannels?: readonly SegmentationChannel[];
}

/** Rows of the first buffer of vectors, which doubles when it is full. */
const firstRows = 256;

interface Waiting {
  readonly row: number;
  readonly features: Float32Array;
}

export class DiarizationSession<C extends ChannelSpeech = SubsegmentChannel> {
  readonly modelKey: string;
  readonly voiceModel: string;
  readonly channels: readonly C[];
  readonly segmentationChannels: readonly SegmentationChannel[] | null;
  readonly subsegments: EmbeddedSubsegment[][];
  readonly dimensions: number;
  readonly plda: Plda | null;
  readonly #batch: number;
  #vectors: Float32Array;
  #count = 0;
  /** Subsegments of one length that wait for a full batch. */
  #waiting: Waiting[] = [];

  constructor(options: DiarizationOptions<C>) {
    const { modelKey, dimensions, batch, plda, channels, segmentationChannels } = options;
    this.modelKey = modelKey;
    this.voiceModel = options.voiceModel ?? modelKey;
    this.channels = channels;
    this.segmentationChannels = segmentationChannels ?? null;
    this.dimensions = dimensions;
    this.plda = plda;
    this.subsegments = channels.map(() => []);
    this.#batch = batch;
    this.#vectors = new Float32Array(firstRows * dimensions);
  }

  /** n×d in the order in which embeddings were asked for; complete after `flush`. *Borrowed.* */
  get vectors(): Float32Array {
    return this.#vectors.subarray(0, this.#count * this.dimensions);
  }

  /**
   * Embeds subsegments in full batches. A batch holds one length only: one that is shorter runs by itself.
   */
  async add(channel: number, added: readonly SubsegmentFeatures[], embed: Embed): Promise<void> {
    for (const { subsegment, features } of added) {
      const row = this.#row();
      this.subsegments[channel]!.push({ ...subsegment, vector: row });
      const length = this.#waiting[0]?.features.length;
      if (length !== undefined && length !== features.length) {
        if (features.length < length) {
          await this.#run([{ row, features }], embed);
          continue;
        }
        await this.flush(embed);
      }
      this.#waiting.push({ row, features });
      if (this.#waiting.length === this.#batch) await this.flush(embed);
    }
  }

  /** Embeds features of any length, each by itself; answers the row of each embedding. */
  async embedEach(sounds: readonly Float32Array[], embed: Embed): Promise<number[]> {
    const rows: number[] = [];
    for (const features of sounds) {
      const row = this.#row();
      await this.#run([{ row, features }], embed);
      rows.push(row);
    }
    return rows;
  }

  /** Embeds what waits for a full batch. */
  async flush(embed: Embed): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) await this.#run(waiting, embed);
  }

  async #run(batch: readonly Waiting[], embed: Embed): Promise<void> {
    const size = batch[0]!.features.length;
    const together = new Float32Array(batch.length * size);
    batch.forEach(({ features }, at) => {
      together.set(features, at * size);
    });
    const vectors = await embed(together, batch.length);
    batch.forEach(({ row }, at) => {
      const vector = vectors.subarray(at * this.dimensions, (at + 1) * this.dimensions);
      this.#vectors.set(vector, row * this.dimensions);
    });
  }

  #row(): number {
    const row = this.#count++;
    if (this.#count * this.dimensions > this.#vectors.length) {
      const larger = new Float32Array(this.#vectors.length * 2);
      larger.set(this.#vectors);
      this.#vectors = larger;
    }
    return row;
  }
}

// One channel of a session without a segmentation model: takes sound in blocks and the speech detected in it,
// and answers the features of every subsegment of speech. It keeps the features of the last seconds only.

export class SubsegmentChannel {
  /** Hears the same features; whoever pushes lets it `detect`. */
  readonly overlap = new OverlapChannel();
  readonly #subsegmenter: Subsegmenter;
  readonly #features: RecentFeatures;

  constructor(fbank: FbankOptions, options?: SubsegmentOptions) {
    this.#features = new RecentFeatures(fbank);
    this.#subsegmenter = new Subsegmenter(options);
  }

  get regions(): readonly (readonly [number, number])[] {
    return this.#subsegmenter.regions;
  }

  /** Where the next block has to begin; null before the first one. */
  get next(): number | null {
    return this.#features.next;
  }

  /** `samples`: from `first` on, *copied*. `speech` and `settled` as the transcriber answered them. */
  push(
    first: number,
    samples: Float32Array,
    speech: readonly SpeechRegion[],
    settled: number,
  ): SubsegmentFeatures[] {
    const features = this.#features.push(first, samples);
    this.overlap.push(this.#features.start, features, speech, settled);
    const pieces = this.#features.of(this.#subsegmenter.add(speech, settled));
    this.#features.dropBefore(this.#subsegmenter.needed(settled));
    return pieces;
  }

  /** The channel has ended. */
  end(speech: readonly SpeechRegion[], settled: number): SubsegmentFeatures[] {
    this.overlap.end(speech);
    const subsegments = [...this.#subsegmenter.add(speech, settled), ...this.#subsegmenter.end()];
    const pieces = this.#features.of(subsegments);
    this.#features.clear();
    return pieces;
  }
}

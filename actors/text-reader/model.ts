// The two graphs of PP-OCR and its dictionary: one finds lines of text, the other reads them.
import { readFile } from 'node:fs/promises';
import type { Picture } from '../../runtime/picture.ts';
import type { Checkpoint } from '../../runtime/sync/checkpoint.ts';
import { modelErrors } from '../models/contract.ts';
import type { Openable } from '../models/current.ts';
import { floatsOf, type Graph, openGraph, type SessionOpener } from '../models/session.ts';
import { type Area, detectionInput, detectionSize } from './detection/input.ts';
import { mayBeText, type Rectangle, regionsOf, type TextRegion } from './detection/regions.ts';
import { charactersOf, cutLine, lineHeight, type ReadText, readSteps } from './recognition/line.ts';

const detectionOutput = 'sigmoid_0.tmp_0';
const read = 'softmax_11.tmp_0';

type Size = Pick<Picture, 'width' | 'height'>;

interface TextModelFiles {
  readonly detector: string;
  readonly recognizer: string;
  readonly dictionary: string;
}

export class PaddleReader implements Openable {
  readonly #detector: Graph;
  readonly #recognizer: Graph;
  readonly #characters: readonly string[];

  private constructor(detector: Graph, recognizer: Graph, characters: readonly string[]) {
    this.#detector = detector;
    this.#recognizer = recognizer;
    this.#characters = characters;
  }

  /**
   * Runs each graph once. Throws MODEL_LOAD_FAILED, also for a dictionary that does not fit the graph that
   * reads.
   */
  static async open(
    files: TextModelFiles,
    session: SessionOpener,
    checkpoint: Checkpoint,
  ): Promise<PaddleReader> {
    const characters = charactersOf(await readFile(files.dictionary, 'utf8'));
    const opened: Graph[] = [];
    const open = async (file: string, height: number | null, output: string) => {
      const input = { name: 'x', type: 'float32', shape: [null, 3, height, null] } as const;
      const graph = await openGraph(session, file, [input], [output]);
      opened.push(graph);
      return graph;
    };
    try {
      const detector = await open(files.detector, null, detectionOutput);
      const recognizer = await open(files.recognizer, lineHeight, read);
      const reader = new PaddleReader(detector, recognizer, characters);
      await checkpoint();
      const size = detectionSize(grey, 64);
      await reader.find(grey, size, { left: 0, top: 0, ...size });
      await checkpoint();
      const lying = { x: 32, y: 32, ux: 1, uy: 0, width: 64, height: 16 };
      await reader.read(grey, lying).catch((cause) => {
        const { dictionary } = files;
        throw modelErrors.MODEL_LOAD_FAILED(
          `${dictionary}: ${messageOf(cause)}`,
          { file: dictionary },
          cause,
        );
      });
      return reader;
    } catch (error) {
      for (const { session } of opened) await session.release();
      throw error;
    }
  }

  get runsOn() {
    return this.#recognizer.session;
  }

  /**
   * Lines in the part `area` of the picture scaled to `size`, in pixels of the picture. Throws
   * MODEL_RUN_FAILED.
   */
  async find(picture: Picture, size: Size, area: Area): Promise<TextRegion[]> {
    const { width, height } = area;
    const map = await this.#look(picture, size, area);
    const [scaleX, scaleY] = [picture.width / size.width, picture.height / size.height];
    return regionsOf(map, width, height).map((region) => ({
      ...region,
      x: (region.x + area.left) * scaleX,
      y: (region.y + area.top) * scaleY,
      width: region.width * scaleX,
      height: region.height * scaleY,
    }));
  }

  /** True if the part `area` of the picture, scaled to `size`, may contain text. Throws MODEL_RUN_FAILED. */
  async glimpse(picture: Picture, size: Size, area: Area): Promise<boolean> {
    return mayBeText(await this.#look(picture, size, area));
  }

  /** How likely each pixel of the area is text. */
  async #look(picture: Picture, size: Size, area: Area): Promise<Float32Array> {
    const { width, height } = area;
    const data = detectionInput(picture, size, area);
    const results = await this.#detector.run({ x: { data, dims: [1, 3, height, width] } });
    const { data: map, dims } = floatsOf(this.#detector, results, detectionOutput, 4);
    if (dims[2] === height && dims[3] === width) return map;
    const { file } = this.#detector;
    throw modelErrors.MODEL_RUN_FAILED(
      `${file}: a map of ${dims.join('×')} of a picture of ${width}×${height}`,
      { file },
    );
  }

  /** Throws MODEL_RUN_FAILED. */
  async read(picture: Picture, line: Rectangle): Promise<ReadText> {
    const { data, width } = cutLine(picture, line);
    const results = await this.#recognizer.run({ x: { data, dims: [1, 3, lineHeight, width] } });
    const { data: steps, dims } = floatsOf(this.#recognizer, results, read, 3);
    const characters = this.#characters.length;
    if (dims[2] !== characters) {
      const { file } = this.#recognizer;
      const message = `${file} tells ${dims[2]} characters apart, and the dictionary has ${characters - 2}`;
      throw modelErrors.MODEL_RUN_FAILED(`${message} with none and a blank beside`, { file });
    }
    return readSteps(steps, this.#characters);
  }

  async close(): Promise<void> {
    await this.#detector.session.release();
    await this.#recognizer.session.release();
  }
}

const grey: Picture = { data: new Uint8Array(64 * 64 * 3).fill(128), width: 64, height: 64 };

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

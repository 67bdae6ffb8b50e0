// A detector that is open: looks at pictures.
import type { Picture } from '../../runtime/picture.ts';
import type { Openable } from '../models/current.ts';
import type { ModelSession } from '../models/session.ts';
import { classNames } from './classes.ts';
import { coloursOf } from './colours.ts';
import { detectorSide as side, type Thing } from './contract.ts';
import { detectionsOf, fillInput, outputs } from './detection.ts';

export class Detector implements Openable {
  readonly runsOn: ModelSession;
  readonly #planes = new Float32Array(3 * side * side);
  readonly #input: string;

  /** The session is the detector's own. Throws where the graph is not one of NanoDet. */
  constructor(session: ModelSession) {
    const names = new Set(session.outputs.map(({ name }) => name));
    const missing = outputs
      .flatMap(({ scores, sides }) => [scores, sides])
      .filter((name) => !names.has(name));
    const [input] = session.inputs;
    if (missing.length > 0 || input === undefined) {
      throw new Error(`the graph has no ${missing.length > 0 ? `output ${missing.join(', ')}` : 'input'}`);
    }
    this.runsOn = session;
    this.#input = input.name;
  }

  /** Best first. `picture` is *borrowed until the promise settles*. Throws MODEL_RUN_FAILED. */
  async look(picture: Picture): Promise<Thing[]> {
    const found = detectionsOf(await this.run(picture), picture);
    return found.map(({ label, score, box }) => ({
      class: classNames[label]!,
      score: Math.min(1, score),
      box: [...box],
      colours: coloursOf(picture, box),
    }));
  }

  /** What the graph answers. The same holds. */
  run(picture: Picture): ReturnType<ModelSession['run']> {
    fillInput(picture, this.#planes);
    return this.runsOn.run({ [this.#input]: { data: this.#planes, dims: [1, 3, side, side] } });
  }

  close(): Promise<void> {
    return this.runsOn.release();
  }
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { engineErrors } from '../../../../runtime/errors.ts';
import { untilRelease } from '../../../shared.ts';
import {
  askFrames,
  askMoments,
  askPicture,
  askProbe,
  askSound,
  askSubtitles,
  soundSlotBytes,
  TestTurn,
  turnFor,
} from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';

const clipNamed = (name: string) => clips.find((clip) => clip.name === name)!;
const long = clipNamed('H.264, GOP 250');
const untimed = clipNamed('MPEG-4 with B-frames in AVI, which holds no times');
const subtitled = clipNamed('subtitles in mp4');
const sounding = clipNamed('H.264 in Matroska with sound');

/** Everything that loops over the packets of a file. */
const loops: Readonly<Record<string, (turn: TestTurn) => Promise<unknown>>> = {
  'exact frames': async (turn) => askFrames({ path: await long.make() }, turn),
  keyframes: async (turn) => askFrames({ path: await long.make(), mode: 'keyframes' }, turn),
  'every picture': async (turn) => askFrames({ path: await untimed.make() }, turn),
  'a seek': async (turn) => askFrames({ path: await long.make(), from: 5 }, turn),
  moments: async (turn) => askMoments(await long.make(), [1, 9.5], turn),
  picture: async (turn) => askPicture(await long.make(), 7.5, undefined, turn),
  sound: async (turn) => askSound(await sounding.make(), null, turn),
  subtitles: async (turn) => {
    const path = await subtitled.make();
    const [track] = (await askProbe(path)).subtitles;
    return askSubtitles(path, track!.index, turn);
  },
};

/** A turn that is cancelled when it checks for cancellation the nth time. */
class CancelledAt extends TestTurn {
  #left: number;

  constructor(n: number) {
    super(soundSlotBytes);
    this.#left = n;
  }

  override throwIfCancelled() {
    if (--this.#left === 0) this.cancel();
    super.throwIfCancelled();
  }
}

describe('a loop over packets', () => {
  for (const [name, run] of Object.entries(loops)) {
    test(`can be cancelled wherever it checks: ${name}`, async () => {
      let n = 1;
      // Checks at growing distances: a file has thousands.
      for (; n < 5000; n = Math.ceil(n * (untilRelease ? 2 : 1.3))) {
        const error = await run(new CancelledAt(n)).then(
          () => null,
          (thrown: unknown) => thrown,
        );
        if (error === null) break;
        assert.ok(engineErrors.CANCELLED.is(error), `check ${n}: ${error}`);
      }
      assert.ok(n > 1 && n < 5000, `${n} checks`);
    });
  }

  for (const name of ['exact frames', 'keyframes', 'every picture', 'moments', 'picture', 'sound']) {
    test(`reports that it is alive: ${name}`, async () => {
      const turn = turnFor({ width: 512, height: 512, fit: 'stretch', resample: 'area' });
      await loops[name]!(turn);
      assert.ok(turn.alives > 0);
    });
  }
});

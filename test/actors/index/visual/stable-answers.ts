// Stills and films that are analysed, forgotten and analysed again while some of them stay: what those answer
// must stay as well, and everything must answer as after a restart.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Store } from '../../../../actors/index/store/store.ts';
import type { VectorQuery } from '../../../../actors/index/visual/scoring.ts';
import { search } from '../../../../actors/index/visual/search.ts';
import { VisualIndex } from '../../../../actors/index/visual/visual-index.ts';
import { createLog } from '../../../../runtime/log.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { footage, framesUpTo, mediaRecord, near, randomVector, seeded } from '../footage.ts';

const d = 32;
const model = 'model';

interface Media {
  readonly hash: string;
  readonly vectors: Float32Array;
}

function analyse(library: Store, { hash, vectors }: Media): void {
  const stage = library.begin(hash, model, d);
  library.append(stage, { frames: framesUpTo(vectors.length / d), vectors: vectors, previews: [] });
  library.commit(stage, mediaRecord(hash));
}

function load(library: Store, index: VisualIndex): void {
  for (let next: number | null = null; ; ) {
    const step = index.load(library, model, null, next, () => {});
    if (step.done) return;
    next = step.load;
  }
}

function made(random: () => number, prefix: string, stills: number, films: number): Media[] {
  const lengths = [...Array.from({ length: stills }, () => 1), ...Array.from({ length: films }, () => 75)];
  return lengths.map((frames, i) => {
    const vectors = footage(frames, d, 1 + Math.floor(random() * 40), 0.1, Math.floor(random() * 1e9));
    return { hash: `${prefix}${i.toString(16)}`, vectors };
  });
}

function questions(random: () => number, kept: readonly Media[]): VectorQuery[] {
  const some = () => {
    const { vectors } = kept[Math.floor(random() * kept.length)]!;
    return near(vectors.slice(0, d), random() * 1.5, random);
  };
  return Array.from({ length: 12 }, (_, i) => ({
    text: i % 3 === 1 ? null : some(),
    pictures: i % 3 === 0 ? [] : [some(), some()],
    textWeight: 1,
    exclude: i % 2 === 0 ? [] : [randomVector(d, random), some()],
  }));
}

/** Goes on while `goOn`, which is told how many rounds there were. */
export async function checkStableAnswers(
  t: TestContext,
  { seed, stills, goOn }: { seed: number; stills: number; goOn: (rounds: number) => boolean },
): Promise<void> {
  const random = seeded(seed);
  const library = new Store(temporaryFolder(t));
  const index = new VisualIndex(createLog('index', () => {}));
  t.after(async () => {
    index.drop();
    await library.close();
  });
  const kept = made(random, 'a', stills / 4, 2);
  const asked = questions(random, kept);
  const answers = (by: VisualIndex, hashes: readonly string[] | null) =>
    asked.map((query) =>
      search(
        by.of(library, model).searched(library, () => {}),
        query,
        { hashes, ranges: {} },
        50,
      ),
    );
  const ofKept = () =>
    answers(
      index,
      kept.map(({ hash }) => hash),
    );
  const passing = made(random, 'b', stills, 1);
  for (const media of [...kept, ...passing]) analyse(library, media);
  load(library, index);
  const golden = ofKept();
  for (let round = 0; goOn(round); round++) {
    library.remove(
      passing.filter(() => random() < 0.5).map(({ hash }) => hash),
      () => {},
    );
    assert.deepEqual(ofKept(), golden, `round ${round}, after forgetting`);
    for (const media of made(random, `c${round.toString(16)}`, 3, 1)) analyse(library, media);
    for (const media of passing) if (random() < 0.1) analyse(library, media);
    analyse(library, kept[Math.floor(random() * kept.length)]!);
    load(library, index);
    assert.deepEqual(ofKept(), golden, `round ${round}, after analysing`);
    const restarted = new VisualIndex(createLog('index', () => {}));
    load(library, restarted);
    assert.deepEqual(answers(index, null), answers(restarted, null), `round ${round}, as after a restart`);
    restarted.drop();
  }
}

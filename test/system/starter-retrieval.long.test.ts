import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { everything } from '../../actors/index/visual/catalog.ts';
import { search } from '../../actors/index/visual/search.ts';
import { Library } from '../actors/index/visual/library.ts';
import { claims } from '../actors/models/starter/drawings/claims.ts';
import { type Drawn, drawSet, isAskedFor, isCounted } from '../actors/models/starter/drawings/set.ts';
import { area, dot, openStarter, type Starter } from '../actors/models/starter/starter-model.ts';
import { seeded } from '../seeded.ts';

const EACH = 2;

interface Seen extends Drawn {
  readonly vector: Float32Array;
}
let starter: Starter;
let set: Seen[];

before(async () => {
  starter = await openStarter();
  const drawn = drawSet(EACH, 20_000);
  const vectors = await starter.pictures(drawn.map(({ pixels }) => pixels));
  set = drawn.map((picture, i) => ({ ...picture, vector: vectors[i]! }));
});
after(() => starter.close());

test('every picture vector has length 1 and nothing in the dimension of texts that say nothing', () => {
  for (const { kind, vector } of set) {
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-4, kind);
    assert.equal(vector.at(-1), 0, kind);
  }
});

for (const claim of claims) {
  test(`"${claim.query}" ranks ${claim.kinds.slice(0, 3).join(', ')} first in a mixed set`, async () => {
    const query = await starter.text(claim.query);
    const scores = (wanted: (drawn: Drawn) => boolean) =>
      set.filter(wanted).map(({ vector }) => dot(vector, query));
    const reached = area(
      scores((drawn) => isAskedFor(claim, drawn)),
      scores((drawn) => isCounted(claim, drawn)),
    );
    assert.ok(reached >= claim.bar, `area under the curve ${reached.toFixed(3)}, bar ${claim.bar}`);
  });
}

test('the picture that is most like what is excluded is never the first, in libraries of any size', async () => {
  const words = ['red', 'blue', 'dark', 'people', 'water'];
  const texts = await Promise.all(words.map((word) => starter.text(word)));
  const random = seeded(3);
  for (const size of [2, 3, 5, 10, 30, set.length]) {
    const shown = Array.from({ length: size }, () => set[Math.floor(random() * set.length)]!.vector);
    const at = new Library(shown[0]!.length);
    at.add(shown.map((vector, i) => ({ hash: `${i}`, vectors: [vector] })));
    for (const [i, text] of texts.entries()) {
      for (const [j, excluded] of texts.entries()) {
        const alike = shown.map((vector) => dot(vector, excluded));
        const most = Math.max(...alike);
        // Where all pictures are as much like it, one of them has to be the first.
        if (most - Math.min(...alike) < 0.02) continue;
        const query = { text, pictures: [], textWeight: 1, exclude: [excluded] };
        const { matches } = search(at, query, everything, size);
        const first = matches.find(({ original_index }) => original_index === 0)!;
        const asked = `${words[i]} without ${words[j]} among ${size}`;
        assert.ok(alike[Number(first.hash_str)]! < most - 1e-4, asked);
        assert.equal(matches.length, size, asked);
      }
    }
  }
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { claims } from '../actors/models/starter/drawings/claims.ts';
import { type Drawn, drawSet, isAskedFor, isCounted } from '../actors/models/starter/drawings/set.ts';
import { area, dot, openStarter, type Starter } from '../actors/models/starter/starter-model.ts';

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

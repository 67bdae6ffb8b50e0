import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type Outline, outlineSteps } from '../../../../actors/summarizer/outline/outline.ts';
import type { SpokenLine } from '../../../../actors/summarizer/outline/summary-inputs.ts';
import { atOnce } from '../../../../runtime/sync/checkpoint.ts';
import { composedFilm, f1, someComposition } from './composed.ts';
import { randomMaterial, type Shape, shapes } from './random.ts';

const outlineOf = (...request: Parameters<typeof outlineSteps>) => atOnce(outlineSteps(...request));

const chaptersOf = ({ nodes }: Outline) =>
  nodes.filter(({ level, start }) => level === 1 && start > 0).map(({ start }) => start);
const leavesOf = ({ nodes }: Outline) => nodes.filter(({ child_ids }) => child_ids.length === 0);
const depthOf = ({ nodes }: Outline) => Math.max(...nodes.map(({ level }) => level));

/** What is true of every outline. */
function assertTree({ nodes }: Outline, seconds: number): void {
  const byId = new Map(nodes.map((node) => [node.node_id, node]));
  assert.equal(byId.size, nodes.length, 'an id is used twice');
  const [root] = nodes;
  assert.deepEqual([root!.start, root!.end, root!.level, root!.parent_id], [0, seconds, 0, null]);
  for (const { node_id, parent_id, level, start, end, child_ids } of nodes) {
    assert.ok(Number.isInteger(start) && Number.isInteger(end) && end > start, `${start} to ${end}`);
    assert.ok(node_id.length <= 15 && level <= 5);
    if (parent_id !== null) assert.ok(byId.get(parent_id)!.child_ids.includes(node_id));
    if (child_ids.length === 0) continue;
    assert.ok(child_ids.length >= 2 && child_ids.length <= 12, `${child_ids.length} children`);
    let at = start;
    for (const child of child_ids.map((id) => byId.get(id)!)) {
      assert.deepEqual([child.start, child.level, child.parent_id], [at, level + 1, node_id]);
      at = child.end;
    }
    assert.equal(at, end, 'children do not cover their node');
  }
}

test('nodes nest and cover the grid exactly, with two to twelve children, whatever is stored', () => {
  const check = (shape: Shape) => assertTree(outlineOf(randomMaterial(shape)), shape.seconds);
  fc.assert(fc.property(shapes(600), check), { numRuns: 250 });
  fc.assert(fc.property(shapes(20_000), check), { numRuns: 15 });
});

test('the same material has the same outline', () => {
  fc.assert(
    fc.property(shapes(900), (shape) => {
      assert.deepEqual(outlineOf(randomMaterial(shape)), outlineOf(randomMaterial(shape)));
    }),
    { numRuns: 20 },
  );
});

const plain: Shape = {
  seed: 1,
  seconds: 1,
  dimensions: 32,
  gaps: 0,
  hold: 4,
  hasPictures: true,
  hasSpeech: false,
  people: 0,
};

test('an outline is as deep as the length asks for, also where nothing changes', () => {
  const still = outlineOf(randomMaterial(plain));
  assert.deepEqual(still.nodes, [
    { node_id: '0', parent_id: null, level: 0, start: 0, end: 1, child_ids: [] },
  ]);
  for (const hold of [4, 30, 1e9]) {
    const depth = (seconds: number) => depthOf(outlineOf(randomMaterial({ ...plain, seconds, hold })));
    assert.ok(depth(10) <= 1, '10 s');
    const [hour, three, ten] = [depth(3600), depth(10_800), depth(36_000)];
    assert.ok(
      hour >= 2 && hour <= 3 && three >= 3 && three <= 4 && ten >= 3 && ten <= 4,
      `${hour} ${three} ${ten}`,
    );
  }
});

test('two shots in ten seconds are one level of two nodes', () => {
  const vectors = Float32Array.from({ length: 20 }, (_, i) => (i % 2 === (i < 12 ? 0 : 1) ? 1 : 0));
  const frames = Array.from({ length: 10 }, (_, i) => i);
  const { nodes, shots } = outlineOf({
    seconds: 10,
    pictures: { vectors, dimensions: 2, frames, cuts: [0, 6] },
    segments: null,
    people: [],
  });
  assert.deepEqual(shots, [0, 6]);
  assert.deepEqual(
    nodes.map(({ node_id, start, end }) => [node_id, start, end]),
    [
      ['0', 0, 10],
      ['1', 0, 6],
      ['2', 6, 10],
    ],
  );
});

test('ten thousand shots are a tree of hundreds of leaves, not of thousands', () => {
  const outline = outlineOf(randomMaterial({ ...plain, seconds: 10_000, hold: 1 }));
  assert.equal(outline.shots.length, 10_000);
  assertTree(outline, 10_000);
  const leaves = leavesOf(outline).length;
  assert.ok(leaves > 50 && leaves < 500, `${leaves}`);
});

test('what no frame shows is uncovered, silence is not', () => {
  const gapped = randomMaterial({ ...plain, seconds: 6 });
  const pictures = { ...gapped.pictures!, frames: [1, 2, 5], vectors: gapped.pictures!.vectors.slice(0, 96) };
  assert.deepEqual(outlineOf({ ...gapped, pictures }).uncovered, [
    { start: 0, end: 1 },
    { start: 3, end: 5 },
  ]);
  const none = { ...pictures, frames: [], vectors: new Float32Array(0) };
  assert.deepEqual(outlineOf({ ...gapped, pictures: none }).uncovered, [{ start: 0, end: 6 }]);
  assert.deepEqual(outlineOf({ ...gapped, pictures: null, segments: [] }).uncovered, []);
  assert.deepEqual(outlineOf({ ...gapped, pictures: null, segments: null }).uncovered, [
    { start: 0, end: 6 },
  ]);
});

test('sound alone is outlined by who speaks and when nobody does', () => {
  const said = (start_seconds: number, speaker: string): SpokenLine => ({
    start_seconds,
    end_seconds: start_seconds + 6,
    text: ' well.',
    speaker,
  });
  const segments = [
    ...Array.from({ length: 8 }, (_, i) => said(i * 6, 'SPEAKER_00')),
    ...Array.from({ length: 8 }, (_, i) => said(60 + i * 6, 'SPEAKER_01')),
  ];
  const outline = outlineOf({ seconds: 108, pictures: null, segments, people: [] });
  assertTree(outline, 108);
  assert.ok(
    chaptersOf(outline).some((start) => start === 48 || start === 60),
    `${chaptersOf(outline)}`,
  );
});

/** Means over films of seeds that nothing was tuned on. */
function score(seeds: readonly number[], only: (seed: number) => boolean): { f1: number; within: number } {
  const used = seeds.filter(only);
  let [sum, within] = [0, 0];
  for (const seed of used) {
    const { material, chapterStarts } = composedFilm(someComposition(seed));
    const outline = outlineOf(material);
    sum += f1(chaptersOf(outline), chapterStarts, 2);
    const bounds = leavesOf(outline).map(({ start }) => start);
    const found = chapterStarts.filter((start) => bounds.some((bound) => Math.abs(bound - start) <= 2));
    within += found.length / chapterStarts.length;
  }
  return { f1: sum / used.length, within: within / used.length };
}

test('chapters of films that have many are found, with an F1 of at least 0.8', () => {
  const scores = Array.from({ length: 30 }, (_, i) => {
    const composition = { ...someComposition(9500 + i), chapters: 8 + (i % 6), chapterSeconds: 200 };
    const { material, chapterStarts } = composedFilm(composition);
    return f1(chaptersOf(outlineOf(material)), chapterStarts, 2);
  });
  const mean = scores.reduce((sum, one) => sum + one, 0) / scores.length;
  assert.ok(mean >= 0.8, `${mean}`);
});

test('chapters of composed films are found, with an F1 of at least 0.8', () => {
  const seeds = Array.from({ length: 60 }, (_, i) => 3000 + i);
  const all = score(seeds, () => true);
  assert.ok(all.f1 >= 0.8 && all.within >= 0.95, `all: ${JSON.stringify(all)}`);
  const seen = score(seeds, (seed) => someComposition(seed).pictures);
  assert.ok(seen.f1 >= 0.85, `with pictures: ${JSON.stringify(seen)}`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { NewSummaryNode } from '../../../../actors/index/summaries/contract.ts';
import { lexicon } from '../../../../actors/summarizer/concepts/concepts.ts';
import {
  type Hint,
  hintWeights,
  objectiveOf,
  type Preset,
  presetWeights,
} from '../../../../actors/summarizer/objective.ts';
import { secondsOf } from '../../../../actors/summarizer/outline/channels.ts';
import type { SummaryInputs } from '../../../../actors/summarizer/outline/summary-inputs.ts';
import {
  type FilmTexts,
  type NodeStatements,
  newNode,
} from '../../../../actors/summarizer/statements/film-texts.ts';
import { longestLine, longestShort, longestTexts } from '../../../../actors/summarizer/statements/node.ts';
import { sentenceOf } from '../../../../actors/summarizer/statements/statement.ts';
import { draws } from '../../../shared.ts';
import { composedFilm, someComposition } from '../outline/composed.ts';
import { randomMaterial, shapes } from '../outline/random.ts';
import { withCuts } from '../outline/with-cuts.ts';
import { painted, told } from './film-texts.ts';

const storable = Compile(NewSummaryNode);

interface Evidence {
  readonly frames: ReadonlyMap<string, number>;
  readonly segments: ReadonlyMap<string, string>;
  readonly people: ReadonlySet<string>;
  readonly speakers: ReadonlySet<string>;
}

/** All evidence of the leaves of a range. */
function evidenceWithin(nodes: readonly NodeStatements[], { node }: NodeStatements): Evidence {
  const own = nodes
    .filter((leaf) => leaf.evidence && leaf.node.start >= node.start && leaf.node.end <= node.end)
    .map((leaf) => leaf.evidence!);
  return {
    frames: new Map(own.flatMap(({ frames }) => frames.map((frame) => [frame.evidence_id, frame.frame_idx]))),
    segments: new Map(
      own.flatMap(({ transcript }) => transcript.map((part) => [part.evidence_id, part.text])),
    ),
    people: new Set(own.flatMap(({ people }) => people)),
    speakers: new Set(own.flatMap(({ speakers }) => speakers)),
  };
}

const plain = (text: string) => text.replace(/[\s\u2068\u2069]+/gu, '');

/** What a text says against the evidence, told apart from how it was made. */
function assertSupported(film: FilmTexts, nodes: readonly NodeStatements[], own: NodeStatements): void {
  const within = evidenceWithin(nodes, own);
  const { start, end } = own.node;
  for (const statement of own.statements) {
    const { kind, evidence } = statement;
    const text = sentenceOf(statement);
    const where = `${own.node.node_id} ${kind}: ${text}`;
    if (kind === 'extent' || kind === 'absence') continue;
    assert.ok(evidence.length > 0, `nothing supports ${where}`);
    for (const id of evidence)
      assert.ok(within.frames.has(id) || within.segments.has(id), `${id} of ${where}`);
    if (kind === 'quote') {
      const words = /“(.*)”/su.exec(text)![1]!.replace(/…(\u2069)?$/u, '');
      const said = evidence.map((id) => within.segments.get(id) ?? '').join('');
      assert.ok(plain(said).includes(plain(words)), `${where} of ${said}`);
      const [speaker] = text.split(/: | asks: /);
      if (speaker !== 'Said' && speaker !== 'Asked') assert.ok(within.speakers.has(speaker!), where);
    }
    if (kind === 'seen')
      for (const id of evidence) assert.ok(within.frames.get(id)! >= start && within.frames.get(id)! < end);
  }
  for (const { person } of film.film.material.people)
    if (film.film.named.has(person) && new RegExp(`(?<![\\w ])${person}(?!\\w)`).test(own.text))
      assert.ok(within.people.has(person), `${person} is not in ${own.node.node_id}: ${own.text}`);
  const { segments } = film.film;
  if (/No speech\.|Nobody speaks\./.test(own.text))
    for (const segment of segments!) {
      const [from, to] = secondsOf(segment, film.film.material.seconds);
      assert.ok(segment.text.trim() === '' || from >= end || to <= start, `${own.text}: ${segment.text}`);
    }
}

function assertTold(film: FilmTexts): void {
  const nodes = film.film.outline.nodes.map((node) => film.statementsOf(node));
  for (const own of nodes) {
    const { node, text, hints } = own;
    const kind = node.parent_id === null ? 'root' : node.child_ids.length === 0 ? 'leaf' : 'node';
    assert.ok(text.length > 0 && text.length <= longestTexts[kind], `${text.length} characters of ${kind}`);
    assert.ok(text.isWellFormed() && !/undefined|null|NaN|\[object/.test(text), text);
    assert.ok(storable.Check(newNode(own)), JSON.stringify(storable.Errors(newNode(own))).slice(0, 500));
    const within = evidenceWithin(nodes, own);
    for (const { evidence_ids, affected_range } of hints) {
      for (const id of evidence_ids) assert.ok(within.frames.has(id) || within.segments.has(id), id);
      assert.ok(affected_range[0] >= node.start && affected_range[1] <= node.end, `${affected_range}`);
    }
    assertSupported(film, nodes, own);
  }
  const { one_line_summary, short_summary } = film.whole();
  assert.ok(one_line_summary.length <= longestLine && !one_line_summary.includes('\n'), one_line_summary);
  assert.ok(short_summary.length <= longestShort, short_summary);
  assert.match(short_summary, /\. \S.*[.!?…”]$/su);
}

const presets = Object.keys(presetWeights) as Preset[];
const hints = Object.keys(hintWeights) as Hint[];
const objectives = fc.record({
  preset: fc.constantFrom(...presets),
  hints: fc.subarray(hints, { maxLength: 3 }),
});

test('every statement has its evidence in a leaf below, whatever is stored and asked for', () => {
  const property = fc.property(shapes(900), objectives, (shape, { preset, hints: asked }) => {
    assertTold(told(randomMaterial(shape), { objective: objectiveOf(preset, asked) }));
  });
  fc.assert(property, { numRuns: draws(150) });
});

test('a part in which only a sentence from before goes on has a text and its evidence', () => {
  const shape = { seed: 258, seconds: 558, dimensions: 2, gaps: 0.7, hold: 8 };
  const sound = { ...shape, hasPictures: false, hasSpeech: true, people: 0 };
  const film = told(randomMaterial(sound), { objective: objectiveOf('general_understanding', []) });
  assertTold(film);
  const parts = film.film.outline.nodes.map((node) => film.statementsOf(node));
  const goingOn = parts.filter(({ facts }) => facts.sentences.length === 0 && facts.spoken > 0);
  assert.ok(goingOn.length > 0);
  for (const { text } of goingOn) assert.match(text, /^\w+: “[^”]+” \(\d\d:\d\d\)\.$/u);
});

/** Pictures of random concepts with gaps, speech of a composed film, people who come and go. */
function paintedMaterial(seed: number, names: readonly string[]): SummaryInputs {
  const composed = composedFilm({
    ...someComposition(seed),
    pictures: false,
    speech: true,
    chapters: 4,
  }).material;
  const { seconds } = composed;
  const shots: [number, ...string[]][] = [];
  for (let at = 0, shot = seed; at < seconds; shot = (shot * 31 + 7) % 1009) {
    const length = Math.min(seconds - at, 1 + (shot % 17));
    shots.push([length, ...names.slice(shot % names.length, (shot % names.length) + 1 + (shot % 2))]);
    at += length;
  }
  const all = painted(shots);
  const d = all.dimensions;
  const rows = Array.from(all.frames).filter((frame) => frame % 23 !== 5);
  const vectors = new Float32Array(rows.length * d);
  for (const [i, row] of rows.entries()) vectors.set(all.vectors.subarray(row * d, (row + 1) * d), i * d);
  const seen = (from: number, every: number) =>
    Array.from({ length: seconds }, (_, i) => i).filter((i) => i >= from && Math.floor(i / 9) % every === 0);
  const people = [
    { person: 'Ada', frames: seen(10, 3) },
    { person: 'Ben Low', frames: seen(20, 4) },
    { person: '7', frames: seen(0, 5) },
  ];
  return { ...composed, pictures: withCuts({ vectors, dimensions: d, frames: rows }), people };
}

test('concepts that are told are seen in the frames of their evidence', () => {
  const names = lexicon.map(({ name }) => name);
  const property = fc.property(
    fc.integer({ min: 0, max: 1000 }),
    fc.subarray(names, { minLength: 3, maxLength: 9 }),
    objectives,
    (seed, shown, { preset, hints: asked }) => {
      assertTold(told(paintedMaterial(seed, shown), { objective: objectiveOf(preset, asked) }));
    },
  );
  fc.assert(property, { numRuns: draws(25) });
});

test('only what was painted is named for sure', () => {
  const shown = ['a lighthouse', 'fishing', 'fog', 'at dusk', 'a dog', 'mostly blue'];
  const material = paintedMaterial(3, shown);
  const film = told(material);
  const named = new Set(
    film.film.outline.nodes.flatMap(({ node_id }) => film.facts(node_id).seen.map(({ name }) => name)),
  );
  assert.deepEqual(
    [...named].filter((name) => !shown.includes(name)),
    [],
  );
  assert.ok(named.size >= 5, [...named].join());
});

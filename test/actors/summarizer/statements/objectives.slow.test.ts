import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Hint,
  hintWeights,
  objectiveOf,
  type Preset,
  planOf,
  presetWeights,
} from '../../../../actors/summarizer/objective.ts';
import type { SummaryInputs } from '../../../../actors/summarizer/outline/summary-inputs.ts';
import { signNames } from '../../../../actors/summarizer/text/key-sentences.ts';
import { conceptVector, painted, rootText, spoken, textsOf, told } from './film-texts.ts';

/** A sentence for each sign, of as many words, and a line of chatter after each. */
const said = {
  number: 'Plain marble tables cost 900 crowns.',
  question: 'Whose wooden ladder stood behind barns?',
  name: 'Clever barbers visited Ottokar beside fountains.',
  claim: 'Cheap curtains prove useful during breakfast.',
  conflict: 'Angry bakers burned seven loaves carelessly.',
  feeling: 'Lonely gardeners water purple tulips silently.',
  humor: 'Funny teachers wear orange slippers outside.',
  reveal: 'Suddenly copper kettles whistle under carpets.',
  process: 'Press soft clay between warm fingers.',
  outcome: 'Results arrive with slow brown envelopes.',
  danger: 'Explosions shook grey chimneys before dawn.',
  place: 'Quiet villages sleep below green hillsides.',
  bond: 'Brothers carry heavy baskets towards noon.',
  cheer: 'Crowds throw paper hats into puddles.',
  rare: 'Unknown copies gather dust inside shelves.',
} as const;

const shown = ['a beach', 'a bridge', 'a kitchen', 'a market', 'a stable', 'a lighthouse', 'a cockpit'];

/**
 * Five minutes: restless and calm parts, silent ones, one with two speakers by turns, people who come and
 * meet.
 */
const material: SummaryInputs = (() => {
  const shots: [number, ...string[]][] = [];
  for (let part = 0; part < 15; part++) {
    const concept = shown[part % shown.length]!;
    const each = part % 3 === 0 ? 2 : part % 3 === 1 ? 5 : 20;
    for (let at = 0; at < 20; at += each) shots.push([each, concept]);
  }
  const lines = signNames.map((sign, i) => `SPEAKER_0${i % 4 === 1 ? 1 : 0}: ${said[sign]}`);
  const segments = lines.flatMap((line, i) => spoken([line], 20 * i + (i % 2 ? 3 : 8), 5));
  const frames = (holds: (second: number) => boolean) =>
    Array.from({ length: 300 }, (_, i) => i).filter(holds);
  const people = [
    { person: 'Ada', frames: frames((second) => second % 60 < 25) },
    { person: 'Ben', frames: frames((second) => second > 130 && second % 60 < 35) },
    { person: '7', frames: frames((second) => second > 250) },
  ];
  return { seconds: 300, pictures: painted(shots), segments, people };
})();

const general = told(material);
const quotedIn = (text: string) => signNames.filter((sign) => text.includes(`“${said[sign]}”`));
const strongest = <K extends string>(weights: Readonly<Partial<Record<K, number>>>) =>
  (Object.entries(weights) as [K, number][]).sort(([, a], [, b]) => b - a)[0]?.[0];

for (const [name, { signs }] of Object.entries(presetWeights)) {
  if (name === 'general_understanding' || name === 'custom') continue;
  test(`the preset ${name} moves the texts`, () => {
    const film = told(material, { objective: objectiveOf(name as Preset) });
    assert.notEqual(rootText(film), rootText(general));
    assert.notDeepEqual(textsOf(film), textsOf(general));
    assert.notDeepEqual(film.whole(), general.whole());
    const sign = strongest(signs);
    if (sign) assert.ok(quotedIn(rootText(film)).includes(sign), `${rootText(film)} without ${said[sign]}`);
  });
}

for (const [name, { signs }] of Object.entries(hintWeights)) {
  test(`the hint ${name} moves the texts`, () => {
    const film = told(material, { objective: objectiveOf('general_understanding', [name as Hint]) });
    assert.notDeepEqual(textsOf(film), textsOf(general));
    const sign = strongest(signs);
    if (sign) assert.ok(quotedIn(rootText(film)).includes(sign), `${rootText(film)} without ${said[sign]}`);
  });
}

test('what is asked for comes first: speech, people or pictures', () => {
  const first = (preset: Preset) => planOf(objectiveOf(preset)).sections[0];
  assert.deepEqual(
    (['general_understanding', 'interview_selects', 'event_recap', 'b_roll_selects'] as const).map(first),
    ['seen', 'speech', 'people', 'seen'],
  );
  const opening = (preset: Preset) =>
    rootText(told(material, { objective: objectiveOf(preset) })).split(/(?<=\.) /)[1]!;
  assert.match(opening('interview_selects'), /speak/);
  assert.match(opening('character_storyline_tracking'), /Ada \(.*are seen\.$/);
  assert.match(opening('visual_showcase'), /a beach|a bridge|a kitchen|a stable|a lighthouse/i);
});

test('instructions bring the sentences that name it, and the parts that show it', () => {
  const objective = objectiveOf('custom');
  const quoted = quotedIn(rootText(told(material, { objective })));
  const others = signNames.filter((sign) => !quoted.includes(sign));
  assert.ok(others.length > 5);
  for (const sign of others) {
    const about = told(material, { objective, instructions: `find ${said[sign].slice(0, 20)}` });
    assert.ok(quotedIn(rootText(about)).includes(sign), said[sign]);
  }
  const showing = told(material, { objective, instructionsVector: conceptVector('a lighthouse') });
  const worth = [...showing.film.worth].filter(([id]) => showing.film.nodes.get(id)!.child_ids.length === 0);
  const [best] = worth.sort(([, a], [, b]) => b - a)[0]!;
  assert.match(showing.statementsOf(showing.film.nodes.get(best)!).text, /a lighthouse/i);
});

test('instructions of another space change nothing but the words', () => {
  const film = told(material, { instructionsVector: new Float32Array(3).fill(0.5) });
  assert.deepEqual(textsOf(film), textsOf(general));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { NewSummaryNode } from '../../../../../actors/index/summaries/contract.ts';
import { readNodeAnswer } from '../../../../../actors/summarizer/language/answer/forms.ts';
import {
  guardNode,
  guardWhole,
  longestText,
} from '../../../../../actors/summarizer/language/answer/guard.ts';
import { draws } from '../../../../shared.ts';
import { answer, leaf, parent } from '../material.ts';

const guarded = (text: string, more: object = {}, material = leaf()) => {
  const read = readNodeAnswer(answer(text, more));
  assert.ok('value' in read, 'problem' in read ? read.problem : '');
  return guardNode(read.value, material);
};

const kept = [
  'Anna Berg talks with Ben.',
  "Ben's hands are wet. The camera moves to the sea.",
  'Anna Berg says "nobody saw us leave the harbour".',
  'Anna talks about Lisbon.',
  'At 01:10 a boat leaves.',
  'A speaker says that they left at 10:30.',
  'Two people sit at a table, and Ben laughs.',
  'Waves break on the beach on Monday.',
];
for (const text of kept) {
  test(`kept: ${text}`, () => {
    assert.deepEqual(guarded(text), { text, hints: [] });
  });
}

const removed: [string, RegExp][] = [
  ['Bob walks along the beach.', /"Bob" here/],
  ['A man called Bob walks.', /"Bob" here/],
  ['Bob juggles.', /"Bob" here/],
  ["A woman takes Bob's hat.", /"Bob's" here/],
  ['Two people walk through Lisbon.', /"Lisbon" here/],
  ['王伟 walks along the beach with many other people there.', /"王伟" here/],
  ['At 03:20 a boat leaves.', /"03:20" is not a time/],
  ['A boat leaves at 200 seconds.', /"at 200 seconds" is not a time/],
  ['A boat leaves in the 5th minute.', /"5th minute" is not a time/],
  ['A boat leaves at 00:59.', /"00:59" is not a time/],
  ['Anna Berg says "I love the sea".', /Nobody is heard saying "I love the sea"/],
  ['Anna Berg says “I love the sea.', /Nobody is heard saying "I love the sea/],
  ["Anna Berg says 'we were all lost'.", /Nobody is heard saying "we were all lost"/],
  [
    'In the film they sailed and nobody saw us leave the harbour.',
    /described as if it happened: "and nobody saw us leave the harbour"/,
  ],
];
for (const [text, limitation] of removed) {
  test(`taken out: ${text}`, () => {
    const { text: left, hints } = guarded(`A boat leaves. ${text} The sea is calm.`);
    assert.match(hints[0]?.limitation ?? '', limitation);
    assert.ok(!left.includes(text), left);
    assert.deepEqual(hints[0]?.affected_range, [60, 120]);
    assert.ok(hints[0].evidence_ids.length > 0 && hints[0].suggested_follow_up !== '');
  });
}

test('when nothing is left, nothing is claimed', () => {
  assert.equal(guarded('Bob walks. Carla sings.').text, '');
});

test('names that the model lists and nobody has are taken out wherever they stand, and times too', () => {
  const { text, hints } = guarded('A boat leaves. The man is rose.', {
    people: ['Rosalind', 'a man'],
    times: ['09:00'],
  });
  assert.equal(text, 'A boat leaves. The man is rose.');
  assert.deepEqual(
    hints.map(({ limitation }) => limitation),
    ['"09:00" is not a time within this range'],
  );
  assert.equal(
    guarded('A boat leaves. There is a rosalind here.', { people: ['Rosalind'] }).text,
    'A boat leaves.',
  );
});

test('what the model cannot tell becomes a hint, unless it names somebody itself', () => {
  const { hints } = guarded('A boat leaves.', { uncertain: ['who steers the boat', 'whether Bob is there'] });
  assert.deepEqual(
    hints.map(({ limitation }) => limitation),
    ['The model cannot tell: who steers the boat'],
  );
});

test('a parent may name whom its children name, and not whom they only quote', () => {
  assert.equal(guarded('Anna Berg talks with Ben.', {}, parent()).text, 'Anna Berg talks with Ben.');
  const quoting = parent({
    children: [{ node_id: 'n1', range: [0, 60], text: 'A man talks. "Carla is here."' }],
  });
  assert.equal(guarded('A man talks. Carla sings.', {}, quoting).text, 'A man talks.');
});

test('marks of a chat and control characters are left out of a text', () => {
  assert.equal(
    guarded('A boat<|im_end|> leaves.\u0000\u202e The sea <image>is calm.').text,
    'A boat leaves. The sea is calm.',
  );
});

test('the whole is held by the text of the root, or there is none', () => {
  const root = parent({ template_text: 'Anna Berg talks with Ben.' });
  const whole = { one_line: 'Anna Berg talks with Ben.', short: 'Bob sings. Anna Berg talks with Ben.' };
  assert.deepEqual(guardWhole(whole, root), { one_line: whole.one_line, short: whole.one_line });
  assert.equal(guardWhole({ ...whole, one_line: 'Bob sings.' }, root), null);
});

const checker = Compile(NewSummaryNode);
function asNode(text: string, hints: object[], material = leaf()) {
  const { node_id, range, evidence } = material;
  return {
    node_id,
    parent_id: 'n0',
    level: 1,
    text,
    range,
    child_ids: [],
    verification_hints: hints,
    failed: false,
    evidence,
  };
}

test('whatever the model says, the node that is stored keeps its limits', () => {
  const strings = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3000 }),
    fc.lorem({ maxCount: 300, mode: 'sentences' }),
  );
  const list = fc.array(fc.oneof(strings, fc.double()), { maxLength: 40 });
  const said = fc.oneof(
    strings,
    fc
      .record({ text: strings, people: list, times: list, uncertain: list })
      .map((value) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``),
  );
  fc.assert(
    fc.property(said, (written) => {
      const read = readNodeAnswer(written);
      if ('problem' in read) return assert.ok(read.problem.length > 0 && read.problem.length < 500);
      const { text, hints } = guardNode(read.value, leaf());
      assert.deepEqual([...checker.Errors(asNode(text, [...hints]))], []);
      assert.ok(text.length <= longestText.leaf);
      assert.doesNotMatch(text, /\p{Cc}|\p{Cs}/u);
    }),
    { numRuns: draws(300) },
  );
});

test('no text names an outsider or a time outside, however it is put', () => {
  const outsider = fc.constantFrom(
    'Bob',
    'Carla',
    'Ruritania',
    'Müller',
    'O’Brien',
    'BOB',
    'Jean-Luc',
    'Zoë',
    'Иван',
    '李娜',
  );
  const frame = fc.constantFrom(
    '* walks.',
    'A man meets * on the beach.',
    'The woman is *.',
    "*'s car is red.",
    '*, a man, laughs.',
    'Then * and Ben talk.',
    'The title reads: * arrives.',
    'People call him "*".',
    '(*) sits down.',
    'Mr. * speaks.',
    '- * -',
    'The speaker says that * is late.',
  );
  // 10:30 is spoken of in the film: that may be told.
  const time = fc.integer({ min: 0, max: 40_000 }).filter((at) => (at < 60 || at > 120) && at !== 630);
  const clock = (at: number) => `${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}`;
  const timed = fc.tuple(
    fc.constantFrom('At * a boat leaves.', 'A boat (*) leaves.', 'From 01:10 to * it rains.'),
    time,
  );
  const sentence = fc.oneof(
    fc.tuple(frame, outsider).map(([text, name]) => text.replace('*', name)),
    timed.map(([text, at]) => text.replace('*', clock(at))),
    fc.constantFrom('Ben laughs.', 'The sea is calm.'),
  );
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 1, maxLength: 6 }), (sentences) => {
      const said = { text: `Ben laughs. ${sentences.join(' ')}`, people: [], times: [], uncertain: [] };
      const { text } = guardNode(said, leaf());
      assert.doesNotMatch(text, /bob|carla|ruritania|müller|brien|luc|zoë|иван|李娜/iu);
      for (const [found] of text.matchAll(/\d+:\d\d/g)) {
        const [minutes, seconds] = found.split(':').map(Number);
        const at = minutes! * 60 + seconds!;
        assert.ok(at >= 60 && at <= 120, text);
      }
    }),
    { numRuns: draws(500) },
  );
});

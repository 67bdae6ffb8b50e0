import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  oneObject,
  readNodeAnswer,
  readWholeAnswer,
} from '../../../../../actors/summarizer/language/answer/forms.ts';

test('one object is found in a fence, among words, and with brackets in its texts', () => {
  const value = { text: 'a } and a { and "quotes" \\' };
  const json = JSON.stringify(value);
  for (const text of [json, `\`\`\`json\n${json}\n\`\`\``, `Here it is: ${json} Good?`])
    assert.deepEqual(oneObject(text), { value });
});

const wrong: [string, RegExp][] = [
  ['', /no JSON object/],
  ['[1, 2]', /no JSON object/],
  ['{"a": 1', /has no end/],
  ["{'a': 1}", /cannot be read/],
  ['{"a": 1} {"b": 2}', /has 2 JSON objects/],
];
for (const [text, problem] of wrong) {
  test(`no answer: ${text}`, () => {
    const read = oneObject(text);
    assert.match('problem' in read ? read.problem : '', problem);
  });
}

test('an answer has the fields of its form, in English', () => {
  const problemOf = (value: object) => {
    const read = readNodeAnswer(JSON.stringify(value));
    return 'problem' in read ? read.problem : '';
  };
  assert.match(problemOf({}), /text/);
  assert.match(problemOf({ text: 5 }), /^"text" must be a string/);
  assert.match(problemOf({ text: 'A.', people: 'Ben' }), /^"people" /);
  assert.match(problemOf({ text: ' \u0000 ' }), /no words/);
  assert.match(problemOf({ text: '海边有两个人在说话。' }), /not in English/);
  assert.deepEqual(readNodeAnswer('{"text": " A\\n boat. ", "times": [65]}'), {
    value: { text: 'A boat.', people: [], times: ['65'], uncertain: [] },
  });
  const whole = readWholeAnswer('{"one_line": "A.", "short": "…"}');
  assert.match('problem' in whole ? whole.problem : '', /no words/);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { facesComplaints } from '../../../../actors/analysis/stages/faces/request.ts';
import { mostNameLetters, nameProblem, plainName } from '../../../../actors/index/people/person-name.ts';

test('a name may have 200 letters, whatever a letter takes', () => {
  for (const letter of ['a', 'é', 'e\u0301', '字', '😀', '𝒜']) {
    assert.equal(nameProblem(letter.repeat(mostNameLetters)), null, letter);
    assert.equal(nameProblem(` ${letter.repeat(mostNameLetters)} `), null, letter);
    assert.equal(
      nameProblem(letter.repeat(mostNameLetters + 1)),
      'has 201 characters, more than the maximum of 200',
      letter,
    );
  }
});

test('a name that cannot be shown in one line is refused', () => {
  const unshowable = ['A\nnn', 'A\0nn', '\u001b[31mAnn', 'Ann\u0085', 'A\u2028nn', 'Ann\n', '\n'];
  for (const name of unshowable)
    assert.equal(nameProblem(name), 'contains a control character', JSON.stringify(name));
  assert.equal(nameProblem('Ann\ud800'), 'contains half of a character (a lone surrogate)');
  for (const name of ['   ', '\u3000']) assert.match(nameProblem(name)!, /is blank/);
  for (const name of ['', "O'Hara <b>", '👩‍👩‍👧', 'עברית', '__proto__'])
    assert.equal(nameProblem(name), null);
});

test('names that look alike are stored as one', () => {
  for (const name of [' Zoë  Lee ', 'Zoe\u0308 Lee', 'Zoë\u00a0Lee'])
    assert.equal(plainName(name), 'Zoë Lee');
});

test('the name of a sample picture keeps the same rule, and so does the second of one name', () => {
  const named = (...names: readonly string[]) =>
    facesComplaints({
      face_clustering_jobs: [],
      recluster_jobs: [],
      sample_faces: names.map((name) => ({ name, face_paths: ['/a.jpg'] })),
    }).map(({ field, what }) => `${field} ${what}`);
  assert.ok(named('A\nnn').includes('sample_faces[0].name contains a control character'));
  assert.ok(
    named('Ann Lee', 'Ann  Lee').some((one) => one.startsWith('sample_faces[1].name is the same person')),
  );
});

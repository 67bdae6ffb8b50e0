import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const [head, ...lines] = readFileSync(new URL('../../../bench/voice/recordings.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));

test('every recording has its part, kind, source, author and a licence that allows training', () => {
  assert.deepEqual(head, ['part', 'kind', 'repository', 'commit', 'path', 'title and author', 'licence']);
  const paths = new Set<string>();
  for (const [part, kind, repository, commit, path, name, licence, ...more] of lines) {
    assert.deepEqual(more, [], path);
    assert.match(part!, /^(fit|refit|aside|test)$/, path);
    assert.match(kind!, /^(music|birds|dogs|applause|traffic|weather)$/, path);
    assert.match(repository!, /^[\w.-]+\/[\w.-]+$/, path);
    assert.match(commit!, /^[0-9a-f]{40}$/, path);
    assert.match(name!, /, /, path);
    // What is kept aside to choose by is not trained on, and may be shared alike.
    const free = part === 'aside' ? licence!.replace('-SA', '') : licence!;
    assert.match(free, /^(public domain|CC0|CC BY( [34]\.0)?|BSD 3-Clause|MIT)$/, path);
    assert.ok(!paths.has(`${repository} ${path}`), `${path} twice`);
    paths.add(`${repository} ${path}`);
  }
});

test('nothing of an author who is kept aside is trained on', () => {
  const authors = (...parts: string[]) =>
    new Set(lines.filter(([part]) => parts.includes(part!)).map((line) => line[5]!.replace(/^.*, /, '')));
  const aside = authors('aside');
  assert.ok(aside.size >= 8);
  for (const author of authors('fit', 'refit')) assert.ok(!aside.has(author), author);
});

test('no music of one author is both trained on and measured', () => {
  const authors = (part: string) => {
    const some = lines.filter(([of, kind]) => of === part && kind === 'music');
    return new Set(some.map((line) => line[5]!.replace(/ \([^)]*\)$/, '').replace(/^.*, /, '')));
  };
  const [fit, heard] = [authors('fit'), authors('test')];
  assert.ok(fit.size >= 3 && heard.size >= 10);
  for (const author of heard) assert.ok(!fit.has(author), author);
});

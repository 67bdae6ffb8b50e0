import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test from 'node:test';

const root = join(import.meta.dirname, '../../..');
const within = 'actors/cluster/';

interface Import {
  readonly from: string;
  readonly to: string;
  /** `static` loads with the file that says it; `type` loads nothing. */
  readonly how: 'static' | 'type' | 'dynamic';
}

/** Every import of a file of the room. */
function importsOfRoom(): Import[] {
  const files = globSync('{main,settings}.ts', { cwd: root }).concat(
    globSync('{actors,cli,events,http,runtime}/**/*.ts', { cwd: root }),
  );
  return files.flatMap((from) => {
    const text = readFileSync(join(root, from), 'utf8');
    const found = text.matchAll(
      /(?:import|export)\s+(type\s)?[^;'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/g,
    );
    return [...found].flatMap(([, type, named, dynamic]): Import[] => {
      const to = relative(root, resolve(root, dirname(from), named ?? dynamic ?? ''));
      const how = dynamic !== undefined ? 'dynamic' : type === undefined ? 'static' : 'type';
      return to.startsWith(within) ? [{ from, to, how }] : [];
    });
  });
}

test('what belongs to a cluster is loaded for a cluster alone', () => {
  const all = importsOfRoom();
  // The contract is schemas and errors.
  const ofInside = all.filter(({ to, how }) => how !== 'type' && to !== `${within}contract.ts`);
  const doors = ofInside.filter(({ from }) => !from.startsWith(within));
  const loads = doors.map(({ from, to, how }) => `${from} ${how} ${to}`).sort();
  assert.deepEqual(loads, [
    'actors/installation.ts dynamic actors/cluster/admin.ts',
    'main.ts static actors/cluster/join.ts',
  ]);
  const ofJoin = ofInside.filter(({ from }) => from === `${within}join.ts`);
  assert.deepEqual(
    ofJoin.map(({ to, how }) => [to, how]),
    [[`${within}open.ts`, 'dynamic']],
  );
});

test('the packages of a cluster are imported by one file', () => {
  const importers = globSync('{actors,cli,events,http,runtime}/**/*.ts', { cwd: root }).filter((name) =>
    /from '(pg|pg-boss)'/.test(readFileSync(join(root, name), 'utf8')),
  );
  assert.deepEqual(importers, [`${within}database.ts`]);
});

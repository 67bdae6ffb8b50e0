import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const notice = join(root, 'NOTICE');

interface Locked {
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
/** Read by hand, where a package says it in its files alone. */
const byHand: Readonly<Record<string, string>> = {
  '@shinyoshiaki/jspack': 'BSD-3-Clause',
  'dejavu-fonts-ttf': 'Bitstream-Vera AND LicenseRef-Arev',
  'png-js': 'MIT',
  'xmlhttprequest-ssl': 'MIT',
};
/**
 * What anybody may pass on with this program when the texts of the licences go with it; LGPL and MPL parts
 * stay files of their own.
 */
const accepted =
  /^(MIT|ISC|0BSD|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|BlueOak-1\.0\.0|Python-2\.0|Unlicense|CC0-1\.0|MPL-2\.0|LGPL-3\.0-or-later|Bitstream-Vera|LicenseRef-Arev)$/;

/** Every package that runs with the program, by name. */
function shipped(): Map<string, string> {
  const found = new Map<string, string>();
  const { dependencies, optionalDependencies } = packages['']!;
  const waiting = Object.keys({ ...dependencies, ...optionalDependencies });
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const own = packages[`node_modules/${name}`];
    if (own === undefined || found.has(name)) continue;
    found.set(name, byHand[name] ?? own.license ?? '');
    for (const more of [own.dependencies, own.optionalDependencies, own.peerDependencies])
      waiting.push(...Object.keys(more ?? {}));
  }
  return found;
}

/** A paragraph for each licence, with the packages under it. */
function listed(): string {
  const byLicense = Map.groupBy(shipped(), ([, license]) => license);
  const paragraphs = [...byLicense]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([license, own]) => {
      const names = own.map(([name]) => name).sort();
      return `${license}\n${names.map((name) => `  ${name}`).join('\n')}\n`;
    });
  return paragraphs.join('\n');
}

const mark = 'Packages from npm, by licence (SPDX):\n\n';

test('NOTICE names every package that runs with the program, and its licence', () => {
  const text = readFileSync(notice, 'utf8');
  const [start, end] = [text.indexOf(mark) + mark.length, text.indexOf('\nModels ')];
  assert.ok(start >= mark.length && end >= start, 'NOTICE has no list');
  const now = `${text.slice(0, start)}${listed()}${text.slice(end)}`;
  if (process.env['FRAMEHOUND_GOLDEN'] === 'write') writeFileSync(notice, now);
  assert.equal(readFileSync(notice, 'utf8'), now, 'FRAMEHOUND_GOLDEN=write writes the list anew');
});

test('every licence is one that was agreed to', () => {
  for (const [name, license] of shipped()) {
    const all = license.replace(/[()]/g, '').split(/ AND | OR /);
    assert.ok(
      all.every((one) => accepted.test(one)),
      `${name}: "${license}" is not among the licences that this project takes`,
    );
  }
});

test('docs/dependencies.md gives the licence of each dependency', () => {
  const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const licenses = shipped();
  const { dependencies, optionalDependencies } = packages['']!;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const row = rows.find((line) => line.split('|')[1]!.includes(`\`${name}\``));
    assert.ok(row?.includes(licenses.get(name)!), `${name}: its row does not say ${licenses.get(name)}`);
  }
});

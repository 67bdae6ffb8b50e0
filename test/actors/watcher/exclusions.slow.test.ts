import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Exclusions } from '../../../actors/watcher/contract.ts';
import { exclusionComplaint, exclusionsOf, normalizeExtensions } from '../../../actors/watcher/exclusions.ts';
import { quoted } from '../../../runtime/text.ts';
import { naiveFolderMatch, naiveMatch } from './glob-reference.ts';

const none: Exclusions = { excluded_extensions: [], excluded_filename_globs: [], excluded_folder_globs: [] };

function leavesOutFile(glob: string, name: string): boolean {
  return exclusionsOf({ ...none, excluded_filename_globs: [glob] }).leavesOutFile(name);
}

function leavesOutFolder(glob: string, relative: string): boolean {
  return exclusionsOf({ ...none, excluded_folder_globs: [glob] }).leavesOutFolder(relative);
}

/** Glob, names it leaves out, names it does not. */
type Row = readonly [string, readonly string[], readonly string[]];

const fileRows: readonly Row[] = [
  ['*_proxy.mov', ['A001_proxy.mov', 'a001_PROXY.MOV', '_proxy.mov'], ['A001.mov', 'a_proxy.mov.mp4']],
  ['proxy', ['proxy', 'Proxy'], ['proxy.mov', 'my proxy']],
  ['clip?.mov', ['clip1.mov', 'clip😀.mov', 'clipä.mov'], ['clip.mov', 'clip12.mov']],
  ['*', ['a', '.a', '...', 'a\nb'], []],
  ['*.*', ['a.b', '.b'], ['ab']],
  ['a**b', ['ab', 'axxb'], ['abx']],
  ['[a-c]1.mov', ['b1.mov', 'B1.MOV'], ['d1.mov', '-1.mov']],
  ['[A-C]1.mov', ['b1.mov', 'C1.mov'], ['d1.mov']],
  ['[!a-c]1.mov', ['d1.mov', '!1.mov'], ['a1.mov', 'B1.mov', '1.mov']],
  ['[^a]1', ['b1'], ['a1', '^a1']],
  ['[]x]1', [']1', 'x1'], ['[1']],
  ['[!]]1', ['x1'], [']1']],
  ['[a-]1', ['a1', '-1'], ['b1']],
  ['[[]a]*', ['[a]b.mov', '[A]'], ['a.mov', 'a]']],
  ['take [*].mov', ['take *.mov', 'take [*].mov'], ['take 1.mov']],
  ['[old].mov', ['[old].mov', 'o.mov', 'D.mov'], ['old.mov']],
  ['[old', ['[old'], ['o', 'old']],
  ['old]*', ['old].mov'], ['old.mov']],
  ['*.{mov,mp4}', ['a.mov', 'A.MP4'], ['a.mxf', 'a.{mov}']],
  ['{a,b{c,d}}.mov', ['a.mov', 'bc.mov', 'BD.mov', '{a,b{c,d}}.mov'], ['b.mov', 'cd.mov']],
  ['a{,_old}.mov', ['a.mov', 'a_old.mov'], ['a_.mov']],
  ['{a}.mov', ['{a}.mov'], ['a.mov']],
  ['{1..3}.mov', ['{1..3}.mov'], ['2.mov']],
  ['{a,b.mov', ['{a,b.mov'], ['a.mov', 'b.mov']],
  ['[{]a,b[}].mov', ['{a,b}.mov'], ['a.mov']],
  ['Copy (1).mov', ['copy (1).mov'], ['copy 1.mov']],
  ['Copy (?).*', ['Copy (2).mov'], ['Copy 2.mov', 'Copy (12).mov']],
  ['!later*', ['!later.mov'], ['now.mov', 'later.mov']],
  ['!(a).mov', ['!(a).mov'], ['b.mov']],
  ['+(a|b)', ['+(a|b)'], ['a', 'ab']],
  ['"a".mov', ['"a".mov'], ['a.mov']],
  ['a.b+c^d$e@f', ['a.b+c^d$e@f'], ['axb+c^d$e@f', 'a.bbc^d$e@f']],
  ['*STRASSE*', ['Strasse.mov'], ['Straße.mov']],
  ['STRAẞE', ['straße'], ['strasse']],
  ['ΟΔΟΣ', ['οδος', 'οδοσ'], ['οδο']],
  ['İstanbul', ['İSTANBUL'], ['istanbul', 'ıstanbul']],
  ['I', ['i', 'I'], ['ı', 'İ']],
  ['Ä*', ['a\u0308b', 'äb', 'A\u0308'], ['ab']],
  ['a\u0308?', ['äb'], ['a\u0308']],
  ['[à-ý]', ['É', 'e\u0301'], ['e']],
  ['.*', ['.a'], ['a.']],
  [' a', [' a'], ['a']],
];

for (const [glob, out, kept] of fileRows) {
  test(`the file glob ${glob} leaves out what it should`, () => {
    for (const name of out) assert.equal(leavesOutFile(glob, name), true, name);
    for (const name of kept) assert.equal(leavesOutFile(glob, name), false, name);
  });
}

const folderRows: readonly Row[] = [
  ['cache', ['cache', 'Cache', 'a/cache', 'a/b/CACHE', 'cache/x', 'a/cache/x/y'], ['caches', 'a/my cache']],
  ['*.cache', ['a.cache', 'x/.cache'], ['cache']],
  ['*', ['a', 'a/b'], []],
  ['**', ['a', 'a/b'], []],
  ['.*', ['.git', 'a/.git'], ['git']],
  ['a/b', ['a/b', 'A/B', 'a/b/c'], ['a', 'b', 'x/a/b', 'a/x/b', 'a/bb']],
  ['a\\b', ['a/b', 'a/b/c'], ['a', 'x/a/b']],
  ['/cache', ['cache', 'cache/x'], ['a/cache']],
  ['cache/', ['cache', 'cache/x'], ['a/cache']],
  ['\\cache\\', ['cache'], ['a/cache']],
  ['a//b', ['a/b'], ['a', 'a/x/b']],
  ['a/*/b', ['a/x/b', 'a/.x/b', 'a/x/b/c'], ['a/b', 'a/x/y/b', 'a/x', 'z/a/x/b']],
  ['a/**/b', ['a/x/b'], ['a/b', 'a/x/y/b']],
  ['*/b', ['a/b'], ['b', 'x/a/b']],
  ['**/b', ['a/b'], ['b', 'x/a/b']],
  ['a/*', ['a/x', 'a/x/y'], ['a', 'b/x']],
  ['a/**', ['a/x', 'a/x/y'], ['a', 'b/x']],
  ['a/p*/b', ['a/proxy/b'], ['a/x/b']],
  ['a?b/c', ['axb/c'], ['a/b/c', 'ab/c']],
  ['a[!x]b/c', ['ayb/c'], ['a/b/c']],
  ['a[/]b', ['a[/]b'], ['a/b', 'a', 'b']],
  ['{a/b,c}', ['a/b', 'c'], ['x/c', 'a', 'b']],
  ['{a,b}/c', ['a/c', 'b/c'], ['c', 'x/a/c']],
  ['{proxy,cache}', ['proxy', 'a/cache'], ['a']],
  ['[archive]', ['[Archive]', 'x/a'], ['archive']],
  ['[archive]/x', ['[Archive]/x', 'a/x'], ['archive/x']],
  ['Müll', ['Mu\u0308ll', 'a/MÜLL'], ['Mull']],
];

for (const [glob, out, kept] of folderRows) {
  test(`the folder glob ${glob} leaves out what it should`, () => {
    for (const relative of out) assert.equal(leavesOutFolder(glob, relative), true, relative);
    for (const relative of kept) assert.equal(leavesOutFolder(glob, relative), false, relative);
    assert.equal(leavesOutFolder(glob, ''), false, 'the watched folder itself');
  });
}

test('extensions are compared whatever their case, with all their dots', () => {
  const { leavesOutFile, leavesOutFolder } = exclusionsOf({
    ...none,
    excluded_extensions: ['.mov', 'TAR.gz', '.é'],
  });
  for (const name of ['a.mov', 'A.MOV', 'a.b.Mov', 'x.tar.gz', 'a.e\u0301', '.mov'])
    assert.equal(leavesOutFile(name), true, name);
  for (const name of ['mov', 'a.mov.mp4', 'amov', 'x.gz', 'a.mo', 'a.mov '])
    assert.equal(leavesOutFile(name), false, name);
  assert.equal(leavesOutFolder('a.mov'), false);
});

test('nothing is left out without exclusions, and each exclusion counts among several', () => {
  const nothing = exclusionsOf(none);
  assert.equal(nothing.leavesOutFile('a.mov'), false);
  assert.equal(nothing.leavesOutFolder('a/b'), false);
  const several = exclusionsOf({
    excluded_extensions: ['.wav'],
    excluded_filename_globs: ['a*', 'b'],
    excluded_folder_globs: ['x', 'y/z'],
  });
  for (const name of ['c.wav', 'abc', 'b']) assert.equal(several.leavesOutFile(name), true, name);
  for (const path of ['x', 'y/x', 'y/z']) assert.equal(several.leavesOutFolder(path), true, path);
  assert.equal(several.leavesOutFile('c.mov'), false);
  assert.equal(several.leavesOutFolder('y'), false);
});

test('extensions are kept in lower case with one dot, each once', () => {
  const extensions = ['.MOV', 'mov', ' mp4 ', '..Wav', 'tar.GZ', 'E\u0301', '.!uT'];
  assert.deepEqual(normalizeExtensions(extensions), ['.mov', '.mp4', '.wav', '.tar.gz', '.é', '.!ut']);
});

const refused: readonly [keyof Exclusions, readonly string[]][] = [
  [
    'excluded_extensions',
    ['', ' ', '.', ' . ', 'a/b', '.a\\b', '*.mov', 'm?v', '[mov]', '{mov,mp4}', 'mov,mp4', 'm\0v', '.\ud800'],
  ],
  [
    'excluded_filename_globs',
    [
      '',
      '  ',
      '\t',
      'a/b',
      'a\\b',
      '/a',
      'a/',
      '.',
      '..',
      '{a,..}',
      '{,a}',
      'a\0',
      '\udc00',
      '[z-a]',
      '[Z-a]',
    ],
  ],
  [
    'excluded_folder_globs',
    ['', ' ', '/', '\\', ' / ', '//', '.', '..', './a', 'a/..', 'a\\.\\b', 'a/{b,..}', '{a,}', 'a\0/b'],
  ],
  ['excluded_extensions', ['a'.repeat(100), 'İ'.repeat(50)]],
  ['excluded_folder_globs', ['C:\\a', 'c:/a', '[b-a]/c', 'a/\ud800', '{a,b}'.repeat(9), 'a'.repeat(1001)]],
];

test('an exclusion that can leave out nothing, or everything by mistake, has a complaint', () => {
  for (const [field, values] of refused) {
    for (const value of values) {
      const complaint = exclusionComplaint(field, value);
      assert.ok(complaint?.startsWith(`holds ${quoted(value)}, which `), `${field} ${value}`);
    }
  }
});

test('an exclusion that can be used has no complaint', () => {
  for (const [glob] of fileRows) assert.equal(exclusionComplaint('excluded_filename_globs', glob), null);
  for (const [glob] of folderRows) assert.equal(exclusionComplaint('excluded_folder_globs', glob), null);
  for (const value of ['.mov', 'MOV', '.!ut', ' .r3d', 'tar.gz', 'ä', 'a'.repeat(99), `.${'a'.repeat(99)}`])
    assert.equal(exclusionComplaint('excluded_extensions', value), null);
  assert.equal(exclusionComplaint('excluded_folder_globs', '{a,b}'.repeat(8)), null);
});

const text = (letters: string, maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { maxLength }).map((array) => array.join(''));
/** Globs are made of names where that finds more that match. */
const fileGlob = fc.oneof(text('ab*?', 8), text('ab*?[]{},!-^().', 12), text('a*[]-!b', 7));
const folderGlob = fc.oneof(text('ab*/', 8), text('ab*?/\\[]{},!', 12));

test('a file glob matches what the plainest matcher matches', () => {
  let matched = 0;
  fc.assert(
    fc.property(fileGlob, text('ab[]{},!-.', 7), (glob, name) => {
      fc.pre(name !== '' && exclusionComplaint('excluded_filename_globs', glob) === null);
      matched += naiveMatch(glob, name) ? 1 : 0;
      assert.equal(leavesOutFile(glob, name), naiveMatch(glob, name));
      assert.equal(leavesOutFile(glob.toUpperCase(), name), naiveMatch(glob, name));
    }),
    { numRuns: 3000 },
  );
  assert.ok(matched > 100, `${matched} matched`);
});

test('a folder glob matches what the plainest matcher matches', () => {
  let matched = 0;
  const path = fc.array(
    text('ab[!', 3).filter((name) => name !== ''),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(folderGlob, path, (glob, names) => {
      fc.pre(exclusionComplaint('excluded_folder_globs', glob) === null);
      const relative = names.join('/');
      matched += naiveFolderMatch(glob, relative) ? 1 : 0;
      assert.equal(leavesOutFolder(glob, relative), naiveFolderMatch(glob, relative));
      assert.equal(leavesOutFolder(glob, relative.toUpperCase()), naiveFolderMatch(glob, relative));
    }),
    { numRuns: 3000 },
  );
  assert.ok(matched > 100, `${matched} matched`);
});

test('what is in a folder that is left out is left out', () => {
  fc.assert(
    fc.property(folderGlob, text('ab', 3), (glob, name) => {
      fc.pre(name !== '' && exclusionComplaint('excluded_folder_globs', glob) === null);
      for (const parent of ['a', 'a/b', 'b/a']) {
        if (leavesOutFolder(glob, parent)) assert.ok(leavesOutFolder(glob, `${parent}/${name}`));
      }
    }),
  );
});

test('any text is either refused or matches itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), (name) => {
      if (exclusionComplaint('excluded_filename_globs', name) === null)
        assert.ok(leavesOutFile(name, name), name);
      if (exclusionComplaint('excluded_folder_globs', name) === null)
        assert.ok(
          leavesOutFolder(name, name.replaceAll('\\', '/').split('/').filter(Boolean).join('/')),
          name,
        );
    }),
    { numRuns: 2000 },
  );
});

test('no glob takes long on a long name', () => {
  const globs = [
    '*a*a*a*a*a*b',
    `${'*a'.repeat(480)}*b`,
    `${'*?'.repeat(250)}*b`,
    `${'*[a]'.repeat(200)}*b`,
    `${'{a,aa}'.repeat(8)}*b`,
    `${'*{a,aa}'.repeat(8)}*b`,
    `${'?'.repeat(100)}*${'a'.repeat(100)}b`,
    `*${'a*'.repeat(490)}b`,
    `${'*'.repeat(990)}b`,
  ];
  const { leavesOutFile } = exclusionsOf({ ...none, excluded_filename_globs: globs });
  const { leavesOutFolder } = exclusionsOf({ ...none, excluded_folder_globs: globs });
  const began = performance.now();
  for (let i = 0; i < 20; i++) {
    assert.equal(leavesOutFile(`${'a'.repeat(254)}${i % 10}`), false);
    assert.equal(leavesOutFolder(`${'a'.repeat(254)}${i % 10}`), false);
  }
  const took = performance.now() - began;
  assert.ok(took < 5000, `${Math.round(took)} ms`);
});

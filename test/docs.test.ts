import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { test } from 'node:test';
import { resultKinds } from '../actors/index/results/contract.ts';
import * as records from '../actors/index/store/records.ts';
import { newestRows, readRows } from '../bench/report.ts';
import { commandTable } from '../cli/command-table.ts';
import { settings } from '../http/page/app/words/settings.ts';
import { blocks, commands, elsewhere, readme } from './readme.ts';
import { untilRelease } from './shared.ts';
import { temporaryFolder } from './temporary-folder.ts';

const root = dirname(import.meta.dirname);
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync(['docs/**/*.md', 'actors/*/README.md', 'bench/results/*.md'], { cwd: root }),
].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Folders of the project; what begins with one of them is a path in it. */
const folders = ['.ci', 'actors', 'bench', 'cli', 'docs', 'events', 'http', 'runtime', 'test'];

/** Without examples of commands and programs, which speak of files of their own. */
function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '');
}

/** The anchor of a heading, as the readers of Markdown make it. */
function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replace(/[^\p{Letter}\p{Number} _-]/gu, '');
  return kept.trim().replaceAll(' ', '-');
}

function anchorsIn(path: string): string[] {
  const headings = prose(readFileSync(path, 'utf8')).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading]) => anchorOf(heading ?? ''));
}

/** What stands between backticks; `<name>` and `…` in it stand for what a reader puts in. */
function codeIn(text: string): string[] {
  const all = [...prose(text).matchAll(/`([^`\s]+)`/g)].map(([, code]) => code ?? '');
  return all.filter((code) => !/[<…]/.test(code));
}

/** All files of the project, each with a slash before it. */
const files = globSync([...folders.map((folder) => `${folder}/**/*.*`), '*.*'], { cwd: root }).map(
  (path) => `/${path.split(sep).join('/')}`,
);

/** `actors/index/` from the root; of a source the end of its path will do: `store/packs.ts`. */
function isThere(code: string): boolean {
  if (existsSync(join(root, code)) || files.some((path) => path.endsWith(`/${code}`))) return true;
  return globSync(code, { cwd: root }).length > 0;
}

test('the page of the format lists every table of records with its fields in their order', () => {
  const page = readFileSync(join(root, 'docs/format.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `.*` +\| `(FH\w\w)` \| ([^|]*?) *\|$/gm)];
  const tables = [...Object.values(records), ...resultKinds.map(({ record }) => record)].flatMap((value) =>
    typeof value === 'object' && 'identifier' in value ? [value] : [],
  );
  assert.equal(new Set(tables.map(({ identifier }) => identifier)).size, tables.length, 'identifiers differ');
  const written = tables.map(({ identifier, fields }) => {
    const texts = Object.entries(fields).map(([name, kind]) => `${name} ${kind}`);
    return `${identifier}: ${texts.join(', ')}`;
  });
  assert.deepEqual(listed.map(([, identifier, fields]) => `${identifier}: ${fields}`).sort(), written.sort());
});

test('a relative link leads to a file, and to a heading that is there', () => {
  for (const { path, text } of pages) {
    for (const [, link = ''] of prose(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? join(root, path) : resolve(root, dirname(path), file);
      assert.ok(existsSync(target), `${path}: ${link} leads nowhere`);
      if (anchor === undefined || statSync(target).isDirectory()) continue;
      assert.ok(anchorsIn(target).includes(anchor), `${path}: ${relative(root, target)} has no #${anchor}`);
    }
  }
});

test('a file or folder of the project that a page names is there', () => {
  for (const { path, text } of pages) {
    const named = codeIn(text).filter(
      (code) =>
        folders.some((folder) => code.startsWith(`${folder}/`)) || /\w\.(ts|mjs|py|wat|wasm)$/.test(code),
    );
    const missing = named.filter((code) => !isThere(code));
    assert.deepEqual(missing, [], path);
  }
});

test('a script that a page names is in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const { path, text } of pages) {
    for (const [, name = ''] of text.matchAll(/\bnpm run (?:--\w+ )*([\w-]+)/g))
      assert.ok(Object.hasOwn(scripts, name), `${path}: there is no script ${name}`);
  }
});

test('a table has each row once and nothing but its rows, and a heading a line of its own', () => {
  for (const { path, text } of pages) {
    const lines = prose(text).split('\n');
    const isRow = (line = '') => line.startsWith('|');
    let rows = new Set<string>();
    for (const [i, line] of lines.entries()) {
      if (/^#+ /.test(line) && i > 0) assert.equal(lines[i - 1], '', `${path}: before ${line}`);
      if (!isRow(line)) continue;
      if (!isRow(lines[i - 1])) rows = new Set();
      else if (/^\|(?: *-+ *\|)+$/.test(line) && rows.size !== 1)
        assert.fail(`${path}: two tables in one: ${lines[i - 1]}`);
      const first = line.split(' | ', 1)[0]!.trim();
      if (first !== '|') assert.ok(!rows.has(line), `${path}: a row stands twice: ${first}`);
      rows.add(line);
    }
  }
});

test('the README can be read in a few minutes', () => {
  const { text } = pages.find(({ path }) => path === 'README.md')!;
  const words = text.split(/\s+/).length;
  assert.ok(words <= 900, `${words} words; docs/ has room for the rest`);
});

test('no line stands twice in a row, and no paragraph, sentence or run of words twice in a page', () => {
  for (const { path, text } of pages) {
    const lines = text.split('\n');
    const again = lines.find((line, i) => line.trim() !== '' && line === lines[i - 1]);
    assert.equal(again, undefined, path);
    // Tables may repeat their headings, also those above and around them; rows are checked above.
    const paragraphs = text
      .split(/\n\s*\n/)
      .filter((part) => part.length > 40 && !/^(?:\||<details>|\d{4}-\d\d-\d\d on .+:$)/.test(part));
    assert.deepEqual(repeatedIn(paragraphs), [], path);
    const sentences = paragraphs.flatMap((part) => part.replace(/\s+/g, ' ').split(/(?<=\.) /));
    assert.deepEqual(repeatedIn(sentences.filter((sentence) => sentence.length > 60)), [], path);
    // What a merge leaves when both sides changed a line: "the path of the path of".
    const [run] = /\b(\w+(?: \w+){2,})[,.;:]? \1\b/.exec(prose(text).replace(/\s+/g, ' ')) ?? [];
    assert.equal(run, undefined, path);
  }
});

function repeatedIn(texts: readonly string[]): string[] {
  return texts.filter((text, i) => texts.indexOf(text) < i);
}

/** Phrases that are no idiomatic English, each with one that is. */
const banned: readonly (readonly [RegExp, string])[] = [
  [/\b(?:is|are|was|were|be|been) told\b(?! apart| to)/, 'is reported, is named, has'],
  [/(?<!`)\bmend(?:s|ed|ing)?\b/, 'fix, restart'],
  [/\banew\b/, 'again'],
  [/\bas ever\b/, 'as before; or leave it out'],
  [/\bfor ever\b/, 'forever'],
  [/\bin place of\b/, 'instead of'],
  [/\bgo(?:es)? on (?:with|where|there|inside|behind)\b/, 'continue'],
  [/\bwhose rate varies\b/, 'with a variable frame rate'],
  [/\bso many at most\b/, 'at most N'],
  [/\bnothing is written over\b/, 'no file is overwritten'],
  [/\bthe other way round\b/, 'conversely'],
  [/\b[Ww]hoever (?:asks|sends|listens|sets|searches)\b/, 'a client that, if you'],
  [/\b(?:[Ww]anted was|[Ww]anted were|were wanted)\b/, 'the goal was'],
  [/\b(?:folders?|files?|media|records?|rows|one that) lies? (?:in|at|under|elsewhere)\b/, 'is in'],
  [/\bnot any ?more\b|\b(?:is|are|it|tried|stored) no more\b(?! \w)/, 'no longer'],
];

/** Others, of what the program says: outcomes, errors, descriptions of the API. */
const bannedInTexts: readonly (readonly [RegExp, string])[] = [
  ...banned,
  [/\bby hand\b/, 'yourself, manually'],
  [/\bknows? (?:no|nothing|nobody)\b/, 'has no'],
  [/\bnobody (?:listened|knows|can be asked)\b/, 'unknown'],
  [/\bleads? nowhere\b/, 'is broken'],
  [/\bcannot both be meant\b|\bexclude each other\b/, 'cannot be combined'],
  [/\bwaits? (?:its|their) turn\b/, 'is queued'],
  [/\bplainer than\b/, 'less detailed than'],
  [/\bstill lies?\b|\blies? there\b/, 'is still at'],
  [/\btak(?:es?|en) away\b/, 'remove'],
  [/\bis no (?:file|folder|still|JSON|time|job|rate|multiple|family)\b/, 'is not a'],
];

function expectIdiomatic(path: string, text: string, phrases: typeof banned): void {
  const plain = text.replace(/\s+/g, ' ');
  for (const [phrase, better] of phrases) {
    const at = plain.search(phrase);
    assert.equal(at, -1, `${path}: "…${plain.slice(Math.max(0, at - 40), at + 40)}…": say "${better}"`);
  }
}

test('the pages and the help are in idiomatic English', () => {
  const help = globSync('test/golden/help/*.txt', { cwd: root }).map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }));
  for (const { path, text } of [...pages, ...help]) {
    // Names of rows were recorded with their figures.
    if (path !== join('bench', 'results', 'README.md')) expectIdiomatic(path, text, banned);
  }
});

test('what the program says is in idiomatic English', () => {
  // Prompts are for language models, which were measured with them.
  const sources = globSync('{actors,cli,events,http,runtime}/**/*.ts', { cwd: root }).filter(
    (path) => !path.includes(join('language', 'prompts')),
  );
  assert.ok(sources.length > 500);
  for (const path of [...sources, 'settings.ts']) {
    const text = readFileSync(join(root, path), 'utf8');
    const code = text.replace(/\/\*[\s\S]*?\*\/|(?<![^\s])\/\/.*$/gm, '');
    // A text of several lines is one.
    expectIdiomatic(path, code.replace(/['"`]\s*\+\s*['"`]/g, ''), bannedInTexts);
  }
});

test('a folder stands once in the tree of the architecture, and a room once in the list below it', () => {
  const { text } = pages.find(({ path }) => path === 'docs/architecture.md')!;
  const [, tree = ''] = /^```\n(main\.ts[\s\S]*?)^```/m.exec(text) ?? [];
  const named = [...tree.matchAll(/^ {0,2}([\w-]+(?:\/|\.ts)) +\S/gm)].map(([, name]) => name);
  assert.ok(named.length > 10);
  assert.deepEqual(named, [...new Set(named)]);
  const listed = [...text.matchAll(/^- \[([\w-]+)\/\]\(\.\.\/actors\/\1\/README\.md\): \S/gm)];
  const rooms = globSync('actors/*/', { cwd: root }).map((folder) => folder.split(sep).at(-1));
  assert.deepEqual(
    listed.map(([, name]) => name),
    rooms.toSorted(),
  );
});

/** The tables of a page as rows of cells, headings included. */
function tablesOf(path: string): string[][][] {
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const parts = readFileSync(join(root, path), 'utf8').split('\n\n');
  return parts.filter((part) => part.startsWith('|')).map((part) => part.trim().split('\n').map(cells));
}

/** The rows of the table whose heading begins with `table`, without the heading. */
function rowsOf(path: string, table: string): string[][] {
  const found = tablesOf(path).find(([heading]) => heading?.[0] === table);
  assert.ok(found, `${path} has no table "${table}"`);
  return found.slice(2);
}

/** Decimal points and, as in German, decimal commas. */
function numbersIn(text = ''): number[] {
  return [...text.matchAll(/\d+(?:[.,]\d+)?/g)].map(([number]) => Number(number.replace(',', '.')));
}

test('a figure that names a cell of bench/results is the one in that cell', () => {
  let compared = 0;
  for (const { path, text } of pages) {
    for (const [, figure, page, row, column] of text.matchAll(
      /([\d.]+)<!-- cell of ([\w.-]+): (.+?) \| (.+?) -->/g,
    )) {
      const cells = tablesOf(`bench/results/${page}`).flatMap(([heading = [], ...rows]) =>
        heading.includes(column!)
          ? rows.filter(([name]) => name === row).map((all) => all[heading.indexOf(column!)])
          : [],
      );
      const numbers = cells.flatMap(numbersIn);
      const [number] = numbersIn(figure);
      assert.ok(
        numbers.includes(number!),
        `${path}: ${figure}, but "${row}", "${column}" is ${cells.join()}`,
      );
      compared++;
    }
  }
  assert.ok(compared > 30);
});

/** The first numbers of a cell of a page of bench/results: a value, then the ends of its interval. */
function measured(page: string, table: string, row: string, column: number, count = 1): number[] {
  const found = rowsOf(`bench/results/${page}`, table).find(([name]) => name === row);
  const numbers = numbersIn(found?.[column]).slice(0, count);
  assert.equal(numbers.length, count, `bench/results/${page}, "${table}": column ${column} of "${row}"`);
  return numbers;
}

/** In percent of a recorded sound, with one decimal. */
function heardAsSpeech(sound: string): number {
  const name = `own detector: heard as speech in recorded ${sound}`;
  const row = newestRows(readRows()).find((one) => one.question === 'voice' && one.name === name);
  assert.ok(row, name);
  return Number(row.value.toFixed(1));
}

const pictures = '24 alterations of 561 pictures';
const talks = (column: number, count = 1) => measured('heard.md', 'talks', '62 voices, all', column, count);
const photographs = '44 of them among the photographs alone';

test('the page about models quotes what was measured of the included ones', () => {
  const expected = [
    measured('heard.md', '62 voices', 'as recorded, 3 s', 2, 4),
    measured('heard.md', '62 voices', 'across sessions, 3 s', 1, 4),
    talks(5, 3),
    talks(7, 3),
    [heardAsSpeech('music, mean over 15 pieces'), heardAsSpeech('birds')],
    ['all 75', photographs].flatMap((row) => measured('seen.md', 'queries', row, 1, 3)),
    [
      ...measured('seen.md', pictures, '`starter-visual-3`', 1, 3),
      ...measured('seen.md', 'alteration', 'mirror', 2),
    ],
  ];
  assert.deepEqual(
    rowsOf('docs/models.md', 'part').map(([, figures]) => numbersIn(figures)),
    expected,
  );
});

test('the settings page quotes what was measured, in both languages', () => {
  const percent = (figures: number[]) => figures.map((figure) => Math.round(figure * 100));
  const words = percent([
    ...measured('seen.md', 'queries', 'all 75', 1),
    ...measured('seen.md', 'queries', photographs, 1),
  ]);
  const again = percent(measured('seen.md', pictures, '`starter-visual-3`', 1));
  for (const language of [0, 1]) {
    const numbers = (text: keyof typeof settings) => numbersIn(settings[text][language]);
    assert.deepEqual(
      numbers('canWords').filter((number) => number !== 100),
      words,
    );
    assert.deepEqual(
      numbers('canLike').filter((number) => number !== 100),
      again,
    );
    assert.deepEqual(numbers('canVoices'), [2, 6, ...talks(7), 100, ...talks(5).map(Math.round)]);
    assert.deepEqual(numbers('cannotSounds'), [heardAsSpeech('dogs'), heardAsSpeech('traffic')]);
  }
});

// Commands, options and types in the README and the guide exist; their commands are run by
// test/release/readme.test.ts.

test('each block of the README and the guide names its language, and the commands that are not run are still there', () => {
  for (const { language, text } of blocks) {
    assert.match(language, /^(bash|ts|json|text)$/, text);
    if (language === 'json') assert.doesNotThrow(() => JSON.parse(text), text);
  }
  for (const beginning of Object.keys(elsewhere))
    assert.ok(
      commands.some((command) => command.startsWith(beginning)),
      beginning,
    );
});

test('npm scripts, commands and options that the text names exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  for (const [, name = ''] of readme.matchAll(/npm (?:run )?(start|test|run [\w-]+)/g))
    assert.ok(name.replace('run ', '') in scripts, name);
  for (const [, name = ''] of readme.matchAll(/`?(?:npx |sudo )framehound (\w+)/g))
    assert.ok(name in commandTable || name === 'help', name);
});

test('the TypeScript of the guide compiles against the client', { skip: untilRelease }, (t) => {
  const folder = temporaryFolder(t);
  // What a program has of its own.
  const given = 'declare const key: string, cache_dir: string, visual_media_paths: string[];\n';
  const examples = blocks.filter(({ language }) => language === 'ts');
  assert.ok(examples.length > 0);
  const files = examples.map(({ text }, n) => {
    writeFileSync(join(folder, `${n}.ts`), given + text);
    return `${n}.ts`;
  });
  const compilerOptions = {
    paths: { '@framehound/client': [join(root, 'http', 'client', 'client.ts')] },
    typeRoots: [join(root, 'node_modules', '@types')],
    noUnusedLocals: false,
  };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { testFiles } from './selection.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folders = ['runtime', 'actors', 'http', 'events', 'cli', 'bench', 'test'];

interface Source {
  readonly path: string;
  readonly text: string;
  /** Our own files by path from the root, packages by name. `typeOnly`: nothing is loaded. */
  readonly imports: { readonly to: string; readonly typeOnly: boolean }[];
}

const sources: Source[] = [
  ...folders.flatMap((folder) => filesUnder(join(root, folder))),
  join(root, 'main.ts'),
  join(root, 'settings.ts'),
]
  .filter((path) => path.endsWith('.ts'))
  .map(readSource);
const product = sources.filter(({ path }) => !path.startsWith('test/') && !path.startsWith('bench/'));

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function readSource(absolute: string): Source {
  const path = relative(root, absolute).split(sep).join('/');
  const text = readFileSync(absolute, 'utf8');
  const found = text.matchAll(
    /(?:^|\n)\s*(import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
  );
  const imports = [...found].map(([, , type, from, dynamic, bare]) => {
    const to = from ?? dynamic ?? bare ?? '';
    const own = to.startsWith('.')
      ? relative(root, resolve(dirname(absolute), to))
          .split(sep)
          .join('/')
      : to;
    return { to: own, typeOnly: type !== undefined };
  });
  return { path, text, imports };
}

const room = (path: string) => path.split('/').slice(0, 2).join('/');
const doors = ['actors/models/session.ts', 'actors/decoder/ffmpeg.ts', 'actors/decoder/pixels/jpeg.ts'];
/** Here insides are put together, so that nobody else has to see them. */
const composition = [
  ...['main.ts', 'actors/installation.ts'],
  ...['actors/cluster/join.ts', 'actors/cluster/open.ts', 'actors/cluster/import.ts'],
];
/** Files that their room names as public and pure. */
const publicFiles = [
  'actors/models/advice.ts',
  'actors/models/device.ts',
  'actors/models/face-distance.ts',
  // Words that searches know, of both languages.
  'actors/models/german/lexicon.ts',
  'actors/models/model-file.ts',
  'actors/models/pull-bytes.ts',
  'actors/models/other-keys.ts',
  // Kinds of work, their progress and their results, as everybody tells of them.
  'actors/analysis/result.ts',
  'actors/analysis/progress.ts',
  'actors/analysis/request.ts',
  'actors/analysis/schemas.ts',
  'actors/analysis/stages/faces/kind.ts',
  'actors/analysis/stages/faces/request.ts',
  'actors/analysis/stages/kind.ts',
  'actors/analysis/stages/kinds.ts',
  'actors/things/confidence.ts',
  'actors/analysis/stages/speech/kind.ts',
  'actors/decoder/inline-image.ts',
  'actors/decoder/media-names.ts',
  'actors/decoder/timecode.ts',
  'actors/exporter/summary/wording.ts',
  'actors/index/people/face.ts',
  'actors/index/people/person-name.ts',
  'actors/index/text/name-words.ts',
  'actors/index/summaries/fold-name.ts',
  'actors/index/visual/shots.ts',
  // Things of one frame after the other become tracks, which are stored and searched.
  'actors/things/confidence.ts',
  'actors/things/prominence.ts',
  'actors/things/tracks.ts',
  'actors/summarizer/stored/reading.ts',
  'actors/summarizer/stored/summary-ref.ts',
  'actors/summarizer/text/sentences.ts',
  'runtime/languages.ts',
  'actors/watcher/exclusions.ts',
];
const isOurs = (to: string) => folders.some((folder) => to.startsWith(`${folder}/`));

test('runtime imports nothing of ours', () => {
  for (const { path, imports } of product.filter(({ path }) => path.startsWith('runtime/'))) {
    for (const { to } of imports)
      assert.ok(!isOurs(to) || to.startsWith('runtime/'), `${path} imports ${to}`);
  }
});

test('a room uses another only through its contract and the four doors', () => {
  const rooms = product.filter(({ path }) => /^actors\/.*\//.test(path) && !composition.includes(path));
  for (const { path, imports } of rooms) {
    for (const { to } of imports) {
      if (!isOurs(to) || to.startsWith('runtime/') || room(to) === room(path)) continue;
      const allowed =
        to.endsWith('/contract.ts') ||
        doors.includes(to) ||
        publicFiles.includes(to) ||
        to.startsWith('actors/index/store/') ||
        // Arithmetic on samples, pure: the same for whoever listens.
        to.startsWith('actors/acoustics/');
      // A model family is a pair: the graph and its features in models, its use in the actor.
      const pair =
        /^actors\/(embedder|transcriber|diarizer|faces|summarizer|text-reader|things)\//.test(path) &&
        to.startsWith('actors/models/');
      assert.ok(allowed || pair, `${path} imports ${to}`);
    }
  }
});

test('fronts see contracts, the type of the engine and public files, never an inside', () => {
  const isFront = (path: string) => /^(http|events|cli)\//.test(path);
  for (const { path, imports } of product.filter(
    ({ path }) => isFront(path) || path === 'actors/engine.ts',
  )) {
    for (const { to, typeOnly } of imports) {
      if (!to.startsWith('actors/') && to !== 'main.ts') continue;
      if (to.endsWith('/contract.ts') || to === 'actors/engine.ts' || publicFiles.includes(to)) continue;
      // The entry of the command line is handed nothing: it loads what the commands are handed.
      if (composition.includes(to) && (typeOnly || path === 'cli/framehound.ts')) continue;
      assert.fail(`${path} imports ${to}`);
    }
  }
});

test('the web page loads itself, its packages and one table; the rest it knows as types', () => {
  const packages = ['comlink', 'preact', 'preact/hooks', 'htm/preact', 'socket.io-client'];
  const loaded = ['http/client/addresses.ts', 'http/client/request.ts'];
  const known = ['http/client/request.ts', 'events/protocol.ts'];
  const isContract = (to: string) =>
    /^(actors|events)\/.*\/contract\.ts$/.test(to) || publicFiles.includes(to);
  const modules = product.filter(({ path }) => path.startsWith('http/page/app/'));
  assert.ok(modules.length > 0);
  for (const { path, text, imports } of modules) {
    for (const { to, typeOnly } of imports) {
      const may = to.startsWith('http/page/app/') || packages.includes(to) || loaded.includes(to);
      assert.ok(may || (typeOnly && (known.includes(to) || isContract(to))), `${path} imports ${to}`);
    }
    assert.doesNotMatch(text, /\beval\(|\bFunction\(|innerHTML|insertAdjacentHTML|document\.write/, path);
  }
  for (const file of loaded) {
    const { imports } = product.find(({ path }) => path === file)!;
    assert.ok(
      imports.every(({ typeOnly }) => typeOnly),
      file,
    );
  }
  for (const { path, imports } of product.filter(({ path }) => !path.startsWith('http/page/app/')))
    for (const { to } of imports) assert.ok(!to.startsWith('http/page/app/'), `${path} imports ${to}`);
});

test('public files are there and pure', () => {
  for (const file of publicFiles) {
    const found = product.find(({ path }) => path === file);
    assert.ok(found, `there is no ${file}`);
    for (const { to } of found.imports)
      assert.match(to, /^(actors\/|runtime\/|typebox$|node:path$|node:zlib$)/, `${file} imports ${to}`);
  }
});

test('every room has a README', () => {
  for (const room of globSync('actors/*/', { cwd: root }))
    assert.ok(existsSync(join(root, room, 'README.md')), room);
});

test('each native package has one importer', () => {
  const one: Record<string, RegExp> = {
    'node-av': /^actors\/decoder\/ffmpeg\.ts$/,
    'onnxruntime-node': /^actors\/models\/session\.ts$/,
    lmdb: /^actors\/index\/store\//,
    piscina: /^runtime\/pool(-thread)?\.ts$/,
    sharp: /^actors\/(decoder|summarizer\/language)\//,
    chokidar: /^actors\/watcher\//,
    xmlbuilder2: /^actors\/exporter\/xml\.ts$/,
    '@uwsjs/core': /^http\/uws\.ts$/,
    'socket.io': /^events\/server\.ts$/,
    '@modelcontextprotocol/server': /^http\/mcp\/protocol\.ts$/,
    '@huggingface/tokenizers': /^actors\/(embedder|transcriber|summarizer)\//,
  };
  for (const { path, imports } of product) {
    for (const { to, typeOnly } of imports) {
      const name = Object.keys(one).find((name) => to === name || to.startsWith(`${name}/`));
      if (name && !typeOnly) assert.match(path, one[name]!, `${path} imports ${to}`);
    }
  }
});

test('names of files are given and taken away by one door, which knows how Windows refuses', () => {
  const wrong = /\b(rename|link|unlink|rm|rmdir)(Sync)?\b|^import (?!type )(\w+|\*)/;
  for (const { path, text } of product.filter(({ path }) => path !== 'runtime/files/names.ts'))
    for (const [found] of text.matchAll(/^import [^;]*? from 'node:fs(\/promises)?';$/gm))
      assert.doesNotMatch(found, wrong, `${path}: not from runtime/files/names.ts`);
});

test('pure files load no thread and no native package', () => {
  const pure =
    /(^|\/)(restart|mailbox|plan|quarantine|batch|rank|topk|scenes|timecode|reference|query|match|prepare|decision|machine-file|pace|payload|rooms|handshake)\.ts$/;
  // What is said and by whom: arithmetic on samples, texts, times and vectors.
  const spoken = [
    /^actors\/acoustics\//,
    /^actors\/decoder\/(sound\/choice|sound\/clock|subtitles\/text)\.ts$/,
    /^actors\/diarizer\/(aggregation|clustering|diarize|local-speakers|recent-features|resegment|segmentation-channel|session|speaker-clustering|turns|window-turns)\.ts$/,
    /^actors\/text-reader\/detection\//,
    /^actors\/exporter\/timeline\/(?!timelines)/,
    /^actors\/exporter\/summary\/(chapters|json|markdown|plain|quality-notes|vtt|wording)\.ts$/,
    /^actors\/exporter\/(captions|direction|filename|missing-glyphs|plain|rows|wrap)\.ts$/,
    /^actors\/index\/transcripts\/(build|fold|loaded|loaded-transcript|postings|shard)\.ts$/,
    /^actors\/search\/transcripts\/transcript-page\.ts$/,
    /^actors\/transcriber\/(batching-queue|choose-model|token-limit)\.ts$/,
    /^actors\/transcriber\/text\/(hallucinations|languages|merge-channels|segments|timing|words)\.ts$/,
    /^actors\/transcriber\/text\/subtitles\/(?!sidecar)/,
    /^actors\/transcriber\/voice\/(features|network|segmenter|windows)\.ts$/,
    /^actors\/transcriber\/whisper\/(phrases|sampling)\.ts$/,
    /^actors\/summarizer\/(objective\.ts|concepts\/|facts\/|outline\/|statements\/|text\/)/,
    /^actors\/summarizer\/language\/(answer\/|prompts\.ts|positions\.ts)/,
    /^actors\/analysis\/(progress|progress-fields|request|result|schemas)\.ts$/,
    /^actors\/analysis\/stages\/(kind|kinds|lanes|settled)\.ts$/,
    /^actors\/analysis\/stages\/.*\/(kind|request)\.ts$/,
    // Which files of a watched folder are looked at, and what is known of them.
    /^actors\/watcher\/(exclusions|file-table|names)\.ts$/,
    /^actors\/watcher\/folders\/(outcomes|schedule|settings)\.ts$/,
  ];
  for (const pattern of spoken)
    assert.ok(
      product.some(({ path }) => pattern.test(path)),
      String(pattern),
    );
  const isPure = (path: string) => pure.test(path) || spoken.some((pattern) => pattern.test(path));
  const impure = /^(node:worker_threads|node:fs|node:child_process|node-av|onnxruntime-node|lmdb|sharp)/;
  for (const { path, imports } of product.filter(({ path }) => isPure(path))) {
    for (const { to, typeOnly } of imports) assert.ok(typeOnly || !impure.test(to), `${path} imports ${to}`);
  }
});

test('a comment is a noun phrase or a sentence, and no fragment', () => {
  const first = /(?:^|(?<!\/\/[^\n]*)\n)\s*(?:\/\*\*\s*(?:\n\s*\*\s*)?|\/\/ )(\w+)/g;
  const fragments = 'Of What Who Whose Those As By None So Whoever Whether'.split(' ');
  for (const { path, text } of sources) {
    if (path.startsWith('test/')) continue;
    const found = [...text.matchAll(first)].find(([, word = '']) => fragments.includes(word));
    assert.equal(found?.[0].trim(), undefined, `a comment of ${path} begins with a fragment`);
  }
});

test('a file says what it is for, and its comments have at most 110 columns', () => {
  for (const { path, text } of product) {
    assert.ok(text.startsWith('//') || text.startsWith('/*'), `${path} does not open with what it is for`);
  }
  for (const { path, text } of sources) {
    // Commands and tables in comments stay whole.
    const long = text
      .split('\n')
      .find((line) => line.length > 110 && /^\s*(\/\/ [^` ]|\* |\/\*\* )/.test(line));
    assert.equal(long, undefined, `a comment of ${path} is wider than 110 columns`);
  }
});

test('no folder is named after nothing', () => {
  for (const { path } of sources) {
    assert.doesNotMatch(path, /(^|\/)(utils|common|helpers|manager|base|types)(\/|\.ts$)/);
  }
});

test('every dependency is pinned and has a reason in docs/dependencies.md', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const reasons = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
  for (const [name, version] of Object.entries({
    ...manifest['dependencies'],
    ...manifest['devDependencies'],
  })) {
    assert.match(version, /^\d+\.\d+\.\d+$/, `${name} is not pinned`);
    assert.ok(reasons.includes(`\`${name}\``), `docs/dependencies.md gives no reason for ${name}`);
  }
});

const testSources = sources.filter(
  ({ path }) =>
    path.startsWith('test/') && !['test/architecture.test.ts', 'test/run.ts', 'test/until.ts'].includes(path),
);

test('tests wait for facts, never for a while', () => {
  for (const { path, text } of testSources)
    assert.doesNotMatch(text, /setTimeout\(|sleep\(/, `${path} waits for a while`);
});

/** Where the bracket that opens at `open` is closed; also brackets in texts count. */
function closingBracket(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if ('([{'.includes(text[at]!)) depth++;
    else if (')]}'.includes(text[at]!) && --depth === 0) return at;
  }
  return text.length;
}

/** From `at` to the end of the statement that begins there, a block or not. */
function statement(text: string, at: number): string {
  if (/^\s*\{/.test(text.slice(at))) return text.slice(at, closingBracket(text, text.indexOf('{', at)) + 1);
  const end = text.indexOf(';\n', at);
  return text.slice(at, end < 0 ? text.length : end);
}

/** Every `while`, `do` and `for` without a condition that waits for something in its head or in its body. */
function endlessWaits(text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\/?\*).*$/gm, '');
  return [...code.matchAll(/\b(?:while|for) \(|\bdo \{/g)].flatMap(({ 0: keyword, index }) => {
    const open = index + keyword.length - 1;
    const close = closingBracket(code, open);
    const head = code.slice(index, close + 1);
    if (keyword.startsWith('for') && !/;\s*;/.test(head)) return [];
    const whole = head + statement(code, close + 1);
    return /\bawait\b/.test(whole) ? [head.split('\n')[0]!] : [];
  });
}

test('a loop that awaits ends by itself: only until() asks again and again', () => {
  const endless = [
    'while (!a) await b();',
    'while (await a());',
    'for (;;) {\n  await a();\n}',
    'do { await a(); } while (b);',
  ];
  for (const text of endless) assert.equal(endlessWaits(text).length, 1, text);
  const bounded = [
    'while (a) b();\nawait c();',
    'for (const a of b) await a;',
    'for (let i = 0; i < 9; i++) await a;',
  ];
  for (const text of bounded) assert.deepEqual(endlessWaits(text), [], text);
  for (const { path, text } of testSources) assert.deepEqual(endlessWaits(text), [], path);
});

/** What a file of tests loads of the tests, itself included. */
function testsLoadedBy(path: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  const { imports = [] } = testSources.find((source) => source.path === path) ?? {};
  for (const { to, typeOnly } of imports) if (!typeOnly && to.startsWith('test/')) testsLoadedBy(to, loaded);
  return loaded;
}

test('no quick test starts a service, a browser or a program: such a file is named *.slow.test.ts', () => {
  for (const path of testFiles('quick').filter((path) => path !== 'test/architecture.test.ts')) {
    for (const loaded of testsLoadedBy(path)) {
      const starts = loaded.startsWith('test/system/') || loaded === 'test/http/page/browser.ts';
      assert.ok(!starts, `${path} loads ${loaded}: it is slow, name it *.slow.test.ts`);
      // The flags of this process are for those that run our sources.
      const runs = testSources.some(({ path, text }) => path === loaded && text.includes('process.execArgv'));
      assert.ok(!runs, `${path}: ${loaded} runs our sources: it is slow, name it *.slow.test.ts`);
    }
  }
});

test('a test lies where the code lies that it tests', () => {
  for (const { path } of testSources.filter(({ path }) => path.endsWith('.test.ts'))) {
    const folder = dirname(path.slice('test/'.length));
    if (folder === 'system' || folder === 'release') continue;
    const tested = path.replace('.test.ts', '.ts');
    // A file of the tests has its own beside it; directly in test/ are also those of the files and folders at
    // the root.
    const atRoot = tested.replace('test/', '');
    const places = [tested, ...(folder === '.' ? [atRoot, atRoot.replace('.ts', '')] : [folder])];
    assert.ok(
      places.some((place) => existsSync(join(root, place))),
      `${path}: there is no ${places.join(' nor ')}`,
    );
  }
});

test('no two rooms import each other', () => {
  // Other folders at the top are one each, and so are the files directly in `actors`.
  const roomOf = (path: string) => (/^actors\/.*\//.test(path) ? room(path) : path.split('/')[0]!);
  const edges = new Set(
    product.flatMap(({ path, imports }) =>
      imports.flatMap(({ to }) => (isOurs(to) ? [`${roomOf(path)} ${roomOf(to)}`] : [])),
    ),
  );
  const both = [...edges].filter((edge) => {
    const [from, to] = edge.split(' ');
    return from! < to! && edges.has(`${to} ${from}`);
  });
  assert.deepEqual(both, []);
});

test('an exported type has one name in the whole product', () => {
  // These two write such types into other files.
  const generators = ['http/client/declarations.ts', 'http/client/generate.ts'];
  const declaration = /^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;
  const owners = new Map<string, string>();
  for (const { path, text } of product.filter(({ path }) => !generators.includes(path))) {
    for (const [, name = ''] of text.matchAll(declaration)) {
      assert.equal(owners.get(name), undefined, `${name} is declared in ${path} and in another file`);
      owners.set(name, path);
    }
  }
});

test('what is private is written one way: #name, and `private` before a constructor only', () => {
  for (const { path, text } of sources) {
    if (path === 'test/architecture.test.ts') continue;
    const words = /^ *(?:static |readonly )*(?:private|protected)\b(?! constructor).*|\bthis\._\w+/m.exec(
      text,
    );
    assert.equal(words?.[0], undefined, path);
  }
});

test('each .wasm is the .wat beside it assembled', async () => {
  const wabt = await (createRequire(import.meta.url)('wabt') as typeof import('wabt'))();
  const names = globSync('{actors,runtime}/**/*.wat', { cwd: root });
  assert.ok(names.length > 0);
  for (const name of names) {
    const parsed = wabt.parseWat(name, readFileSync(join(root, name), 'utf8'), {
      simd: true,
      relaxed_simd: true,
      threads: true,
    });
    parsed.resolveNames();
    const assembled = readFileSync(join(root, name.replace(/t$/, 'sm')));
    assert.deepEqual(Buffer.from(parsed.toBinary({}).buffer), assembled, name);
  }
});

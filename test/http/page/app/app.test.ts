import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { facets } from '../../../../actors/index/facets/list.ts';
import { listNote, type Note, note, noteCodes } from '../../../../actors/search/notes/contract.ts';
import { thingQuestion } from '../../../../actors/search/things/question.ts';
import { classNames } from '../../../../actors/things/contract.ts';
import { type AccessDecision, decisionOf, noKey } from '../../../../http/license/decision.ts';
import { api } from '../../../../http/page/app/api.ts';
import { type Key, keyTable } from '../../../../http/page/app/keys.ts';
import { createBounded } from '../../../../http/page/app/pictures.ts';
import {
  momentArgument,
  parseMoment,
  parseRoute,
  routeHash,
  ticketIn,
  viewNames,
} from '../../../../http/page/app/route.ts';
import { enterByKey, enterByTicket } from '../../../../http/page/app/session.ts';
import { get, update } from '../../../../http/page/app/store.ts';
import { clock, fullClock, nameOf, secondsOf } from '../../../../http/page/app/times.ts';
import { errorWords, failureText } from '../../../../http/page/app/words/errors.ts';
import { facetWords, thingWords } from '../../../../http/page/app/words/facets.ts';
import { concerns, noteText } from '../../../../http/page/app/words/notes.ts';
import { filled } from '../../../../http/page/app/words.ts';

const root = join(import.meta.dirname, '../../../..');

test('an address says where one is, and back', () => {
  fc.assert(
    fc.property(fc.constantFrom(...viewNames), fc.string(), fc.webQueryParameters(), (...parts) => {
      const [view, argument, params] = parts;
      assert.deepEqual(parseRoute(routeHash({ view, argument, params })), { view, argument, params });
    }),
  );
  assert.equal(routeHash({ view: 'player', argument: 'ab12@12.5' }), '#/player/ab12@12.5');
  assert.equal(routeHash({ view: 'search', argument: '', params: 'q=red+car' }), '#/search?q=red+car');
});

test('what is no address of a view is none', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#search', '#/Search', '#/../search', 'x'])
    assert.equal(parseRoute(hash), null, hash);
  assert.deepEqual(parseRoute('#/lists/%E0%A4%A'), { view: 'lists', argument: '', params: '' });
});

test('a ticket is what stands alone after the #', () => {
  assert.deepEqual(ticketIn('#a-ticket_1'), { ticket: 'a-ticket_1', route: null });
  assert.deepEqual(ticketIn('#a-ticket_1/search?q=red+car'), {
    ticket: 'a-ticket_1',
    route: { view: 'search', argument: '', params: 'q=red+car' },
  });
  for (const hash of ['', '#', '#/search', '#/player/ab@1']) assert.equal(ticketIn(hash), null, hash);
});

test('a moment is a hash and a second; a path is none', () => {
  assert.deepEqual(parseMoment('ab12@12.5'), { hash_str: 'ab12', seconds: 12.5 });
  assert.deepEqual(parseMoment('ab12'), { hash_str: 'ab12', seconds: 0 });
  for (const argument of ['', '@3', '/films/a.mp4@3', 'ab@x', 'ab@-1', 'C:\\a'])
    assert.equal(parseMoment(argument), null, argument);
  assert.equal(momentArgument({ hash_str: 'ab', seconds: 1 / 3 }), 'ab@0.333');
});

test('times are written as a person reads them, and read back', () => {
  assert.deepEqual([clock(0), clock(65.9), clock(3661)], ['0:00', '1:05', '1:01:01']);
  assert.deepEqual([clock(59.96, { decimals: 1 }), clock(1.23, { decimals: 1 })], ['1:00.0', '0:01.2']);
  assert.deepEqual(
    [clock(59.9996, { decimals: 3 }), clock(3601.0405, { decimals: 3 })],
    ['1:00.000', '1:00:01.041'],
  );
  assert.equal(fullClock(3661.9), '01:01:01');
  assert.deepEqual(['90', '1:30', '1:00:00', '1:03,5', ' 2:00 '].map(secondsOf), [90, 90, 3600, 63.5, 120]);
  for (const text of ['', 'x', '1:2:3:4', '-1', '1:']) assert.equal(secondsOf(text), null, text);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), (seconds) => {
      assert.equal(secondsOf(clock(seconds)), seconds);
      assert.equal(secondsOf(fullClock(seconds)), seconds);
    }),
  );
});

test('the name of a file is the last part of its path, of any system', () => {
  assert.deepEqual(['/a/b.mp4', 'C:\\a\\b.mp4', 'b', '/'].map(nameOf), ['b.mp4', 'b.mp4', 'b', '/']);
});

test('of too many entries the one goes that was not asked for for the longest time', () => {
  const kept = createBounded<number>(2);
  kept.set('a', 1);
  kept.set('b', 2);
  assert.equal(kept.get('a'), 1);
  kept.set('c', 3);
  assert.deepEqual([kept.get('a'), kept.get('b'), kept.get('c'), kept.size], [1, undefined, 3, 2]);
});

// Signing in on the page, with a service that is played here.

/** `answer` null: nothing answers. Headers are read as a browser reads them. */
function played(t: TestContext, answer: (() => Response) | null) {
  const asked: string[] = [];
  t.mock.method(globalThis, 'fetch', async (path: string, init: RequestInit) => {
    new Headers(init.headers);
    asked.push(path);
    if (answer === null) throw new TypeError('fetch failed');
    return answer();
  });
  update({ session: null, signInReason: null, service: 'up' });
  return asked;
}

test('a key with letters that no key has is refused, and the service is not thought to be away', async (t) => {
  const asked = played(t, () => Response.json({}));
  for (const key of ['fh_x\u2026', '\u201cfh_x\u201d', 'two words', 'line\nbreak']) {
    update({ signInReason: null });
    assert.equal(await enterByKey(key), false, key);
    assert.deepEqual([get().signInReason, get().service, get().session], ['key', 'up', null], key);
  }
  assert.deepEqual(asked, []);
});

test('a ticket is called used only when the service says so', async (t) => {
  played(t, null);
  assert.equal(await enterByTicket('fht_x'), false);
  assert.deepEqual([get().signInReason, get().service], [null, 'away']);
  t.mock.reset();
  played(t, () => Response.json({ error: 'e', message: 'm' }, { status: 401 }));
  assert.equal(await enterByTicket('fht_x'), false);
  assert.equal(get().signInReason, 'ticket');
});

test('a session ends when it is not known; a refusal of its key is told until the key is taken again', async (t) => {
  const answered = (decision: AccessDecision) =>
    decision.ok ? Response.json({ tasks: [] }) : Response.json(decision.body, { status: decision.status });
  let decision: AccessDecision = { ok: true };
  played(t, () => answered(decision));
  const session = { kind: 'ticket', token: 'fhs_x', shared: false } as const;
  update({ session, returns: 0, refusal: null });
  const ask = () => api.listTasks().catch(() => {});
  for (const [validation, why] of [
    [{ kind: 'outage', message: 'The license server cannot be reached' }, /cannot be reached/],
    [{ kind: 'policy', message: 'Not on Sundays' }, /Sundays/],
  ] as const) {
    decision = decisionOf(validation);
    await ask();
    assert.equal(get().session, session);
    assert.match(get().refusal ?? '', why);
  }
  decision = { ok: true };
  await ask();
  assert.deepEqual([get().refusal, get().returns], [null, 1]);
  await ask();
  assert.equal(get().returns, 1);
  decision = noKey;
  await ask();
  assert.deepEqual([get().session, get().signInReason], [null, 'ended']);
});

const folder = join(import.meta.dirname, '../../../../http/page/app/words');
const placeholders = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();

test('every text is there in both languages, with the same values', async () => {
  const files = readdirSync(folder).filter((name) => name !== 'pair.ts');
  assert.ok(files.length > 0);
  for (const file of files) {
    const tables = Object.values(await import(join(folder, file))) as Record<string, readonly string[]>[];
    for (const [name, words] of tables.flatMap((table) => Object.entries(table))) {
      assert.equal(words.length, 2, `${file} ${name}`);
      for (const text of words) assert.notEqual(text.trim(), '', `${file} ${name}`);
      assert.deepEqual(placeholders(words[0]!), placeholders(words[1]!), `${file} ${name}`);
    }
  }
});

test('every facet has a German name, and every thing one that a search for it understands', () => {
  for (const { id } of facets) assert.ok(id in facetWords, id);
  assert.deepEqual(Object.keys(thingWords), [...classNames]);
  for (const [name, [, german]] of Object.entries(thingWords)) {
    const [term] = thingQuestion(german).terms;
    assert.deepEqual(term?.classes, [name], `${german} is ${name}`);
  }
});

test('a failure is told by its code or phrase, and those among the words are those of the product', () => {
  const sources = ['actors', 'events', 'http', 'runtime'].flatMap((folder) => {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith('.ts')).map((name) => join(root, folder, name));
  });
  const text = sources.map((path) => readFileSync(path, 'utf8')).join('\n');
  const rows = text.matchAll(/\b([A-Z_]+): \{\s*meaning:\s*'([^']+)'/g);
  const known = new Set([...rows].map(([, code, phrase]) => `${code} ${phrase}`));
  for (const [code, [phrase]] of Object.entries(errorWords)) assert.ok(known.has(`${code} ${phrase}`), code);
  const told = (kind: string) => failureText('no such file', kind);
  assert.equal(told('FILE_NOT_FOUND'), 'no such file');
  const plain = (message: string) => failureText(message, 'Odd');
  assert.equal(plain('output_dir: /cut cannot be written (EACCES)'), '/cut cannot be written (EACCES)');
  assert.equal(plain('output_dir /cut cannot be written'), '/cut cannot be written');
  assert.equal(plain('media_paths[1]: no such file'), 'No such file');
  assert.equal(plain('items[0].media_path: /a.mp4: File not found'), '/a.mp4: File not found');
  assert.equal(plain('query: give a query'), 'query: give a query');
  update({ language: 'de' });
  assert.deepEqual(['FILE_NOT_FOUND', 'File not found', 'Invalid hash_str', 'Odd'].map(told), [
    'Datei nicht gefunden (no such file)',
    'Datei nicht gefunden (no such file)',
    'Ungültige Angabe (no such file)',
    'no such file',
  ]);
  update({ language: 'en' });
});

test('a note of a search is said in German by its code, with all of its values', () => {
  const many = ['/a', '/b', '/c', '/d', '/e', '/f', '/g'];
  const tell = (language: 'en' | 'de', said: Note | false) => {
    update({ language });
    return said && noteText(said);
  };
  const gone = listNote('FILE_GONE', many);
  assert.deepEqual(
    ['/b', '/x'].map((path) => gone && concerns(gone, new Set([path]))),
    [true, false],
    'said where one of them is shown',
  );
  assert.equal(tell('en', gone), 'File not found at its known path: /a, /b, /c, /d, /e and 2 more');
  assert.equal(tell('de', gone), 'Nicht mehr am bekannten Ort: /a, /b, /c, /d, /e und 2 weitere');
  const commands = ['framehound setup', 'framehound analyze PATH'];
  const counts = { names: ['close up'], count: 1, total: 2, words: ['bottle'] };
  const partly = note('PARTLY_UNDERSTOOD', { ...counts, commands });
  assert.equal(
    tell('en', partly),
    'Weak: pictures were searched for “close up” alone; not understood: “bottle”',
    'a button does what the commands do',
  );
  assert.equal(
    tell('de', partly),
    'Unsicher: Bilder nur nach „close up“ durchsucht; nicht verstanden: „bottle“',
  );
  const nothing = note('NOTHING_FOUND', { names: ['seen', 'said', 'written'] });
  assert.equal(tell('de', nothing), 'Durchsucht: Bilder, Gesagtes und gedruckte Wörter');
  const refused = { reason: 'MODELS_LOADING', message: 'Models are still loading' };
  assert.equal(
    tell('de', note('PICTURES_NOT_SEARCHED', refused)),
    'Bilder wurden nicht durchsucht: Die Modelle werden noch geladen',
  );
  const values = { names: ['x'], count: 2, total: 3, seconds: 5400, model_key: 'm', ...refused };
  for (const code of noteCodes) {
    const text = tell('de', { code, text: 'in English', values });
    assert.ok(text && !/[{}|]|in English|undefined/.test(text), `${code}: ${text}`);
  }
  update({ language: 'en' });
});

test('a value is put in, numbers as the language writes them, and one is not many', () => {
  assert.equal(filled('{n} match|{n} matches', { n: 1 }, 'en'), '1 match');
  assert.equal(filled('{n} match|{n} matches', { n: 12_345 }, 'en'), '12,345 matches');
  assert.equal(filled('{n} Treffer', { n: 12_345 }, 'de'), '12.345 Treffer');
  assert.equal(filled('Like {name}', { name: 'a|b {n}' }, 'en'), 'Like a|b {n}');
  assert.equal(filled('{other}', {}, 'en'), '{other}');
});

test('no key means two things in one place', () => {
  const all = Object.values<Key>(keyTable);
  for (const place of new Set(all.map(({ where }) => where))) {
    const keys = all
      .filter(({ where }) => where === place || where === 'everywhere')
      .flatMap((one) => one.keys);
    assert.equal(new Set(keys).size, keys.length, place);
  }
});

// What nobody sees any more is found: rules of style for classes that no module names, and texts that none
// says.

const app = join(import.meta.dirname, '../../../../http/page/app');
const read = (pattern: string) =>
  globSync(pattern, { cwd: app }).map((path) => ({ path, text: readFileSync(join(app, path), 'utf8') }));
const modules = read('**/*.ts').filter(({ path }) => !path.startsWith('words'));
const source = modules.map(({ text }) => text).join('\n');
/** Every word that can be a class or a key, as modules write them. */
const named = new Set(source.match(/[\w-]+/g));

test('each class that has a style stands in a module', () => {
  // The frame puts them together.
  const views = new Set(read('views/*/view.ts').map(({ path }) => `view-${path.split(/[\\/]/)[1]}`));
  for (const { path, text } of read('**/*.css')) {
    const rules = text.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{}]+)\{/g);
    const classes = [...rules].flatMap(([, selector]) => selector!.match(/\.-?[a-z][\w-]*/gi) ?? []);
    assert.ok(classes.length > 0 || path.includes('1-tokens') || path.includes('2-base'), path);
    const unused = classes.map((one) => one.slice(1)).filter((one) => !named.has(one) && !views.has(one));
    assert.deepEqual(unused, [], path);
  }
});

/** Said by a name that the service gives. */
const tablesOfNames = ['facetWords', 'optionWords', 'thingWords', 'errorWords', 'uses'];
const kindsOfSetup = [
  ...['things', 'words', 'voice-detection', 'sounds', 'faces', 'voices', 'speech'],
  'descriptions',
];
const keysOfNames = [
  ...['exact', 'strong', 'flag', 'environment'],
  ...kindsOfSetup.flatMap((kind) => [kind, `${kind}How`]),
];

test('each text is said by a module', async () => {
  for (const { path } of read('words/*.ts')) {
    const tables = (await import(join(app, path))) as Record<string, Record<string, unknown>>;
    for (const [name, table] of Object.entries(tables)) {
      if (tablesOfNames.includes(name) || typeof table === 'function') continue;
      const isSaid = (key: string) => new RegExp(`[.'"]${key}\\b`).test(source) || keysOfNames.includes(key);
      assert.deepEqual(
        Object.keys(table).filter((key) => !isSaid(key)),
        [],
        `${path} ${name}`,
      );
    }
  }
});

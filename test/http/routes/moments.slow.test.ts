// Moments over a real index: pictures, words and people of two films and a sound file.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { Moment, MomentsAnswer, RelevanceAnswer } from '../../../actors/search/moments/contract.ts';
import type { WrittenAnswer } from '../../../actors/search/written/contract.ts';
import { momentRoutes, writtenRoutes } from '../../../http/routes/search.ts';
import { inject } from '../inject.ts';
import { momentWorld, told } from './moment-world.ts';

const { w, a, b, cache_dir, media, ask, found } = await momentWorld();
const call = inject(momentRoutes, { search: w.search });

test('without anything loaded it says what is needed', async () => {
  const unloaded = await ask({ query: 'budget' });
  assert.equal(unloaded.status, 400);
  assert.match(unloaded.body.message ?? '', /load it first/);
});

test('what can be searched is, and the rest is told; alone it is an error', async () => {
  await w.search.transcripts.load(cache_dir);
  const { moments, warnings, counts } = await found({ query: 'budget' });
  assert.deepEqual(told(moments), ['aa@7.5 said1 said2']);
  assert.deepEqual(counts, { seen: 0, said: 1, person: 0, written: 0, name: 0 });
  assert.match(warnings!.join(), /Pictures were not searched/);
  assert.equal((await ask({ query: 'budget', kinds: ['seen'] })).status, 400);
  await w.search.load(cache_dir);
  await w.search.loadPeople(cache_dir);
});

test('explain says how sure what is seen is, and nothing of what is said; without it nothing is there', async () => {
  const plain = await found({ query: 'four red' });
  const explained = await found({ query: 'four red', explain: true });
  const reasons = explained.moments.flatMap((moment) => moment.reasons);
  assert.ok(reasons.some(({ kind }) => kind === 'seen'));
  for (const reason of reasons) {
    if (reason.kind !== 'seen') assert.ok(!('explanation' in reason));
    // Of few frames nothing is strong.
    else assert.match(reason.explanation?.band ?? '', /^(likely|weak)$/);
  }
  const without = explained.moments.map((moment) => ({
    ...moment,
    reasons: moment.reasons.map((reason) => {
      if (reason.kind !== 'seen') return reason;
      const { explanation: _, ...rest } = reason;
      return rest;
    }),
  }));
  assert.deepEqual(without, plain.moments);
});

test('min_band leaves out what is seen and less sure, in the counts too, and nothing of what is said', async () => {
  const explained = await found({ query: 'four red', explain: true });
  const isSure = (reason: Moment['reasons'][number], bands: readonly string[]) =>
    reason.kind !== 'seen' || bands.includes(reason.explanation?.band ?? '');
  const rows = [
    ['strong', ['strong']],
    ['likely', ['strong', 'likely']],
    ['weak', ['strong', 'likely', 'weak']],
  ] as const;
  for (const [min_band, bands] of rows) {
    const sure = await found({ query: 'four red', explain: true, min_band });
    const kept = (of: MomentsAnswer) =>
      of.moments.flatMap(({ moment_id, reasons }) =>
        reasons.filter((one) => isSure(one, bands)).map((one) => `${moment_id} ${one.kind}`),
      );
    assert.deepEqual(kept(sure).sort(), kept(explained).sort(), min_band);
    const seen = kept(explained).filter((one) => one.endsWith('seen')).length;
    assert.deepEqual([sure.counts.seen, sure.weaker], [seen, explained.counts.seen - seen], min_band);
    assert.equal(sure.counts.said, explained.counts.said);
  }
  assert.equal(explained.weaker, undefined);
});

test('a question is found by its words, who says it among them', async () => {
  const only = { kinds: ['said'] };
  const texts = async (query: string) =>
    (await found({ ...only, query })).moments.flatMap(({ reasons }) =>
      reasons.flatMap((reason) => (reason.kind === 'said' ? [reason.text] : [])),
    );
  const both = ['The budgets are red.', 'A car, a red car, for the budget.'];
  assert.deepEqual(await texts('who says budget, and when?'), both);
  assert.deepEqual(
    (await texts('what does Carl say about the budget'))[0],
    'A car, a red car, for the budget.',
  );
  assert.deepEqual(await texts('the red CAR'), ['A car, a red car, for the budget.']);
  assert.deepEqual(await texts('carburettor of a truck'), []);
});

test('a named person is found beside what is seen and said, and both together come first', async () => {
  const { moments, counts } = await found({ query: 'Ann with a red car' });
  const [first] = moments;
  assert.ok(
    first!.reasons.some(({ kind }) => kind === 'person'),
    told(moments).join(),
  );
  assert.ok(first!.reasons.length > 1);
  assert.ok(counts.person >= 1 && counts.seen >= 1 && counts.said >= 1, JSON.stringify(counts));
  const person = first!.reasons.find(({ kind }) => kind === 'person');
  assert.ok(person?.kind === 'person');
  const { start_seconds, end_seconds, ...named } = person;
  assert.ok(Number(start_seconds) < Number(end_seconds), JSON.stringify(person));
  assert.deepEqual(named, {
    kind: 'person',
    rank: 1,
    name: 'Ann',
    cluster_id: 'c1',
    cluster_job_name: 'cast',
  });
  assert.equal(first!.moment_id, `${first!.hash_str}@${Math.floor(first!.time_seconds)}`);
  const bob = await found({ query: 'BOB ray', kinds: ['person', 'seen'] });
  assert.deepEqual(told(bob.moments), ['bb@1 person1']);
  assert.equal((await ask({ query: 'Zoe', kinds: ['person'] })).status, 400);
  const nobody = await found({ query: 'four', kinds: ['person', 'seen'] });
  assert.match(nobody.toast_warning ?? '', /names none of the loaded people/);
});

test('filters hold for every kind', async () => {
  const within = async (more: Record<string, unknown>) =>
    new Set((await found({ query: 'Ann budget', ...more })).moments.map(({ hash_str }) => hash_str));
  assert.deepEqual(await within({ media_paths: [b] }), new Set(['bb']));
  assert.deepEqual(
    await within({ segments_to_frame_indices: { [a]: [[0, 8]] }, media_paths: [a] }),
    new Set(['aa']),
  );
  const early = await found({ query: 'budget', kinds: ['said'], segments_to_frame_indices: { [a]: [0, 3] } });
  assert.deepEqual(told(early.moments), ['aa@2 said1']);
  const by = await found({ query: 'budget', kinds: ['said'], people_filter: [{ person_name: 'Ann' }] });
  assert.deepEqual(told(by.moments), ['aa@2 said1']);
  const wrong = await ask({ query: 'budget', people_filter: [{ person_name: 'Zoe' }] });
  assert.equal(wrong.status, 400);
  assert.match(JSON.stringify(wrong.body), /people_filter\[0\]/);
  const one = await found({ query: 'Ann budget', max_per_media: 1 });
  assert.equal(new Set(one.moments.map(({ hash_str }) => hash_str)).size, one.moments.length);
  assert.equal((await found({ query: 'Ann budget', limit: 1 })).moments.length, 1);
});

test('a picture is a file, bytes or a moment; nothing is left of it, and errors name its field', async () => {
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]).toString('base64');
  const file = join(w.folder, 'red.jpg');
  writeFileSync(file, 'x');
  for (const picture of [
    { image_path: file },
    { image_data: jpeg },
    { image_data: `data:image/jpeg;base64,${jpeg}` },
    { like: { hash_str: 'aa', time_seconds: 1 } },
    { like: { media_path: a, time_seconds: 2.5 } },
  ]) {
    assert.ok((await found(picture)).counts.seen > 0, JSON.stringify(picture));
  }
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('framehound-picture-')),
    [],
  );
  for (const [body, field] of [
    [{}, 'query'],
    [{ query: ' ' }, 'query'],
    [{ image_data: 'zz zz' }, 'image_data'],
    [{ image_data: Buffer.from('<svg/>').toString('base64') }, 'image_data'],
    [{ image_data: 'https://example.org/a.jpg' }, 'image_data'],
    [{ image_path: join(w.folder, 'no.jpg') }, 'image_path'],
    [{ image_path: file, image_data: jpeg }, 'image_data'],
    [{ like: { time_seconds: 1 } }, 'like.media_path'],
    [{ like: { hash_str: 'aa', time_seconds: 99 } }, 'like.time_seconds'],
    [{ image_data: jpeg, kinds: ['said'] }, 'query'],
    [{ image_data: jpeg, exclude: ['x'] }, 'exclude'],
    [{ query: 'x', kinds: [] }, 'kinds'],
    [{ query: 'x', kinds: ['heard'] }, 'kinds'],
    [{ query: 'x', limit: 10_001 }, 'limit'],
  ] as const) {
    const { status, body: answer } = await ask(body);
    assert.equal(status, 400, `${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
    assert.ok(JSON.stringify(answer).includes(field), `${field}: ${JSON.stringify(answer)}`);
  }
  assert.equal((await ask({ like: { hash_str: 'cc', time_seconds: 1 } })).status, 404);
  assert.equal(w.pool.free, w.pool.count);
});

test('relevance has a value a second between the background and the best of the library', async () => {
  const relevance = async (body: Record<string, unknown>) => {
    const answer = await call('/api/v1/search/relevance', { cache_dir, ...body });
    return { status: answer.status, body: answer.body as RelevanceAnswer };
  };
  const { status, body } = await relevance({ hash_str: 'aa', query: 'four' });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.values.length, 8);
  assert.equal(body.scale.frames, 16);
  assert.ok(body.values.every((value) => value >= 0 && value <= 1));
  assert.deepEqual((await relevance({ media_path: a, query: 'four' })).body.values, body.values);
  assert.deepEqual((await relevance({ media_path: a, query: 'Ann' })).body.values, Array(8).fill(0));
  for (const [asked, expected] of [
    [{ hash_str: 'aa' }, 400],
    [{ query: 'four' }, 400],
    [{ hash_str: 'cc', query: 'four' }, 404],
  ] as const)
    assert.equal((await relevance(asked)).status, expected, JSON.stringify(asked));
});

test('a moment named by its hash is found also when another file lies where it lay', async () => {
  const like = { hash_str: 'bb', time_seconds: 1 };
  const before = await found({ like });
  writeFileSync(b, 'quite another film');
  const { moments, warnings } = await found({ like });
  const isOfA = ({ hash_str }: Moment) => hash_str === 'aa';
  assert.deepEqual(told(moments.filter(isOfA)).length, before.moments.filter(isOfA).length);
  assert.ok(warnings!.some((one) => one.startsWith('File not found at its known path') && one.includes(b)));
  const late = await ask({ like: { ...like, time_seconds: 99 } });
  assert.deepEqual([late.status, JSON.stringify(late.body).includes('like.time_seconds')], [400, true]);
  assert.equal((await ask({ like: { ...like, hash_str: 'cc' } })).status, 404);
});

test('what is written is found where words were read, and uncertain lines say so', async () => {
  const line = { box: [0.1, 0.2, 0.3, 0.05] as [number, number, number, number], best: 5, start: 4, end: 8 };
  await w.index.ask('store_result', {
    ...{
      cache_dir,
      media: media.find(({ path }) => path === a)!,
      model_key: 'letters',
      from_previews: false,
    },
    found: {
      type: 'text',
      items: [
        { ...line, text: 'Port-Authority', score: 0.97 },
        { ...line, text: 'airportauthorities', score: 0.7 },
      ],
    },
  });
  const { moments, counts } = await found({ query: 'port-authority' });
  assert.equal(counts.written, 1);
  const reasons = moments.flatMap((moment) => moment.reasons).filter(({ kind }) => kind === 'written');
  assert.deepEqual(reasons, [
    {
      ...{ kind: 'written', rank: 1, text: 'Port-Authority', score: 0.97, band: 'strong', box: line.box },
      ...{ best_seconds: 5, start_seconds: 4, end_seconds: 8 },
    },
  ]);
  const bands = async (query: string, min_band?: string) =>
    (await found({ query, ...(min_band && { min_band }) })).moments.flatMap((moment) =>
      moment.reasons.flatMap((reason) => (reason.kind === 'written' ? [reason.band] : [])),
    );
  assert.deepEqual(await bands('port authorities', 'likely'), ['likely']);
  assert.deepEqual(await bands('port'), ['strong', 'weak']);
  assert.deepEqual(await bands('port', 'likely'), ['strong']);
  const { moments: asked } = await found({ query: 'port authorities', kinds: ['written'] });
  assert.deepEqual(told(asked), ['aa@5 written1']);
  const sure = await found({ query: 'port', kinds: ['written'], min_band: 'likely' });
  assert.deepEqual([sure.moments.length, sure.counts.written, sure.weaker], [1, 1, 1]);
  const other = { segments_to_frame_indices: { [a]: [0, 3] } };
  assert.deepEqual((await found({ query: 'port', kinds: ['written'], ...other })).moments, []);
});

test('printed words are found by themselves, with nothing loaded', async () => {
  const written = inject(writtenRoutes, { search: w.search });
  const answer = await written('/api/v1/search/written', { cache_dir, query: 'PORT' });
  assert.equal(answer.status, 200);
  const { matches } = answer.body as WrittenAnswer;
  assert.deepEqual(
    matches.map(({ text, start_timestamp, best_seconds, score }) => [
      text,
      start_timestamp,
      best_seconds,
      score,
    ]),
    [
      ['Port-Authority', '00:00:04', 5, 0.97],
      ['airportauthorities', '00:00:04', 5, 0.7],
    ],
  );
  const sure = { cache_dir, query: 'PORT', min_band: 'likely', max_results: 1 };
  const well = (await written('/api/v1/search/written', sure)).body as WrittenAnswer;
  assert.deepEqual([well.matches, well.weaker], [matches.slice(0, 1), 1]);
  assert.deepEqual(
    matches.map(({ band }) => band),
    ['strong', 'weak'],
  );
  const none = await written('/api/v1/search/written', { cache_dir: `${cache_dir}-2`, query: 'port' });
  assert.deepEqual(none.body, {
    matches: [],
    toast_warning: 'No text has been recognized in pictures yet',
    warnings: ['No text has been recognized in pictures yet'],
    notes: [{ code: 'NOTHING_READ', text: 'No text has been recognized in pictures yet', values: {} }],
  });
  assert.equal((await written('/api/v1/search/written', { cache_dir, query: '  ' })).status, 400);
});

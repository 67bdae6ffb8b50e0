import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostFilms } from '../../../actors/summarizer/actor.ts';
import { lexicon } from '../../../actors/summarizer/concepts/concepts.ts';
import { summarizerErrors } from '../../../actors/summarizer/contract.ts';
import { outlineErrors } from '../../../actors/summarizer/outline/summary-inputs.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { composedFilm, someComposition } from './outline/composed.ts';
import { handOver, objective, openingOf, startSummarizer, writeAll } from './start.ts';

const { material } = composedFilm({ ...someComposition(5), pictures: true, speech: true, dimensions: 64 });

test('a film is outlined, written from the leaves up, and concluded', async (t) => {
  const { summarizer } = await startSummarizer(t);
  const film = await handOver(summarizer, material);
  const { nodes, root_id, written } = await writeAll(summarizer, film);
  assert.equal(nodes.at(-1)?.node_id, root_id);
  const seen = new Set<string>();
  for (const node of written) {
    assert.ok(
      node.child_ids.every((id) => seen.has(id)),
      `${node.node_id} before its children`,
    );
    seen.add(node.node_id);
    assert.equal(node.evidence === null, node.child_ids.length > 0);
    assert.ok(node.text.length > 0 && !node.failed);
  }
  const { one_line_summary, short_summary, quality } = await summarizer.ask('conclude', {
    film,
    warnings: [],
  });
  assert.ok(one_line_summary.length <= 160 && short_summary.length <= 800);
  assert.deepEqual([quality.failed_node_count, quality.warnings], [0, []]);
});

test('the same material makes the same texts, also where some nodes were written before', async (t) => {
  const { summarizer } = await startSummarizer(t);
  const whole = await writeAll(summarizer, await handOver(summarizer, material));
  const film = await handOver(summarizer, material);
  const { nodes } = await summarizer.ask('outline', { film });
  const half = nodes.slice(0, nodes.length >> 1).map(({ node_id }) => node_id);
  const texts = new Map(whole.written.map((node) => [node.node_id, node]));
  await summarizer.ask('take_up', {
    film,
    nodes: half.map((node_id) => ({ node_id, text: texts.get(node_id)!.text, failed: false })),
  });
  const rest = nodes.slice(half.length).map(({ node_id }) => ({ node_id, pictures: [] }));
  const { nodes: written } = await summarizer.ask('write', { film, nodes: rest });
  assert.deepEqual(written, whole.written.slice(half.length));
  await summarizer.ask('conclude', { film, warnings: [] });
});

test('what does not fit is refused with what is wrong, and nothing of it is added', async (t) => {
  const { summarizer } = await startSummarizer(t);
  const { film } = await summarizer.ask('open_film', openingOf(material));
  const add = (frames: number[], numbers: number, cuts: number[] = []) =>
    summarizer.ask('add_vectors', {
      film,
      frames: Int32Array.from(frames),
      vectors: new Float32Array(numbers).fill(0.125),
      cuts: Int32Array.from(cuts),
    });
  assert.deepEqual(await add([0, 1], 128), { frames: 2 });
  const refused: [() => Promise<unknown>, RegExp][] = [
    [() => add([2], 63), /63 numbers for 1 frames of 64/],
    [() => add([1], 64), /frames: 1 behind 1/],
    [() => add([3, 2], 128), /frames: 2 behind 3/],
    [() => add([2, 3], 128, [4]), /cuts: 4 is none of the frames/],
    [() => add([material.seconds], 64), /frames: \d+ behind 1/],
  ];
  const words = (start_seconds: number, end_seconds: number) =>
    summarizer.ask('add_words', {
      film,
      segments: [{ start_seconds, end_seconds, text: 'Ada speaks.', speaker: null }],
    });
  await words(4, 5);
  refused.push([() => words(3, 5), /segments: from 3 to 5/], [() => words(6, 5), /segments: from 6 to 5/]);
  const people = (ranges: [number, number][]) =>
    summarizer.ask('add_people', { film, people: [{ person: 'Ada', is_named: true, ranges }] });
  refused.push(
    [() => people([[0, material.seconds + 1]]), /people: Ada/],
    [
      () =>
        people([
          [4, 6],
          [5, 7],
        ]),
      /people: Ada from 5/,
    ],
  );
  const sights = (best: number, end = 6) => {
    const line = { text: 'STOP', height: 0.1, start: 4, end, best, score: 0.9 };
    return summarizer.ask('add_sights', { film, things: [], lines: [line] });
  };
  refused.push([() => sights(6), /sights: from 4 to 6, best at 6/]);
  refused.push([() => sights(5, material.seconds + 1), /sights: from 4 to \d+/]);
  for (const [asked, message] of refused)
    await assert.rejects(
      asked(),
      (error: Error) => outlineErrors.MATERIAL_INVALID.is(error) && message.test(error.message),
    );
  const nan = {
    film,
    frames: Int32Array.of(7),
    vectors: new Float32Array(64).fill(Number.NaN),
    cuts: Int32Array.of(),
  };
  await assert.rejects(summarizer.ask('add_vectors', nan), /not all numbers are finite/);
  assert.deepEqual(await add([2], 64), { frames: 3 });
});

test('requests out of order are refused', async (t) => {
  const { summarizer } = await startSummarizer(t);
  const film = await handOver(summarizer, material);
  const write = (node_id: string) => summarizer.ask('write', { film, nodes: [{ node_id, pictures: [] }] });
  const isMisuse = (error: unknown) => engineErrors.INVALID_MESSAGE.is(error);
  await assert.rejects(write('0'), isMisuse);
  const { root_id, nodes } = await summarizer.ask('outline', { film });
  await assert.rejects(write(root_id), /is not written/);
  await assert.rejects(write('nowhere'), /no node "nowhere"/);
  await assert.rejects(summarizer.ask('conclude', { film, warnings: [] }), /is not written/);
  await assert.rejects(summarizer.ask('add_words', { film, segments: [] }), /outlined/);
  const unknown = { node_id: 'nowhere', text: '', failed: false };
  await assert.rejects(summarizer.ask('take_up', { film, nodes: [unknown] }), /no node "nowhere"/);
  await write(nodes[0]!.node_id);
  for (const asked of [{ preset: 'no_such' }, { priority_hints: ['no_such'] }])
    await assert.rejects(
      summarizer.ask('open_film', { ...openingOf(material), objective: { ...objective, ...asked } }),
      isMisuse,
    );
  const instructions = new Float32Array(3);
  await assert.rejects(summarizer.ask('open_film', { ...openingOf(material), instructions }), isMisuse);
});

test('a film that is closed, or forgotten because too many are open, is lost', async (t) => {
  const { summarizer, lines } = await startSummarizer(t);
  const { film: first } = await summarizer.ask('open_film', openingOf(material));
  const isLost = (error: unknown) => summarizerErrors.FILM_LOST.is(error);
  const { film: second } = await summarizer.ask('open_film', openingOf(material));
  await summarizer.ask('close_film', { film: second });
  await summarizer.ask('close_film', { film: second });
  await assert.rejects(summarizer.ask('add_words', { film: second, segments: [] }), isLost);
  for (let open = 1; open < mostFilms; open++) await summarizer.ask('open_film', openingOf(material));
  await summarizer.ask('add_words', { film: first, segments: [] });
  await summarizer.ask('open_film', openingOf(material));
  await summarizer.ask('add_words', { film: first, segments: [] });
  assert.ok(lines.some(({ message }) => message.includes('forgotten')));
  await assert.rejects(summarizer.ask('outline', { film: second }), isLost);
});

test('concepts are those of one model, and keep their words where only pictures are given', async (t) => {
  const { summarizer } = await startSummarizer(t);
  const known = async (model_key: string) => (await summarizer.ask('has_concepts', { model_key })).present;
  const { phrases } = await summarizer.ask('concept_phrases', {});
  assert.equal(phrases.length, lexicon.flatMap((concept) => concept.phrases).length);
  const set = (model_key: string, numbers: number | null, pictures = 8) =>
    summarizer.ask('set_concepts', {
      model_key,
      dimensions: 4,
      phrases: numbers === null ? null : new Float32Array(numbers).fill(0.5),
      pictures: new Float32Array(pictures),
    });
  assert.equal(await known('a'), false);
  await set('a', phrases.length * 4);
  assert.deepEqual([await known('a'), await known('b')], [true, false]);
  await set('a', null);
  await set('b', null);
  assert.deepEqual([await known('a'), await known('b')], [false, true]);
  await assert.rejects(set('c', phrases.length * 4 - 1), /phrases: /);
  await assert.rejects(set('c', phrases.length * 4, 7), /pictures: 7/);
  assert.equal(await known('b'), true);
});

test('an outline and concepts that are cancelled end between two pieces, and can be asked for again', async (t) => {
  const { summarizer } = await startSummarizer(t);
  const film = await handOver(summarizer, material);
  const whole = await writeAll(summarizer, await handOver(summarizer, material));
  const outlining = new AbortController();
  const cancelled = summarizer.ask('outline', { film }, { signal: outlining.signal });
  outlining.abort();
  await assert.rejects(cancelled, engineErrors.CANCELLED.is);
  assert.deepEqual((await writeAll(summarizer, film)).written, whole.written);
  const setting = new AbortController();
  const concepts = { model_key: 'some-model', dimensions: 64, phrases: null };
  const pictures = new Float32Array(4096 * 64).fill(0.125);
  const set = summarizer.ask('set_concepts', { ...concepts, pictures }, { signal: setting.signal });
  setting.abort();
  await assert.rejects(set, engineErrors.CANCELLED.is);
  assert.deepEqual(await summarizer.ask('has_concepts', { model_key: 'some-model' }), {
    present: false,
    named: true,
  });
});

test('while a film is outlined others are answered, and nothing can be added to it', async (t) => {
  const { summarizer } = await startSummarizer(t);
  const film = await handOver(summarizer, material);
  let isOver = false;
  const outlined = summarizer.ask('outline', { film }).finally(() => {
    isOver = true;
  });
  await assert.rejects(summarizer.ask('add_words', { film, segments: [] }), /nothing can be added/);
  assert.equal(isOver, false, 'the answer came in between');
  await outlined;
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelErrors } from '../../../actors/models/contract.ts';
import { onProcessor } from '../../../actors/models/device.ts';
import { summarizerErrors } from '../../../actors/summarizer/contract.ts';
import type {
  GeneratedText,
  LanguageWriter,
  NodeMaterial,
} from '../../../actors/summarizer/language/contract.ts';
import { openLanguageWriter } from '../../../actors/summarizer/language/open.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { answer, jpeg as someJpeg } from './language/material.ts';
import { tinyFiles, tinyRow, writeTiny } from './language/tiny-model.ts';
import { composedFilm, someComposition } from './outline/composed.ts';
import { handOver, type Summarizer, startSummarizer, startWith } from './start.ts';

const { material } = composedFilm({ ...someComposition(5), pictures: true, speech: true, dimensions: 64 });
const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xd9);

/** Writes its own name over each node, and remembers what it was given. */
function fakeWriter(model_key: string, node: Partial<LanguageWriter> = {}) {
  const seen: NodeMaterial[] = [];
  const wholes: NodeMaterial[] = [];
  const state = { closed: 0 };
  const writer: LanguageWriter = {
    model_key,
    runsOn: onProcessor,
    mostPictures: 3,
    node: async (given): Promise<GeneratedText> => {
      seen.push(given);
      const text = `${model_key} on ${given.node_id}.`;
      return { text, verification_hints: [], failed: false, warnings: [] };
    },
    whole: async (root) => {
      wholes.push(root);
      return { one_line_summary: 'One line.', short_summary: 'A short one. Of two sentences.' };
    },
    close: async () => {
      state.closed++;
    },
    ...node,
  };
  return { writer, seen, wholes, state };
}

async function openWith(summarizer: Summarizer, model_key: string) {
  const { load_status, device } = await summarizer.ask('load', { model_key });
  assert.deepEqual([load_status, device], ['ready', 'cpu']);
  const film = await handOver(summarizer, material, { language_model: model_key });
  return { film, ...(await summarizer.ask('outline', { film })) };
}

/** One node after the other, as planned; pictures of all frames but `missing` each. */
async function write(summarizer: Summarizer, film: Awaited<ReturnType<typeof openWith>>, missing = 0) {
  const written = [];
  for (const { node_id, frames } of film.nodes) {
    const pictures = frames.slice(missing).map((frame_idx) => ({ frame_idx, jpeg }));
    const { nodes } = await summarizer.ask('write', { film: film.film, nodes: [{ node_id, pictures }] });
    written.push(nodes[0]!);
  }
  return written;
}

test('a language model is given evidence and pictures of leaves, and the texts of children above them', async (t) => {
  const { writer, seen, wholes } = fakeWriter('some-vl');
  const { summarizer } = await startSummarizer(t, async () => writer);
  const film = await openWith(summarizer, 'some-vl');
  const written = await write(summarizer, film);
  assert.deepEqual(
    written.map(({ text }) => text),
    film.nodes.map(({ node_id }) => `some-vl on ${node_id}.`),
  );
  for (const { node_id, is_leaf, pictures, children, evidence, template_text } of seen) {
    const planned = film.nodes.find((node) => node.node_id === node_id)!;
    assert.ok(template_text.length > 0 && evidence.transcript.length > 0);
    assert.deepEqual(
      pictures.map(({ frame_idx }) => frame_idx),
      planned.frames,
    );
    if (is_leaf) assert.ok(pictures.length >= 1 && pictures.length <= 3 && children.length === 0);
    else for (const child of children) assert.equal(child.text, `some-vl on ${child.node_id}.`);
  }
  const { one_line_summary, short_summary, quality } = await summarizer.ask('conclude', {
    film: film.film,
    warnings: [],
  });
  assert.deepEqual([one_line_summary, short_summary], ['One line.', 'A short one. Of two sentences.']);
  assert.equal(wholes[0]!.template_text, `some-vl on ${film.root_id}.`);
  assert.deepEqual([quality.warning_count, quality.failed_node_count], [0, 0]);
});

test('a node of which a model makes nothing usable keeps its template, and is told', async (t) => {
  const failing = async ({ template_text }: NodeMaterial): Promise<GeneratedText> => ({
    text: template_text,
    verification_hints: [],
    failed: true,
    warnings: ['no sentence'],
  });
  const { writer } = fakeWriter('some-vl', { node: failing, whole: async () => null });
  const { summarizer } = await startSummarizer(t, async () => writer);
  const film = await openWith(summarizer, 'some-vl');
  const written = await write(summarizer, film, 1);
  assert.ok(written.every(({ failed, text }) => failed && text.length > 0));
  const { quality, short_summary } = await summarizer.ask('conclude', { film: film.film, warnings: [] });
  assert.equal(quality.failed_node_count, film.nodes.length);
  assert.match(short_summary, /^A video of /);
  assert.ok(quality.warnings.some((warning) => warning.endsWith(': no sentence')));
  assert.ok(quality.warnings.some((warning) => warning.includes('short summary was written from templates')));
});

test('another model frees the first, and a film of a model that is gone says so', async (t) => {
  const writers = new Map(['a', 'b'].map((key) => [key, fakeWriter(key)]));
  const { summarizer } = await startSummarizer(t, async (key) => writers.get(key)!.writer);
  const film = await openWith(summarizer, 'a');
  await summarizer.ask('load', { model_key: 'a' });
  assert.equal(writers.get('a')!.state.closed, 0);
  await summarizer.ask('load', { model_key: 'b' });
  assert.equal(writers.get('a')!.state.closed, 1);
  const isLost = (error: unknown) => summarizerErrors.LANGUAGE_MODEL_LOST.is(error);
  await assert.rejects(write(summarizer, film), isLost);
  await assert.rejects(handOver(summarizer, material, { language_model: 'a' }), isLost);
  await summarizer.ask('unload', {});
  assert.equal(writers.get('b')!.state.closed, 1);
});

test('a cancel ends the node that is being written', async (t) => {
  const begun = Promise.withResolvers<void>();
  const waiting = (_: NodeMaterial, signal: AbortSignal) =>
    new Promise<GeneratedText>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(engineErrors.CANCELLED('within a token')));
      begun.resolve();
    });
  const { writer } = fakeWriter('some-vl', { node: waiting });
  const { summarizer } = await startSummarizer(t, async () => writer);
  const { film, nodes } = await openWith(summarizer, 'some-vl');
  const cancel = new AbortController();
  const request = { film, nodes: [{ node_id: nodes[0]!.node_id, pictures: [] }] };
  const written = summarizer.ask('write', request, { signal: cancel.signal });
  await begun.promise;
  cancel.abort();
  await assert.rejects(written, (error) => engineErrors.CANCELLED.is(error));
  await assert.rejects(summarizer.ask('conclude', { film, warnings: [] }), /is not written/);
});

test('a model that cannot be loaded is told, and a cancelled load ends', async (t) => {
  const begun = Promise.withResolvers<AbortSignal>();
  const { summarizer } = await startSummarizer(t, (key, signal) => {
    if (key === 'bad') return Promise.reject(modelErrors.MODEL_LOAD_FAILED('a broken file'));
    begun.resolve(signal);
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(engineErrors.CANCELLED()));
    });
  });
  await assert.rejects(summarizer.ask('load', { model_key: 'bad' }), /a broken file/);
  const cancel = new AbortController();
  const load = summarizer.ask('load', { model_key: 'slow' }, { signal: cancel.signal });
  await begun.promise;
  cancel.abort();
  await assert.rejects(load, (error) => engineErrors.CANCELLED.is(error));
});

test('a model of the models folder is loaded, and its text of a leaf is kept', async (t) => {
  const folder = temporaryFolder(t);
  const text = 'Waves break.';
  await writeTiny(
    folder,
    tinyRow('qwen3vl'),
    tinyFiles('qwen3vl', [answer(text, { people: [], times: [] })]),
  );
  const { summarizer } = await startWith(t, openLanguageWriter, folder);
  await assert.rejects(summarizer.ask('load', { model_key: 'unknown' }), (error) =>
    modelErrors.MODEL_UNKNOWN.is(error),
  );
  const film = await openWith(summarizer, 'tiny');
  const [{ node_id, frames } = { node_id: '', frames: [] }] = film.nodes;
  assert.ok(frames.length > 0);
  const own = await someJpeg(120, 64, 64);
  const pictures = frames.map((frame_idx) => ({ frame_idx, jpeg: own }));
  const { nodes } = await summarizer.ask('write', { film: film.film, nodes: [{ node_id, pictures }] });
  assert.deepEqual([nodes[0]!.text, nodes[0]!.failed], [text, false]);
  await summarizer.ask('unload', {});
});

// Summaries through the service, without a language model: a composed hour and real footage are analysed,
// summarised, read node by node, and searched in the ranges of nodes.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import test from 'node:test';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import type { SummariesAnswer } from '../../actors/summarizer/stored/contract.ts';
import { f1 } from '../actors/summarizer/outline/composed.ts';
import { sharedPath, skipWithout, untilRelease } from '../shared.ts';
import { composedHour, hour } from './composed-hour.ts';
import { type SharedService as Library, sharedService } from './service.ts';
import { checkClaims, checkRanges, type ReadSummary, readSummary } from './summary-tree.ts';

async function analyse({ ok, follow, cache_dir }: Library, body: object) {
  const { task_id } = await ok<{ task_id: string }>('/analyze', { cache_dir, ...body });
  const events = await follow(task_id);
  assert.equal(events.at(-1)?.error, undefined, JSON.stringify(events.at(-1)));
  return events;
}

/** A search in the unchanged range of each of some nodes finds frames of that range and no others. */
async function searchRanges({ ok, cache_dir }: Library, path: string, { nodes }: ReadSummary, query: string) {
  await ok('/analysis-data/load', { cache_dir });
  for (const { node } of nodes.slice(0, 12)) {
    const { matches } = await ok<SearchAnswer>('/search/text', {
      cache_dir,
      query,
      media_paths: [path],
      max_results: 20,
      segments_to_frame_indices: { [path]: node.search_range },
    });
    const [start, end] = node.search_range;
    assert.ok(matches.length > 0, node.node_id);
    for (const { frame_idx } of matches)
      assert.ok(Number(frame_idx) >= start && Number(frame_idx) < end, `${node.node_id}: ${frame_idx}`);
  }
}

test('a composed hour is summarised: chapters, claims that its evidence holds, ranges to search', {
  skip: untilRelease,
}, async (t) => {
  const path = await composedHour();
  const library = await sharedService();
  const events = await analyse(library, {
    visual_media_paths: [path],
    transcription_jobs: [{ path }],
    summary_requests: [{ path, collection: 'Drawn films' }],
  });
  await t.test('its events say what is being done, as decimal strings', () => {
    const order = [
      'loading_model',
      'preparing_evidence',
      'generating_observations',
      'generating_summary',
      'generating_short_summary',
    ];
    const told = events.filter(({ type, summary_stage }) => type === 'summary' && summary_stage);
    const stages = told.map(({ summary_stage }) => order.indexOf(summary_stage!));
    // Of what follows one another faster than events are sent only the newest is.
    assert.ok(stages.length > 0 && !stages.includes(-1));
    assert.deepEqual(stages, stages.toSorted());
    for (const { progress, video_path } of told) {
      assert.match(progress as unknown as string, /^\d{1,3}(\.\d+)?$/);
      assert.equal(video_path, path);
    }
  });
  const summary = await readSummary(library, library.cache_dir, path);
  await t.test('its nodes nest and cover the film', () => checkRanges(summary, hour.seconds));
  await t.test('its chapters are those it was composed of', () => {
    const found = summary.overview.root.children.map(({ search_range }) => search_range[0]).filter(Boolean);
    const score = f1(found, [...hour.chapterStarts], 5);
    assert.ok(score >= 0.8, `F1 ${score}: ${found}`);
  });
  await t.test('every claim is in the evidence', () => {
    assert.ok(checkClaims(summary) >= 40);
    assert.deepEqual(summary.overview.quality.uncovered_ranges, []);
  });
  await t.test('ranges of nodes are searched unchanged', () =>
    searchRanges(library, path, summary, 'a beach by the sea'),
  );
});

const skip = skipWithout('media/video/bottle-detection.mp4', 'media/images/coffee.png');

test('real footage and stills are summarised with what is known of them', { skip }, async () => {
  const library = await sharedService();
  const film = sharedPath('media/video/bottle-detection.mp4');
  const stills = ['astronaut.png', 'coffee.png', 'rocket.jpg'].map((name) =>
    sharedPath(`media/images/${name}`),
  );
  const paths = [film, ...stills];
  await analyse(library, {
    visual_media_paths: paths,
    summary_requests: paths.map((path) => ({ path, analysis_name: `of ${basename(path)}` })),
  });
  const { summaries } = await library.ok<SummariesAnswer>('/summaries/list', {
    cache_dir: library.cache_dir,
    media_paths: paths,
  });
  assert.deepEqual(
    summaries.map(({ analysis_name }) => analysis_name),
    paths.map((path) => `of ${basename(path)}`),
  );
  for (const path of paths) {
    const summary = await readSummary(library, library.cache_dir, path);
    const [, seconds] = summary.overview.root.search_range;
    checkRanges(summary, seconds);
    checkClaims(summary);
    if (stills.includes(path)) assert.equal(summary.nodes.length, 1, 'a still is one node');
  }
  const summary = await readSummary(library, library.cache_dir, film);
  await searchRanges(library, film, summary, 'a grey picture by day');
});

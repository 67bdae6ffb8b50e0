// Moments in real footage through the service: pictures, subtitles and a face in one list.
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { AppearancesAnswer } from '../../actors/library/people/contract.ts';
import type { ScenesAnswer } from '../../actors/search/media/contract.ts';
import type { MomentsAnswer, RelevanceAnswer } from '../../actors/search/moments/contract.ts';
import { facesModels, yunetWeights } from '../actors/faces/stand-in-embedder.ts';
import { sharedPath, skipWithout } from '../shared.ts';
import { sharedService } from './service.ts';

const skip = skipWithout('media/faces', yunetWeights);
const cluster_job_name = 'signers';

test('a person, a sentence and a picture of one moment are found together', { skip }, async () => {
  const service = await sharedService(facesModels);
  const { cache_dir } = service;
  const ask = <T>(path: string, more: object = {}, method?: string) =>
    service.ok<T>(path, { cache_dir, ...more }, method);
  const films = ['again', 'brother', 'bird'].map((name) => {
    const path = join(service.home.folder, `${name}.mkv`);
    copyFileSync(sharedPath(`media/faces/signers/${name}.mkv`), path);
    writeFileSync(
      join(service.home.folder, `${name}.srt`),
      `1\n00:00:00,500 --> 00:00:01,500\nThe word ${name} is shown to the budget committee.\n`,
    );
    return path;
  });
  const { task_id } = await ask<{ task_id: string }>('/analyze', {
    visual_media_paths: films,
    transcription_jobs: films.map((path) => ({ path, detect_speakers: false })),
    face_clustering_jobs: [{ cluster_job_name, face_media_paths: films, face_min_samples: 2 }],
  });
  const events = await service.follow(task_id);
  assert.equal(events.at(-1)?.error, undefined, JSON.stringify(events.at(-1)));
  const samples = await ask<{ clusters: { cluster_id: string }[] }>('/faces/clusters/samples', {
    cluster_job_name,
  });
  const { people } = await ask<AppearancesAnswer>('/faces/appearances', {
    cluster_job_name,
    people: samples.clusters.map(({ cluster_id }) => cluster_id),
  });
  const inBird = people.find(({ media }) => media.some(({ media_path }) => media_path === films[2]))!;
  const assignments = [{ cluster_id: inBird.cluster_id, name: 'Ann' }];
  await ask('/faces/clusters/names', { cluster_job_name, assignments }, 'PUT');
  await ask('/analysis-data/load');
  const found = await ask<MomentsAnswer>('/search/moments', { query: 'ann in a bright picture' });
  assert.equal(found.moments[0]?.media_path, films[2], JSON.stringify(found));
  assert.deepEqual(new Set(found.moments[0]?.reasons.map(({ kind }) => kind)), new Set(['seen', 'person']));
  const said = await ask<MomentsAnswer>('/search/moments', {
    query: 'who says bird, and when?',
    kinds: ['said'],
  });
  assert.deepEqual(
    said.moments.map(({ media_path, time_seconds }) => [media_path, time_seconds]),
    [[films[2], 0.5]],
  );
  const { scenes } = await ask<ScenesAnswer>('/scenes', { media_path: films[2] });
  const { start_seconds, end_seconds } = said.moments[0]!;
  assert.ok(scenes.some((one) => one.start_seconds === start_seconds && one.end_seconds === end_seconds));
  const relevance = await ask<RelevanceAnswer>('/search/relevance', {
    media_path: films[0],
    query: 'bright',
  });
  assert.ok(relevance.values.length > 0 && relevance.values.every((value) => value >= 0 && value <= 1));
});

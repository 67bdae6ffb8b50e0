import assert from 'node:assert/strict';
import { existsSync, truncateSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { limits } from '../../actors/analysis/stages/faces/request.ts';
import { inlineImage } from '../../actors/decoder/inline-image.ts';
import { noModelErrors } from '../../actors/models/contract.ts';
import { at, folder, good, service, text } from './analyze-service.ts';

writeFileSync(at('large.jpg'), '');
truncateSync(at('large.jpg'), limits.imageBytes + 1);
const job = { cluster_job_name: 'people', face_media_paths: [at('a.mp4')] };
const person = { name: 'Ann', face_paths: [at('face.jpg')] };
const pixel = Buffer.from('an image').toString('base64');

/** Fields set, or taken out where the value is undefined. */
const withOut = (name: string) => ({ ...good, [name]: undefined });
const long = (n: number) => 'x'.repeat(n);

type Row = readonly [what: string, body: unknown, said: RegExp];
const bad: Row[] = [
  ['no cache_dir', withOut('cache_dir'), /^Missing cache_dir/],
  ['cache_dir a number', { ...good, cache_dir: 1 }, /^Invalid cache_dir/],
  ['cache_dir empty', { ...good, cache_dir: '' }, /^Invalid cache_dir/],
  [
    'cache_dir relative',
    { ...good, cache_dir: 'cache' },
    /^Invalid cache_dir: cache_dir must be an absolute path/,
  ],
  ['cache_dir with a NUL', { ...good, cache_dir: '/a\0b' }, /^Invalid cache_dir/],
  ['cache_dir a file', { ...good, cache_dir: at('a.mp4') }, /^Invalid cache_dir: .*is not a folder/],
  [
    'cache_dir below a file',
    { ...good, cache_dir: at('a.mp4/x/y') },
    /^Invalid cache_dir: .*a\.mp4 is not a folder/,
  ],
  ['cache_dir too long', { ...good, cache_dir: `/${long(5000)}` }, /^Invalid cache_dir/],
  ['no media', withOut('visual_media_paths'), /^No valid media supplied/],
  ['an empty list of media', { ...good, visual_media_paths: [] }, /^No valid media supplied/],
  [
    'only media that is not there',
    { ...good, visual_media_paths: ['/no/1', '/no/2'] },
    /^No valid.*\/no\/1, \/no\/2/,
  ],
  ['a folder for media', { ...good, visual_media_paths: [folder] }, /^No valid media supplied/],
  ['media no list', { ...good, visual_media_paths: at('a.mp4') }, /^Invalid visual_media_paths/],
  ['media a number', { ...good, visual_media_paths: [at('a.mp4'), 7] }, /^Invalid visual_media_paths\[1\]/],
  ['media null', { ...good, visual_media_paths: null }, /names no media/],
  [
    'media relative',
    { ...good, visual_media_paths: [at('a.mp4'), 'a.mp4'] },
    /^Invalid visual_media_paths\[1\]:.*absolute/,
  ],
  [
    'media a URL',
    { ...good, visual_media_paths: ['https://example.org/a.mp4'] },
    /visual_media_paths\[0\] must be a local path/,
  ],
  ['detect_speakers a text', { ...good, detect_speakers: 'yes' }, /^Invalid detect_speakers/],
  ...[0, 5, 1.5, 'two', '2'].map(
    (n): Row => [`speaker_count ${n}`, { ...good, speaker_count: n }, /^Invalid speaker_count/],
  ),
  [
    'an unknown speech model',
    { ...good, preferred_x_model_key: 'best' },
    /^Invalid preferred_x_model_key:.*auto, faster/,
  ],
  ['force a text', { ...good, force: 'true' }, /^Invalid force/],
  ['an unknown way to decode', { ...good, decode: 'fast' }, /^Invalid decode:.*exact, keyframes/],
  ['an unknown reuse', { ...good, reuse: 'almost' }, /^Invalid reuse:.*exact, near, off/],
  ['jobs no list', { ...good, transcription_jobs: {} }, /^Invalid transcription_jobs/],
  ...(
    [
      [{}, /^Missing transcription_jobs\[0\]\.path/],
      [{ path: 'a.mp4' }, /^Invalid transcription_jobs\[0\]\.path/],
      [{ path: at('a.mp4'), language: '' }, /language/],
      [{ path: at('a.mp4'), channels: [0] }, /channels\[0\]/],
      [{ path: at('a.mp4'), channels: [1.5] }, /channels/],
      [{ path: at('a.mp4'), speaker_count: 9 }, /speaker_count/],
      [{ path: at('a.mp4'), preferred_x_model_key: 'x' }, /preferred_x_model_key/],
    ] as const
  ).map(
    ([one, said]): Row => [
      `transcription job ${JSON.stringify(one)}`,
      { ...good, transcription_jobs: [one] },
      said,
    ],
  ),
  ...(
    [
      [{ face_media_paths: [at('a.mp4')] }, /^Missing face_clustering_jobs\[0\]\.cluster_job_name/],
      [{ cluster_job_name: 'p' }, /^Missing face_clustering_jobs\[0\]\.face_media_paths/],
      [{ ...job, cluster_job_name: '  ' }, /cluster_job_name/],
      [{ ...job, face_media_paths: [] }, /face_media_paths/],
      [{ ...job, face_media_paths: ['a'] }, /face_media_paths\[0\] must be an absolute path/],
      [{ ...job, face_eps: '0.5' }, /face_eps/],
      [{ ...job, face_eps: -1 }, /face_eps/],
      [{ ...job, face_eps: 2.1 }, /face_eps/],
      [{ ...job, auto_detect_params: 1 }, /auto_detect_params/],
      [{ ...job, cluster_job_name: long(201) }, /cluster_job_name has 201 characters/],
      [{ ...job, cluster_job_name: at('a.mp4') }, /cluster_job_name is the path of a file/],
      [{ ...job, face_min_samples: 0 }, /face_min_samples/],
      [{ ...job, face_min_samples: 2.5 }, /face_min_samples/],
    ] as const
  ).map(
    ([one, said]): Row => [`face job ${JSON.stringify(one)}`, { ...good, face_clustering_jobs: [one] }, said],
  ),
  [
    'two face jobs of one name',
    { ...good, face_clustering_jobs: [job, { ...job, face_media_paths: [at('b.mp4')] }] },
    /face_clustering_jobs\[1\]\.cluster_job_name is also the name of face_clustering_jobs\[0\]/,
  ],
  [
    'a job that is found and made again',
    { ...good, face_clustering_jobs: [job], recluster_jobs: [{ cluster_job_name: 'people' }] },
    /recluster_jobs\[0\]\.cluster_job_name is also the name of/,
  ],
  ...(
    [
      [{}, /^Missing recluster_jobs\[0\]\.cluster_job_name/],
      [{ cluster_job_name: 'people', eps: 3 }, /recluster_jobs\[0\]\.eps/],
      [{ cluster_job_name: 'people', min_samples: 0 }, /recluster_jobs\[0\]\.min_samples/],
      [{ cluster_job_name: 'people', clear_names: 'yes' }, /recluster_jobs\[0\]\.clear_names/],
    ] as const
  ).map(([one, said]): Row => [`recluster ${JSON.stringify(one)}`, { ...good, recluster_jobs: [one] }, said]),
  [
    'a summary of what is not analysed',
    { ...good, summary_requests: [{ path: at('b.mp4') }, { path: at('link.mp4') }] },
    /^Invalid summary_requests\[1\]\.path: .*has no visual analysis/,
  ],
  [
    'a summary of what is not there',
    { ...good, summary_requests: [{ path: '/no/film' }] },
    /^Invalid summary_requests\[0\]/,
  ],
  [
    'samples without a face job',
    { ...good, sample_faces: [person] },
    /^Invalid sample_faces: .*requires a face clustering job/,
  ],
  ...(
    [
      [[{ ...person, name: '' }], /sample_faces\[0\]\.name/],
      [[{ ...person, name: long(201) }], /sample_faces\[0\]\.name/],
      [[{ ...person, name: '👩‍👩‍👧'.repeat(41) }], /sample_faces\[0\]\.name/],
      [
        [person, { name: 'Bob', face_images: [pixel] }, { ...person, name: ' Ann' }],
        /\[2\]\.name .*same person as \[0\]/,
      ],
      [[{ name: 'Ann', face_images: ['data:image/svg+xml;base64,PHN2Zy8+'] }], /face_images\[0\] is an SVG/],
      [[{ name: 'Ann' }], /sample_faces\[0\] must have 1 to 3 images in total, not 0/],
      [[{ name: 'Ann', face_paths: [at('face.jpg'), at('a.mp4')], face_images: [pixel, pixel] }], /not 4/],
      [
        [{ name: 'Ann', face_images: ['https://example.org/ann.jpg'] }],
        /face_images\[0\] must contain the image itself/,
      ],
      [[{ name: 'Ann', face_paths: ['http://example.org/ann.jpg'] }], /face_paths\[0\] must be a local path/],
      [
        [person, { name: 'Bob', face_images: [pixel, 'not base64!'] }],
        /sample_faces\[1\]\.face_images\[1\] is not base64/,
      ],
      [[{ name: 'Ann', face_images: ['data:text/plain;base64,QUJD'] }], /data URL/],
      [[{ name: 'Ann', face_paths: [at('gone.jpg')] }], /face_paths\[0\] cannot be read \(ENOENT\)/],
      [[{ name: 'Ann', face_paths: [folder] }], /face_paths\[0\] is not a file/],
      [[{ name: 'Ann', face_paths: [at('large.jpg')] }], /face_paths\[0\] has 10485761 bytes/],
      [Array.from({ length: 101 }, () => person), /sample_faces/],
    ] as const
  ).flatMap(([samples, said], i): Row[] => [
    [`samples ${i}`, { ...good, face_clustering_jobs: [job], sample_faces: samples }, said],
    [`samples ${i} of a job`, { ...good, face_clustering_jobs: [{ ...job, sample_faces: samples }] }, said],
  ]),
  ...(
    [
      [{}, /^Missing summary_requests\[0\]\.path/],
      [{ path: 'a' }, /summary_requests\[0\]\.path must be an absolute path/],
      [{ path: at('a.mp4'), summary_objective: { preset: 'exciting' } }, /preset/],
      [{ path: at('a.mp4'), summary_objective: { priority_hints: ['speed'] } }, /priority_hints\[0\]/],
      [{ path: at('a.mp4'), summary_objective: { preset: 'custom' } }, /custom_instructions is required/],
      [
        { path: at('a.mp4'), summary_objective: { preset: 'custom', custom_instructions: ' ' } },
        /custom_instructions/,
      ],
      [{ path: at('a.mp4'), collection: {} }, /collection/],
      [{ path: at('a.mp4'), collection: '' }, /collection/],
      [{ path: at('a.mp4'), summary_model_key: 4 }, /summary_model_key/],
      [{ path: at('a.mp4'), analysis_name: '' }, /analysis_name/],
      [{ path: at('a.mp4'), replace_existing: 1 }, /replace_existing/],
    ] as const
  ).map(([one, said]): Row => [`summary ${JSON.stringify(one)}`, { ...good, summary_requests: [one] }, said]),
];

test('a request that is wrong is a 400 that names the field, and the task that runs goes on', async () => {
  const s = service();
  const { body } = await s.call('/api/v1/analyze', good);
  const { task_id } = body as { task_id: string };
  for (const [what, request, said] of bad) {
    const answer = await s.call('/api/v1/analyze', request);
    assert.equal(answer.status, 400, `${what}: ${JSON.stringify(answer.body)}`);
    assert.match(text(answer), said, what);
  }
  assert.equal((await s.tasks.get(task_id, { offset: 0, limit: 0 })).state, 'running');
  assert.equal(s.analysis.runs.length, 1);
});

test('inline pictures are measured without being decoded, up to the limit', () => {
  const bytes = (n: number) => Buffer.alloc(n).toString('base64');
  const table: [string, number | RegExp][] = [
    [bytes(1), 1],
    [bytes(2), 2],
    [bytes(3).replace(/=+$/, ''), 3],
    [bytes(4).replace(/=+$/, ''), 4],
    [`data:image/png;base64,${bytes(5)}`, 5],
    [`DATA:image/png;charset=utf-8;base64,${bytes(6)}`, 6],
    [`data:image/svg+xml;base64,${bytes(6)}`, /SVG/],
    [Buffer.from('<?xml version="1.0"?><svg/>').toString('base64'), /SVG/],
    [Buffer.from(' <svg xmlns="x">').toString('base64'), /SVG/],
    [bytes(100).replace(/.{20}/g, '$&\r\n'), 100],
    [bytes(limits.imageBytes), limits.imageBytes],
    [bytes(limits.imageBytes + 1), /more than/],
    ['', /contains no image/],
    ['data:image/png;base64,', /contains no image/],
    ['data:image/png,abc', /data URL/],
    ['data:image/png;base64', /data URL/],
    ['A', /not base64/],
    ['AAAA=', /not base64/],
    ['AA=A', /not base64/],
    ['AAA-', /not base64/],
  ];
  for (const [image, expected] of table) {
    const read = inlineImage(image, limits.imageBytes);
    if (typeof expected === 'number') assert.deepEqual(read, { bytes: expected }, image.slice(0, 40));
    else assert.match(String(read), expected, image.slice(0, 40));
  }
});

test('more than fifty mebibytes of inline pictures are refused as a whole', async () => {
  const image = Buffer.alloc(9 * 1024 * 1024).toString('base64');
  const people = ['a', 'b'].map((name) => ({ name, face_images: [image, image, image] }));
  const answer = await service().call('/api/v1/analyze', {
    ...good,
    face_clustering_jobs: [job],
    sample_faces: people,
  });
  assert.equal(answer.status, 400);
  assert.match(
    text(answer),
    /sample_faces contains 56623104 bytes of images, more than the maximum of 52428800/,
  );
});

test('summaries are recorded as they were asked for, and what the folder tells against them is refused', async () => {
  const s = service();
  const summary = {
    path: at('a.mp4'),
    collection: { name: ' Days ', description: 'x' },
    analysis_name: ' Mine ',
    summary_objective: { preset: 'custom', priority_hints: ['humor', 'humor'] },
  };
  const plain = { path: at('b.mp4') };
  const accepted = await s.call('/api/v1/analyze', { ...good, summary_requests: [summary, plain] });
  assert.equal(accepted.status, 202, text(accepted));
  const nothing = { model_key: null, replace_existing: false };
  assert.deepEqual(s.analysis.last.run.request.summary_jobs, [
    {
      path: at('a.mp4'),
      analysis_name: 'Mine',
      objective: { preset: 'custom', priority_hints: ['humor'], custom_instructions: null },
      collection: { name: 'Days', description: 'x' },
      ...nothing,
    },
    {
      path: at('b.mp4'),
      analysis_name: 'general_understanding',
      objective: { preset: 'general_understanding', priority_hints: [], custom_instructions: null },
      collection: null,
      ...nothing,
    },
  ]);
  const table: [object[], RegExp][] = [
    [
      [plain, { ...plain, analysis_name: 'GENERAL_understanding' }],
      /\[1\]\.analysis_name .* is also the name of summary_requests\[0\]/,
    ],
    [[{ ...plain, analysis_name: 'taken' }], /\[0\]\.analysis_name is taken: .* has a summary "Taken";/],
    [
      [{ ...plain, collection: { collection_id: 'no' } }],
      /\[0\]\.collection\.collection_id is not a known collection/,
    ],
    [
      [plain, { ...plain, analysis_name: 'x', summary_model_key: 'huge' }],
      /\[1\]\.summary_model_key: .*models pull/,
    ],
  ];
  for (const [summary_requests, said] of table) {
    const answer = await s.call('/api/v1/analyze', { ...good, cache_dir: at('never'), summary_requests });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    assert.match(text(answer), said);
  }
  assert.equal(existsSync(at('never')), false);
  const replaced = {
    ...plain,
    analysis_name: 'taken',
    replace_existing: true,
    collection: { collection_id: 'c' },
  };
  const again = await s.call('/api/v1/analyze', { ...good, summary_requests: [replaced] });
  assert.equal(again.status, 202, text(again));
  const sound = { cache_dir: good.cache_dir, summary_requests: [{ path: at('sound.wav') }] };
  const heard = await s.call('/api/v1/analyze', sound);
  assert.equal(heard.status, 202, `sound has no pictures to analyse: ${text(heard)}`);
});

test('a job of faces needs face models, and what it names is recorded', async () => {
  const missing = service(undefined, async () => {
    throw noModelErrors.NO_FACE_MODEL('No face models are downloaded: framehound models pull faces');
  });
  const request = { ...good, cache_dir: at('nowhere'), face_clustering_jobs: [job] };
  const answer = await missing.call('/api/v1/analyze', request);
  assert.equal(answer.status, 400);
  assert.equal(answer.headers['retry-after'], undefined);
  assert.match(text(answer), /models pull faces/);
  assert.equal(missing.analysis.runs.length, 0);
  assert.equal(existsSync(at('nowhere')), false);

  const s = service();
  const family = { ...person, name: '👩‍👩‍👧'.repeat(40) };
  const sample_faces = [{ name: ` ${long(198)} `, face_images: [pixel, pixel] }, family];
  const second = { ...job, cluster_job_name: 'others', auto_detect_params: true, sample_faces: [] };
  const body = { ...good, face_clustering_jobs: [job, second], sample_faces };
  assert.equal((await s.call('/api/v1/analyze', body)).status, 202);
  const { face_jobs } = s.analysis.runs[0]!.run.request;
  assert.deepEqual(
    face_jobs.map(({ name, eps, samples }) => [name, eps, samples.length]),
    [
      ['people', 0.48, 2],
      ['others', null, 0],
    ],
  );
  const pictures = [{ attachment: 0 }, { attachment: 1 }];
  assert.deepEqual(face_jobs[0]?.samples[0], { name: long(198), pictures });
});

test('a caller in this process cannot ask for a distance that is no number', async () => {
  const face_clustering_jobs = [{ ...job, face_eps: Number.NaN, face_min_samples: 5 }];
  const asked = service().tasks.start({ ...good, face_clustering_jobs });
  await assert.rejects(asked, /face_clustering_jobs\[0\]\.face_eps must be from 0 to 2/);
});

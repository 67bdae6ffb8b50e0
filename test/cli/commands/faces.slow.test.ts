import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { AnalyzeRequest } from '../../../actors/analysis/contract.ts';
import { peopleErrors } from '../../../actors/index/people/contract.ts';
import { noModelErrors } from '../../../actors/models/contract.ts';
import { faces } from '../../../cli/commands/faces.ts';
import { invocation, usageErrors } from '../../../cli/context.ts';
import { fakeHome } from '../fake-context.ts';
import { clustering, footage, world } from './faces-world.ts';
import { clusterJob } from './fake-people.ts';

test('faces analyze asks for one job, and tells the clusters, the names and what has none', async (t) => {
  const { run, started, home } = world(t);
  const folder = footage(home);
  const [one, two, three] = ['1.jpg', 'a=b.jpg', 'd.jpg'].map((file) => join(home, file)) as [
    string,
    string,
    string,
  ];
  for (const file of [one, two, three]) writeFileSync(file, 'x');
  const samples = ['--sample', `Anna=${one}`, '--sample', `Anna=${two}`, '--sample', `Dora=${three}`];
  const { code, out } = await run('analyze', 'family', folder, '--eps', '0.3', ...samples);
  assert.equal(code, 0);
  const [job, ...others] = started[0]!.face_clustering_jobs!;
  assert.deepEqual(others, []);
  // The job is there already: what is not said stays as it was.
  assert.deepEqual(job, {
    cluster_job_name: 'family',
    face_media_paths: [join(folder, 'a.mp4')],
    face_eps: 0.3,
    face_min_samples: 3,
    sample_faces: [
      { name: 'Anna', face_paths: [one, two] },
      { name: 'Dora', face_paths: [three] },
    ],
  });
  assert.deepEqual(out.split('\n'), [
    'family: 3 clusters of 60 faces in 2 files, 4 in no cluster, 1 named',
    '  by yunet+sface, eps 0.4 (lower is stricter), at least 3 faces for a cluster',
    '  Anna  c1  40 faces',
    '        c2   9 faces',
    '        c3   7 faces',
    '  4 faces are in no cluster: fewer than 3 similar faces, or too small, blurred, turned away, cut off or covered',
    '  kept: 1 name and 2 corrections',
    '  ✓ Anna (c1): similarity 0.71, next best cluster 0.20',
    '  ✗ Dora is not assigned: no cluster is similar enough to the pictures',
    '  – not kept: the move of 2 faces to Ben contradicts a later merge',
    '  – no cluster has the name Carl any more',
    `To see them: ${invocation} open`,
    '',
  ]);
});

test('a film that is named and gone is asked for all the same, and what is no media is not', async (t) => {
  const { run, started, home } = world(t);
  const [folder, gone] = [footage(home), join(home, 'gone', 'b.mp4')];
  const { code, err } = await run('analyze', 'family', folder, gone, join(home, 'missing'));
  assert.deepEqual(started[0]!.face_clustering_jobs![0]!.face_media_paths, [join(folder, 'a.mp4'), gone]);
  assert.match(err, /missing: file not found/);
  assert.ok(!err.includes('b.mp4: there is no'));
  assert.equal(code, 3);
});

test('faces analyze --json tells the clusters in the line before the end', async (t) => {
  const { run, home } = world(t);
  const { out } = await run('analyze', 'family', footage(home), '--json');
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string });
  assert.deepEqual(
    lines.slice(-2).map(({ event }) => event),
    ['clusters', 'end'],
  );
  const { sample_face_naming } = lines.at(-2) as unknown as typeof clustering;
  assert.deepEqual(sample_face_naming, clustering.sample_face_naming);
});

test('a new job has the distance of the API and groups faces from two pictures on; one without face models is refused as the engine says', async (t) => {
  const { run, started, home } = world(t);
  const folder = footage(home);
  assert.equal((await run('analyze', 'work', folder)).code, 0);
  const [{ face_eps, face_min_samples } = {}] = started[0]!.face_clustering_jobs!;
  const { items } = AnalyzeRequest.properties.face_clustering_jobs;
  const ofApi = items.properties as Record<string, { readonly default?: unknown }>;
  assert.deepEqual([face_eps, face_min_samples], [ofApi['face_eps']!.default, 2]);
  assert.equal(ofApi['face_min_samples']!.default, 5);
  const refusal = noModelErrors.NO_FACE_MODEL('get them: framehound models pull faces');
  const without = world(t, { refusal });
  await assert.rejects(without.run('analyze', 'family', folder), /framehound models pull faces/);
});

test('faces list tells each clustering; an old format and a folder without any say so', async (t) => {
  const { out } = await world(t, { job: clusterJob({ face_storage_version: 1 }) }).run();
  assert.match(
    out,
    /^family: 3 clusters of 60 faces in 2 files, 4 in no cluster, 1 named, in an older format/,
  );
  const { out: json } = await world(t).run('--json');
  assert.deepEqual(JSON.parse(json), { cluster_jobs: ['family'], jobs: [clusterJob()] });
});

test('faces show prints a table, and what to do next', async (t) => {
  const { run } = world(t);
  const { out, err } = await run('show', 'family', '--noise');
  assert.deepEqual(out.split('\n'), [
    'family: 3 clusters of 60 faces in 2 files, 4 in no cluster, 1 named',
    '  by yunet+sface, eps 0.4 (lower is stricter), at least 3 faces for a cluster',
    '  note: only 1 of the 4 faces in no cluster is shown',
    '  Anna  c1             40 faces',
    '        c2              9 faces',
    '        c3              7 faces',
    '        in no cluster   4 faces',
    '    noise-face-0  in a file that is no longer in the library',
    '',
  ]);
  assert.match(
    err,
    /To put faces into a cluster: .* faces move family FACE\.\.\. --to CLUSTER, or without --to/,
  );
  const { err: next } = await run('show', 'family');
  assert.match(next, /To name a cluster: .* faces name family c2 NAME/);
});

test('faces show --cluster has the ids of its faces, a page at a time', async (t) => {
  const { run } = world(t);
  const { out, err } = await run('show', 'family', '--cluster', 'anna', '--max', '2', '--offset', '10');
  assert.match(out, /note: there are more faces: use --max 2000, or --offset 12 for the next ones/);
  assert.match(
    out,
    /^ {4}c1-face-10 {2}\/films\/a\.mp4 00:00:10\n {4}c1-face-11 {2}\/films\/a\.mp4 00:00:11\n$/m,
  );
  assert.match(err, /faces move family FACE\.\.\. --from anna --to CLUSTER/);
  const { out: json } = await run('show', 'family', '--cluster', 'c2', '--json');
  const { clusters } = JSON.parse(json) as { clusters: { entry_ids: string[]; faces?: string[] }[] };
  assert.deepEqual([clusters[0]!.entry_ids.length, clusters[0]!.faces], [9, undefined]);
});

test('of ten thousand clusters the first hundred are shown, and how to see the others', async (t) => {
  const cluster_ids = Array.from({ length: 10_000 }, (_, i) => `c${i + 1}`);
  const { run } = world(t, { job: clusterJob({ cluster_ids, num_clusters: 10_000 }) });
  const { out } = await run('show', 'family');
  assert.equal(out.match(/^ {2}.* faces$/gm)?.length, 100);
  assert.match(
    out,
    /9900 smaller clusters not shown: --max 1000, or --max-faces 5 for clusters of this size and smaller/,
  );
  const { out: all } = await run('show', 'family', '--max', '10000', '--json', '--previews');
  const { clusters } = JSON.parse(all) as { clusters: { faces: string[] }[] };
  assert.deepEqual([clusters.length, clusters[0]!.faces.length], [10_000, 1]);
});

test('a clustering without clusters is shown as one', async (t) => {
  const { run } = world(t, { job: clusterJob({ cluster_ids: [], num_clusters: 0, names: {} }) });
  const { code, out } = await run('show', 'family');
  assert.equal(code, 0);
  assert.match(out, /0 clusters of 60 faces.*\n.*\n {2}no clusters\n$/);
});

test('names, merges and moves go by id or name, and a correction says how to take it back', async (t) => {
  const { run, changed } = world(t);
  assert.equal((await run('name', 'family', 'c2', 'Ben', 'Ali')).out, 'Ben Ali (c2)\n');
  assert.equal((await run('name', 'family', 'anna', '')).out, 'c1 has no name\n');
  const merged = await run('merge', 'family', 'c2', '--into', 'Anna');
  assert.equal(merged.out, 'Anna (c1) now has 49 faces, including those of c2\n');
  assert.match(merged.err, /To undo this: .* faces undo family/);
  const moved = await run('move', 'family', '--from', 'Anna', '--to', 'c3', 'f1', 'f2', 'f1');
  assert.equal(moved.out, '2 faces moved from Anna (c1) to c3\n');
  assert.match(
    (await run('undo', 'family')).out,
    /undone \(1 cluster more than before\)\nfamily: 4 clusters/,
  );
  assert.deepEqual(
    changed.map(({ asked }) => {
      const { cache_dir: _, cluster_job_name: __, ...rest } = asked as Record<string, unknown>;
      return rest;
    }),
    [
      { assignments: [{ cluster_id: 'c2', name: 'Ben Ali' }] },
      { assignments: [{ cluster_id: 'c1', name: '' }] },
      { merges: [{ cluster_ids: ['c2', 'c1'], target_cluster_id: 'c1' }], moves: [], apart: [] },
      {
        merges: [],
        moves: [{ from_cluster_id: 'c1', to_cluster_id: 'c3', entry_ids: ['f1', 'f2'] }],
        apart: [],
      },
      {},
    ],
  );
});

test('faces in no cluster are put into one, or into a new one, which is then to be named', async (t) => {
  const { run, changed } = world(t);
  assert.equal((await run('move', 'family', '--to', 'Anna', 'n1')).out, '1 face moved to Anna (c1)\n');
  const { out, err } = await run('move', 'family', 'n1', 'n2');
  assert.equal(out, '2 faces moved to new\n');
  assert.match(err, /To name it: .* faces name family new NAME/);
  assert.deepEqual(
    changed.map(({ asked }) => (asked as { moves: unknown }).moves),
    [
      [{ from_cluster_id: null, to_cluster_id: 'c1', entry_ids: ['n1'] }],
      [{ from_cluster_id: null, to_cluster_id: null, entry_ids: ['n1', 'n2'] }],
    ],
  );
});

test('a name that another cluster has is given, with the command that makes them one', async (t) => {
  const { run } = world(t);
  for (const name of ['Anna', 'anna']) {
    const { err } = await run('name', 'family', 'c2', name);
    assert.match(
      err,
      /Anna \(c1\) has the same name. If they are the same person: .* faces merge family c2 c1/,
    );
  }
  const { err } = await run('name', 'family', 'c2', 'Ben Ali');
  assert.match(err, /appears: .* faces appearances family 'Ben Ali'/);
});

test('what is wrong with a correction is told without the fields of the request', async (t) => {
  const refuse = async () => {
    throw peopleErrors.UNKNOWN_FACE('moves[0].entry_ids[1]: c1 has no face f2');
  };
  const { run } = world(t, { modify: refuse });
  await assert.rejects(run('move', 'family', 'f1', 'f2', '--from', 'c1', '--to', 'c2'), {
    message: 'c1 has no face f2',
  });
});

test('faces recluster keeps the parameters that are not said, and tells the clusters at its end', async (t) => {
  const { run, changed } = world(t);
  const { code, out } = await run('recluster', 'family', '--min-samples', '8', '--clear-names');
  assert.equal(code, 0);
  const { cache_dir: _, ...asked } = changed[0]!.asked as Record<string, unknown>;
  assert.deepEqual(asked, {
    cluster_job_name: 'family',
    eps: 0.4,
    min_samples: 8,
    auto_detect_params: false,
    clear_names: true,
  });
  assert.match(out, /^family: 3 clusters.*no cluster has the name Carl any more/s);
  const { out: json } = await run('recluster', 'family', '--json');
  assert.match(json, /"event":"clusters".*\n\{"event":"end","state":"completed","exit_code":0/);
});

test('faces delete asks back, needs --yes where nobody can be asked, and removes pages of earlier versions', async (t) => {
  const asked: string[] = [];
  const answers = [false, true];
  const confirm = async (question: string) => {
    asked.push(question);
    return answers.shift()!;
  };
  const { run, changed, home } = world(t, { confirm });
  const page = join(home, 'found', 'faces.family', 'index.html');
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, 'faces');
  assert.equal((await run('delete', 'family', '--person', 'Anna')).code, 130);
  assert.deepEqual([changed.length, existsSync(page)], [0, true]);
  const { code, err, out } = await run('delete', 'family', '--person', 'Anna');
  assert.match(err, /family: Anna \(c1\) with 40 faces/);
  assert.deepEqual([code, out, asked.length], [0, 'Gone with the next compaction\n', 2]);
  assert.equal((changed[0]!.asked as { cluster_id: string }).cluster_id, 'c1');
  assert.equal(existsSync(page), false);
  const script = world(t);
  await assert.rejects(script.run('delete', 'family'), usageErrors.USAGE.is);
  assert.match(
    (await script.run('delete', 'family', '--dry-run')).out,
    /the whole clustering, 3 clusters of 60 faces/,
  );
  assert.equal(script.changed.length, 0);
  await script.run('delete', 'family', '--yes');
  assert.equal('cluster_id' in script.changed[0]!.asked, false);
});

test('faces delete --person takes every cluster of the name', async (t) => {
  const { run, changed } = world(t, { job: clusterJob({ names: { c1: 'Anna', c3: 'Anna' } }) });
  const { out } = await run('delete', 'family', '--person', 'Anna', '--yes', '--json');
  assert.deepEqual(
    changed.map(({ asked }) => (asked as { cluster_id: string }).cluster_id),
    ['c1', 'c3'],
  );
  assert.equal((JSON.parse(out) as { deleted_faces: number }).deleted_faces, 20);
});

test('faces appearances tells clock times of films, and none of stills', async (t) => {
  const { out } = await world(t).run('appearances', 'family');
  assert.equal(
    out,
    'Anna (c1)\n  /f/a.mp4  (12 faces)\n    00:00:05, 01:00:00–01:00:10\n  /f/b.jpg  (1 face)\n',
  );
  const { out: json } = await world(t).run('appearances', 'family', 'c3', 'ANNA', '--json');
  const { people } = JSON.parse(json) as { people: { cluster_id: string }[] };
  assert.deepEqual(
    people.map(({ cluster_id }) => cluster_id),
    ['c3', 'c1'],
  );
});

test('what cannot be meant is a usage error before an engine is started', async (t) => {
  const { run } = fakeHome(t);
  const wrong = [
    ['analyse'],
    ['toString'],
    ['analyze', 'family'],
    ['analyze', ' ', '/f'],
    ['analyze', 'family', '/f', '--eps', '3'],
    ['analyze', 'family', '/f', '--min-samples', '0'],
    ['analyze', 'family', '/f', '--sample', 'a.jpg'],
    ['analyze', 'family', '/f', '--sample', '=a.jpg'],
    ['analyze', 'family', '/f', '--sample', 'A=/no/such.jpg'],
    [
      'analyze',
      'family',
      '/f',
      ...Array.from({ length: 4 }, () => ['--sample', `A=${import.meta.filename}`]).flat(),
    ],
    ['show'],
    ['show', 'a', 'b'],
    ['show', 'a', '--max', '0'],
    ['show', 'a', '--offset', '1'],
    ['show', 'a', '--cluster', 'c1', '--noise'],
    ['show', 'a', '--cluster', 'c1', '--min-faces', '2'],
    ['name', 'family', 'c1'],
    ['name', 'family', 'c1', 'x'.repeat(201)],
    ['merge', 'family'],
    ['move', 'family'],
    ['move', 'family', '--from', 'c1', '--to', 'c2'],
    ['recluster'],
    ['undo'],
    ['delete'],
    ['appearances'],
  ];
  for (const args of wrong) await assert.rejects(run(faces, ...args), usageErrors.USAGE.is, args.join(' '));
  await assert.rejects(run(faces, 'analyse'), /did you mean analyze\?/);
});

// What the library of the page works out without a browser: paths, rows in sight, what is chosen, and what is
// asked for.
import assert from 'node:assert/strict';
import test from 'node:test';
import { pastedPath } from '../../../../../../http/page/app/paths.ts';
import { sizeText } from '../../../../../../http/page/app/times.ts';
import {
  countKinds,
  defaultWork,
  isEmptyRequest,
  requestOf,
  workOptions,
} from '../../../../../../http/page/app/views/library/analyse-dialog.ts';
import { goneFrom } from '../../../../../../http/page/app/views/library/files.ts';
import {
  between,
  crumbsOf,
  folderOf,
  type ListingRow,
  nothing,
  pagesOf,
  reasonOf,
  rowsInSight,
  toggled,
  walk,
  withRows,
} from '../../../../../../http/page/app/views/library/listing.ts';
import {
  canResume,
  type ListedTask,
  runningAnalysis,
} from '../../../../../../http/page/app/views/library/task-list.ts';

test('a path is taken as people paste it: in quotes, as an address, with spaces and a last separator', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['/media/films', '/media/films'],
    ['  "/media/my films/"  ', '/media/my films'],
    ["'/media/a.mp4'", '/media/a.mp4'],
    ['file:///media/my%20films/a.mp4', '/media/my films/a.mp4'],
    ['file:///C:/Films/a.mp4', 'C:/Films/a.mp4'],
    ['"D:\\Films\\"', 'D:\\Films'],
    ['D:\\', 'D:\\'],
    ['\\\\nas\\films', '\\\\nas\\films'],
    ['/', '/'],
    ['/a\n/b', '/a'],
    ['file:///100%', '/100%'],
    ['films/a.mp4', null],
    ['~/films', null],
    ['https://example.org/a.mp4', null],
    ['', null],
  ];
  for (const [text, path] of cases) assert.equal(pastedPath(text), path, text);
  const ofHome = ['~', '~/Movies/', '"~/my films"', '~\\Videos', '~other/films', 'a~/b'];
  assert.deepEqual(
    ofHome.map((text) => pastedPath(text, '/home/ann')),
    ['/home/ann', '/home/ann/Movies', '/home/ann/my films', '/home/ann\\Videos', null, null],
  );
});

test('each crumb leads to its folder, and the last but one is the folder a path lies in', () => {
  assert.deepEqual(
    crumbsOf('/a/b').map(({ path }) => path),
    ['/', '/a', '/a/b'],
  );
  assert.deepEqual(
    crumbsOf('C:\\a\\b').map(({ path }) => path),
    ['C:\\', 'C:\\a', 'C:\\a\\b'],
  );
  assert.deepEqual(['/a/b', '/a', '/', 'C:\\a', 'C:\\'].map(folderOf), ['/a', '/', null, 'C:\\', null]);
});

test('without a choice subtitles are read, and faces found and speech transcribed where models are there', () => {
  const models = (command: string | null, model_key: string | null = null) => ({
    speech: { model_key },
    faces: { command },
  });
  const kept = { faces: true, people: 'family' };
  assert.equal(workOptions(kept, models('framehound models pull faces')).faces, false);
  assert.equal(workOptions(kept, models(null)).faces, true);
  const { subtitles, speech, faces, people } = workOptions({}, models(null));
  assert.deepEqual([subtitles, speech, faces, people], [true, false, true, 'people']);
  assert.equal(workOptions({}, models(null), 'family').people, 'family');
  assert.equal(workOptions({ speech: true }, models(null)).speech, false);
  assert.equal(workOptions({}, models(null, 'whisper-tiny')).speech, true);
});

test('known files that do not lie in a folder are gone, with whole folders, but not hidden ones', () => {
  const known = (...paths: string[]) => paths.map((media_path) => ({ media_path, hash_str: media_path }));
  const names = (folder: string, paths: string[], there: string[]) =>
    goneFrom(folder, known(...paths), there).map(({ name }) => name);
  const paths = ['/m/a.mp4', '/m/b.mp4', '/m/old/c.mp4', '/m/new/d.mp4', '/m/.x/e.mp4', '/mm/f.mp4'];
  assert.deepEqual(names('/m', paths, ['new', 'a.mp4']), ['b.mp4', 'old/c.mp4']);
  assert.deepEqual(names('/', ['/a.mp4'], []), ['a.mp4']);
  assert.deepEqual(names('D:\\', ['D:\\a.mp4', 'D:\\b.mp4'], ['b.mp4']), ['a.mp4']);
  assert.deepEqual(names('/m', ['/m/e\u0301.mp4'], ['\u00e9.mp4']), [], 'one name in two spellings');
});

test('of a hundred thousand rows only those in sight are drawn, and only their pages read', () => {
  for (const top of [0, 17, 1000, 3_399_000, 9_999_999]) {
    const [first, last] = rowsInSight({ top, height: 700, row: 34, total: 100_000 });
    assert.ok(last - first <= 34, `${top}: ${last - first}`);
    assert.ok(first >= 0 && last <= 100_000 && first <= last);
    assert.ok(pagesOf(first, last, 300).length <= 2);
  }
  assert.deepEqual(pagesOf(299, 301, 300), [0, 1]);
  assert.deepEqual(pagesOf(0, 0, 300), []);
});

const row = (path: string): ListingRow => ({
  kind: 'folder',
  path,
  name: path,
  analysed: 0,
  is_wide_link: false,
});

test('what is chosen twice is not chosen; a range has both its ends, whichever was first', () => {
  const one = toggled(nothing, row('/a'));
  assert.deepEqual([...one.keys()], ['/a']);
  assert.equal(toggled(one, row('/a')).size, 0);
  assert.deepEqual([...withRows(one, [row('/a'), row('/b')]).keys()], ['/a', '/b']);
  assert.deepEqual(
    [between(7, 3), between(3, 7)],
    [
      [3, 8],
      [3, 8],
    ],
  );
});

const file = (media_path: string, kind: 'video' | 'audio' | 'image', summaries = 0) => ({
  media_path,
  kind,
  summaries,
});
const files = [file('/f.mp4', 'video', 1), file('/s.wav', 'audio'), file('/i.jpg', 'image')];

test('each kind of file is asked for the work that fits it, and a summary is not made twice unasked', () => {
  const all = { ...defaultWork, faces: true, summary: true, people: ' family ', language: 'de' };
  assert.deepEqual(requestOf(files, all, '/c'), {
    cache_dir: '/c',
    visual_media_paths: ['/f.mp4', '/i.jpg'],
    transcription_jobs: [
      { path: '/f.mp4', language: 'de' },
      { path: '/s.wav', language: 'de' },
    ],
    face_clustering_jobs: [
      { cluster_job_name: 'family', face_min_samples: 2, face_media_paths: ['/f.mp4', '/i.jpg'] },
    ],
    summary_requests: [{ path: '/s.wav', replace_existing: false }],
    force: false,
  });
  assert.deepEqual(
    requestOf(files, { ...all, speech: false }, '/c').transcription_jobs?.map(
      ({ path, preferred_x_model_key: by }) => [path, by],
    ),
    [
      ['/f.mp4', 'subtitles if any'],
      ['/s.wav', 'subtitles if any'],
    ],
  );
  const again = requestOf(files, { ...all, again: true }, '/c');
  assert.deepEqual(again.summary_requests, [
    { path: '/f.mp4', replace_existing: true },
    { path: '/s.wav', replace_existing: true },
  ]);
  assert.equal(again.force, true);
  const joined = requestOf(files, all, '/c', [{ name: 'family', eps: 0.4, min_samples: 3 }]);
  assert.deepEqual(
    joined.face_clustering_jobs,
    [
      {
        cluster_job_name: 'family',
        face_eps: 0.4,
        face_min_samples: 3,
        face_media_paths: ['/f.mp4', '/i.jpg'],
      },
    ],
    'new faces join a clustering as it is',
  );
  assert.deepEqual(countKinds(files), { video: 1, audio: 1, image: 1 });
});

test('a request that asks for nothing is known as such', () => {
  const [, sound, still] = files;
  assert.ok(isEmptyRequest(requestOf([sound!], { ...defaultWork, speech: false, subtitles: false }, '/c')));
  assert.ok(isEmptyRequest(requestOf([still!], { ...defaultWork, picture: false, faces: false }, '/c')));
  assert.ok(!isEmptyRequest(requestOf(files, defaultWork, '/c')));
});

test('a reason does not say the path again, and sizes are said in units of a thousand', () => {
  const told = (message: string) => reasonOf({ code: 'STORE_FULL', message }, '/a.mp4');
  assert.equal(told('/a.mp4: is damaged'), 'is damaged');
  assert.equal(told('the disk is full'), 'the disk is full');
  const sizes = [0, 999, 1000, 999_499, 999_500, 4_200_000_000, 7e15].map((bytes) => sizeText(bytes, 'en'));
  assert.deepEqual(
    sizes.map((text) => text.replace('\u00a0', ' ')),
    ['0 B', '999 B', '1 KB', '999 KB', '1 MB', '4.2 GB', '7,000 TB'],
  );
});

test('only an analysis would be stopped by another, and what ended whole is not resumed', () => {
  const task = (state: ListedTask['state'], types: readonly string[], failed = 0) =>
    ({ state, request: { types }, counts: { failed, jobs_failed: 0 } }) as unknown as ListedTask;
  const analysis = task('stopping', ['speech']);
  assert.equal(
    runningAnalysis([task('running', ['clips']), task('completed', ['video']), analysis]),
    analysis,
  );
  assert.equal(runningAnalysis([task('running', ['pull']), task('running', ['proxy'])]), null);
  const states = ['running', 'stopping', 'completed', 'cancelled', 'failed', 'interrupted'] as const;
  assert.deepEqual(
    states.filter((state) => canResume(task(state, ['video']))),
    ['cancelled', 'failed', 'interrupted'],
  );
  assert.ok(canResume(task('completed', ['video'], 2)));
});

test('folders are gone through once, and no link to more than they hold is followed', async (t) => {
  const folders: Readonly<Record<string, { real?: string; isWide?: boolean }>> = {
    '/media/again': { real: '/media' },
    '/media/far': { real: '/far' },
    '/media/up': { real: '/', isWide: true },
  };
  t.mock.method(globalThis, 'fetch', async (_: string, init: RequestInit) => {
    const { folder } = JSON.parse(String(init.body)) as { folder: string };
    const below = folder === '/media' ? Object.entries(folders) : [];
    const page = {
      total: 1,
      real_path: folders[folder]?.real ?? folder,
      folders: below.map(([path, { isWide = false }]) => ({ path, is_wide_link: isWide })),
      files: [{ media_path: `${folder}/a.mp4` }],
    };
    return Response.json(page);
  });
  const options = { cache_dir: '/c', signal: new AbortController().signal, onCount: () => {} };
  const paths = async (rows: ListingRow[]) =>
    (await walk(rows, options)).files.map(({ media_path }) => media_path);
  assert.deepEqual(await paths([row('/media')]), ['/media/a.mp4', '/media/far/a.mp4']);
  const wide: ListingRow = { ...row('/media/up'), kind: 'folder', analysed: 0, is_wide_link: true };
  assert.deepEqual(await paths([wide]), ['/media/up/a.mp4']);
  assert.deepEqual(await paths([wide, row('/media/far')]), ['/media/far/a.mp4']);
});

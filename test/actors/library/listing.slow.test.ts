import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { FileResult, TaskSnapshot } from '../../../actors/analysis/tasks/contract.ts';
import { modifiedMs } from '../../../actors/decoder/contract.ts';
import { type FolderPage, libraryErrors } from '../../../actors/library/contract.ts';
import {
  inNaturalOrder,
  ListedFolders,
  type ListingDisk,
  naturalOrder,
  systemDisk,
} from '../../../actors/library/listing/folder-names.ts';
import { FailedWork, listFolder } from '../../../actors/library/listing/list-folder.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { atOnce } from '../../../runtime/sync/checkpoint.ts';
import { sharedPath, skipWithout } from '../../shared.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { mediaRecord, preview } from '../index/footage.ts';
import { indexActor, someFootage } from '../index/handlers.ts';

const never = new AbortController().signal;

async function setUp(t: TestContext, disk: ListingDisk = systemDisk) {
  const [index, root] = [await indexActor(t), temporaryFolder(t)];
  const cache_dir = join(root, 'analysis');
  const media = join(root, 'media');
  mkdirSync(media);
  const tasks: TaskSnapshot[] = [];
  const failed = new Map<string, FileResult[]>();
  let read = 0;
  const parts = {
    index: { ask: (name: never, request: never) => index.call(name, request) } as never,
    disk,
    folders: new ListedFolders(Date.now, disk),
    failed: new FailedWork(
      {
        list: async () => tasks,
        failures: async (id: string) => {
          read++;
          return failed.get(id) ?? [];
        },
      },
      Date.now,
    ),
  };
  const list = (folder: string | null, page = {}, signal = never): Promise<FolderPage> =>
    listFolder(
      parts,
      { cache_dir, ...(folder !== null && { folder }), offset: 0, limit: 1000, ...page },
      signal,
    );
  const place = (name: string) => {
    const path = join(media, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, name);
    return path;
  };
  const remember = async (path: string, hash: string) => {
    const stats = statSync(path, { bigint: true });
    const mark = { size_bytes: Number(stats.size), mtime_ms: modifiedMs(stats), inode: String(stats.ino) };
    const record = { ...mediaRecord(hash, path), identity: { hash_str: hash, ...mark } };
    await index.call('remember', { cache_dir, media: record });
    return record;
  };
  const analyse = async (path: string, hash: string) => {
    const record = await remember(path, hash);
    const { stage } = await index.call('begin', {
      cache_dir,
      hash_str: hash,
      model_key: 'model',
      dimensions: 32,
    });
    await index.call('append', { stage, frames: [0], vectors: someFootage(1, 1), previews: [preview(0)] });
    await index.call('commit', { stage, media: record });
    return path;
  };
  const fail = (task_id: string, ended: number | null, ...results: [string, string][]) => {
    tasks.unshift({
      task_id,
      state: ended === null ? 'running' : 'completed',
      started: 1,
      ended,
      counts: { failed: results.length, done: results.length },
      request: { cache_dir, types: ['video'] },
    } as unknown as TaskSnapshot);
    const error = { code: 'DECODE_FAILED', message: `in ${task_id}` };
    failed.set(
      task_id,
      results.map(([path, type]) => ({ path, type, error }) as FileResult),
    );
  };
  return { cache_dir, media, list, place, remember, analyse, fail, reads: () => read };
}

const names = (page: FolderPage) => [...page.folders, ...page.files].map(({ name }) => name);

test('names come as people count, and pages fit together over folders and files', async (t) => {
  const { list, place, media } = await setUp(t);
  const files = ['take 10.mp4', 'take 2.MOV', 'Ärger.wav', 'b.jpg', 'A.png', 'a.png', '10.gif', '9.tif'];
  for (const name of ['notes.txt', '.hidden.mp4', '._b.jpg', 'x.mp4.part', ...files]) place(name);
  for (const name of ['Reel 11', 'Reel 3', '.git', '@eaDir', 'empty']) mkdirSync(join(media, name));
  const all = await list(media);
  const folders = ['empty', 'Reel 3', 'Reel 11'];
  const sorted = ['9.tif', '10.gif', 'A.png', 'a.png', 'Ärger.wav', 'b.jpg', 'take 2.MOV', 'take 10.mp4'];
  assert.deepEqual(names(all), [...folders, ...sorted]);
  assert.deepEqual([all.total, all.folder, all.parent], [11, media, join(media, '..')]);
  const pages = await Promise.all([0, 2, 4, 6, 8, 10, 12].map((offset) => list(media, { offset, limit: 2 })));
  assert.deepEqual(pages.flatMap(names), names(all));
  assert.deepEqual(
    pages.map((page) => names(page).length),
    [2, 2, 2, 2, 2, 1, 0],
  );
  assert.deepEqual(all.files.map(({ kind }) => kind).slice(0, 5), [
    'image',
    'image',
    'image',
    'image',
    'audio',
  ]);
});

test('the order of very many names is that of a plain sort', () => {
  const items = Array.from({ length: 5000 }, (_, i) => ({ name: `${(i * 7919) % 5000} take.mp4` }));
  const expected = items.map(({ name }) => name).sort(naturalOrder);
  assert.deepEqual(
    atOnce(inNaturalOrder(items)).map(({ name }) => name),
    expected,
  );
  assert.deepEqual(atOnce(inNaturalOrder([])), []);
});

test('a file is known by path, size and time, and another one in its place is not', async (t) => {
  const { list, place, analyse, remember, media } = await setUp(t);
  const [a, b] = [place('a.mp4'), place('b.mp4')];
  await analyse(a, 'aa');
  await remember(b, 'bb');
  place('c.mp4');
  const facts = async () =>
    (await list(media)).files.map(({ hash_str, visual, transcript, faces, summaries }) => [
      hash_str,
      visual,
      transcript,
      faces,
      summaries,
    ]);
  const nothing = [null, [], null, false, 0];
  assert.deepEqual(await facts(), [['aa', ['model'], null, false, 0], ['bb', [], null, false, 0], nothing]);
  utimesSync(b, 1000, 1000);
  writeFileSync(a, 'another one');
  assert.deepEqual(await facts(), [nothing, nothing, nothing]);
});

test('what is analysed below a folder is counted, and roots are the topmost folders that hold some', async (t) => {
  const { list, place, remember, analyse, media } = await setUp(t);
  let hash = 0xa0;
  for (const name of ['day 1/a.mp4', 'day 1/cam/b.mp4', 'day 10/c.mp4', 'day 1 b/d.mp4', 'rest/deep/e.mp4'])
    await analyse(place(name), (hash++).toString(16));
  await remember(place('none/f.mp4'), 'f0');
  const page = await list(media);
  assert.deepEqual(
    page.folders.map(({ name, analysed }) => [name, analysed]),
    [
      ['day 1', 2],
      ['day 1 b', 1],
      ['day 10', 1],
      ['none', 0],
      ['rest', 1],
    ],
  );
  const roots = await list(null);
  const own = roots.folders.filter(({ path }) => path.startsWith(media));
  assert.deepEqual(
    own.map(({ path, analysed }) => [path.slice(media.length + 1), analysed]),
    [
      ['day 1 b', 1],
      ['day 1', 2],
      ['day 10', 1],
      ['none', 0],
      ['rest/deep', 1],
    ],
  );
  assert.deepEqual([roots.folder, roots.parent, roots.files, roots.total], [null, null, [], 6]);
  assert.equal((await list(null, { offset: 5 })).folders.length, 1);
});

test('a failure is the latest of the records, until the file is analysed', async (t) => {
  const { list, place, analyse, fail, media, reads } = await setUp(t);
  const [a, b, c] = [place('a.mp4'), place('b.mp4'), place('c.mp4')];
  const failures = async () => (await list(media)).files.map(({ failure }) => failure?.message ?? null);
  fail('t1', 1000, [a, 'video'], [b, 'video'], [c, 'speech']);
  fail('t2', 2000, [a, 'video'], [b, 'speech']);
  assert.deepEqual(await failures(), ['in t2', 'in t2', 'in t1']);
  assert.equal(reads(), 2);
  await failures();
  assert.equal(reads(), 2, 'what has not changed is not read again');
  await analyse(a, 'aa');
  await analyse(b, 'bb');
  await analyse(c, 'cc');
  // Pictures of `c` say nothing of what was said in it.
  assert.deepEqual(await failures(), [null, 'in t2', 'in t1']);
  fail('t3', null, [a, 'video']);
  assert.deepEqual(await failures(), ['in t3', 'in t2', 'in t1']);
  const [first] = (await list(media)).files;
  assert.deepEqual(first?.failure, { code: 'DECODE_FAILED', message: 'in t3', task_id: 't3' });
});

test('a failure that a wrong clock recorded is made good all the same, and takes no place of a later one', async (t) => {
  const { list, place, analyse, fail, media } = await setUp(t);
  const [a, b] = [place('a.mp4'), place('b.mp4')];
  const failures = async () => (await list(media)).files.map(({ failure }) => failure?.message ?? null);
  const inSomeYears = Date.now() / 1000 + 1e8;
  fail('t1', inSomeYears, [a, 'video'], [b, 'video']);
  assert.deepEqual(await failures(), ['in t1', 'in t1']);
  // The clock was set back by then.
  fail('t2', 1000, [b, 'video']);
  await analyse(a, 'aa');
  assert.deepEqual(await failures(), [null, 'in t2']);
});

test('links lead to what they mean, and those that lead nowhere or in a circle are left out', async (t) => {
  const { list, place, analyse, media } = await setUp(t);
  const a = await analyse(place('real/a.mp4'), 'aa');
  symlinkSync(join(media, 'real'), join(media, 'linked'));
  symlinkSync(a, join(media, 'b.mp4'));
  symlinkSync('/nowhere/at/all', join(media, 'gone.mp4'));
  symlinkSync('loop', join(media, 'loop'));
  symlinkSync('..', join(media, 'up'));
  assert.deepEqual(names(await list(media)), ['linked', 'real', 'up', 'b.mp4']);
  symlinkSync('/', join(media, 'everything'));
  assert.deepEqual(
    (await list(media)).folders.map(({ name, is_wide_link }) => [name, is_wide_link]),
    [
      ['everything', true],
      ['linked', false],
      ['real', false],
      ['up', true],
    ],
  );
  const linked = await list(join(media, 'linked'));
  const [through] = linked.files;
  assert.equal(linked.real_path, realpathSync(join(media, 'real')));
  assert.deepEqual([through?.media_path, through?.hash_str], [join(media, 'linked', 'a.mp4'), 'aa']);
  await assert.rejects(list(join(media, 'loop')), libraryErrors.FOLDER_NOT_LISTED.is);
});

test('odd names are listed, and one that is no text says that it has to be renamed', async (t) => {
  const { list, place, media } = await setUp(t);
  const odd = ['new\nline.mp4', 'quote".mp4', 'space .mp4', '\u202eflip.mp4', '__proto__.mp4'];
  for (const name of odd) place(name);
  execFileSync('sh', ['-c', 'printf x > "$(printf "gr\\374n.mp4")"'], { cwd: media });
  execFileSync('sh', ['-c', 'mkdir "$(printf "gr\\374n")"'], { cwd: media });
  execFileSync('mkfifo', [join(media, 'pipe.mp4')]);
  const page = await list(media);
  assert.deepEqual(new Set(names(page)), new Set([...odd, 'gr\ufffdn.mp4', 'gr\ufffdn']));
  const garbled = page.files.find(({ name }) => name.includes('\ufffd'));
  assert.deepEqual([garbled?.size_bytes, garbled?.failure?.code], [1, 'NAME_NOT_UTF8']);
  await assert.rejects(list(page.folders[0]!.path), (error: unknown) => {
    assert.ok(libraryErrors.FOLDER_GONE.is(error));
    return /not valid UTF-8/.test(error.message);
  });
});

test('a folder that is gone, no folder or refused says so, and one that changes is read anew', async (t) => {
  const { list, place, media } = await setUp(t);
  const a = place('sub/a.mp4');
  await assert.rejects(list(a), libraryErrors.FOLDER_NOT_LISTED.is);
  await assert.rejects(list(join(media, 'none')), libraryErrors.FOLDER_GONE.is);
  const sub = join(media, 'sub');
  utimesSync(sub, 1000, 1000);
  assert.deepEqual(names(await list(sub)), ['a.mp4']);
  place('sub/b.mp4');
  assert.deepEqual(names(await list(sub)), ['a.mp4', 'b.mp4']);
  renameSync(sub, join(media, 'moved'));
  await assert.rejects(list(sub), libraryErrors.FOLDER_GONE.is);
  const refused = Object.assign(new Error('refused'), { code: 'EACCES' });
  const other = await setUp(t, { ...systemDisk, list: () => Promise.reject(refused) });
  await assert.rejects(other.list(other.media), (error: unknown) => {
    assert.ok(libraryErrors.FOLDER_NOT_LISTED.is(error));
    return error.message.includes('EACCES') && error.details['field'] === 'folder';
  });
});

test('a file that goes while it is listed is left out, and one that cannot be looked at says why', async (t) => {
  const stat: ListingDisk['stat'] = async (path) => {
    const name = String(path);
    if (name.endsWith('gone.mp4')) rmSync(name, { force: true });
    if (name.endsWith('shut.mp4')) throw Object.assign(new Error('shut'), { code: 'EACCES' });
    return systemDisk.stat(path);
  };
  const { list, place, media } = await setUp(t, { ...systemDisk, stat });
  for (const name of ['a.mp4', 'gone.mp4', 'shut.mp4']) place(name);
  const { files } = await list(media);
  assert.deepEqual(
    files.map(({ name, size_bytes, failure }) => [name, size_bytes, failure?.code ?? null]),
    [
      ['a.mp4', 5, null],
      ['shut.mp4', null, 'FILE_UNREADABLE'],
    ],
  );
});

test('of a folder with very many files a page looks at its own, and names are read once', async (t) => {
  let [stats, lists] = [0, 0];
  const entry = (name: string) =>
    ({
      name: Buffer.from(name),
      isDirectory: () => false,
      isFile: () => true,
      isSymbolicLink: () => false,
    }) as never;
  const entries = Array.from({ length: 100_000 }, (_, i) => entry(`take ${(i * 7919) % 100_000}.mp4`));
  const list: ListingDisk['list'] = async () => {
    lists++;
    return entries;
  };
  const stat: ListingDisk['stat'] = async () => {
    stats++;
    return systemDisk.stat(one);
  };
  const { list: page, place, media } = await setUp(t, { list, stat });
  const one = place('a.mp4');
  utimesSync(one, 1000, 1000);
  const first = await page(media, { limit: 3 });
  assert.deepEqual([first.total, names(first)], [100_000, ['take 0.mp4', 'take 1.mp4', 'take 2.mp4']]);
  const last = await page(media, { offset: 99_999, limit: 500 });
  assert.deepEqual(names(last), ['take 99999.mp4']);
  assert.deepEqual([lists, stats], [1, 6]);
  const leaving = new AbortController();
  setImmediate(() => leaving.abort());
  await assert.rejects(page(join(media, 'other'), {}, leaving.signal), engineErrors.CANCELLED.is);
});

test('a folder that does not answer is asked once, and nobody has to wait for it', async (t) => {
  let asked = 0;
  const hang = () => {
    asked++;
    return new Promise<never>(() => {});
  };
  const { list, media } = await setUp(t, { list: hang, stat: systemDisk.stat });
  for (let i = 0; i < 3; i++) {
    const leaving = new AbortController();
    const waiting = [list(media, {}, leaving.signal), list(media, {}, leaving.signal)];
    setImmediate(() => leaving.abort());
    for (const one of waiting) await assert.rejects(one, engineErrors.CANCELLED.is);
  }
  assert.ok(asked <= 1, `${asked}`);
});

test('real footage is listed with its kinds', { skip: skipWithout('media') }, async (t) => {
  const { list, media, remember } = await setUp(t);
  for (const name of ['video/car-detection.mp4', 'speech/jfk.flac', 'images/rocket.jpg']) {
    const path = join(media, name.split('/')[1]!);
    copyFileSync(sharedPath(`media/${name}`), path);
    await remember(path, `a${name.length}`);
  }
  const { files } = await list(media);
  assert.deepEqual(
    files.map(({ name, size_bytes, hash_str }) => [
      name,
      size_bytes === statSync(join(media, name)).size,
      hash_str,
    ]),
    [
      ['car-detection.mp4', true, 'a23'],
      ['jfk.flac', true, 'a15'],
      ['rocket.jpg', true, 'a17'],
    ],
  );
  assert.deepEqual(names(await list(sharedPath('media/video'))), [
    'bottle-detection.mp4',
    'car-detection.mp4',
  ]);
});

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { filterErrors } from '../../../../actors/index/facets/contract.ts';
import type { NewWatchFolder } from '../../../../actors/watcher/folders/contract.ts';
import { usualSettings } from './usual-settings.ts';
import { bodyOf, code, never, watching } from './watching.ts';

test('a new folder is recorded as it was meant, with every default', async (t) => {
  const w = await watching(t);
  const folder_path = w.folder('films');
  const added = await w.service().add(
    bodyOf({
      folder_path: `${folder_path}/../films/`,
      excluded_extensions: ['MP4', '.Wav', 'mp4'],
      excluded_folder_globs: ['Day 1\\\\Proxies\\', 'Day 1/Proxies', 'old/', '\\old', 'Old'],
      channels: [],
      metadata_filter_request: [],
    }),
    never,
  );
  const { watch_folders } = await w.service().list();
  assert.deepEqual(watch_folders, [added]);
  assert.deepEqual(added, {
    id: 'folder-1',
    folder_path,
    ...usualSettings,
    excluded_extensions: ['.mp4', '.wav'],
    excluded_folder_globs: ['Day 1/Proxies', '/old', 'Old'],
    created_at: 1_700_000_000,
    last_poll_time: 0,
    files_analyzed_count: 0,
  });
});

test('what does not fit is refused by the name of its field, and nothing is recorded', async (t) => {
  const w = await watching(t);
  const folder_path = w.folder('films');
  const service = w.service();
  const file = join(w.base, 'file');
  writeFileSync(file, '');
  const cases: [Partial<NewWatchFolder>, string, string][] = [
    [{ folder_path: join(w.base, 'none') }, 'WATCH_FOLDER_MISSING', 'folder_path'],
    [{ folder_path: file }, 'WATCH_FOLDER_MISSING', 'folder_path'],
    [{ folder_path: 'films' }, 'INVALID_WATCH_FOLDER', 'folder_path'],
    [{ folder_path: 'file:///films' }, 'INVALID_WATCH_FOLDER', 'folder_path'],
    [{ folder_path: '/films\0' }, 'INVALID_WATCH_FOLDER', 'folder_path'],
    [{ folder_path: w.home }, 'INVALID_WATCH_FOLDER', 'folder_path'],
    [{ folder_path: '/' }, 'INVALID_WATCH_FOLDER', 'folder_path'],
    [{ folder_path: w.base }, 'INVALID_WATCH_FOLDER', 'folder_path'],
    [{ cache_dir: w.folder('films/analysis') }, 'INVALID_WATCH_FOLDER', 'folder_path'],
    [{ cache_dir: join(w.base, 'none') }, 'CACHE_DIR_MISSING', 'cache_dir'],
    [{ cache_dir: file }, 'CACHE_DIR_MISSING', 'cache_dir'],
    [{ cache_dir: 'analysis' }, 'INVALID_WATCH_FOLDER', 'cache_dir'],
    [{ cache_dir: folder_path }, 'CACHE_DIR_NOT_ALLOWED', 'cache_dir'],
    [
      { cache_dir: w.folder('disk'), folder_path: w.folder('disk/films') },
      'CACHE_DIR_NOT_ALLOWED',
      'cache_dir',
    ],
    [{ enable_visual_analysis: false }, 'INVALID_WATCH_FOLDER', 'enable_visual_analysis'],
    [{ enable_face_analysis: true }, 'INVALID_WATCH_FOLDER', 'cluster_job_name'],
    [{ cluster_job_name: 'x'.repeat(201) }, 'INVALID_WATCH_FOLDER', 'cluster_job_name'],
    [{ face_eps: Number.NaN }, 'INVALID_WATCH_FOLDER', 'face_eps'],
    [{ audio_language: 'gibberish' }, 'INVALID_WATCH_FOLDER', 'audio_language'],
    [{ excluded_extensions: ['.'] }, 'INVALID_WATCH_FOLDER', 'excluded_extensions'],
    [{ excluded_filename_globs: ['a/b'] }, 'INVALID_WATCH_FOLDER', 'excluded_filename_globs'],
    [{ excluded_folder_globs: ['//'] }, 'INVALID_WATCH_FOLDER', 'excluded_folder_globs'],
  ];
  for (const [given, wanted, field] of cases) {
    const isTold = (error: unknown) =>
      code(wanted, field)(error) && (error as Error).message.startsWith(field);
    await assert.rejects(
      service.add(bodyOf({ folder_path, ...given }), never),
      isTold,
      JSON.stringify(given),
    );
  }
  assert.deepEqual((await service.list()).watch_folders, []);
});

test('a folder that holds what another one is analysed into is refused, and says so', async (t) => {
  const w = await watching(t);
  const service = w.service();
  await service.add(bodyOf({ folder_path: w.folder('films'), cache_dir: w.folder('disk/analysis') }), never);
  await assert.rejects(service.add(bodyOf({ folder_path: w.folder('disk') }), never), {
    message: `folder_path ${w.base}/disk holds the analysis folder ${w.base}/disk/analysis`,
  });
  await assert.rejects(service.add(bodyOf({ folder_path: w.base }), never), {
    message: `folder_path ${w.base} holds the home folder ${w.home}`,
  });
});

test('what the system makes up is not watched, by whatever name', {
  skip: process.platform !== 'linux' && 'there is no /proc',
}, async (t) => {
  const w = await watching(t);
  const link = join(w.base, 'link');
  symlinkSync('/proc/sys', link);
  for (const folder_path of ['/proc', '/sys', '/dev', link]) {
    await assert.rejects(w.service().add(bodyOf({ folder_path }), never), {
      code: 'INVALID_WATCH_FOLDER',
      message: `folder_path ${folder_path} is made up by the system and holds no media`,
    });
  }
});

test('faces without models, and filters that do not fit, are refused as everywhere', async (t) => {
  const w = await watching(t);
  const folder_path = w.folder('films');
  const service = w.service({ expectModelFor: () => Promise.reject(new Error('NO_FACE_MODEL')) });
  const faces = { enable_face_analysis: true, cluster_job_name: 'crew' };
  await assert.rejects(service.add(bodyOf({ folder_path, ...faces }), never), /NO_FACE_MODEL/);
  w.facts.filters.refuse(filterErrors.UNKNOWN_FACET('metadata_filter_request.filters[0].facet_id'));
  const filters = [{ facet_id: 'none', operator: 'is_any_of' as const, values: ['a'] }];
  const asked = bodyOf({ folder_path, metadata_filter_request: { filters } });
  await assert.rejects(service.add(asked, never), code('UNKNOWN_FACET'));
});

test('the same folder is watched once for one analysis folder, whatever its name', async (t) => {
  const w = await watching(t);
  const folder_path = w.folder('films');
  const service = w.service();
  const { id } = await service.add(bodyOf({ folder_path }), never);
  const link = join(w.base, 'link');
  symlinkSync(folder_path, link);
  for (const name of [folder_path, `${folder_path}/`, link]) {
    await assert.rejects(service.add(bodyOf({ folder_path: name }), never), code('ALREADY_WATCHED'));
  }
  await assert.rejects(
    service.add(bodyOf({ folder_path, cache_dir: w.cache }), never),
    code('ALREADY_WATCHED'),
  );
  const other = await service.add(bodyOf({ folder_path, cache_dir: w.folder('other') }), never);
  const nested = await service.add(bodyOf({ folder_path: w.folder('films/day 1') }), never);
  const inside = await service.add(
    bodyOf({ folder_path: nested.folder_path, cache_dir: w.folder('films/a') }),
    never,
  );
  await assert.rejects(service.change(other.id, { cache_dir: null }, never), code('ALREADY_WATCHED'));
  const { watch_folders } = await service.list();
  assert.deepEqual(
    watch_folders.map((one) => one.id),
    [id, other.id, nested.id, inside.id],
  );
});

test('a change is checked as a whole, and what is left out stays', async (t) => {
  const w = await watching(t);
  const folder_path = w.folder('films');
  const service = w.service();
  const { id } = await service.add(bodyOf({ folder_path, audio_language: 'de' }), never);
  const change = (changes: Parameters<typeof service.change>[1]) => service.change(id, changes, never);
  const invalid = code('INVALID_WATCH_FOLDER');
  await assert.rejects(change({ enable_visual_analysis: false }), invalid);
  await assert.rejects(change({ enable_face_analysis: true }), invalid);
  await change({ enable_face_analysis: true, cluster_job_name: ' crew ' });
  await assert.rejects(change({ cluster_job_name: null }), invalid);
  const cache_dir = w.folder('other');
  await change({ cache_dir });
  const changed = await change({ enable_visual_analysis: false, cache_dir: null });
  const { audio_language, cluster_job_name, cache_dir: now, enable_visual_analysis } = changed;
  assert.deepEqual(
    [audio_language, cluster_job_name, now, enable_visual_analysis],
    ['de', 'crew', null, false],
  );
  await assert.rejects(service.change('none', {}, never), code('WATCH_FOLDER_UNKNOWN'));
});

test('a folder that is away, or whose analysis folder is, can still be changed', async (t) => {
  const w = await watching(t);
  const [folder_path, cache_dir] = [w.folder('films'), w.folder('disk')];
  const service = w.service();
  const { id } = await service.add(bodyOf({ folder_path, cache_dir }), never);
  rmSync(folder_path, { recursive: true });
  rmSync(cache_dir, { recursive: true });
  assert.equal((await service.change(id, { enabled: false }, never)).enabled, false);
  await service.remove(id);
});

test('an analysis folder that cannot be written is refused', {
  skip: process.getuid?.() === 0 && 'root may write everywhere',
}, async (t) => {
  const w = await watching(t);
  const cache_dir = w.folder('disk');
  chmodSync(cache_dir, 0o500);
  const body = bodyOf({ folder_path: w.folder('films'), cache_dir });
  await assert.rejects(w.service().add(body, never), code('CACHE_DIR_NOT_ALLOWED', 'cache_dir'));
});

test('the default analysis folder need not be there', async (t) => {
  const w = await watching(t);
  rmSync(w.cache, { recursive: true });
  const folder_path = w.folder('films');
  await w.service().add(bodyOf({ folder_path }), never);
  mkdirSync(w.cache);
  await assert.rejects(w.service().add(bodyOf({ folder_path }), never), code('ALREADY_WATCHED'));
});

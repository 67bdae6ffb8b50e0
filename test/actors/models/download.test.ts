import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type DownloadRequest, downloadFile } from '../../../actors/models/download.ts';
import type { TransferOptions, TransferProgress } from '../../../actors/models/transfer.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { EngineError } from '../../../runtime/errors.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { bytesOf, dropAfter, eagerClock, never, type Step, serveSteps, status, whole } from './server.ts';

const body = bytesOf(200_000);
const other = bytesOf(200_000, 2);
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'download-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Run {
  asked: Awaited<ReturnType<typeof serveSteps>>['asked'];
  pauses: number[];
  result: Awaited<ReturnType<typeof downloadFile>> | EngineError;
  files: string[];
}

async function run(
  steps: Step[],
  request: Partial<DownloadRequest> = {},
  options: Partial<TransferOptions> = {},
) {
  const server = await serveSteps(steps);
  const pauses: number[] = [];
  const all: Run = { asked: server.asked, pauses, files: [], result: undefined as never };
  const full = { url: new URL('f.bin', server.url), path: join(folder, 'f.bin'), size: body.length };
  try {
    all.result = await downloadFile(
      { ...full, sha256: sha(body), ...request },
      {
        signal: new AbortController().signal,
        clock: eagerClock(pauses),
        stallMs: never,
        ...options,
        progress: (progress) => {
          options.progress?.(progress);
          server.progress(progress.received);
        },
      },
    );
  } catch (error) {
    assert(error instanceof EngineError, String(error));
    all.result = error;
  } finally {
    await server.close();
  }
  all.files = (await readdir(folder)).sort();
  return all;
}

function failed(result: Run['result'], code: string, message: RegExp) {
  assert(result instanceof EngineError, 'it should have failed');
  assert.equal(result.code, code);
  assert.match(result.message, message);
}

async function succeeded({ result, files }: Run) {
  assert(!(result instanceof EngineError), String(result));
  assert.deepEqual(files, ['f.bin']);
  assert.equal(sha(await readFile(join(folder, 'f.bin'))), sha(body));
  assert.equal(result.size, body.length);
  return result;
}

test('a file arrives whole under its name and nothing else stays', async () => {
  const seen: number[] = [];
  const done = await run([whole(body)], {}, { progress: ({ received }) => seen.push(received) });
  assert.equal((await succeeded(done)).verified, 'pin');
  assert.equal(seen.at(-1), body.length);
});

test('a connection that breaks is continued where it stopped', async () => {
  const done = await run([dropAfter(body, 70_000), dropAfter(body, 50_000), whole(body)]);
  await succeeded(done);
  assert.equal(done.asked[0]?.range, undefined);
  assert.equal(done.asked[1]?.range, 'bytes=70000-');
  assert.equal(done.asked[2]?.range, 'bytes=120000-');
  assert.equal(done.asked[2]?.ifRange, '"v1"');
});

test('a later call continues what an earlier one left', async () => {
  failed(
    (await run([dropAfter(body, 70_000), status(500)], {}, { tries: 2 })).result,
    'DOWNLOAD_FAILED',
    /500/,
  );
  assert.deepEqual((await readdir(folder)).sort(), ['f.bin.part', 'f.bin.part.json']);
  const done = await run([whole(body)]);
  await succeeded(done);
  assert.equal(done.asked[0]?.range, 'bytes=70000-');
});

test('a server that ignores Range sends everything again, and the file is right', async () => {
  const ignoring: Step = (_request, response) => void response.writeHead(200, { etag: '"v1"' }).end(body);
  await succeeded(await run([dropAfter(body, 70_000), ignoring]));
});

test('a file that changed on the server between two tries is fetched anew', async () => {
  const done = await run([dropAfter(other, 70_000, '"old"'), whole(body, '"new"')]);
  await succeeded(done);
  assert.equal(done.asked.length, 2);
});

test('a part of another file without a validator is found by the pin, and the file is downloaded again', async () => {
  await writeFile(join(folder, 'f.bin.part'), other.subarray(0, 5000));
  const done = await run([whole(body)]);
  await succeeded(done);
  assert.deepEqual(
    done.asked.map(({ range }) => range),
    ['bytes=5000-', undefined],
  );
});

test('a part longer than the file is thrown away', async () => {
  await writeFile(join(folder, 'f.bin.part'), bytesOf(300_000));
  await writeFile(join(folder, 'f.bin.part.json'), '{');
  await succeeded(await run([whole(body)], { size: null }));
});

test('corrupt bytes are never kept', async () => {
  const { result, files } = await run([whole(other)]);
  failed(result, 'DOWNLOAD_MISMATCH', /sha256: received [0-9a-f]{64}, pinned [0-9a-f]{64}/);
  assert.deepEqual(files, []);
});

test('a server that announces another size than the pin is refused before anything is fetched', async () => {
  const { result, files } = await run([whole(body.subarray(1))]);
  failed(result, 'DOWNLOAD_MISMATCH', /size: expected 200000, but the server announces 199999/);
  assert.deepEqual(files, []);
});

test('a body longer than promised is cut off and refused', async () => {
  const endless: Step = (_request, response) => void response.writeHead(200).end(bytesOf(250_000));
  failed((await run([endless])).result, 'DOWNLOAD_MISMATCH', /size: received 2\d+ bytes, expected 200000/);
});

test('a body shorter than promised is asked for until the tries are used up', async () => {
  const short: Step = (_request, response) => void response.writeHead(200).end(body.subarray(0, 100_000));
  const { result, pauses } = await run([short], { sha256: sha(body) }, { tries: 3 });
  failed(result, 'DOWNLOAD_FAILED', /100000 of 200000 bytes|206|200/);
  assert(pauses.length >= 2);
});

test('a redirect is followed and its announced hash and size count', async () => {
  const linked = { 'x-linked-etag': `"${sha(body)}"`, 'x-linked-size': String(body.length) };
  const server = status(302, { location: '/cdn/f.bin', ...linked });
  const done = await run([server, whole(body)], { size: null, sha256: null });
  assert.equal((await succeeded(done)).verified, 'server');
  assert.equal(done.asked[1]?.path, '/cdn/f.bin');
  assert.equal((await succeeded(await run([server, whole(body)]))).verified, 'pin and server');
});

test('a hash that the server announces and that is not the pinned one is told with both', async () => {
  const server = status(302, { location: '/cdn', 'x-linked-etag': `"${sha(other)}"` });
  const { result, files } = await run([server, whole(body)]);
  failed(
    result,
    'DOWNLOAD_MISMATCH',
    new RegExp(`expected ${sha(body)}, but the server announces ${sha(other)}`),
  );
  assert.deepEqual(files, []);
});

test('a file without any known hash is not kept', async () => {
  const { result, files } = await run([whole(body)], { sha256: null });
  failed(result, 'DOWNLOAD_UNVERIFIED', /the sha256 is not known, and the server announces none/);
  assert.deepEqual(files, []);
});

test('a missing file is refused at once, a failing server is tried again with growing pauses', async () => {
  const missing = await run([status(404)]);
  failed(missing.result, 'DOWNLOAD_REFUSED', /404 Not Found/);
  assert.equal(missing.asked.length, 1);
  const failing = await run([status(500), status(503), status(429), whole(body)]);
  await succeeded(failing);
  assert.deepEqual(failing.pauses, [500, 1000, 2000]);
});

test('redirects that never end are refused', async () => {
  failed(
    (await run([status(302, { location: '/again' })])).result,
    'DOWNLOAD_REFUSED',
    /redirected more than/,
  );
});

test('nobody listening is a failure that says so', async () => {
  const server = await serveSteps([status(200)]);
  const url = new URL('f.bin', server.url);
  await server.close();
  failed(
    (await run([status(500)], { url }, { tries: 2 })).result,
    'DOWNLOAD_FAILED',
    /: 127\.0\.0\.1:\d+ cannot be reached from this machine/,
  );
});

test('a server that falls silent is given up after the stall time and asked again', async () => {
  const clock = manualClock();
  const halted = Promise.withResolvers<void>();
  const silent: Step = (_request, response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, 1000), () => halted.resolve());
  };
  const running = run([silent], {}, { clock, stallMs: 5000, tries: 1 });
  await halted.promise;
  clock.advance(10_000);
  failed((await running).result, 'DOWNLOAD_FAILED', /sent nothing for 5 s/);
});

test('a server that sends little by little is waited for, however long the whole takes', async () => {
  const clock = manualClock();
  const next: (() => void)[] = [];
  const slow: Step = (_request, response) => {
    response.writeHead(200, { 'content-length': body.length });
    const parts = [0, 1, 2, 3, 4].map((part) => body.subarray(part * 40_000, (part + 1) * 40_000));
    for (const part of parts) next.push(() => response.write(part));
    next.shift()?.();
  };
  const progress = ({ phase, received }: TransferProgress) => {
    if (phase !== 'receiving' || received % 40_000 !== 0) return;
    clock.advance(4000);
    next.shift()?.();
  };
  const { result } = await run([slow], {}, { clock, stallMs: 5000, tries: 1, progress });
  assert(!(result instanceof EngineError), String(result));
  assert.equal(clock.now(), 20_000);
});

test('a process that stood still does not take its server for silent', async () => {
  let rest = () => {};
  const server: Step = (_request, response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, 1000));
    rest = () => response.end(body.subarray(1000));
  };
  const progress = ({ received }: TransferProgress) => {
    if (received !== 1000) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    rest();
  };
  const { result } = await run([server], {}, { clock: systemClock, stallMs: 200, tries: 1, progress });
  assert(!(result instanceof EngineError), String(result));
});

test('cancelling ends the download and keeps the part for the next time', async () => {
  const stop = new AbortController();
  const progress = ({ phase }: TransferProgress) => phase === 'receiving' && stop.abort();
  const { result, files } = await run(
    [dropAfter(body, 80_000), whole(body)],
    {},
    { signal: stop.signal, progress },
  );
  failed(result, 'CANCELLED', /cancelled/);
  assert.deepEqual(files, ['f.bin.part', 'f.bin.part.json']);
});

test('cancelling during a pause ends the wait', async () => {
  const stop = new AbortController();
  const clock = manualClock();
  const asked = Promise.withResolvers<void>();
  const failing: Step = (request, response) => {
    status(500)(request, response, () => {});
    void once(response, 'close').then(() => asked.resolve());
  };
  const running = run([failing], {}, { signal: stop.signal, clock, stallMs: never });
  await asked.promise;
  stop.abort();
  failed((await running).result, 'CANCELLED', /./);
});

test('a folder that cannot be written is told by name', async (t) => {
  if (process.getuid?.() === 0) {
    await writeFile(join(folder, 'taken'), '');
    const { result } = await run([whole(body)], { path: join(folder, 'taken', 'f.bin') });
    failed(result, 'MODELS_FOLDER_READ_ONLY', /taken/);
    return t.diagnostic('run as root, where permissions do not hold; a file in the way was used instead');
  }
  await chmod(folder, 0o500);
  failed((await run([whole(body)])).result, 'MODELS_FOLDER_READ_ONLY', /permission denied/);
});

test('a disk too small for the announced size is told before anything is fetched', async () => {
  const huge = 2 ** 50;
  const server = status(302, { location: '/cdn', 'x-linked-size': String(huge) });
  const { result } = await run([server, whole(body)], { size: null });
  failed(result, 'MODELS_FOLDER_FULL', /1125899906842624 bytes are needed, but only \d+ are free/);
});

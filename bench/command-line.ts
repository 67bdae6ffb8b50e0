// The ffmpeg command line as a peer. It is no part of the product: where it is not installed, its rows are
// left out.
import { spawn, spawnSync } from 'node:child_process';

export function hasFfmpeg(): boolean {
  return spawnSync('ffmpeg', ['-version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Decodes every frame, keeps one a second, scales it; `onBytes` gets the raw RGB. Resolves at the end of the
 * stream.
 */
export function decodeAll(
  path: string,
  side: number,
  onBytes: (bytes: Uint8Array) => void = () => {},
): Promise<void> {
  const filter = `fps=1,scale=${side}:${side}:flags=area`;
  const args = [
    '-v',
    'error',
    '-i',
    path,
    '-map',
    '0:v:0',
    '-vf',
    filter,
    '-pix_fmt',
    'rgb24',
    '-f',
    'rawvideo',
    '-',
  ];
  return run(args, onBytes);
}

/** Writes the first sound track, mixed to one channel of 16 kHz, as 16-bit samples to nowhere. */
export function decodeSound(path: string): Promise<void> {
  const format = ['-map', '0:a:0', '-ac', '1', '-ar', '16000', '-c:a', 'pcm_s16le'];
  return run(['-v', 'error', '-nostdin', '-i', path, ...format, '-f', 's16le', '-y', '/dev/null'], () => {});
}

/** Cuts a clip; `codecs`: how it is written. */
export function cutClip(
  path: string,
  output: string,
  [start, end]: readonly [number, number],
  codecs: readonly string[],
): Promise<void> {
  const span = ['-ss', String(start), '-t', String(end - start), '-i', path];
  return run(['-v', 'error', '-nostdin', '-y', ...span, ...codecs, output], () => {});
}

function run(args: readonly string[], onBytes: (bytes: Uint8Array) => void): Promise<void> {
  const child = spawn('ffmpeg', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', onBytes);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`ffmpeg ended with code ${code}`)),
    );
  });
}

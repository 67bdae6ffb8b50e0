// Long sound for the measurements: the shared recordings of speech one after another, written as each kind of
// file. Made once and kept in the system's temporary folder.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { soundRate } from '../actors/decoder/contract.ts';
import type { Bench, Decoder } from './actors.ts';
import { writeFilm } from './samples/writer/film.ts';
import type { FilmPicture } from './samples/writer/picture.ts';
import { sized } from './size.ts';

export interface SoundFile {
  readonly name: string;
  readonly path: string;
  readonly seconds: number;
}

interface Kind {
  readonly name: string;
  readonly ending: string;
  readonly encoder: string;
  readonly rate: number;
  readonly channels: number;
  readonly options?: Readonly<Record<string, string>>;
  readonly picture?: FilmPicture;
}

const speechFolder = join(import.meta.dirname, '../../shared/media/speech/librispeech/train-clean-100');
/** Seconds of each file. */
const length = sized(1800, 10);

/** A film of little picture, as talks are. */
const picture: FilmPicture = {
  width: 320,
  height: 180,
  frames: length * 5,
  frameRate: { num: 5, den: 1 },
  encoder: 'libx264',
  options: { preset: 'ultrafast', g: '50' },
  draw: (n, rgb) => rgb.fill(n & 0xff),
};

const kinds: readonly Kind[] = [
  { name: 'wav, 48 kHz stereo', ending: 'wav', encoder: 'pcm_s16le', rate: 48000, channels: 2 },
  { name: 'flac, 48 kHz stereo', ending: 'flac', encoder: 'flac', rate: 48000, channels: 2 },
  { name: 'flac, 16 kHz mono', ending: 'flac', encoder: 'flac', rate: 16000, channels: 1 },
  {
    name: 'aac in mp4 with a picture, 48 kHz stereo',
    ending: 'mp4',
    encoder: 'aac',
    rate: 48000,
    channels: 2,
    options: { b: '128k' },
    picture,
  },
  { name: 'mp3, 44.1 kHz stereo', ending: 'mp3', encoder: 'libmp3lame', rate: 44100, channels: 2 },
];

/** Null where the shared recordings are missing. */
export async function soundFiles(
  { decoder, pool }: { readonly decoder: Decoder; readonly pool: Bench['pool'] },
  say: (text: string) => void,
): Promise<SoundFile[] | null> {
  if (!existsSync(speechFolder)) return null;
  const folder = join(tmpdir(), `framehound-sound-1${sized('', '-quick')}`);
  mkdirSync(folder, { recursive: true });
  let speech: Float32Array | null = null;
  const files: SoundFile[] = [];
  for (const kind of kinds) {
    const path = join(folder, `${kind.name.replace(/[^A-Za-z0-9]+/g, '-')}.${kind.ending}`);
    if (!existsSync(path)) {
      say(`making ${length} s of ${kind.name}`);
      speech ??= await readSpeech(decoder, pool);
      await write(path, kind, speech);
    }
    files.push({ name: kind.name, path, seconds: length });
  }
  return files;
}

async function readSpeech(decoder: Decoder, pool: Bench['pool']): Promise<Float32Array> {
  const speech = new Float32Array(length * soundRate);
  let at = 0;
  for (const name of readdirSync(speechFolder).sort()) {
    if (!name.endsWith('.flac')) continue;
    const request = { path: join(speechFolder, name), channels: null };
    for await (const { count, samples } of decoder.feed('sound', request, { credit: 2 })) {
      const { buffer, byteOffset } = pool.view(samples);
      const room = Math.min(count, speech.length - at);
      speech.set(new Float32Array(buffer, byteOffset, room), at);
      at += room;
    }
    if (at === speech.length) return speech;
  }
  throw new Error(`${speechFolder}: less than ${length} s of speech`);
}

/**
 * Between two samples of 16 kHz lies a straight line; the second channel is a little later than the first.
 */
function write(path: string, kind: Kind, speech: Float32Array): Promise<void> {
  const { rate, channels, encoder, options, picture } = kind;
  const fill = (start: number, samples: Float32Array) => {
    for (let i = 0; i < samples.length; i++) {
      const channel = i % channels;
      const at = ((start + (i - channel) / channels) * soundRate) / rate - channel * 8;
      const before = Math.floor(at);
      const value = speech[before] ?? 0;
      samples[i] = value + ((speech[before + 1] ?? 0) - value) * (at - before);
    }
  };
  const sound = { sampleRate: rate, channels, seconds: length, encoder, fill, ...(options && { options }) };
  return writeFilm({ path, sound, ...(picture && { picture }) });
}

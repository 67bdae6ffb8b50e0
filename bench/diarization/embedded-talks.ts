// Talks embedded once, with ideal voice detection and with the one in use, and kept in a file, so that a setting is tried in
// seconds. The file is of the machine and of one version of Node: it is for trying, and can be deleted.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { rate, type Voice } from './compose.ts';
import { type EmbeddedSpeech, idealSpeech, type Pipeline } from './pipeline.ts';
import type { Turn } from './score.ts';
import { type Group, type Talk, talksOf } from './talks.ts';

/** A talk without its sound. */
export interface EmbeddedTalk {
  readonly group: string;
  readonly count: number;
  readonly seconds: number;
  readonly turns: readonly Turn[];
  readonly ideal: EmbeddedSpeech;
  readonly detected: EmbeddedSpeech;
}

export async function embeddedTalk(
  pipeline: Pick<Pipeline, 'detectSpeech' | 'embed'>,
  { samples, turns, group, count }: Talk,
): Promise<EmbeddedTalk> {
  const ideal = await pipeline.embed(samples, idealSpeech(turns));
  const detected = await pipeline.embed(samples, await pipeline.detectSpeech(samples));
  return { group, count, seconds: samples.length / rate, turns, ideal, detected };
}

export interface TalkSet {
  /** Names the set of voices. */
  readonly name: string;
  readonly voices: readonly Voice[];
  readonly groups: readonly Group[];
  readonly seed: number;
}

/** Raised when talks or their embedding change without the groups saying so. */
const version = 1;

/** `model`: the file that the pipeline embeds with. `fresh`: embeds them even where they are kept. */
export async function embeddedTalks(
  pipeline: Pipeline,
  model: string,
  { name, voices, groups, seed }: TalkSet,
  say: (text: string) => void,
  fresh = false,
): Promise<EmbeddedTalk[]> {
  const folder = join(tmpdir(), 'framehound-talks');
  const names = voices.map((voice) => voice.name);
  const key = createHash('sha256')
    .update(readFileSync(model))
    .update(JSON.stringify({ version, node: process.versions.v8, names, groups, seed }))
    .digest('hex')
    .slice(0, 24);
  const path = join(folder, `${name.replaceAll(' ', '-')}-${key}.bin`);
  if (!fresh && existsSync(path)) return deserialize(readFileSync(path)) as EmbeddedTalk[];
  const talks: EmbeddedTalk[] = [];
  for (const talk of talksOf(voices, groups, seed)) {
    talks.push(await embeddedTalk(pipeline, talk));
    if (talks.length % 10 === 0) say(`${name}: ${talks.length} talks embedded`);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${path}.part`, serialize(talks));
  renameSync(`${path}.part`, path);
  return talks;
}

// A summarizer in memory for tests, and films handed over to it as a caller does.
import type { TestContext } from 'node:test';
import { summarizerActor } from '../../../actors/summarizer/actor.ts';
import { summarizerContract } from '../../../actors/summarizer/contract.ts';
import type { OpenLanguageWriter } from '../../../actors/summarizer/language/contract.ts';
import type { LanguageEnv } from '../../../actors/summarizer/language/open.ts';
import type { SummaryInputs } from '../../../actors/summarizer/outline/summary-inputs.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { startInMemory } from '../../runtime/memory.ts';

export type Summarizer = Ref<typeof summarizerContract>;
type Contract = typeof summarizerContract;

const noWriter: OpenLanguageWriter = (key) =>
  Promise.reject(new Error(`no language model ${key} in this test`));

/** Stopped at the end of the test. */
export async function startSummarizer(t: TestContext, open: OpenLanguageWriter = noWriter) {
  return startWith(t, () => open, '/nowhere');
}

/** With what opens models of a folder. */
export async function startWith(
  t: TestContext,
  opener: (env: LanguageEnv) => OpenLanguageWriter,
  modelsDir: string,
) {
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const supervisor = createSupervisor({ clock: manualClock(), log });
  t.after(() => supervisor.stop());
  const settings = { modelsDir, device: 'cpu', threads: 1 };
  const definition = summarizerActor(opener);
  const start = () => startInMemory(definition, { settings, log });
  const summarizer = await supervisor.add({ name: 'summarizer', contract: summarizerContract, start });
  return { summarizer, lines };
}

export const objective = { preset: 'general_understanding', priority_hints: [], custom_instructions: null };

export function openingOf(material: SummaryInputs): Request<Contract, 'open_film'> {
  const { seconds, pictures } = material;
  return {
    seconds,
    duration_seconds: seconds,
    has_sound: true,
    kind: pictures ? 'video' : 'audio',
    language: 'en',
    objective,
    visual_model: pictures && { model_key: 'some-model', dimensions: pictures.dimensions },
    instructions: null,
    language_model: null,
  };
}

/** Opens a film and hands all over, in two pieces each. */
export async function handOver(
  summarizer: Summarizer,
  material: SummaryInputs,
  request: Partial<Request<Contract, 'open_film'>> = {},
): Promise<number> {
  const { film } = await summarizer.ask('open_film', { ...openingOf(material), ...request });
  const { pictures, segments, people } = material;
  if (pictures) {
    const middle = pictures.frames.length >> 1;
    for (const [from, to] of [
      [0, middle],
      [middle, pictures.frames.length],
    ] as const) {
      const frames = Int32Array.from(Array.from(pictures.frames).slice(from, to));
      const vectors = pictures.vectors.slice(from * pictures.dimensions, to * pictures.dimensions);
      const cuts = Int32Array.from(pictures.cuts.filter((cut) => frames.includes(cut)));
      await summarizer.ask('add_vectors', { film, frames, vectors, cuts });
    }
  }
  if (segments) {
    const middle = segments.length >> 1;
    await summarizer.ask('add_words', { film, segments: segments.slice(0, middle) });
    await summarizer.ask('add_words', { film, segments: segments.slice(middle) });
  }
  await summarizer.ask('add_people', {
    film,
    people: people.map(({ person, frames }) => ({
      person,
      is_named: !/^\d/.test(person),
      ranges: Array.from(frames, (frame): [number, number] => [frame, frame + 1]),
    })),
  });
  return film;
}

/** Outlines and writes all nodes. */
export async function writeAll(
  summarizer: Summarizer,
  film: number,
): Promise<Reply<Contract, 'outline'> & { written: Reply<Contract, 'write'>['nodes'] }> {
  const outline = await summarizer.ask('outline', { film });
  const written: Reply<Contract, 'write'>['nodes'] = [];
  for (let from = 0; from < outline.nodes.length; from += 100) {
    const nodes = outline.nodes.slice(from, from + 100).map(({ node_id }) => ({ node_id, pictures: [] }));
    written.push(...(await summarizer.ask('write', { film, nodes })).nodes);
  }
  return { ...outline, written };
}

// A client of a service that a test writes itself: it answers what it is given, and keeps what it was asked.

import assert from 'node:assert/strict';
import { ApiError } from '../../../http/client/error.ts';
import { type Desk, runTool, tools } from '../../../http/mcp/protocol.ts';
import type { Call, ToolClient } from '../../../http/mcp/tool.ts';
import { complaintOf } from '../../../runtime/checker.ts';

export type Answers = Partial<Record<keyof ToolClient, (input: never) => unknown>>;

export interface FakeDesk extends Desk {
  readonly asked: { readonly name: string; readonly input: Record<string, unknown> }[];
}

/** What a test does not say is a failure of the test. */
export function fakeDesk(answers: Answers, wait: Call['wait'] = async () => {}): FakeDesk {
  const asked: FakeDesk['asked'] = [];
  const client = new Proxy({ url: 'http://fake' } as unknown as ToolClient, {
    get: (target, name) => {
      if (typeof name !== 'string' || name === 'url') return Reflect.get(target, name);
      return async (input: Record<string, unknown>) => {
        asked.push({ name, input });
        const answer = answers[name as keyof ToolClient];
        if (!answer) throw new Error(`the test gives no answer for ${name}`);
        return answer(input as never);
      };
    },
  });
  return { client, cacheDir: '/analysis', url: 'http://fake', asked, wait };
}

export const none = new AbortController().signal;

export const HASH = '4d8f21a07c3e95b61a2b3c4d-5a3c1';
export const FILM = '/media/harbour.mp4';

/** The smallest thing that begins as a JPEG does, so many characters of base64 long. */
export function jpeg(characters: number): string {
  return `/9j/${'A'.repeat(Math.max(4, Math.floor(characters / 4) * 4) - 4)}`;
}

export const record = {
  media_path: FILM,
  hash_str: HASH,
  replaced: false,
  kind: 'video',
  size_bytes: 1000,
  duration_seconds: 60.5,
  visual: [{ model_key: 'starter-visual-3', frames: 61, stored: 1 }],
  transcript: { model_key: 'subtitles', language: 'en', segments: 12, speakers: 2, stored: 1 },
  faces: [],
  summaries: 0,
  preview_bytes: 10,
  unreadable: [],
};

export const page = { total: 1, offset: 0, limit: 2, media: [record] };

/** Knows one film, by its hash, its path and its name. */
export const library: Answers = {
  transcriptionsRange: ({ hash_str }: { hash_str: string }) => ({
    hash_str,
    media_path: hash_str === HASH ? FILM : null,
    start_seconds: 0,
    end_seconds: 1,
    transcript_status: 'available',
    segments: [],
    truncated: false,
    next_after_segment_index: null,
    truncated_segment_indices: [],
  }),
  listLibrary: ({ under }: { under?: string }) =>
    under === undefined || under === FILM ? page : { ...page, total: 0, media: [] },
  mediaSeen: () => ({ things_from: null, things: [], shots: [], lines_from: null, lines: [] }),
  loadAnalysisData: () => ({ media: 1, transcriptions: 0 }),
  loadTranscriptions: () => ({ transcriptions: 1 }),
};

/** The answer of a tool, and what it asked a service that has that library. */
export async function call(name: string, input: object, answers: Answers = {}) {
  const desk = fakeDesk({ ...library, ...answers });
  const tool = tools.find((one) => one.name === name)!;
  const progress: [number, string][] = [];
  const answer = await runTool(tool, input, desk, none, (...one) => void progress.push(one));
  const { output } = tool;
  if (answer.isError) assert.equal(answer.data, undefined);
  else assert.equal(complaintOf(output, answer.data), null, 'data as declared');
  return {
    progress,
    ...answer,
    asked: (operation: string) => desk.asked.filter((one) => one.name === operation),
  };
}

export const refusal = (status: number, error: string, message: string) =>
  new ApiError({ status, headers: new Headers() } as Response, { error, message });

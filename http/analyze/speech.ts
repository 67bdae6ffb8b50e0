// What the transcription jobs of a request mean: languages as codes, the values of the batch where a job has none of its own.
// Pure.
import { resolve } from 'node:path';
import type { SpeechJob } from '../../actors/analysis/contract.ts';
import { speechLanguages } from '../../actors/transcriber/contract.ts';
import type { AnalyzeBody } from './body.ts';
import type { Complaint } from './meaning.ts';

/** Languages nobody knows, and files that are asked for twice in different ways. */
export function speechComplaints(body: AnalyzeBody): Complaint[] {
  const found: Complaint[] = [];
  const first = new Map<string, { readonly at: number; readonly wish: string }>();
  const jobs = jobsOf(body);
  body.transcription_jobs.forEach(({ language, path }, i) => {
    const field = `transcription_jobs[${i}]`;
    if (speechLanguages.code(language) === null) {
      found.push({ field: `${field}.language`, what: `names no language that is known: ${language}` });
    }
    const wish = JSON.stringify(jobs[i]);
    const before = first.get(resolve(path));
    if (!before) first.set(resolve(path), { at: i, wish });
    else if (before.wish !== wish) {
      found.push({
        field: `${field}.path`,
        what: `is asked for otherwise in transcription_jobs[${before.at}]; a file has one transcript`,
      });
    }
  });
  return found;
}

/** The jobs in the form in which the engine takes them; only for a body without complaints. */
export function speechJobsOf(body: AnalyzeBody): SpeechJob[] {
  return jobsOf(body).map((job) => ({ ...job, language: job.language === 'auto' ? null : job.language }));
}

function jobsOf(body: AnalyzeBody): (Omit<SpeechJob, 'language'> & { readonly language: string })[] {
  return body.transcription_jobs.map((job) => {
    const count = job.speaker_count ?? body.speaker_count;
    return {
      // In the plain form in which every other route looks for it.
      path: resolve(job.path),
      language: speechLanguages.code(job.language) ?? job.language,
      channels: channelsOf(job.channels),
      detect_speakers: job.detect_speakers ?? body.detect_speakers,
      speaker_count: count === 'auto-detect' ? 'auto' : (count as SpeechJob['speaker_count']),
      preferred: job.preferred_x_model_key ?? body.preferred_x_model_key,
    };
  });
}

/** Each channel once, ascending; null for the downmix. */
function channelsOf(channels: readonly number[] | null): number[] | null {
  if (channels === null || channels.length === 0) return null;
  return [...new Set(channels)].sort((a, b) => a - b);
}

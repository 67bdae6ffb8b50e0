// An error as a tool answers it: what is wrong, in the names that the tool's arguments have, and what to do
// next.
import { storeErrors } from '../../actors/index/store/contract.ts';
import { engineErrors, toFields } from '../../runtime/errors.ts';
import { ApiError, clientErrors } from '../client/error.ts';
import { oneLine } from './text.ts';

export interface Place {
  /** Of the service. */
  readonly url: string;
  /** The analysis folder. */
  readonly cacheDir: string;
}

const LONGEST = 1_500;

/** One line. */
export function errorText(error: unknown, place: Place): string {
  return oneLine(told(error, place), LONGEST) || 'The service failed without a reason. Call again.';
}

function told(error: unknown, { url, cacheDir }: Place): string {
  if (clientErrors.NO_SERVICE.is(error)) {
    return `The service does not respond at ${url}: ${error.message}. It may be starting: call again in a few seconds. A person can start it with: framehound serve`;
  }
  if (engineErrors.CANCELLED.is(error)) return 'The call was cancelled.';
  if (!(error instanceof ApiError)) return plain(error);
  const { status, error: phrase, message } = error;
  const [, field] = /^Invalid (\S+)$/.exec(phrase) ?? [];
  // The phrase says nothing that the message does not.
  const isSaid = message === phrase || (field !== undefined && message.includes(field));
  const said = isSaid ? message : `${phrase}: ${message}`;
  if (status === 401) {
    return `${said}. The service needs a license key: a person must set FRAMEHOUND_LICENSE_KEY in the assistant's configuration, or its header "Authorization: Bearer KEY".`;
  }
  if (status === 403)
    return `${said}. A person must set another license key in the assistant's configuration.`;
  if (phrase === storeErrors.STORE_UNAVAILABLE.meaning) {
    return `Nothing is analysed in ${cacheDir} yet (${message}). Call analyze with the absolute paths of media files first.`;
  }
  if (status === 400) {
    const advice = field === undefined ? '' : ' Correct this argument and call again.';
    return `${inOurWords(said)}.${advice}${lists(said)}`;
  }
  if (error.retryable) return `${inOurWords(said)}. Call again in a few seconds.`;
  return `${inOurWords(said)}.${lists(said)}`;
}

function plain(error: unknown): string {
  const { code, message } = toFields(error);
  return code === 'INTERNAL'
    ? `Internal error: ${message}. Call again; if the error persists, tell a person.`
    : message;
}

/** Which tool has the names that would be right. */
function lists(said: string): string {
  if (/person_name|clustering/.test(said)) return ' who lists the people.';
  if (/facet_id/.test(said)) return ' list_library with facets true lists them.';
  if (/framehound models pull/.test(said))
    return ' A person must download it; until then, omit it from what.';
  return /\btask\b/.test(said) ? ' task without id lists the tasks.' : '';
}

/** Fields of requests, and the arguments of tools they come from. */
const names: Readonly<Record<string, string>> = {
  'metadata_filter_request\\.filters': 'filters',
  facet_id: 'facet',
  media_paths: 'media',
  media_path: 'media',
  people_filter_mode: 'people_mode',
  people_filter: 'people',
  metadata_filter_request: 'filters',
  segments_to_frame_indices: 'from and to',
  visual_media_paths: 'paths',
  thing_media_paths: 'paths',
  text_media_paths: 'paths',
  transcription_jobs: 'paths',
  face_clustering_jobs: 'paths',
  summary_requests: 'paths',
  query: 'text',
  cluster_job_name: 'clustering',
  under: 'folder',
  source_start_seconds: 'in',
  source_end_seconds: 'out',
};

const fields = new RegExp(`\\b(?:${Object.keys(names).join('|')})\\b`, 'g');

/** Without a full stop. */
export function inOurWords(text: string): string {
  const named = text.replace(fields, (name) => names[name.replaceAll('.', '\\.')] ?? name);
  return named.replaceAll('.person_name', '').replace(/[.\s]+$/, '');
}

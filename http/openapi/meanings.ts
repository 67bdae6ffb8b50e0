// What fields mean that do not say it where they are declared: names that mean the same wherever they stand. A name with an
// owner before it, `speech.segments`, stands for the field of that object only. Pure.
import type { Json, Schema } from './schema.ts';

const meanings: Readonly<Record<string, string>> = {
  cache_dir: 'Analysis folder, absolute.',
  media_path: 'Absolute path of the file.',
  media_paths: 'Absolute paths of the files.',
  video_path: 'Absolute path of the file, also of a still.',
  hash_str: 'Content hash of the file; null when it could not be read.',
  path: 'Absolute path of the file.',
  message: 'The same in a sentence, with details.',
  task_id: 'Id of the task, and name of its events.',
  cluster_job_name: 'Name of the job that grouped the faces.',
  cluster_id: 'A group of faces that belong to one person.',
  person_name: 'Name given to a group of faces.',
  face_clustering_jobs: 'Clusterings of faces: the people in some media, under one name.',
  face_media_paths: 'Absolute paths of the files in which faces are looked for.',
  face_min_samples: 'Fewest faces that make a group.',
  visual_media_paths: 'Films and stills of which every second is analysed.',
  transcription_jobs: 'Files to transcribe.',
  summary_requests:
    'Files to summarise, each once by a name. They need a visual analysis, stored or asked for with them.',
  summary_objective: 'What the summary is for.',
  preset: 'The use it is made for.',
  priority_hints: 'What to look out for.',
  replace_existing: 'Whether a summary of the same name is made anew.',
  collection_id: 'An existing collection.',
  detect_speakers: 'Whether to detect speakers; a job that leaves it out does as the request says.',
  // Downloads, proxies, lists and moments.
  pull_models: 'Keys of the models to download.',
  pull: 'Of a model that was downloaded; null in other results.',
  proxy: 'Of a proxy that was made; null in other results.',
  size_bytes: 'Bytes of the file; null where they are not known.',
  sha256: 'SHA-256 of the file, hexadecimal.',
  scenes: 'In the order of time.',
  'counts.seen': 'Moments that pictures were found for.',
  'counts.said': 'Moments that words were found for.',
  'counts.person': 'Moments that show a person whom the query names.',
  'counts.written': 'Moments that show a line of text with the words.',
  list: 'The list as it is stored now.',
  list_id: 'Id of the list.',
  // Answers about tasks.
  source: '`watch_folder`: it analyses files of a watch folder.',
  tasks: 'Newest first.',
  state:
    '`interrupted`: the engine ended while the task ran, which can be resumed; `stopping`: asked to stop, and not stopped yet.',
  created: 'When the task was asked for, Unix seconds.',
  started: 'When its latest run began, Unix seconds.',
  ended: 'When its latest run ended, Unix seconds; null while it runs.',
  counts:
    'Work on files by how it ended; a file with two types of work counts twice. Jobs are counted apart.',
  'counts.files': 'All work on files.',
  files: 'Files of the request; one with two types of work counts twice.',
  'counts.jobs': 'Jobs of faces, each clustered when its files have ended, or clips of an export.',
  jobs_done: 'Jobs that have ended, whichever way.',
  jobs_failed: 'Jobs that failed.',
  jobs_cancelled: 'Jobs that were not finished.',
  closing: 'True for a job: `path` is its name, and no file.',
  done: 'Those that have ended, whichever way.',
  analyzed: 'Analysed in this task.',
  stored: 'Analysed before.',
  no_picture: 'Files without any picture, where pictures were asked for.',
  no_frames: 'Files without any picture, where faces were asked for.',
  nothing_to_read: 'Files without any picture, where words were to be read.',
  no_visible_things: 'Files without any picture, where things were asked for.',
  nothing_to_summarize: 'Files with neither pictures nor words, where summaries were asked for.',
  no_sound: 'Files without sound, where speech was asked for.',
  failed: 'Files that could not be analysed.',
  cancelled: 'Files that were not finished.',
  progress: 'Percentage of the work that is done.',
  frames: 'Seconds of picture that are analysed.',
  grid_frames: 'Seconds of picture there are; it grows while files are still being surveyed.',
  missing_frames: 'Seconds whose picture cannot be decoded.',
  face_frames: 'Seconds of picture in which faces were looked for.',
  face_grid_frames: 'Seconds of picture there are; it grows while files are still being surveyed.',
  text_frames: 'Seconds of picture in which words were looked for.',
  text_grid_frames: 'Seconds of picture there are; it grows while files are still being surveyed.',
  lines: 'Lines of text that can be found.',
  thing_frames: 'Seconds of picture in which things were looked for.',
  thing_grid_frames: 'Seconds of picture there are; it grows while files are still being surveyed.',
  things: 'What was found, for work on a file of type `things`; null otherwise.',
  faces: 'What was found, for work on a file of type `faces`; null otherwise.',
  clip: 'The clip that was cut, for work of type `clips`; null otherwise.',
  clustering:
    'How the faces of a job became people, for its closing step, whose `path` is the name of the job.',
  'clustering.clusters': 'Clusters the faces make.',
  heard_seconds: 'Seconds of sound that are listened to.',
  summarized_seconds: 'Seconds of media that are summarised.',
  summary_seconds: 'Seconds of media to summarise; it grows while files are still being surveyed.',
  sound_seconds: 'Seconds of sound there are; it grows while files are still being surveyed.',
  elapsed_seconds: 'Since the latest run began.',
  estimated_remaining_seconds: 'Null while it cannot be known, and when nothing runs.',
  request: 'What was asked for.',
  decode: 'How films are decoded: the picture of every second, or the nearest keyframe.',
  force: 'Whether what is stored is made anew.',
  types: 'Kinds of work that were asked for.',
  total_results: 'Results there are, on all pages.',
  offset: 'Results that were left out before this page.',
  limit: 'Results that this page holds at most.',
  results: 'How the work on each file ended, in that order; each file once for each type of work.',
  type: '`video`: pictures; `speech`: transcription.',
  outcome: 'How the work on the file ended; `stored`: it was analysed before.',
  'results.speech': 'Result of the transcription in this run; null for other work.',
  'speech.segments': 'Segments of the transcript.',
  'speech.speakers': 'People who speak; null when that was not asked for.',
  'speech.model_key':
    'The speech model; `subtitles` for a transcript made of them, null when none is in use.',
  language: 'BCP 47; null when nothing was said.',
  speech_seconds: 'Seconds in which somebody speaks; null for subtitles.',
  duration_seconds: 'Length of the file; 0 for stills and where it is not known.',
  code: 'Stable code of the error.',
  error: 'Short phrase that says what is wrong; null when nothing is.',
  still_stopping: 'True: ask again, or wait for the last event of the task.',
  // Watch folders.
  watch_folder: 'The watch folder as it is now.',
  watch_folders: 'All of them.',
  service_status: 'How the service that watches them stands.',
  'failures.error': 'Why it could not be analysed.',
  time: 'When, in Unix seconds.',
  // Models.
  visual: 'The visual model.',
  speech: 'The speech recognition model; there is one only while a task transcribes.',
  model_key: 'Key of the model; null when there is none.',
  is_loading: 'Whether a model is being loaded.',
  requested_model_key: 'The model that was asked for last.',
  load_status: '`unavailable`: none was asked for.',
  fallback_from: 'The model that was asked for, when the default one took its place; otherwise null.',
  device: 'What the model runs on: `cpu`, `cuda`, `webgpu`, `dml`, `coreml`; null when there is none.',
  device_reason: 'Why no better device is used; null where none was refused.',
  supported_models: 'Keys of the models this machine can run.',
  downloaded_models: 'Those of them that are downloaded.',
  loaded_model: 'The model in use; null while one loads and when none could be loaded.',
  size_gb: 'Size of the download, GB.',
  compatible_os: 'Systems it runs on.',
  is_multilingual: 'Whether it understands other languages than English.',
  license: 'License of the model.',
  current_system: 'The system of this machine.',
  // Media.
  media_properties: 'By path, as it was sent.',
  video_cached: 'Whether the visual analysis is stored.',
  audio_cached: 'Whether a transcript is stored.',
  runtime: 'Duration, `HH:MM:SS`; null for stills.',
  fps: 'Frames per second; 0 for stills and sound, null where the file does not say.',
  timecode: 'Start timecode, `HH:MM:SS:FF`.',
  drop_frame: 'Whether the timecode leaves out numbers (29.97 and 59.94 fps).',
  timecode_rate: 'Frames per second that the timecode counts by.',
  kind: '`video`, `audio` or `image`.',
  width: 'As shown, px; 0 for sound.',
  height: 'As shown, px; 0 for sound.',
  unreadable: 'Files that cannot be read; an object says why.',
  visual_cache_path: 'Folder of the visual analysis; null when there is none.',
  audio_cache_path: 'Folder of the transcript; null when there is none.',
  requests: 'The moments whose pictures are wanted.',
  thumbnails: 'One for each request, in order.',
  thumbnail: 'JPEG in base64; null where there is no picture.',
  scene_thumbnails: 'Pairs of a JPEG in base64 and its time, `HH:MM:SS`; null for sound and stills.',
  // Filters and facets.
  scope: 'Which media the filters apply to; left out, what the other fields of the request say.',
  filters: 'All of them have to hold.',
  facet_id: 'Id of a facet of /metadata/facets.',
  values: 'At least one; a comparison takes exactly one.',
  operator: 'How values are compared; the description of /metadata/facets has the rules.',
  facets: 'What the media can be filtered by.',
  id: 'Stable; goes into a filter as `facet_id`.',
  label: 'For people; it may change.',
  group: 'Heading it belongs under.',
  'facets.path': 'Headings above it, outermost first.',
  'facets.kind': 'What its values are: one of some, several, numbers or dates.',
  options: 'Values there are to choose from.',
  value: 'Stable; goes into a filter as one of `values`.',
  count: 'Media that are left with this option chosen.',
  meta: 'More about the option, for people.',
  min: 'Smallest value there is.',
  max: 'Largest value there is.',
  coverage: 'How many of the media are known well enough to be filtered.',
  scope_count: 'Files in the scope.',
  indexed_count: 'Those of them with metadata.',
  missing_count: 'Those of them without metadata.',
  active_filter_count: 'Filters in the request.',
  warning: 'Something to show to the user.',
  success: 'True in every answer that is no error.',
  // Searches.
  query: 'Words to look for.',
  exclude: 'What resembles these words ranks lower; nothing is left out.',
  max_results: 'Matches to answer, at most.',
  matches: 'By path and time.',
  frame_idx: 'Second of the film, counted from 0, as text.',
  timestamp: 'The same, as `HH:MM:SS`.',
  image: 'JPEG in base64; empty when the preview is lost.',
  scene_start_timestamp: 'First second of the scene around the match, `HH:MM:SS`.',
  scene_end_timestamp: 'Last second of the scene around the match, `HH:MM:SS`.',
  other_paths: 'Other files with the same content, where there are some; at most 32.',
  original_index: 'Place in the ranking before matches were grouped by video, from 0.',
  total: 'Segments that match, also those beyond `max_results`.',
  total_is_exact: 'False: there are at least so many.',
  toast_warning: 'Something to show to the user.',
  // Transcripts.
  transcriptions: 'By path: segments as `[start_seconds, text, end_seconds, media_path]`.',
  transcription_data: 'By path, of files of which it is known who speaks.',
  segments: 'In order of time.',
  speakers: 'Ids of those who speak.',
  'transcription_data.speakers': 'By id: `SPEAKER_00`.',
  segment_indices: 'Segments of this speaker, counted from 0.',
  display_name: 'Name given to the speaker; left out when none was.',
  start_seconds: 'Where it begins, seconds from the start of the file.',
  end_seconds: 'Where it ends, seconds from the start of the file; not included.',
  start_timestamp: 'Where it begins, `HH:MM:SS`.',
  end_timestamp: 'Where it ends, `HH:MM:SS`.',
  text: 'What is said.',
  speaker: 'Id of the speaker in this transcript; empty when speakers were not detected.',
  speaker_name: 'Display name of the speaker; empty when none was given.',
  media_type: '`audio` or `video`; left out when it is not known.',
  segment_index: 'Number of the segment in its transcript, from 0.',
  after_segment_index: 'Answers what follows this segment; null or left out: from the first one on.',
  max_segments: 'Segments in one answer, at most.',
  transcript_status: '`empty`: there is a transcript, and nothing is said in it.',
  text_truncated: 'There when the text was too long for one answer and is cut.',
  original_character_count: 'Characters of the whole text.',
  truncated: 'True: there is more in the range.',
  next_after_segment_index: 'For the next page, as `after_segment_index`; null on the last one.',
  truncated_segment_indices: 'Segments whose text is cut.',
  assignments: 'Names of speakers.',
  updated: 'Speakers that were asked for.',
  changes: 'Names that were asked for, by id; empty where the name was taken away.',
  speaker_names: 'All names there are now, by id.',
  // Documents.
  format: 'Kind of document.',
  filename: 'Name of the file, safe on every system.',
  mime_type: 'Media type of the document.',
  content_base64: 'The document, when no folder was given.',
  output_path: 'Where the document lies, when a folder was given.',
  sequence_name: 'Name of the sequence in the editing program.',
  item_count: 'Items that were placed.',
  total_duration_seconds:
    'Latest end of an item after rounding to frames; gaps and overlapping tracks are in it.',
  xml: 'The sequence as XMEML v4, when no `output_path` was given.',
  row_count: 'Segments that were submitted; rows of silence are not counted.',
  // Health, this document, and events.
  status: '`ok`.',
  ready: 'Whether the service can do all of its work.',
  reason: 'What keeps it from that, in words.',
  'unassigned.reason': 'Why the name found no group of faces.',
  openapi: '`3.0.3`.',
  info: 'Title and version of the interface.',
  paths: 'Operations by address.',
  'sample_face_naming.assignments': 'Names that found their group of faces.',
  unassigned: 'Names that found none.',
  name: 'As it was given.',
  similarity: 'Of the sample to the group of faces, 1 at most.',
  runner_up: 'Similarity to the next best group; null when there is none.',
  description: 'About the collection, for people.',
  'ended_files.outcome': 'How the work on it ended; `stored`: it was analysed before.',
};

const choices = ['anyOf', 'allOf', 'oneOf'] as const;

/** The same schema, in which every field has a meaning. `owner`: the field or shape that it stands in. */
export function explained(schema: Schema, owner: string): Schema {
  const out: Record<string, Json> = { ...schema };
  const inside = (value: Json | undefined) => explained(value as Schema, owner);
  if (isSchema(out['items'])) out['items'] = inside(out['items']);
  if (isSchema(out['additionalProperties']))
    out['additionalProperties'] = inside(out['additionalProperties']);
  for (const key of choices) if (Array.isArray(out[key])) out[key] = (out[key] as Json[]).map(inside);
  if (!isSchema(out['properties'])) return out;
  const fields = Object.entries(out['properties']).map(([name, field]) => {
    return [name, meant(explained(field as Schema, name), owner, name)] as const;
  });
  return { ...out, properties: Object.fromEntries(fields) };
}

function meant(field: Schema, owner: string, name: string): Schema {
  const meaning = meaningOf(owner, name);
  if (meaning === undefined || field['description'] !== undefined) return field;
  // Siblings of `$ref` are ignored in 3.0.
  return field['$ref'] === undefined
    ? { description: meaning, ...field }
    : { description: meaning, allOf: [field] };
}

export function meaningOf(owner: string, name: string): string | undefined {
  const key = [`${owner}.${name}`, name].find((one) => Object.hasOwn(meanings, one));
  return key === undefined ? undefined : meanings[key];
}

function isSchema(value: Json | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

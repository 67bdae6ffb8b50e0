// What fields mean that do not say it where they are declared: names that mean the same wherever they stand.
// A name with an owner before it, `speech.segments`, stands for the field of that object only.
import type { Json, Schema } from './schema.ts';

const meanings: Readonly<Record<string, string>> = {
  cache_dir: 'Absolute path of the analysis folder.',
  media_path: 'Absolute path of the file.',
  media_paths: 'Absolute paths of the files.',
  video_path: 'Absolute path of the film or still.',
  hash_str: 'Content hash of the file; null when it could not be read.',
  path: 'Absolute path of the file.',
  message: 'A full sentence with the details.',
  task_id: 'Id of the task. It is also the name of the room of its events.',
  cluster_job_name: 'Name of the face clustering.',
  cluster_id: 'Id of a cluster: faces that belong to one person.',
  person_name: 'Name given to a cluster of faces.',
  face_clustering_jobs:
    'Face clusterings to make or extend. Each groups the faces in some media into people, under one name.',
  face_media_paths: 'Absolute paths of the files to search for faces.',
  face_min_samples: 'Smallest number of faces that make a cluster.',
  visual_media_paths: 'Films and stills to analyse, one picture for every second.',
  transcription_jobs: 'Files to transcribe.',
  summary_requests:
    'Files to summarise, once for each path and name. They need a visual analysis, either stored or requested in `visual_media_paths`.',
  summary_objective: 'What the summary is for.',
  preset: 'The use that the summary is made for.',
  priority_hints: 'What the summary should pay attention to.',
  replace_existing: 'Whether to replace an existing summary with the same name.',
  collection_id: 'An existing collection.',
  detect_speakers: 'Whether to detect speakers. A job without this field uses the value of the request.',
  // Downloads, proxies, lists and moments.
  pull_models: 'Keys of the models to download.',
  pull: 'The downloaded model; null in other results.',
  proxy: 'The proxy that was made; null in other results.',
  size_bytes: 'Size of the file in bytes; null if unknown.',
  sha256: 'SHA-256 of the file in hexadecimal.',
  scenes: 'The scenes in order of time.',
  'counts.seen': 'Number of moments found by their pictures.',
  'counts.said': 'Number of moments found by what is said.',
  'counts.person': 'Number of moments that show a person named in the query.',
  'counts.written': 'Number of moments that show a line of text with the words of the query.',
  list: 'The list as it is now stored.',
  list_id: 'Id of the list.',
  // Answers about tasks.
  source: 'Where the task came from: a request, or a watch folder.',
  tasks: 'The tasks, newest first.',
  state:
    'State of the task. `interrupted`: the engine ended while the task was running; the task can be resumed. `stopping`: the task was asked to stop but has not stopped yet.',
  created: 'When the task was requested, as a Unix time in seconds.',
  started: 'When the latest run started, as a Unix time in seconds.',
  ended: 'When the latest run ended, as a Unix time in seconds; null while it runs.',
  counts:
    'Number of files by outcome. A file with two types of work counts twice. Jobs are counted separately.',
  'counts.files': 'Total number of files. A file with two types of work counts twice.',
  files: 'Number of files in the request. A file with two types of work counts twice.',
  'counts.jobs':
    'Number of jobs, such as face clusterings, clips of an export, or downloads. A face clustering runs after its files have ended.',
  jobs_done: 'Number of jobs that have ended, whatever their outcome.',
  jobs_failed: 'Number of jobs that failed.',
  jobs_cancelled: 'Number of jobs that were cancelled before they finished.',
  closing: 'True for a job. `path` is then the name of the job, not a file.',
  done: 'Number of files that have ended, whatever their outcome.',
  analyzed: 'Number of files analysed by this task.',
  stored: 'Number of files that had already been analysed.',
  no_picture: 'Number of files without pictures for which a visual analysis was requested.',
  no_frames: 'Number of files without pictures for which faces were requested.',
  nothing_to_read: 'Number of files without pictures for which text recognition was requested.',
  no_visible_things: 'Number of files without pictures for which things were requested.',
  nothing_to_summarize: 'Number of files without pictures and words for which summaries were requested.',
  no_sound: 'Number of files without sound for which a transcription was requested.',
  failed: 'Number of files that could not be analysed.',
  cancelled: 'Number of files that were cancelled before they finished.',
  progress: 'Progress of the task as a percentage.',
  frames: 'Number of frames analysed, one for each second.',
  grid_frames: 'Total number of frames, one for each second. It grows while files are still being surveyed.',
  missing_frames: 'Number of frames that could not be decoded.',
  frames_reused:
    'Number of frames that took over the vector of the frame before, because their picture is the same byte for byte. ' +
    'Counted from where the analysis was last resumed; omitted if 0.',
  face_frames: 'Number of frames searched for faces, one for each second.',
  face_grid_frames:
    'Total number of frames, one for each second. It grows while files are still being surveyed.',
  text_frames: 'Number of frames searched for text, one for each second.',
  text_grid_frames:
    'Total number of frames, one for each second. It grows while files are still being surveyed.',
  lines: 'Number of lines of text that searches can find.',
  thing_frames: 'Number of frames searched for things, one for each second.',
  thing_grid_frames:
    'Total number of frames, one for each second. It grows while files are still being surveyed.',
  things: 'What was found in the file, for work of type `things`; otherwise null.',
  faces: 'What was found in the file, for work of type `faces`; otherwise null.',
  clip: 'The exported clip, for work of type `clips`; otherwise null.',
  clustering: 'Result of a face clustering. In such a result, `path` is the name of the job.',
  'clustering.clusters': 'Number of clusters.',
  heard_seconds: 'Seconds of sound that have been transcribed.',
  summarized_seconds: 'Seconds of media that have been summarised.',
  summary_seconds: 'Total seconds of media to summarise. It grows while files are still being surveyed.',
  sound_seconds: 'Total seconds of sound. It grows while files are still being surveyed.',
  elapsed_seconds: 'Seconds since the latest run started.',
  estimated_remaining_seconds:
    'Estimated number of seconds until the task ends; null while there is no estimate and when the task is not running.',
  request: 'The request of the task.',
  decode: 'How films are decoded: the exact picture of every second, or the nearest keyframe.',
  force: 'Whether to redo work whose results are already stored.',
  types: 'The types of work that were requested.',
  total_results: 'Total number of results on all pages.',
  offset: 'Number of results before this page.',
  limit: 'Maximum number of results on this page.',
  results:
    'The results, in the order in which the work ended. Each file has one result for each type of work.',
  type: 'Type of the work. `video`: visual analysis; `speech`: transcription.',
  outcome: 'How the work on the file ended. `stored`: it had already been analysed.',
  'results.speech': 'Result of the transcription in this run; null for other work.',
  'speech.segments': 'Number of segments in the transcript.',
  'speech.speakers': 'Number of speakers; null if speakers were not requested.',
  'speech.model_key':
    'Key of the speech model; `subtitles` for a transcript made from subtitles; null when no model is in use.',
  language: 'Language as a BCP 47 code; null if nothing is said.',
  speech_seconds: 'Seconds of speech; null for subtitles.',
  duration_seconds: 'Duration of the file in seconds; 0 for stills and if unknown.',
  code: 'Code of the error. Codes do not change between versions.',
  error: 'A short phrase that says what went wrong; null if there is no error.',
  still_stopping:
    'True while the task is still stopping. Repeat the request, or wait for the last event of the task.',
  // Watch folders.
  watch_folder: 'The watch folder as it is now stored.',
  watch_folders: 'All watch folders.',
  service_status: 'Status of the watch-folder service.',
  'failures.error': 'Why the file could not be analysed.',
  time: 'When the file failed, as a Unix time in seconds.',
  // Models.
  visual: 'The visual model.',
  speech: 'The speech recognition model. It is loaded only while a task transcribes.',
  model_key: 'Key of the model; null if there is none.',
  is_loading: 'Whether a model is being loaded.',
  requested_model_key: 'The model that was last requested.',
  load_status: 'State of loading. `unavailable`: no model was requested.',
  fallback_from:
    'The requested model, if it could not be loaded and the default model is used instead; otherwise null.',
  device:
    'Device that the model runs on, such as `cpu`, `cuda`, `webgpu`, `dml` or `coreml`; null if no model is loaded.',
  device_reason: 'Why a better device is not used; null if there is no better device.',
  supported_models: 'Keys of the models this machine can run.',
  downloaded_models: 'The supported models that are downloaded.',
  loaded_model: 'The model in use; null while a model is loading and if none could be loaded.',
  size_gb: 'Size of the download in GB.',
  compatible_os: 'Operating systems that the model runs on.',
  is_multilingual: 'Whether the model understands languages other than English.',
  license: 'License of the model.',
  current_system: 'Operating system of this machine.',
  // Media.
  media_properties: 'Properties of each readable file. The keys are the paths as they were sent.',
  video_cached: 'Whether the visual analysis is stored.',
  audio_cached: 'Whether a transcript is stored.',
  runtime: 'Duration as `HH:MM:SS`; null for stills.',
  fps: 'Frames per second; 0 for stills and sound; null if the file does not say.',
  timecode: 'Start timecode as `HH:MM:SS:FF`.',
  drop_frame: 'Whether the timecode is drop-frame (possible at 29.97 and 59.94 fps).',
  timecode_rate: 'Frame rate of the timecode, in frames per second.',
  kind: 'Kind of the media: `video`, `audio` or `image`.',
  width: 'Width of the displayed picture in pixels; 0 for sound.',
  height: 'Height of the displayed picture in pixels; 0 for sound.',
  unreadable: 'Files that cannot be read, with the reason for each.',
  visual_cache_path: 'Folder of the visual analysis; null if there is none.',
  audio_cache_path: 'Folder of the transcript; null if there is none.',
  requests: 'The moments to get pictures of.',
  thumbnails: 'One entry for each request, in order.',
  thumbnail: 'The picture as a base64 JPEG; null if there is none.',
  scene_thumbnails: 'Pairs of a base64 JPEG and its time as `HH:MM:SS`; null for sound and stills.',
  // Filters and facets.
  scope:
    'The media that the filters apply to. If omitted, the scope follows from the other fields of the request.',
  filters: 'Filters. Media must pass all of them.',
  facet_id: 'Id of a facet, as returned by /metadata/facets.',
  values: 'One or more values. Comparisons take exactly one value.',
  operator: 'How values are compared. See the description of /metadata/facets.',
  facets: 'The facets that media can be filtered by.',
  id: 'Stable id, for use as the `facet_id` of a filter.',
  label: 'Text for display. It may change between versions.',
  group: 'Heading under which the facet belongs.',
  'facets.path': 'Headings above the facet, outermost first.',
  'facets.kind': 'Kind of the values: one choice, several choices, numbers or dates.',
  options: 'The values to choose from.',
  value: 'Stable value, for use as one of the `values` of a filter.',
  count: 'Number of media that remain if this option is chosen.',
  meta: 'Additional information about the option, for display.',
  min: 'Smallest value.',
  max: 'Largest value.',
  coverage: 'How many of the media have metadata to filter by.',
  scope_count: 'Number of files in the scope.',
  indexed_count: 'Number of files in the scope with metadata.',
  missing_count: 'Number of files in the scope without metadata.',
  active_filter_count: 'Number of filters in the request.',
  warning: 'A warning to show to the user.',
  success: 'True in every response that is not an error.',
  // Searches.
  query: 'Words to search for.',
  exclude: 'Matches that resemble these words rank lower. Nothing is filtered out.',
  max_results: 'Maximum number of matches.',
  matches: 'Matches, ordered by path and time.',
  frame_idx: 'Second of the film, counted from 0, as a string.',
  timestamp: 'The same time as `HH:MM:SS`.',
  image: 'Preview as a base64 JPEG; empty if the preview is missing.',
  scene_start_timestamp: 'First second of the scene that contains the match, as `HH:MM:SS`.',
  scene_end_timestamp: 'Last second of the scene that contains the match, as `HH:MM:SS`.',
  other_paths: 'Other files with the same content, if there are any; at most 32.',
  original_index: 'Position in the ranking before matches were grouped by video, counted from 0.',
  total: 'Number of matching segments, including those beyond `max_results`.',
  total_is_exact: 'False if there may be more matches than `total`.',
  toast_warning: 'A warning to show to the user.',
  // Transcripts.
  transcriptions: 'Segments by path, each as `[start_seconds, text, end_seconds, media_path]`.',
  transcription_data: 'Speaker data by path, for files whose speakers are known.',
  segments: 'Segments in order of time.',
  speakers: 'Ids of the speakers.',
  'transcription_data.speakers': 'Speakers by id, such as `SPEAKER_00`.',
  segment_indices: 'Indices of the segments of this speaker, counted from 0.',
  display_name: 'Name given to the speaker; omitted if there is none.',
  start_seconds: 'Start in seconds from the beginning of the file.',
  end_seconds: 'End (exclusive) in seconds from the beginning of the file.',
  start_timestamp: 'Start as `HH:MM:SS`.',
  end_timestamp: 'End as `HH:MM:SS`.',
  text: 'What is said.',
  speaker: 'Id of the speaker in this transcript; empty if speakers were not detected.',
  speaker_name: 'Display name of the speaker; empty if there is none.',
  media_type: 'Media type: `audio` or `video`; omitted if unknown.',
  segment_index: 'Index of the segment in its transcript, counted from 0.',
  after_segment_index:
    'Return the segments after this one. If null or omitted, the page begins with the first segment.',
  max_segments: 'Maximum number of segments in the response.',
  transcript_status: 'Status of the transcript. `empty`: a transcript exists but contains no segments.',
  text_truncated: 'True if the text was too long for one response and was cut.',
  original_character_count: 'Number of characters in the whole text.',
  truncated: 'Whether the range contains more segments.',
  next_after_segment_index: 'The `after_segment_index` of the next page; null on the last page.',
  truncated_segment_indices: 'Indices of the segments whose text was cut.',
  assignments: 'Names of speakers.',
  updated: 'Number of speakers in the request.',
  changes: 'The requested names by id; empty if the name was removed.',
  speaker_names: 'All names that are now stored, by id.',
  // Documents.
  format: 'Kind of document.',
  filename: 'File name that is safe on every operating system.',
  mime_type: 'Media type of the document.',
  content_base64: 'The document in base64, if no folder was given.',
  output_path: 'Path of the document, if a folder was given.',
  sequence_name: 'Name of the sequence in the editing program.',
  item_count: 'Number of items in the sequence.',
  total_duration_seconds:
    'Latest end of an item after rounding to frames, including gaps and overlapping tracks.',
  xml: 'The sequence as XMEML v4, if no `output_path` was given.',
  row_count: 'Number of submitted segments. Inserted rows of silence are not counted.',
  // Health, this document, and events.
  status: 'Always `ok`.',
  ready: 'Whether the service is fully operational.',
  reason: 'Why the service is not fully operational.',
  'unassigned.reason': 'Why the name was not assigned to a cluster.',
  openapi: '`3.0.3`.',
  info: 'Title and version of the API.',
  paths: 'Operations by path.',
  'sample_face_naming.assignments': 'Names that were assigned to a cluster.',
  unassigned: 'Names that were not assigned.',
  name: 'The name as it was given.',
  similarity: 'Similarity of the sample to the cluster; at most 1.',
  runner_up: 'Similarity to the second-best cluster; null if there is none.',
  description: 'Description of the collection, for display.',
  'ended_files.outcome': 'How the work on the file ended. `stored`: it had already been analysed.',
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

// The records of the store. The same lists stand in records.fbs, where the keys and units are explained.
import { type RowOf, table } from './table.ts';

export const Format = table('FHFM', { version: 'uint', written_by: 'string' });
export const Lease = table('FHLS', {
  pid: 'double',
  started: 'string',
  host: 'string',
  token: 'string',
  renewed_ms: 'double',
});
export const Media = table('FHMD', {
  path: 'string',
  hash_str: 'string',
  size_bytes: 'double',
  mtime_ms: 'double',
  inode: 'string',
  probe_json: 'string',
  content_digest: 'string',
  volume: 'string',
});
export const ChangeHead = table('FHCH', { count: 'double' });
export const Change = table('FHCG', { count: 'double', path: 'string', hash_str: 'string' });
export const Model = table('FHMO', {
  model_key: 'string',
  dimensions: 'uint',
  generation: 'uint',
  next_generation: 'uint',
  rows: 'double',
  live: 'double',
  made_ms: 'double',
});
export const Visual = table('FHVI', {
  hash_str: 'string',
  dimensions: 'uint',
  generation: 'uint',
  revision: 'uint',
  frame_runs: 'uints',
  scene_starts: 'uints',
  extents: 'extents',
  stored_ms: 'double',
});
export const Previews = table('FHPV', {
  hash_str: 'string',
  revision: 'uint',
  file: 'string',
  size_bytes: 'double',
  count: 'uint',
  frame: 'uint',
  jpeg: 'ubytes',
});
export const Transcript = table('FHTR', {
  hash_str: 'string',
  mark_json: 'string',
  starts_ms: 'uint32s',
  ends_ms: 'uint32s',
  text_ends: 'uint32s',
  text: 'ubytes',
  speakers: 'uint32s',
  speakers_json: 'string',
  stored_ms: 'double',
});
export const SpeakerNames = table('FHSN', { hash_str: 'string', names_json: 'string' });
export const Voices = table('FHVO', {
  hash_str: 'string',
  model: 'string',
  dimensions: 'uint',
  voices_json: 'string',
  vectors: 'ubytes',
});
export const Written = table('FHWR', {
  hash_str: 'string',
  model_key: 'string',
  lines_json: 'string',
  stored_ms: 'double',
  from_previews: 'uint',
});
export const Things = table('FHTH', {
  hash_str: 'string',
  model_key: 'string',
  tracks_json: 'string',
  stored_ms: 'double',
  from_previews: 'uint',
});
export const VoicePerson = table('FHVP', { hashes_json: 'string', apart_json: 'string' });
export const VoiceUndo = table('FHVU', { undo_json: 'string' });
export const FaceModel = table('FHFO', {
  model_key: 'string',
  dimensions: 'uint',
  generation: 'uint',
  next_generation: 'uint',
  rows: 'double',
  live: 'double',
  crops_end: 'double',
  crops_live: 'double',
  erases: 'uint',
});
export const Faces = table('FHFA', {
  hash_str: 'string',
  dimensions: 'uint',
  revision: 'uint',
  count: 'uint',
  stored_ms: 'double',
  from_previews: 'uint',
});
export const FaceFacts = table('FHFF', {
  ids: 'ubytes',
  frames: 'uint32s',
  numbers: 'ubytes',
  weak: 'ubytes',
});
export const FacePlaces = table('FHFP', { generation: 'uint', rows: 'uint32s', crops: 'ubytes' });
export const Clustering = table('FHCL', {
  name: 'string',
  format: 'uint',
  revision: 'uint',
  file: 'string',
});
export const ClusteringState = table('FHCS', { state_json: 'string' });

export const Summary = table('FHSU', {
  hash_str: 'string',
  analysis_id: 'string',
  name: 'string',
  model_key: 'string',
  collection_id: 'string',
  one_line: 'string',
  token: 'string',
  nodes: 'double',
  bytes: 'double',
  stored_ms: 'double',
});
export const SummaryDetail = table('FHSD', {
  root_id: 'string',
  short_summary: 'string',
  objective_json: 'string',
  quality_json: 'string',
});
export const SummaryNode = table('FHNO', {
  node_id: 'string',
  parent_id: 'string',
  level: 'uint',
  text: 'string',
  start: 'uint',
  end: 'uint',
  children_json: 'string',
  hints_json: 'string',
  failed: 'uint',
});
export const SummaryEvidence = table('FHEV', { evidence_json: 'string' });
export const SummaryId = table('FHSI', { id: 'string' });
export const SummaryMember = table('FHSB', { hash_str: 'string', analysis_id: 'string', name: 'string' });
export const SummaryCollection = table('FHSC', { name: 'string', description: 'string', made_ms: 'double' });
export const OpenSummary = table('FHSO', {
  hash_str: 'string',
  name: 'string',
  settings: 'string',
  token: 'string',
  touched_ms: 'double',
  nodes: 'double',
  roots: 'double',
  listed: 'double',
  named: 'double',
  bytes: 'double',
});

export type Format = RowOf<typeof Format>;
export type Lease = RowOf<typeof Lease>;
export type Media = RowOf<typeof Media>;
export type ChangeHead = RowOf<typeof ChangeHead>;
export type Change = RowOf<typeof Change>;
export type Model = RowOf<typeof Model>;
export type Visual = RowOf<typeof Visual>;
export type Previews = RowOf<typeof Previews>;
export type Transcript = RowOf<typeof Transcript>;
export type SpeakerNames = RowOf<typeof SpeakerNames>;
export type Voices = RowOf<typeof Voices>;
export type Written = RowOf<typeof Written>;
export type Things = RowOf<typeof Things>;
export type VoicePerson = RowOf<typeof VoicePerson>;
export type FaceModel = RowOf<typeof FaceModel>;
export type Faces = RowOf<typeof Faces>;
export type FaceFacts = RowOf<typeof FaceFacts>;
export type FacePlaces = RowOf<typeof FacePlaces>;
export type Clustering = RowOf<typeof Clustering>;
export type ClusteringState = RowOf<typeof ClusteringState>;
export type Summary = RowOf<typeof Summary>;
export type SummaryDetail = RowOf<typeof SummaryDetail>;
export type SummaryNode = RowOf<typeof SummaryNode>;
export type SummaryEvidence = RowOf<typeof SummaryEvidence>;
export type SummaryId = RowOf<typeof SummaryId>;
export type SummaryMember = RowOf<typeof SummaryMember>;
export type SummaryCollection = RowOf<typeof SummaryCollection>;
export type OpenSummary = RowOf<typeof OpenSummary>;

/** The version this program writes. A folder with a higher one is left alone. */
export const formatVersion = 1;

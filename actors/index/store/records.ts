// The records of an analysis folder, each stored in LMDB as one FlatBuffer followed by the CRC32 of its key
// and its bytes. docs/format.md describes them for other programs.

import { storeErrors } from './contract.ts';
import type { Environment, Transaction } from './environment.ts';
import { formatKey } from './names.ts';
import { type RowOf, seal, table, unseal } from './table.ts';

// key: "format"
export const FormatRow = table('FHFM', { version: 'uint', written_by: 'string' });
// key: "writer". renewed_ms: milliseconds since 1970, 0 in the records of earlier versions
export const LeaseRow = table('FHLS', {
  pid: 'double',
  started: 'string',
  host: 'string',
  token: 'string',
  renewed_ms: 'double',
});
// key: "replica", in a folder that follows the library of a cluster. library: its id; seq: the last change
// of its log that the folder has; at_ms: when that was made, milliseconds since 1970, 0 for none
export const ReplicaRow = table('FHRE', { library: 'string', seq: 'double', at_ms: 'double' });
// keys: "path/" sha256 of the path, and "media/" hash_str for the path remembered last. volume: where the
// volume of the file is mounted, empty in the records of earlier versions. content_digest: what
// actors/decoder/probe/hash.ts says of a content that was compared with another of the same hash; else
// empty. root_folder: where the root of the path was when size, time and inode were read; empty where it had
// not moved. ctime_ms: 0 in the records of earlier versions
export const MediaRow = table('FHMD', {
  path: 'string',
  hash_str: 'string',
  size_bytes: 'double',
  mtime_ms: 'double',
  inode: 'string',
  probe_json: 'string',
  content_digest: 'string',
  volume: 'string',
  root_folder: 'string',
  ctime_ms: 'double',
});
// key: "root/" name of a root. prefix: what the stored paths below it begin with (path-map.ts)
export const RootRow = table('FHRT', { name: 'string', prefix: 'string' });
// key: "changes": how many times a record of media changed; the `changesKey` of a kind: the same of its
// results
export const ChangeHeadRow = table('FHCH', { count: 'double' });
// key: "change/" count modulo 1024, four digits: the last changes
export const ChangeRow = table('FHCG', { count: 'double', path: 'string', hash_str: 'string' });
// key: "model/" encoded key. dimensions: of the vectors that it makes now; rows: how many of these are
// stored; made_ms: when its first stage was stored, milliseconds since 1970
export const ModelUseRow = table('FHMO', {
  model_key: 'string',
  dimensions: 'uint',
  rows: 'double',
  made_ms: 'double',
});
// key: "visual/" encoded key "/" hash_str. frame_runs: pairs of first frame and count; scene_starts:
// positions among the frames, the first one 0; file: the place of the bundle with the rows of its vectors,
// empty where they are in rows8 and rows16; crc: of the 8-bit rows; stored_ms: milliseconds since 1970, 0
// where nobody knows; from_previews: 1 where stored previews stood in for the file; edge_seconds and
// edge_frames: the exact edges (actors/index/visual/shots.ts) of which scene_starts were made, where
// has_edges is 1; edges_end: where the last shot ends, seconds
export const PictureVectorsRow = table('FHVI', {
  hash_str: 'string',
  dimensions: 'uint',
  revision: 'uint',
  frame_runs: 'uints',
  scene_starts: 'uints',
  file: 'string',
  size_bytes: 'double',
  crc: 'uint',
  rows8: 'ubytes',
  rows16: 'ubytes',
  stored_ms: 'double',
  from_previews: 'uint',
  has_edges: 'uint',
  edge_seconds: 'doubles',
  edge_frames: 'uints',
  edges_end: 'double',
});
// key: "previews/" hash_str. Either the place of a bundle, or one picture inside the record
export const PreviewsRow = table('FHPV', {
  hash_str: 'string',
  revision: 'uint',
  file: 'string',
  size_bytes: 'double',
  count: 'uint',
  frame: 'uint',
  jpeg: 'ubytes',
});
// key: "transcript/" hash_str. One entry a segment, ascending by start: times in milliseconds, where its text
// ends in `text` (UTF-8), and who speaks: 0 for nobody known, else the position in speakers_json (a list of
// ids, in the order in which they first speak) plus 1; stored_ms as above
export const TranscriptRow = table('FHTR', {
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
// key: "speakers/" hash_str: display names by speaker id, apart from the transcript so that they outlive it
export const SpeakerNamesRow = table('FHSN', { hash_str: 'string', names_json: 'string' });
// key: "voices/" hash_str: how the speakers of the transcript sound, a vector of 32 bits each, by one model
// and version of it. voices_json: id of the speaker (empty for one who is not in the transcript now), person
// (empty: nobody said anything), seconds (actors/index/voices/follow.ts)
export const VoicesRow = table('FHVO', {
  hash_str: 'string',
  model: 'string',
  dimensions: 'uint',
  voices_json: 'string',
  vectors: 'ubytes',
});
// key: "voice-person/" random id: the media in which a person has voices, and the people who are somebody
// else
export const VoicePersonRow = table('FHVP', { hashes_json: 'string', apart_json: 'string' });
// key: "voice-undo": what was before the last thing that people said of voices
// (actors/index/store/voices/voice-records.ts)
export const VoiceUndoRow = table('FHVU', { undo_json: 'string' });
// key: "face-model/" encoded key. dimensions: of the vectors that these models make now
export const FaceModelRow = table('FHFO', { model_key: 'string', dimensions: 'uint' });
// key: "face-roll/" encoded key "/" name of the roll. faces: all that were stored in it; live: those that
// still belong to media; erased: 1 where the others have to leave the disk; end: behind the last of them.
// Beside it, "face-in/" encoded key "/" name "/" hash_str: a content that has faces in it
export const FaceRollRow = table('FHFR', {
  faces: 'double',
  live: 'double',
  erased: 'uint',
  end: 'double',
});
// key: "faces/" encoded key "/" hash_str: that these models looked, and how many faces there are. revision:
// another one whenever the faces are others; from_previews: 1 when they looked at stored previews, since the
// file was gone
export const FacesRow = table('FHFA', {
  hash_str: 'string',
  dimensions: 'uint',
  revision: 'uint',
  count: 'uint',
  stored_ms: 'double',
  from_previews: 'uint',
});
// key: "face-facts/" encoded key "/" hash_str. One entry a face, ascending by frame: 16 bytes of its id, its
// grid frame, 19 numbers of 32 bits (actors/index/people/face-columns.ts), 1 where it is weak and 2
// where it is unreliable
export const FaceFactsRow = table('FHFF', {
  ids: 'ubytes',
  frames: 'uint32s',
  numbers: 'ubytes',
  weak: 'ubytes',
});
// key: "face-places/" encoded key "/" hash_str. file: the place of the roll, empty without faces; one entry
// of 32 bytes a face, of where its vector and pictures lie (actors/index/store/people/face-rolls.ts)
export const FacePlacesRow = table('FHFP', { file: 'string', places: 'ubytes' });
// key: "people/" encoded name of a clustering. file: its columns in people/; revision: another one whenever
// anything of it is stored
export const ClusteringRow = table('FHCL', {
  name: 'string',
  format: 'uint',
  revision: 'uint',
  file: 'string',
});
// key: "people-state/" encoded name: everything else of it (actors/index/people/clustering-state.ts)
export const ClusteringStateRow = table('FHCS', { state_json: 'string' });

// key: "summary/" hash_str "/" analysis_id, which ascends with time: what a list says of a summary, and
// nothing more, so that long lists read little. token: of its tree; collection_id: empty for one that stands
// alone; bytes: of its records
export const FilmSummaryRow = table('FHSU', {
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
// key: "summary-detail/" hash_str "/" analysis_id. Lists nobody computes with are JSON
// (actors/index/summaries/contract.ts)
export const SummaryDetailRow = table('FHSD', {
  root_id: 'string',
  short_summary: 'string',
  objective_json: 'string',
  quality_json: 'string',
});
// key: "summary-node/" hash_str "/" token "/" node_id: one record a node, so that one is read without the
// others. parent_id: empty for the root; start, end: half-open, on the grid; failed: 1 when its text is not
// what was asked for
export const SummaryNodeRow = table('FHNO', {
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
// key: "summary-evidence/" hash_str "/" token "/" node_id, of leaves: read only when it is asked for
export const SummaryEvidenceRow = table('FHEV', { evidence_json: 'string' });
// key: "summary-name/" hash_str "/" checksum of the folded name: which summary of the content has it; the
// same at "summary-collection-name/" for collections, and at "summary-garbage/" hash_str "/" token for
// orphaned trees, which are swept
export const SummaryIdRow = table('FHSI', { id: 'string' });
// key: "summary-member/" collection_id "/" hash_str "/" analysis_id
export const SummaryMemberRow = table('FHSB', { hash_str: 'string', analysis_id: 'string', name: 'string' });
// key: "summary-collection/" collection_id
export const SummaryCollectionRow = table('FHSC', {
  name: 'string',
  description: 'string',
  made_ms: 'double',
});
// key: "summary-open/" hash_str "/" checksum of the folded name: a summary that is being written, or was
// interrupted. settings: everything that changes the result; nodes to named:
// actors/index/store/summaries/rows.ts
export const OpenSummaryRow = table('FHOS', {
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

export type FormatRow = RowOf<typeof FormatRow>;
export type LeaseRow = RowOf<typeof LeaseRow>;
export type MediaRow = RowOf<typeof MediaRow>;
export type ReplicaRow = RowOf<typeof ReplicaRow>;
export type RootRow = RowOf<typeof RootRow>;
export type ChangeHeadRow = RowOf<typeof ChangeHeadRow>;
export type ChangeRow = RowOf<typeof ChangeRow>;
export type ModelUseRow = RowOf<typeof ModelUseRow>;
export type PictureVectorsRow = RowOf<typeof PictureVectorsRow>;
export type PreviewsRow = RowOf<typeof PreviewsRow>;
export type TranscriptRow = RowOf<typeof TranscriptRow>;
export type SpeakerNamesRow = RowOf<typeof SpeakerNamesRow>;
export type VoicesRow = RowOf<typeof VoicesRow>;
export type VoicePersonRow = RowOf<typeof VoicePersonRow>;
export type FaceModelRow = RowOf<typeof FaceModelRow>;
export type FaceRollRow = RowOf<typeof FaceRollRow>;
export type FacesRow = RowOf<typeof FacesRow>;
export type FaceFactsRow = RowOf<typeof FaceFactsRow>;
export type FacePlacesRow = RowOf<typeof FacePlacesRow>;
export type ClusteringRow = RowOf<typeof ClusteringRow>;
export type ClusteringStateRow = RowOf<typeof ClusteringStateRow>;
export type FilmSummaryRow = RowOf<typeof FilmSummaryRow>;
export type SummaryDetailRow = RowOf<typeof SummaryDetailRow>;
export type SummaryNodeRow = RowOf<typeof SummaryNodeRow>;
export type SummaryEvidenceRow = RowOf<typeof SummaryEvidenceRow>;
export type SummaryIdRow = RowOf<typeof SummaryIdRow>;
export type SummaryMemberRow = RowOf<typeof SummaryMemberRow>;
export type SummaryCollectionRow = RowOf<typeof SummaryCollectionRow>;
export type OpenSummaryRow = RowOf<typeof OpenSummaryRow>;

/** The version this program writes. A folder with a higher one is left alone. */
export const formatVersion = 2;

// The version of the format an analysis folder is written in.

/**
 * The environment itself. Throws STORE_TOO_NEW or STORE_TOO_OLD when another version wrote it, and closes it
 * then.
 */
export function checkFormat(environment: Environment, folder: string): Environment {
  const bytes = environment.get(formatKey);
  if (bytes === undefined) return environment;
  try {
    const { version } = unseal(FormatRow, formatKey, bytes, environment.file);
    if (version > formatVersion) {
      throw storeErrors.STORE_TOO_NEW(
        `${folder} has format ${version}, but this program supports ${formatVersion}`,
        { folder, version },
      );
    }
    if (version < formatVersion) {
      throw storeErrors.STORE_TOO_OLD(
        `${folder} has the older format ${version}, which this program cannot read. Move the folder away, or choose another one with --cache-dir, and run framehound analyze on its media again`,
        { folder, version },
      );
    }
    return environment;
  } catch (error) {
    void environment.close();
    throw error;
  }
}

export function putFormat(writes: Transaction): void {
  if (writes.get(formatKey) !== undefined) return;
  const format = { version: formatVersion, written_by: 'framehound' };
  writes.put(formatKey, seal(FormatRow, formatKey, format));
}

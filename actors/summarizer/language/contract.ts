// Requests to a language model and its answers: the only interface between it and the rest of the summarizer.
import type { SummaryEvidence, SummaryObjective, VerificationHint } from '../../index/summaries/contract.ts';
import type { RunsOn } from '../../models/device.ts';

/** All that the text of a node may be made of. */
export interface NodeMaterial {
  readonly node_id: string;
  /** Half-open, in grid seconds. */
  readonly range: readonly [start: number, end: number];
  readonly is_leaf: boolean;
  /** Facts about the range; for a node above the leaves, those of its chosen leaves. */
  readonly evidence: SummaryEvidence;
  /** JPEG of frames of the evidence. None above the leaves. */
  readonly pictures: readonly { readonly frame_idx: number; readonly jpeg: Uint8Array }[];
  /** Texts of the children, in the order of time; none for a leaf. */
  readonly children: readonly {
    readonly node_id: string;
    readonly range: readonly [start: number, end: number];
    readonly text: string;
  }[];
  /** From templates: what is kept when the model makes nothing usable. */
  readonly template_text: string;
  readonly objective: SummaryObjective;
  /** Spoken language, BCP 47; `und` when it is unknown. */
  readonly language: string;
}

export interface GeneratedText {
  readonly text: string;
  /** Claims of the model that the evidence does not hold are taken out of the text and told here. */
  readonly verification_hints: readonly VerificationHint[];
  /** The model made nothing usable: `text` is that of the template. */
  readonly failed: boolean;
  /** Why it failed, and what could not be used, for people. */
  readonly warnings: readonly string[];
}

interface WholeText {
  readonly one_line_summary: string;
  readonly short_summary: string;
}

/** A model that is loaded. One call at a time. */
export interface LanguageWriter {
  readonly model_key: string;
  readonly runsOn: RunsOn;
  /** Frames of a leaf that it looks at, at most. */
  readonly mostPictures: number;
  /**
   * Rejects only when it is cancelled or cannot run at all. Ends within a token of an abort. `alive` is
   * called before every run of a graph: a sign of life for whoever waits.
   */
  node(material: NodeMaterial, signal: AbortSignal, alive?: () => void): Promise<GeneratedText>;
  /** `root`: its text, as it was written, is `template_text`. Null when the model makes nothing usable. */
  whole(root: NodeMaterial, signal: AbortSignal, alive?: () => void): Promise<WholeText | null>;
  /** Frees its memory. Does not throw. */
  close(): Promise<void>;
}

/**
 * Throws MODEL_UNKNOWN, MODEL_UNSUPPORTED, MODEL_NOT_DOWNLOADED, MODEL_WRONG_KIND, MODEL_LOAD_FAILED,
 * CANCELLED.
 */
export type OpenLanguageWriter = (model_key: string, signal: AbortSignal) => Promise<LanguageWriter>;

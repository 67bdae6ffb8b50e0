// Spans of interrupted work: what a stage has done of a long file, kept until the whole result is stored.
// Nothing of it is a result: it is neither searched nor listed, and only the same work on the same content
// takes it up.
import { type Static, Type } from 'typebox';
import { ask, Bytes } from '../../../runtime/contract.ts';
import { Folder } from '../store/contract.ts';

export const SpanKey = Type.Object({
  /** The name of the stage in the journal. */
  stage: Type.String({ minLength: 1 }),
  hash_str: Type.String(),
  model_key: Type.String(),
  path: Type.String(),
  /** Everything else that changes the result, as one text: what was kept under another one is dropped. */
  settings: Type.String(),
  task_id: Type.String(),
  /** Only what this very task kept is taken up. */
  own: Type.Boolean(),
});
export type SpanKey = Static<typeof SpanKey>;

export const KeptSpan = Type.Object({
  /** How much was done at its end, in the unit of the stage. */
  position: Type.Number({ minimum: 0 }),
  bytes: Bytes,
});
export type KeptSpan = Static<typeof KeptSpan>;

export const spanMessages = {
  /** The spans that can be taken up, in order; what was kept for other work on the same is dropped. */
  kept_spans: ask(Type.Object({ ...Folder, span: SpanKey }), Type.Object({ spans: Type.Array(KeptSpan) })),
  /** Adds a span. *Flushed* when answered. */
  keep_span: ask(Type.Object({ ...Folder, span: SpanKey, ...KeptSpan.properties }), Type.Object({})),
  /** The result is stored. */
  forget_spans: ask(Type.Object({ ...Folder, span: SpanKey }), Type.Object({})),
};

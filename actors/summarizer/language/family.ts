// What the writer needs of a family of language models: it opens a row of the registry, and then answers a
// chat about pictures.
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';
import type { SummaryRow } from '../../models/contract.ts';
import type { RunsOn } from '../../models/device.ts';
import type { SessionOpener } from '../../models/graph.ts';
import type { Picture } from './picture.ts';

export interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant';
  /** Ordinary text: what looks like a token of the chat is taken as its letters. */
  readonly text: string;
}

/** A picture in the size in which the model looks at it. */
export interface SeenPicture {
  readonly picture: Picture;
  /** Tokens it takes in a prompt, without the marks around it. */
  readonly tokens: number;
}

export interface Chat {
  readonly turns: readonly ChatTurn[];
  /** They stand at the start of the first turn of the user. */
  readonly pictures: readonly SeenPicture[];
}

export interface Answer {
  readonly text: string;
  /** False when it was stopped at the limit of tokens. */
  readonly ended: boolean;
}

export interface LanguageModel {
  /** Where most of the work runs. */
  readonly runsOn: RunsOn;
  /** Rejects for a JPEG that cannot be decoded. */
  look(jpeg: Uint8Array): Promise<SeenPicture>;
  /** Tokens of a chat, with its pictures and what asks for an answer. */
  countTokens(chat: Chat): number;
  /**
   * The likeliest answer, always the same for the same chat; at most `limit` tokens. `checkpoint` is awaited
   * before every run of a graph, so between two tokens; what it throws ends the call and leaves the model
   * usable. Throws MODEL_RUN_FAILED.
   */
  answer(chat: Chat, limit: number, checkpoint: Checkpoint): Promise<Answer>;
  /** Frees its memory. Called once, when nothing runs. */
  close(): Promise<void>;
}

export interface Family {
  /**
   * `file`: path of the file with that role. A graph that does not declare what the family feeds, or answers
   * something else, is MODEL_LOAD_FAILED with the name of its file; what was opened is released then, and
   * when `checkpoint` throws.
   */
  open(
    row: SummaryRow,
    file: (role: string) => string,
    session: SessionOpener,
    checkpoint: Checkpoint,
  ): Promise<LanguageModel>;
}

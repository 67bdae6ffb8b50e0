// A tokenizer whose tokens are single bytes, and marks that are one token each, as byte-level vocabularies
// have them.

/** Number of the first mark; those below are bytes. */
export const firstMark = 256;

/** The bytes of a text as the tokenizer numbers them, marks as one token. */
export function byteIds(text: string, marks: readonly string[]): number[] {
  const escaped = marks.map((mark) => mark.replaceAll(/[|<>]/g, '\\$&'));
  return text
    .split(new RegExp(`(${escaped.join('|')})`))
    .flatMap((part) => (marks.includes(part) ? [firstMark + marks.indexOf(part)] : [...Buffer.from(part)]));
}

/** Letters that stand for bytes in byte-level vocabularies. */
function byteLetters(): string[] {
  const plain = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(plain(byte) ? byte : next++));
}

/** `ordinary`: marks that are not skipped when a text is read. */
export function byteTokenizer(marks: readonly string[], ordinary: readonly string[] = []): object {
  return {
    added_tokens: marks.map((content, at) => ({
      id: firstMark + at,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: !ordinary.includes(content),
    })),
    normalizer: { type: 'NFC' },
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    post_processor: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: 'BPE',
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(byteLetters().map((letter, byte) => [letter, byte])),
      merges: [],
    },
  };
}

// A tokenizer.json of Whisper's kind with hardly any words: every byte is a token, three marks with a space
// before them are one, then the special tokens in their order. The times are left out, as in older files.

export const tokenizerLanguages = ['en', 'de', 'zh', 'jw'] as const;

/** GPT-2's letters for the 256 bytes: printable ones are themselves, the rest follow from 256 on. */
function letters(): string[] {
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
}

/** `words`: tokens of text in all, at least 259; those without a meaning are there to fill up. */
export function bytesTokenizer(words = 259): object {
  const vocab: Record<string, number> = {};
  for (const letter of letters()) vocab[letter] = Object.keys(vocab).length;
  for (const piece of ['Ġ-', "Ġ'", 'Ġâ']) vocab[piece] = Object.keys(vocab).length;
  for (let at = 259; at < words; at += 1) vocab[`Ġw${at.toString(36)}`] = at;
  const specials = [
    'endoftext',
    'startoftranscript',
    ...tokenizerLanguages,
    'translate',
    'transcribe',
    'startoflm',
    'startofprev',
    'nospeech',
    'notimestamps',
  ];
  return {
    added_tokens: specials.map((name, at) => ({
      id: words + at,
      content: `<|${name}|>`,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', unk_token: null, vocab, merges: ['Ġ -', "Ġ '", 'Ġ â'] },
  };
}

// Subtitles of any age: what they are written in is found out, with and without a language in the name of the
// file.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { decodeText } from '../../../../../actors/transcriber/text/subtitles/sidecar.ts';
import { encode } from './encoder.ts';

const spoken: { language: string; encodings: string[]; said: string[] }[] = [
  {
    language: 'fr',
    encodings: ['windows-1252'],
    said: ['Où étiez-vous hier soir ? Je ne sais pas.', 'Ça va très bien, merci. Tu as déjà mangé ?'],
  },
  {
    language: 'de',
    encodings: ['windows-1252'],
    said: ['Können Sie mich hören? Ja, natürlich.', 'Über die Straße gehen wir später.'],
  },
  {
    language: 'es',
    encodings: ['windows-1252'],
    said: ['¿Qué pasó ayer? No lo sé, señor.', 'El niño está aquí. ¡Adiós! Mañana más.'],
  },
  {
    language: 'pl',
    encodings: ['windows-1250'],
    said: ['Cześć, jak się masz? Dziękuję, świetnie.', 'Żółta łódź płynie. Proszę usiąść, będziemy mówić.'],
  },
  {
    language: 'cs',
    encodings: ['windows-1250'],
    said: ['Příliš žluťoučký kůň úpěl ďábelské ódy.', 'Dobrý den, jak se máte? Děkuji, dobře.'],
  },
  {
    language: 'ru',
    encodings: ['windows-1251', 'koi8-r'],
    said: ['Здравствуйте, как у вас дела? Спасибо, хорошо.', 'Я не знаю, может быть дома.'],
  },
  {
    language: 'el',
    encodings: ['windows-1253'],
    said: ['Καλημέρα, τι κάνετε; Ευχαριστώ, καλά.', 'Πού ήσασταν χθες το βράδυ; Δεν ξέρω.'],
  },
  {
    language: 'he',
    encodings: ['windows-1255'],
    said: ['שלום, מה שלומך? תודה, אני בסדר.', 'איפה היית אתמול בערב? אני לא יודע.'],
  },
  {
    language: 'ar',
    encodings: ['windows-1256'],
    said: ['مرحبا، كيف حالك؟ شكرا، أنا بخير.', 'أين كنت مساء أمس؟ لا أعرف.'],
  },
  {
    language: 'ja',
    encodings: ['shift_jis', 'euc-jp'],
    said: ['こんにちは、お元気ですか。', '昨日の夜はどこにいましたか。分かりません、カメラを見て。'],
  },
  {
    language: 'zh-CN',
    encodings: ['gb18030'],
    said: ['你好，你怎么样？谢谢，我很好。', '我不知道，可能在家里。请看这个镜头，我们一起去。'],
  },
  {
    language: 'zh-TW',
    encodings: ['big5'],
    said: ['你好，你怎麼樣？謝謝，我很好。', '我不知道，可能在家裡。請看這個鏡頭，我們一起去。'],
  },
  {
    language: 'ko',
    encodings: ['euc-kr'],
    said: ['안녕하세요, 어떻게 지내세요? 감사합니다.', '모르겠어요, 아마 집에 있었어요.'],
  },
];
/** These the bytes alone do not tell apart from others. */
const onlyByName: typeof spoken = [
  { language: 'th', encodings: ['windows-874'], said: ['สวัสดีครับ คุณเป็นอย่างไรบ้าง', 'ขอบคุณครับ ผมสบายดี'] },
  {
    language: 'tr',
    encodings: ['windows-1254'],
    said: ['Merhaba, nasılsınız? Teşekkür ederim.', 'Dün akşam neredeydiniz?'],
  },
  {
    language: 'lt',
    encodings: ['windows-1257'],
    said: ['Labas, kaip sekasi? Ačiū, gerai.', 'Nežinau, gal namuose, šiandien.'],
  },
];

const file = (said: readonly string[]) =>
  said.map((line, i) => `${i + 1}\r\n00:00:0${i},000 --> 00:00:0${i + 1},500\r\n${line}\r\n`).join('\r\n');

for (const { language, encodings, said } of spoken) {
  for (const encoding of encodings) {
    test(`${language} in ${encoding} is read, whether or not the name tells the language`, () => {
      const text = file(said);
      const bytes = encode(text, encoding);
      assert.equal(decodeText(bytes, null).text, text);
      assert.equal(decodeText(bytes, language).text, text);
    });
  }
}
for (const { language, encodings, said } of onlyByName) {
  test(`${language} in ${encodings[0]} is read when the name tells the language`, () => {
    const text = file(said);
    assert.deepEqual(decodeText(encode(text, encodings[0]!), language), { text, encoding: encodings[0] });
  });
}

test('a language in the name does not make other bytes into it', () => {
  const text = file(spoken[0]!.said);
  for (const language of ['ja', 'ko', 'zh', 'ru', 'th', 'he']) {
    assert.equal(decodeText(encode(text, 'windows-1252'), language).text, text, language);
  }
});

test('one accent in a short file is Latin', () => {
  for (const word of ['café', 'naïve', 'über', 'São', 'señor', 'A–B', '“Yes”', 'l’été']) {
    const text = `1\n00:00:01,000 --> 00:00:02,000\n${word} one\n`;
    assert.deepEqual(decodeText(encode(text, 'windows-1252'), null), { text, encoding: 'windows-1252' });
  }
});

const marks: [string, number[], (text: string) => Uint8Array][] = [
  ['utf-8', [0xef, 0xbb, 0xbf], (text) => Buffer.from(text)],
  ['utf-16le', [0xff, 0xfe], (text) => Buffer.from(text, 'utf16le')],
  ['utf-16be', [0xfe, 0xff], (text) => Buffer.from(text, 'utf16le').swap16()],
  ['utf-32le', [0xff, 0xfe, 0, 0], (text) => wide(text, true)],
  ['utf-32be', [0, 0, 0xfe, 0xff], (text) => wide(text, false)],
];
function wide(text: string, little: boolean): Uint8Array {
  const signs = [...text];
  const view = new DataView(new ArrayBuffer(4 * signs.length));
  signs.forEach((sign, i) => {
    view.setUint32(4 * i, sign.codePointAt(0)!, little);
  });
  return new Uint8Array(view.buffer);
}

for (const [encoding, mark, write] of marks) {
  test(`${encoding} with its mark, whatever the text and the language of the name`, () => {
    const signs = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.startsWith('\ufeff'));
    fc.assert(
      fc.property(signs, fc.constantFrom(null, 'ja', 'fr'), (text, language) => {
        fc.pre(!text.startsWith('\0'));
        const bytes = Buffer.concat([Buffer.from(mark), write(text)]);
        assert.deepEqual(decodeText(bytes, language), { text, encoding });
      }),
      { numRuns: 50 },
    );
  });
}

test('UTF-16 without a mark is known by the zeros of counters and times', () => {
  for (const { said, language } of spoken) {
    const bytes = Buffer.from(file(said), 'utf16le');
    assert.equal(decodeText(bytes, null).text, file(said), language);
    assert.equal(decodeText(Buffer.from(bytes).swap16(), null).encoding, 'utf-16be', language);
  }
});

test('UTF-8 without a mark is UTF-8, also with a byte broken here and there', () => {
  for (const { said } of spoken) {
    const bytes = Buffer.from(file(said));
    assert.equal(decodeText(bytes, null).encoding, 'utf-8');
  }
  const long = Buffer.from(file(Array.from({ length: 9 }, () => spoken[5]!.said[0]!)));
  const broken = decodeText(Buffer.concat([long, Buffer.from([0xd0])]), null);
  assert.equal(broken.encoding, 'utf-8');
  assert.ok(broken.text.startsWith(long.toString()));
});

test('escapes of seven-bit Japanese are read', () => {
  // ESC $ B, two characters, ESC ( B.
  const bytes = Buffer.concat([Buffer.from('\u001b$B$3$s\u001b(B ok')]);
  assert.deepEqual(decodeText(bytes, null), { text: 'こん ok', encoding: 'iso-2022-jp' });
});

test('any bytes are some text', () => {
  const language = fc.constantFrom(null, 'ja', 'zh', 'ru', 'sr-Latn', 'xx');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), language, (bytes, hint) => {
      const { text, encoding } = decodeText(bytes, hint);
      assert.ok(text.length <= bytes.length);
      assert.ok(encoding !== '');
    }),
  );
});

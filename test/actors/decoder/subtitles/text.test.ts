import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { packetText } from '../../../../actors/decoder/subtitles/subtitles.ts';

describe('the text of a packet', () => {
  const timed = (text: Buffer) => Buffer.concat([Buffer.of(text.length >> 8, text.length & 255), text]);
  const box = (name: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + body.length);
    head.write(name, 4);
    return Buffer.concat([head, body]);
  };

  test('of timed text ends before its styling and may be UTF-16', () => {
    const styled = Buffer.concat([timed(Buffer.from('né')), box('styl', Buffer.of(0, 0))]);
    assert.equal(packetText('mov_text', styled), 'né');
    const wide = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('né', 'utf16le')]);
    assert.equal(packetText('mov_text', timed(wide)), 'né');
    assert.equal(packetText('mov_text', timed(Buffer.of(0xfe, 0xff, 0, 0x6e, 0, 0xe9))), 'né');
    assert.equal(packetText('mov_text', Buffer.of(0)), '');
    assert.equal(packetText('mov_text', Buffer.of(0, 0)), '');
  });

  test('of WebVTT in boxes is that of all its cues', () => {
    const cue = (text: string) =>
      box('vttc', box('sttg', Buffer.from('line:0')), box('payl', Buffer.from(text)));
    assert.equal(packetText('webvtt', Buffer.concat([cue('one'), cue('two')])), 'one\ntwo');
    assert.equal(packetText('webvtt', box('vtte')), '');
    assert.equal(packetText('webvtt', Buffer.from('vttc is a word')), 'vttc is a word');
    assert.equal(packetText('webvtt', cue('cut off').subarray(0, 20)), '');
  });

  test('that is not UTF-8 loses only the invalid bytes', () => {
    assert.equal(packetText('subrip', Buffer.from([0x61, 0xe4, 0x62, 0])), 'a�b');
  });
});

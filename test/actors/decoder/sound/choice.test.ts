import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { chooseChannels, defaultTrack, downmix, pick } from '../../../../actors/decoder/sound/choice.ts';

const tracks = [2, 6, 1].map((channels, stream) => ({
  stream: stream + 1,
  channels,
  preferred: stream === 1,
  decodable: true,
}));

describe('the channels', () => {
  test('are counted over all tracks, each track decoded once', () => {
    assert.deepEqual(chooseChannels(tracks, [3, 9, 1, 3, 8]), [
      { stream: 2, channels: [0, 5], positions: [[0, 3], [4]] },
      { stream: 3, channels: [0], positions: [[1]] },
      { stream: 1, channels: [0], positions: [[2]] },
    ]);
    assert.deepEqual(chooseChannels(tracks, [1, 10, 11]), { missing: 10 });
  });

  test('every position of the request is filled once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (asked) => {
        const chosen = chooseChannels(tracks, asked);
        assert.ok(!('missing' in chosen));
        const places = chosen.flatMap((choice) => choice.positions.flat()).sort((a, b) => a - b);
        assert.deepEqual(places, [...asked.keys()]);
      }),
    );
  });

  test('of a request without a list are those of the default track', () => {
    assert.equal(defaultTrack(tracks)!.stream, 2);
    assert.equal(
      defaultTrack(tracks.map((track) => ({ ...track, decodable: track.stream === 3 })))!.stream,
      3,
    );
    assert.equal(defaultTrack([]), null);
  });
});

describe('gains', () => {
  test('of a mix add up to 1 and are not negative', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 2n ** 40n - 1n }),
        fc.integer({ min: 0, max: 3 }),
        (mask, order) => {
          const nbChannels = mask.toString(2).replaceAll('0', '').length;
          const weights = downmix({ order, nbChannels, mask });
          assert.equal(weights.length, nbChannels);
          assert.ok(weights.every((weight) => weight >= 0));
          assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-9);
        },
      ),
    );
  });

  test('of 5.1 are highest for the centre and 0 for LFE', () => {
    const [left, right, centre, low, back] = downmix({ order: 1, nbChannels: 6, mask: 0x3fn });
    assert.equal(left, right);
    assert.equal(low, 0);
    assert.ok(centre! > left! && left! > back! && back! > 0);
    assert.deepEqual(downmix({ order: 1, nbChannels: 2, mask: 3n }), [0.5, 0.5]);
    assert.deepEqual(downmix({ order: 3, nbChannels: 4, mask: 0n }), [1, 0, 0, 0]);
  });

  test('of a channel that a frame does not have are 0', () => {
    assert.deepEqual(pick([1, 3], 2), [0, 1, 0, 0]);
  });
});

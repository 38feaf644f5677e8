import { expect } from 'chai';
import * as fc from 'fast-check';
import { mentionSchema, mentionsOf } from '../../../src/channels/slack/mentions.ts';

const WRITTEN: readonly (readonly [string, string])[] = [
  ['@here', '<!here>'],
  ['here', '<!here>'],
  ['@channel', '<!channel>'],
  ['@everyone', '<!everyone>'],
  ['U0123ABC', '<@U0123ABC>'],
  ['W0123ABC', '<@W0123ABC>'],
  ['<@U0123ABC>', '<@U0123ABC>'],
  ['S0123ABC', '<!subteam^S0123ABC>'],
  ['<!subteam^S0123ABC>', '<!subteam^S0123ABC>'],
];

const isAccepted = (option: unknown): boolean => mentionSchema().isValidSync(option, { strict: true });

describe('mention_on_error', () => {
  for (const [written, sequence] of WRITTEN) {
    it(`${written} becomes ${sequence}`, () => {
      expect(isAccepted(written)).to.equal(true);
      expect(mentionsOf(written)).to.deep.equal([sequence]);
      expect(mentionsOf(mentionsOf(written))).to.deep.equal([sequence]);
    });
  }

  it('takes a list and mentions each once', () => {
    const option = ['@here', 'U0123ABC', '<!here>'];
    expect(isAccepted(option)).to.equal(true);
    expect(mentionsOf(option)).to.deep.equal(['<!here>', '<@U0123ABC>']);
  });

  it('mentions nobody where it is not given', () => {
    expect(isAccepted(undefined)).to.equal(true);
    expect(mentionsOf(undefined)).to.deep.equal([]);
  });

  it('refuses what Slack would not understand, and says what it does', () => {
    for (const option of [
      '@ops',
      'ops',
      '',
      '#ops',
      'u0123',
      7,
      null,
      { user: 'U1' },
      ['@here', 'bob'],
      [['@here']],
    ]) {
      expect(isAccepted(option), JSON.stringify(option)).to.equal(false);
    }
    expect(() => void mentionSchema().validateSync('bob', { strict: true })).to.throw('"@here", "@channel"');
  });

  it('can never become anything but a mention, whatever is written', () => {
    const anyOption = fc.oneof(fc.string(), fc.constantFrom(...WRITTEN.flat()), fc.anything());
    fc.assert(
      fc.property(anyOption, (option) =>
        mentionsOf(option).every((mention) => /^<(![a-z]+|@[UW]\w+|!subteam\^S\w+)>$/.test(mention)),
      ),
    );
  });
});

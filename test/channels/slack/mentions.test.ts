import { expect } from 'chai';
import * as fc from 'fast-check';
import { mentionsFor, slackMentions } from '../../../src/channels/slack/mrkdwn.ts';

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

const isAccepted = (option: unknown): boolean => slackMentions.option.isValidSync(option, { strict: true });

const called = (option: unknown): string =>
  mentionsFor({ isError: true, options: { mention_on_error: option } });

describe('mention_on_error', () => {
  for (const [written, sequence] of WRITTEN) {
    it(`${written} becomes ${sequence}`, () => {
      expect(isAccepted(written)).to.equal(true);
      expect(called(written)).to.equal(sequence);
    });
  }

  it('takes a list and mentions each once', () => {
    const option = ['@here', 'U0123ABC', '<!here>'];
    expect(isAccepted(option)).to.equal(true);
    expect(called(option)).to.equal('<!here> <@U0123ABC>');
  });

  it('mentions nobody where it is not given', () => {
    expect(isAccepted(undefined)).to.equal(true);
    expect(called(undefined)).to.equal('');
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
    expect(() => void slackMentions.option.validateSync('bob', { strict: true })).to.throw(
      '"@here", "@channel"',
    );
  });

  it('can never become anything but a mention, whatever is written', () => {
    const anyOption = fc.oneof(fc.string(), fc.constantFrom(...WRITTEN.flat()), fc.anything());
    fc.assert(
      fc.property(anyOption, (option) =>
        called(option)
          .split(' ')
          .every((mention) => /^(<(![a-z]+|@[UW]\w+|!subteam\^S\w+)>)?$/.test(mention)),
      ),
    );
  });
});

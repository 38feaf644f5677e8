import { expect } from 'chai';
import * as fc from 'fast-check';
import { slackMentions } from '../../../src/channels/slack/message.ts';
import { problemIn } from '../../contract/channel-contract.ts';

const WRITTEN: Readonly<Record<string, string>> = {
  '@here': '<!here>',
  here: '<!here>',
  '@channel': '<!channel>',
  '@everyone': '<!everyone>',
  U0123ABC: '<@U0123ABC>',
  W0123ABC: '<@W0123ABC>',
  '<@U0123ABC>': '<@U0123ABC>',
  S0123ABC: '<!subteam^S0123ABC>',
  '<!subteam^S0123ABC>': '<!subteam^S0123ABC>',
};

const OTHERS = ['@ops', 'ops', '', '#ops', 'u0123', 7, null, { user: 'U1' }, ['@here', 'bob'], [['@here']]];

const people = (count: number) => Array.from({ length: count }, (_, index) => `U0123AB${index}`);

const isAccepted = (option: unknown): boolean => slackMentions.option.isValidSync(option, { strict: true });

const called = (option: unknown): string =>
  slackMentions
    .of({ isError: true, options: { mention_on_error: option } })
    .map((entry) => slackMentions.write(entry))
    .join(' ');

describe('mention_on_error', () => {
  it('calls a person, a group or everybody, however the name is written, each once, or nobody', () => {
    const twice = ['@here', 'U0123ABC', '<!here>', '<@U0123ABC>'];
    const options = [...Object.entries(WRITTEN), [twice, '<!here> <@U0123ABC>'], [undefined, '']] as const;
    for (const [option, sequences] of options) {
      expect(isAccepted(option), String(option)).to.equal(true);
      expect(called(option)).to.equal(sequences);
    }
  });

  it('refuses what Slack would not understand, and says what it does', () => {
    expect(called(people(20)).split(' ')).to.have.length(20);
    for (const option of [...OTHERS, people(21)])
      expect(isAccepted(option), JSON.stringify(option)).to.equal(false);
    expect(problemIn({ settings: slackMentions.option }, 'bob')).to.contain('"@here", "@channel"');
  });

  it('can never become anything but a mention, whatever is written', () => {
    const anyOption = fc.oneof(fc.string(), fc.constantFrom(...Object.values(WRITTEN)), fc.anything());
    fc.assert(
      fc.property(anyOption, (option) =>
        called(option)
          .split(' ')
          .every((mention) => /^(<(![a-z]+|@[UW]\w+|!subteam\^S\w+)>)?$/.test(mention)),
      ),
    );
  });
});

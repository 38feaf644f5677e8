/** Whoever writes a template sees how much of what the remote takes a message takes. */
import { expect } from 'chai';
import type { LimitUse, MessageFormat } from '../../src/channels/channel.ts';
import { emailFormat } from '../../src/channels/email/format.ts';
import { slackFormat } from '../../src/channels/slack/format.ts';

const CONTEXT = { language: 'en', options: {}, isError: true } as const;

const figures = (limits: readonly LimitUse[] | undefined) =>
  Object.fromEntries((limits ?? []).map(({ name, used, most }) => [name.en, [used, most]]));

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });

describe('The limits that a message takes', () => {
  it('of Slack: its line, its blocks, all of them together, and the text nearest to its own limit', () => {
    const header = { type: 'header', text: { type: 'plain_text', text: 'x'.repeat(140) } };
    const parts = { text: 'ありがとう', blocks: [header, section('y'.repeat(2140))] };
    const limits = figures(slackFormat.limitsOf?.(slackFormat.compose(parts, CONTEXT)));
    expect(limits['Notification line']).to.deep.equal([15, 3000]);
    expect(limits['Blocks']).to.deep.equal([2, 40]);
    expect(limits['Fullest text']).to.deep.equal([140, 150]);
    expect(limits['All blocks together']?.[0]).to.be.above(2280);
    expect(limits['All blocks together']?.[1]).to.equal(8000);
  });

  it('of Slack without blocks: its line alone', () => {
    const message = slackFormat.compose({ text: 'hello' }, CONTEXT);
    expect(figures(slackFormat.limitsOf?.(message))).to.deep.equal({ 'Notification line': [5, 3000] });
  });

  it('of a mail: its subject, its text and its HTML', () => {
    const message = emailFormat.compose({ subject: '件名', text: 'é', html: '<p>é</p>' }, CONTEXT);
    const limits = figures(emailFormat.limitsOf?.(message));
    expect(limits['Subject']).to.deep.equal([2, 150]);
    expect(limits['Plain text']).to.deep.equal([3, 80_000]);
    expect(limits['HTML']).to.deep.equal([9, 80_000]);
  });

  for (const format of [slackFormat, emailFormat] as const) {
    it(`never shows more than a limit for what ${format.name} has composed`, () => {
      const long = 'long text '.repeat(20_000);
      const blocks = Array.from({ length: 60 }, () => section(long));
      const parts = { text: long, subject: long, html: long, blocks };
      const { compose, limitsOf } = format as MessageFormat;
      for (const { used, most, name } of limitsOf?.(
        compose(parts, { ...CONTEXT, options: { mention_on_error: ['@here', '@channel'] } }),
      ) ?? [])
        expect(used, name.en).to.be.at.most(most);
    });
  }
});

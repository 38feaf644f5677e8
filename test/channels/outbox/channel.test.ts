import { expect } from 'chai';
import { AddressError, type ChannelType, idsIn } from '../../../src/channels/channel.ts';
import { emailFormat } from '../../../src/channels/email/format.ts';
import { emailChannel } from '../../../src/channels/email/channel.ts';
import { outboxOf } from '../../../src/channels/outbox/channel.ts';
import { slackChannel } from '../../../src/channels/slack/channel.ts';
import { slackFormat } from '../../../src/channels/slack/format.ts';
import { cleanText } from '../../../src/text/clean.ts';
import { CONFIDENTIAL, DIRECT, outgoingOf, problemIn } from '../../contract/channel-contract.ts';

const MESSAGES = {
  slack: { text: CONFIDENTIAL, blocks: [{ type: 'divider' }] },
  email: { subject: 'Subject', text: CONFIDENTIAL, html: `<p>${CONFIDENTIAL}</p>` },
} as const;
const ADDRESSES = { slack: '#ops', email: 'ops@example.com' } as const;

const outboxChannel = outboxOf([slackChannel, emailChannel] as ChannelType[]);

async function opened(as: keyof typeof MESSAGES) {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  return { printed, channel: await outboxChannel.open({ as }, { ...DIRECT, print }) };
}

describe('the outbox', () => {
  for (const as of ['slack', 'email'] as const) {
    it(`prints a message as ${as} with its address and keeps it whole in the receipt, which says that nobody was told`, async () => {
      const { printed, channel } = await opened(as);
      await channel.verify();
      expect(printed).to.deep.equal([]);
      const receipt = await channel.send(outgoingOf({ address: ADDRESSES[as], message: MESSAGES[as] }));
      await channel.close();
      expect(JSON.parse(receipt['message'] ?? '')).to.deep.equal(MESSAGES[as]);
      expect(idsIn(receipt)).to.deep.equal([['told', 'nobody']]);
      expect(printed.join('')).to.contain(ADDRESSES[as]).and.contain(CONFIDENTIAL);
    });
  }

  it('prints foreign text so that it forges no line of the log and moves no terminal', async () => {
    const { printed, channel } = await opened('slack');
    const text = 'x\n{"level":30,"msg":"stopped"}\r--- outbox (slack): #forged\n\u001b[2J\u009b1m\u202e';
    await channel.send(outgoingOf({ address: '#ops', message: { text }, asText: () => cleanText(text) }));
    const [heading, ...lines] = printed.join('').trimEnd().split('\n');
    expect(heading).to.equal('--- outbox (slack): #ops');
    expect(lines).to.deep.equal(['  x', '  --- outbox (slack): #forged']);
  });

  it('renders and reads addresses as what it stands in for', () => {
    expect(outboxChannel.formatOf({ as: 'slack' })).to.equal(slackFormat);
    expect(outboxChannel.formatOf({ as: 'email' })).to.equal(emailFormat);
    expect(outboxChannel.parseAddress('ops', { as: 'slack' })).to.equal('#ops');
    expect(outboxChannel.parseAddress('ops@EXAMPLE.com', { as: 'email' })).to.equal('ops@example.com');
    expect(() => outboxChannel.parseAddress('ops', { as: 'email' })).to.throw(AddressError);
  });

  it('wants to know what it stands in for', () => {
    for (const settings of [{}, { as: 'fax' }, { as: 7 }])
      expect(problemIn(outboxChannel, settings)).to.contain('as');
  });
});

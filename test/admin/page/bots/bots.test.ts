/** In which order BOTs stand. */
import { expect } from 'chai';
import { botsOnPage } from '../../../../src/admin/page/bots/bots.tsx';
import type { ArchivedBot } from '../../../../src/ledger/archive/archive.ts';

function bot(botId: string, fields: Partial<ArchivedBot> = {}): ArchivedBot {
  return {
    botId,
    botName: botId.toUpperCase(),
    lastCallbackId: 1,
    lastReceivedAt: 100,
    lastSucceededAt: undefined,
    lastFailedAt: undefined,
    lastResultAt: 100,
    ...fields,
  };
}

const isFailing = ({ botId }: ArchivedBot) => ['bad', 'worse'].includes(botId);
const pageOf = (all: readonly ArchivedBot[], name: string, after: string | undefined, size: number) =>
  botsOnPage(all, isFailing, { name, after, size });
const idsOf = (...args: Parameters<typeof pageOf>) => pageOf(...args).bots.map(({ botId }) => botId);

describe('the overview of BOTs', () => {
  const bots = [
    bot('old', { lastResultAt: 1 }),
    bot('new', { lastResultAt: 9 }),
    bot('bad', { lastResultAt: 2 }),
    bot('worse', { lastResultAt: 5 }),
    bot('begun', { lastResultAt: undefined, lastReceivedAt: 3, botName: '請求書 ＡＢＣ' }),
  ];

  it('begins with those that fail, the latest first', () => {
    expect(idsOf(bots, '', undefined, 50)).to.deep.equal(['worse', 'bad', 'new', 'begun', 'old']);
  });

  it('goes on behind the last BOT of the page before', () => {
    const first = pageOf(bots, '', undefined, 2);
    expect(first.next).to.equal('bad');
    const second = pageOf(bots, '', first.next, 2);
    expect(second.bots.map(({ botId }) => botId)).to.deep.equal(['new', 'begun']);
    expect(pageOf(bots, '', second.next, 2)).to.deep.include({ next: undefined });
    expect(pageOf(bots, '', undefined, 5).next).to.equal(undefined);
  });

  it('begins anew where that BOT is gone', () => {
    expect(idsOf(bots, '', 'forgotten', 1)).to.deep.equal(['worse']);
  });

  it('finds a part of a name or an id in any case and width', () => {
    expect(idsOf(bots, 'NE', undefined, 9)).to.deep.equal(['new']);
    expect(idsOf(bots, '請求', undefined, 9)).to.deep.equal(['begun']);
    expect(idsOf(bots, ' abc ', undefined, 9)).to.deep.equal(['begun']);
  });
});

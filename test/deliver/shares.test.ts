/** How much of the room a channel, a BOT and a job may take. */
import { expect } from 'chai';
import { type Party, partyOf as partyOfCallback, Shares } from '../../src/deliver/capacity.ts';

const MOST = 64;

const partyOf = (botId: string, jobId = botId): Party => ({ botId, jobId });

/** Lets in as many of the party as there is room for. */
function fill(shares: Shares, channel: string, partyOf: (index: number) => Party, most = MOST): number {
  let count = 0;
  while (count < most && shares.hasRoom && shares.hasRoomFor(channel, partyOf(count))) {
    shares.change(1);
    shares.changeFor(channel, partyOf(count), 1);
    count += 1;
  }
  return count;
}

describe('the shares of those who wait', () => {
  let shares: Shares;

  beforeEach(() => {
    shares = new Shares(MOST);
  });

  it('are half of all for a channel, however many BOTs there are', () => {
    expect(fill(shares, 'slack', (index) => partyOf(`bot ${index}`))).to.equal(32);
    expect(fill(shares, 'email', (index) => partyOf(`bot ${index}`), 10)).to.equal(10);
  });

  it('are three quarters of all together, so that whoever comes is still answered', () => {
    const counts = ['slack', 'email', 'teams'].map((channel) =>
      fill(shares, channel, (index) => partyOf(`bot ${index}`)),
    );
    expect(counts).to.deep.equal([32, 16, 0]);
  });

  it('leave the next one room beside a BOT or a job that was there alone', () => {
    expect(fill(shares, 'slack', (index) => partyOf('greedy', `job ${index}`))).to.equal(28);
    expect(fill(shares, 'slack', (index) => partyOf('next', `next ${index}`))).to.equal(4);
    shares = new Shares(MOST);
    expect(fill(shares, 'slack', () => partyOf('greedy'))).to.equal(28);
  });

  it('are half of a channel’s for a BOT and a quarter for a job while somebody else waits there', () => {
    fill(shares, 'slack', () => partyOf('first'), 1);
    expect(fill(shares, 'slack', () => partyOf('bot', 'job'))).to.equal(8);
    expect(fill(shares, 'slack', (index) => partyOf('bot', `job ${index}`))).to.equal(8);
    expect(fill(shares, 'slack', () => partyOf('another'))).to.equal(8);
  });

  it('bind nobody beside who waits for another channel', () => {
    fill(shares, 'email', () => partyOf('first'), 1);
    expect(fill(shares, 'slack', () => partyOf('bot'))).to.equal(28);
  });

  it('come free again with whoever leaves', () => {
    fill(shares, 'slack', (index) => partyOf(`bot ${index}`));
    shares.changeFor('slack', partyOf('bot 0'), -1);
    expect(shares.hasRoomFor('slack', partyOf('bot 0'))).to.equal(true);
  });

  it('let one in however few slots there are', () => {
    expect(fill(new Shares(1), 'slack', () => partyOf('only'))).to.equal(1);
  });

  it('go by the beginnings of ids, however long they are', () => {
    const long = 'x'.repeat(1_000_000);
    const party = partyOfCallback({ bot_id: `bot ${long}`, job_id: `job ${long}` });
    expect([party.botId.length, party.jobId.length]).to.deep.equal([200, 200]);
    expect(partyOfCallback({ bot_id: '売上確認', job_id: '1' })).to.deep.equal({
      botId: '売上確認',
      jobId: '1',
    });
  });
});

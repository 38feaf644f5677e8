/** Nothing that is only told about a delivery may undo it, repeat it or answer for it. */
import { expect } from 'chai';
import { pino } from 'pino';
import { type BridgeWorld, callback, createBridgeWorld } from '../support/bridge-world.ts';

const ROUTES = `
delivery: { attempts_per_request: 1 }
receiver: { listen: '127.0.0.1:0' }
default_route:
  notify: [{ slack: '#ops' }, { email: ops@example.com }]
`;

describe('The bridge, while its log cannot be written', () => {
  let world: BridgeWorld;
  let lines: number;

  beforeEach(async () => {
    lines = 0;
    const write = () => {
      lines += 1;
      throw new Error('ENOSPC: no space left on device');
    };
    world = await createBridgeWorld(ROUTES, { logger: pino({ level: 'debug' }, { write }) });
  });

  afterEach(() => world.close());

  it('answers 200 for what was delivered, and delivers nothing twice', async () => {
    const sent = callback();
    expect(await world.post(sent)).to.deep.include({ status: 200 });
    expect((await world.post(sent)).body.result).to.equal('duplicate');
    expect([world.slack.messages.length, world.mail.mails.length]).to.deep.equal([1, 1]);
    expect(lines).to.be.above(0);
  });

  it('answers 502 for what failed, and delivers the rest on the retry', async () => {
    world.slack.faults.push({ kind: 'status', status: 500 });
    const sent = callback();
    expect((await world.post(sent)).status).to.equal(502);
    world.slack.faults.splice(0);
    expect((await world.post(sent)).status).to.equal(200);
    expect([world.slack.messages.length, world.mail.mails.length]).to.deep.equal([1, 1]);
  });
});

/** A mail server that takes few connections costs nobody anything. */
import { expect } from 'chai';
import { type BridgeWorld, callback, createBridgeWorld } from '../support/bridge-world.ts';

const ROUTES = `
receiver: { listen: '127.0.0.1:0' }
default_route:
  notify: [{ email: [a@example.com, b@example.com] }]
`;

describe('The bridge, with a mail server that takes two connections', () => {
  let world: BridgeWorld;

  beforeEach(async () => {
    world = await createBridgeWorld(ROUTES, { mailConnections: 2 });
  });

  afterEach(() => world.close());

  it('answers 200 to each of twelve callbacks at once, and sends each mail once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => world.post(callback())));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(12).fill(200));
    expect(world.mail.mails).to.have.length(24);
  });
});

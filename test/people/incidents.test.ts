/** Which destinations hear no more of an incident than that it has begun. */
import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import { toldOfTroublesAlone } from '../../src/people/incidents.ts';

describe('Who is on an incident, and that it is over', () => {
  it('is not told to a hook with a body of its own, unless it says notices: true', () => {
    const url = 'https://example.com/hook';
    const hooks = {
      plain: { url },
      own: { url, body: { text: '' } },
      asks: { url, body: [], notices: true },
    };
    const addresses = Object.keys(hooks).map((address) => [`hooks:${address}`, 'hooks'] as const);
    const all = [...addresses, ['slack:#ops', 'slack'] as const];
    const destinations = new Map(
      all.map(([destination, channel]) => [destination, { destination, channel }]),
    );
    const channels = new Map([
      ['hooks', { name: 'hooks', type: 'webhook', settings: { hooks } }],
      ['slack', { name: 'slack', type: 'slack', settings: {} }],
    ]);
    const planning = { config: { channels }, destinations } as unknown as Parameters<
      typeof toldOfTroublesAlone
    >[0];
    expect(toldOfTroublesAlone(planning, channelTypes)).to.deep.equal(['hooks:own']);
  });
});

import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import type { ArchivedIncident } from '../../src/ledger/archive/archive.ts';
import { plannedTo } from '../deliver/delivery-record.ts';
import { gistIn, toldOfTroublesAlone } from '../../src/people/incidents.ts';

type Planning = Parameters<typeof toldOfTroublesAlone>[0];

describe('Who is on an incident, and that it is over', () => {
  it('is not told to a hook with a body of its own, unless it says notices: true', () => {
    const url = 'https://example.com/hook';
    const hooks = { plain: { url }, own: { url, body: {} }, asks: { url, body: [], notices: true } };
    const names = [...Object.keys(hooks).map((address) => `webhook:${address}`), 'slack:#ops'];
    const destinations = new Map(names.map((name) => [name, plannedTo(name)]));
    const settings = { hooks };
    const channels = new Map(['webhook', 'slack'].map((type) => [type, { name: type, type, settings }]));
    const planning = { config: { channels }, destinations } as unknown as Planning;
    expect(toldOfTroublesAlone(planning, channelTypes)).to.deep.equal(['webhook:own']);
  });
});

describe('An incident’s gist', () => {
  const said = (incident: object) => {
    const given = { sign: 'error', gist: 'The channel is archived.', ...incident } as ArchivedIncident;
    return [gistIn(given, 'en'), gistIn(given, 'ja')];
  };
  const error = { class: 'config', code: 'is_archived', message: 'The channel is archived.' } as const;
  const lastError = { ...error, japanese: 'チャンネルがアーカイブされています' };

  it('is said in the reader’s language where it is Botbell’s own, of its destination’s last error and no other', () => {
    expect(said({ lastError })[1]).to.equal(lastError.japanese);
    const other = 'The channel is archived.';
    expect(said({ lastError: { ...lastError, message: 'Another.' } })).to.deep.equal([other, other]);
    expect(said({})).to.deep.equal([other, other]);
    expect(said({ sign: 'refused', gist: '/status is missing: it must be an integer' })).to.deep.equal([
      '/status is missing: it must be an integer',
      '/status ありません（整数が必要です）',
    ]);
    expect(said({ sign: 'refused', gist: 'The body is empty.' })[1]).to.equal('本文が空です。');
  });
});

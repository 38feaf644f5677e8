import { expect } from 'chai';
import { essentialsOf } from '../../../src/channels/slack/answer.ts';

describe('an answer of Slack', () => {
  it('is shortened to the receipt, or to what went wrong', () => {
    const receipt = { ok: true, channel: 'C0TEAM001', ts: '1700000000.000100' };
    const posted = { ...receipt, message: { text: 'x', blocks: [{ type: 'divider' }] } };
    expect(JSON.parse(essentialsOf(JSON.stringify(posted)))).to.deep.equal(receipt);
    const refusal = {
      ok: false,
      error: 'missing_scope',
      needed: 'chat:write',
      response_metadata: { messages: ['[ERROR] must be a string [json-pointer:/blocks/0/text]'] },
    };
    expect(JSON.parse(essentialsOf(JSON.stringify(refusal)))).to.deep.equal(refusal);
  });

  it('stays as it is where it is no JSON', () => {
    for (const body of ['', '<html>', '{"ok":tr']) expect(essentialsOf(body)).to.equal(body);
  });

  it('is an empty object where it is JSON but none, over which the client would trip', () => {
    for (const body of ['null', '[1]', '"ok"', '5', 'true']) expect(essentialsOf(body)).to.equal('{}');
  });
});

import { expect } from 'chai';
import { exactJson } from '../../src/text/json.ts';
import { hooksOf } from '../support/hook-bodies.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const LONG = `It begins. ${'x'.repeat(1_200_000)} It ends.`;

/** Two channels with a hook of one name each. */
const withBodies = (x: string, y: string) => `channels:
  x: { type: webhook, hooks: { erp: { url: 'https://x.example/', body: ${x} } } }
  y: { type: webhook, hooks: { erp: { url: 'https://y.example/', body: ${y} } } }
default_route: { notify: [{ x: erp }, { y: erp }] }`;

describe('A hook’s own body', () => {
  it('is sent by its own hook, also where hooks of two channels have one name, its numbers as they are written and its booleans unless they are quoted', async () => {
    const bodies = withBodies(
      '{ n: -1.50, b: true, t: "5", l: [1, { x: 2e3 }] }',
      `['{{ job_id }}', 9007199254740993, *five, { <<: *shared }]`,
    );
    const { by } = await hooksOf(`x-shared: &shared { p: &five 5 }\n${bodies}`);
    const sent = ['x', 'y'].map((channel) => exactJson(by(channel, 'erp', {}).message));
    const said = ['{"n":-1.50,"b":true,"t":"5","l":[1,{"x":2e3}]}', '["job-1",9007199254740993,5,{"p":5}]'];
    expect(sent).to.deep.equal(said);
    const named = `{ url: 'https://x.example/', headers: { X-N: 5 }, body: { n: 5 } }`;
    const erp = await hooksOf(`channels: { x: { type: webhook, hooks: { body: ${named} } } }
default_route: { notify: [{ x: body }] }`);
    expect(exactJson(erp.by('x', 'body', {}).message), 'of a hook named body').to.equal('{"n":5}');
  });

  it('is checked: what is wrong is said at its place, and Liquid in a name would be sent as it stands', async () => {
    const slips = withBodies(`{ a: ['{{ bot_nme }}', '{{ card.titel }}'] }`, `['{{ job_i }}']`);
    expect((await rejectionOf(hooksOf(slips))).message.split('\n')).to.deep.equal([
      'botbell.yaml:2:82: there is no variable "bot_nme"; did you mean "bot_name"?',
      'botbell.yaml:2:99: there is no variable "card.titel"; did you mean "card.title"?',
      'botbell.yaml:3:77: there is no variable "job_i"; did you mean "job_id"?',
    ]);
    const named = await rejectionOf(hooksOf(withBodies(`{ list: [{ '{{ bot_id }}': 1 }] }`, '[1]')));
    expect(named.message).to.contain('a name stays as it is');
  });

  it('has the summary of the card for each string that fails, be it over a long text, and every other one as it is meant', async () => {
    const rows = Array.from({ length: 60_000 }, (_, id) => ({ id }));
    const body = {
      sorted: '{{ output.rows | sort: "id" | size }}',
      endless: '{% for a in output.rows %}{% for b in output.rows %}{% endfor %}{% endfor %}',
      event: "{% if status_name == 'succeeded' %}resolve{% else %}trigger{% endif %}",
      size: '{{ output.rows | size }}',
      text: '{{ message | strip | truncate: 20 }}',
    };
    const failed: string[] = [];
    const { by } = await hooksOf(withBodies(JSON.stringify(body), '[1]'));
    const { message } = by('x', 'erp', { output: { rows }, message: LONG }, failed);
    const summary = '商品取得 succeeded in 12 s';
    const failing = { sorted: summary, endless: summary, text: summary };
    expect(message).to.deep.equal({ ...failing, event: 'resolve', size: '60000' });
    expect(failed).to.deep.equal(['body/succeeded']);
  });
});

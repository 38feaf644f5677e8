/** What a hook sends in place of a message: its own body, whatever a BOT has written. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/app/settings.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { formatsOf } from '../../src/config/config.ts';
import { problemLines } from '../../src/config/problems.ts';
import { noticeAbout } from '../support/callbacks.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { BARE } from './render-fixture.ts';

/** @returns what is sent, and what is told to have failed */
async function sentBy(body: unknown, callback: object) {
  const file = join(tempFolder(), 'botbell.yaml');
  const hooks = { bot: { url: 'https://bot.example/', body } };
  const config = {
    channels: { other: { type: 'webhook', hooks } },
    default_route: { notify: [{ other: 'bot' }] },
  };
  writeFileSync(file, JSON.stringify(config));
  const { loaded, problems } = await readConfig({ file, variables: {}, channelTypes });
  const format = loaded && formatsOf(loaded.config, channelTypes).get('other');
  if (loaded === undefined || format === undefined) throw new Error(problemLines(problems).join('\n'));
  const failed: string[] = [];
  const target = { format, destination: 'other:bot', templateSet: undefined, options: {} };
  const { message } = loaded.renderer.render(noticeAbout({ ...BARE, ...callback }), target, (failure) =>
    failed.push(`${failure.format}/${failure.template}`),
  );
  return { message, failed };
}

const LONG = `It begins. ${'x'.repeat(1_200_000)} It ends.`;
const FAILED = ['body/succeeded'];

describe('A hook’s own body', () => {
  it('is refused with Liquid in a name, which would be sent as it stands', async () => {
    const refusal = await rejectionOf(sentBy({ list: [{ '{{ bot_id }}': 1 }] }, {}));
    expect(String(refusal)).to.contain('a name stays as it is');
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
    const { message, failed } = await sentBy(body, { output: { rows }, message: LONG });
    const summary = 'Get items succeeded';
    const failing = { sorted: summary, endless: summary, text: summary };
    expect(message).to.deep.equal({ ...failing, event: 'resolve', size: '60000' });
    expect(failed).to.deep.equal(FAILED);
  });
});

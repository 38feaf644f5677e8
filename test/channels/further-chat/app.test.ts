/** A further chat in the whole program: its definition and one line of the registry, no template and no other file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type RunningApp, startApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/app/read-config.ts';
import type { ChannelType } from '../../../src/channels/channel.ts';
import { outboxOf } from '../../../src/channels/outbox/channel.ts';
import { channelTypes } from '../../../src/channels/registry.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import { HiddenSecrets } from '../../../src/text/hide-secrets.ts';
import { systemClock } from '../../../src/time/clock.ts';
import { callback, post } from '../../support/bridge-world.ts';
import { type ChatStandIn, startChatStandIn } from '../../support/chat-stand-in.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { rocketChat, type RocketMessage } from './rocket-chat.ts';

const printed: string[] = [];

describe('A further chat', () => {
  const types = new Map([
    ...channelTypes,
    [rocketChat.type, rocketChat as ChannelType],
    ['outbox', outboxOf([rocketChat] as ChannelType[])],
  ]);
  let folder: string;
  let app: RunningApp;
  let remote: ChatStandIn;

  before(async () => {
    remote = await startChatStandIn(() => ({ answer: { status: 200, body: '{"success":true}' } }));
    folder = tempFolder();
    const file = join(folder, 'botbell.yaml');
    writeFileSync(
      file,
      `
receiver: { listen: '127.0.0.1:0' }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${folder}/botbell.db' }
channels: { chat: { type: rocket_chat, hooks: { ops: '${remote.origin}/hooks/1/secret-1-of-ops' } }, look: { type: outbox, as: rocket_chat } }
default_route: { on: [error], notify: [{ chat: ops }, { look: ops }] }
`,
    );
    const toRead = { file, variables: {}, channelTypes: types };
    const { loaded, problems } = await readConfig(toRead);
    if (loaded === undefined) throw new Error(JSON.stringify(problems));
    app = await startApp({
      ...loaded,
      readConfig: () => readConfig(toRead),
      channelTypes: types,
      clock: systemClock,
      secrets: new HiddenSecrets(),
      isLedgerInProcess: true,
      logger: await createLogger('silent', false, (line) => line),
      version: '0.0.0-test',
      print: (text) => printed.push(text),
    });
  });

  after(async () => {
    await app.stop();
    await remote.close();
  });

  it('is told what the card says, by the templates that every channel shares', async () => {
    const output = {
      rows: [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
      count: '2',
    };
    const { status, body } = await post(
      `http://127.0.0.1:${app.receiver.port}/callbacks`,
      callback({ job_id: 'j-9', bot_id: 'x', bot_name: '請求書', message: 'no\u0000 login', output }),
    );
    expect([status, body.result]).to.deep.equal([200, 'delivered']);
    const [{ path, body: sent } = { path: '', body: '{}' }] = remote.accepted;
    expect(path).to.equal('/hooks/1/secret-1-of-ops');
    const [{ title, text } = { title: '', text: '' }] = (JSON.parse(sent) as RocketMessage).attachments ?? [];
    expect(title).to.equal('❌ 請求書');
    expect(text)
      .to.contain('```\nno login\n```')
      .and.contain('• a\\: 1 · b\\: 2\n• a\\: 3 · b\\: 4\n*count*: 2')
      .and.contain('j-9');
  });

  it('is posed as by an outbox', () => {
    expect(printed.join('')).to.match(/^--- outbox \(rocket_chat\): ops\n.*請求書/);
  });
});

import { join } from 'node:path';
import { expect } from 'chai';
import { teamsChannel } from '../../../src/channels/teams/channel.ts';
import { teamsFormat } from '../../../src/channels/teams/compose.ts';
import { plainCard } from '../../support/chat-cards.ts';
import type { FailureCase } from '../../contract/channel-contract.ts';
import { answering, chatContract } from '../../contract/chat-contract.ts';
import type { ChatFault, ChatRequest } from '../../support/chat-stand-in.ts';
import { judgeBy, VENDORS } from '../../support/vendors.ts';

const PATH = '/powerautomate/automations/direct/workflows/0a1b2c3d4e5f60718293/triggers/manual/paths/invoke';
const settingsAt = (origin: string) => ({
  hooks: {
    ops: `${origin}${PATH}?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=s3cr3t-signature-of-teams`,
  },
});

const TOLD = 'Webhook message delivery failed with error: ';

const refusal = (status: number, code: string) =>
  answering(status, { error: { code, message: 's3cr3t-signature-of-teams' } });

describe('the channel Teams', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: teamsChannel,
    judge: judgeBy(VENDORS.teams),
    settingsAt,
    address: 'ops',
    mention: {
      options: { mention_on_error: ['ops@example.com'] },
      isIn: ({ body }) => body.includes('"mentioned":{"id":"ops@example.com"'),
    },
    failures: [
      ...[
        'WorkflowTriggerIsNotEnabled',
        'TriggerInputSchemaMismatch',
        'DirectApiAuthorizationRequired',
        'WorkflowNotFound',
      ].map((code): FailureCase<ChatFault> => [`it answers ${code}`, 'config', code, refusal(400, code)]),
      [
        'a sign-in answers 200 in its place',
        'config',
        'told_of_failure',
        answering(200, '<html><title>Sign in to your account</title>'),
      ],
      [
        'a 200 tells that the delivery failed',
        'config',
        'told_of_failure',
        answering(200, `${TOLD}bad payload`),
      ],
      [
        'a 200 tells that Teams limited the rate',
        'rate_limited',
        'told_429',
        answering(200, `${TOLD}Microsoft Teams endpoint returned HTTP error 429`),
        { retryAfterMs: 30_000 },
      ],
    ],
    cardRefused: { fault: refusal(400, 'InvalidCard'), code: 'InvalidCard' },
    limit: {
      most: 4,
      answer: { status: 429, headers: { 'retry-after': '12' } },
      concerns: 'address',
      retryAfterMs: 12_000,
    },
    textIn: textOfCard,
  });

  it('keeps the indentation of a message, which clients collapse', () => {
    const context = { options: {}, isError: true, destination: 'teams:ops', template: 'error', at: 0 };
    const card = plainCard({ message: 'Traceback:\n  File "a.py"\n\tline 3' });
    const sent = JSON.stringify(teamsFormat.compose(card, { ...context, callback: undefined }));
    expect(sent).to.contain('"\u00a0\u00a0File \\"a.py\\""').and.contain('"\u00a0line 3"');
  });

  it('says what is wrong with a URL that is dead or cut short', () => {
    const warningsOf = (url: string) =>
      teamsChannel
        .warningsOf({ hooks: { ops: url } })
        .map(({ key, message }) => `${String(key)}: ${message}`);
    for (const dead of [
      'prod-01.japaneast.logic.azure.com/x?sig=1',
      'example.webhook.office.com/webhookb2/x',
      'outlook.office.com/webhook/x',
    ])
      expect(warningsOf(`https://${dead}`).join()).to.match(/^hooks,ops: .*switched this host off/);
    for (const cut of ['sp=1', 'sp=1&sig='])
      expect(warningsOf(`https://x.environment.api.powerplatform.com/x?${cut}`).join()).to.match(/no "sig"/);
    expect(warningsOf(settingsAt('https://x.environment.api.powerplatform.com').hooks.ops)).to.deep.equal([]);
  });
});

function textOfCard({ body }: ChatRequest): string {
  const [{ content }] = (JSON.parse(body) as { attachments: [{ content: { body: unknown } }] }).attachments;
  const texts: string[] = [];
  JSON.stringify(content.body, (key, value: unknown) => {
    if (key === 'text') texts.push(String(value));
    return value;
  });
  return texts.join('');
}

import { join } from 'node:path';
import { teamsChannel } from '../../../src/channels/teams/channel.ts';
import { answering, type AnswerRow, chatContract } from '../../contract/chat-contract.ts';
import { judgeBy, type Limits, type Own } from '../../support/vendors.ts';

const PATH = '/powerautomate/automations/direct/workflows/0a1b2c3d4e5f60718293/triggers/manual/paths/invoke';
const QUERY = 'api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=s3cr3t-signature-of-teams';
const TOLD = 'Webhook message delivery failed with error: ';
const SIGN_IN = '<html><title>Sign in to your account</title>';
const LIMITED = `${TOLD}Microsoft Teams endpoint returned HTTP error 429`;

const refusal = (code: string) => answering(400, { error: { code, message: 's3cr3t-signature-of-teams' } });
const CODES = ['WorkflowTriggerIsNotEnabled', 'TriggerInputSchemaMismatch'].concat([
  'DirectApiAuthorizationRequired',
  'WorkflowNotFound',
]);

const TEAMS_CALL: Own = [/^(?:<at>[^<>]*<\/at> ?)+$/, ''];

/** learn.microsoft.com: "Format cards in Teams"; Teams takes 28 KB, to which the workflow adds some. */
const LIMITS: Limits = {
  path: /^\/powerautomate\/.*\/invoke$/,
  query: ['sig'],
  mostBytes: 24_000,
  most: { attachments: 1, 'attachments.content.actions': 6 },
  blank: /inlines\.text$/,
  texts: [
    // Markdown acts in a block of text, which holds mentions alone.
    [/body\.text$/, [TEAMS_CALL], /[^]/],
    // Clients put a date in place of a function.
    [/(?:inlines\.text|title)$/, [], /\n|\{\{(?:DATE|TIME)\(/],
  ],
  taken: { status: 202 },
};

describe('the channel Teams', () => {
  chatContract({
    messages: join(import.meta.dirname, 'messages.json'),
    type: teamsChannel,
    judge: judgeBy(LIMITS),
    settingsAt: (origin) => ({ hooks: { ops: `${origin}${PATH}?${QUERY}` } }),
    address: 'ops',
    wrongAddresses: ['other', 'ops/1'],
    doubted: {
      'https://example.webhook.office.com/webhookb2/x': /switched this host off/,
      'https://outlook.office.com/webhook/x': /switched this host off/,
      'https://x.environment.api.powerplatform.com/x?sp=1': /not the whole URL/,
      'https://x.environment.api.powerplatform.com/x?sp=1&sig=': /not the whole URL/,
    },
    mention: { called: ['ops@example.com'], written: '"mentioned":{"id":"ops@example.com"' },
    answers: [
      ...CODES.map((code): AnswerRow => [code, 'config', refusal(code)]),
      ['told_of_failure', 'config', answering(200, SIGN_IN)],
      ['told_of_failure', 'config', answering(200, `${TOLD}bad payload`)],
      ['told_of_failure', 'config', answering(200, 'It came to HTTP 502')],
      ['told_429', 'rate_limited', answering(200, LIMITED), { retryAfterMs: 30_000 }],
    ],
    cardRefused: { fault: refusal('InvalidCard'), code: 'InvalidCard' },
    limit: [4, answering(429, '', { 'retry-after': '12' }), 'address', 12_000],
  });
});

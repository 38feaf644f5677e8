/** An incoming webhook of Mattermost (developers.mattermost.com: "Incoming webhooks"). */
import {
  type ChatRequest,
  firstWrong,
  unknownMembers,
  type Verdict,
  wrongRequest,
} from '../../support/chat-stand-in.ts';

const MAX_CHARACTERS = 16_383;
const OWN_MENTION = /^(?:@[a-z0-9._-]+ ?)+$/;

interface Message {
  readonly text?: string;
  readonly attachments?: readonly {
    readonly fallback?: string;
    readonly color: string;
    readonly text: string;
  }[];
}

const refusal = (id: string, refused: string): Verdict => ({
  answer: { status: 400, body: JSON.stringify({ id, message: refused, status_code: 400 }) },
  refused,
});

export function judgeMattermost(key: string): (request: ChatRequest) => Verdict {
  return (request) => {
    if (request.method === 'GET') return { answer: { status: 200, body: 'Mattermost' } };
    if (request.path !== `/hooks/${key}`)
      return refusal('web.incoming_webhook.invalid.app_error', `no hook ${request.path}`);
    const message = JSON.parse(request.body) as Message;
    const unknown = unknownMembers(message, ['text', 'attachments', 'fallback', 'color']);
    const refused = wrongRequest(request) ?? unknown[0] ?? wrongMessage(message);
    if (refused !== undefined) return refusal('web.incoming_webhook.parse.app_error', refused);
    return { answer: { status: 200, body: 'ok', headers: { 'content-type': 'text/plain' } } };
  };
}

function wrongMessage({ text = '', attachments = [] }: Message): string | undefined {
  const isOwnMention = attachments.length > 0 && OWN_MENTION.test(text);
  const shown = [
    ...(isOwnMention ? [] : [text]),
    ...attachments.flatMap((each) => [each.text, each.fallback ?? '']),
  ];
  return firstWrong(
    [text === '' && attachments.length === 0, 'an empty message'],
    [attachments.some(({ fallback = '' }) => fallback.trim() === ''), 'no fallback'],
    [shown.some((one) => Array.from(one).length > MAX_CHARACTERS), 'it is longer than a post'],
    [shown.some((one) => !one.isWellFormed()), 'half a character'],
    [shown.some((one) => /@(?:channel|all|here)\b/.test(one)), 'a mention'],
    [shown.some((one) => /<(?:!\w|@\w|https?:)/.test(one)), 'a sequence of Slack'],
    [shown.some((one) => /(?<!\\)!\[/.test(one.replaceAll(/```[\s\S]*?```/g, ''))), 'an image'],
  );
}

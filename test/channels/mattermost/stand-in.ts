/** An incoming webhook of Mattermost (developers.mattermost.com: "Incoming webhooks"). */
import { type ChatRequest, unknownMembers, type Verdict, wrongRequest } from '../../support/chat-stand-in.ts';

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
  if (text === '' && attachments.length === 0) return 'an empty message';
  const isOwnMention = attachments.length > 0 && OWN_MENTION.test(text);
  for (const shown of [
    ...(isOwnMention ? [] : [text]),
    ...attachments.flatMap((each) => [each.text, each.fallback ?? '']),
  ]) {
    if (Array.from(shown).length > MAX_CHARACTERS) return 'it is longer than a post';
    if (!shown.isWellFormed()) return 'half a character';
    if (/@(?:channel|all|here)\b/.test(shown)) return 'a mention';
    if (/<(?:!\w|@\w|https?:)/.test(shown)) return 'a sequence of Slack';
    if (/(?<!\\)!\[/.test(shown.replaceAll(/```[\s\S]*?```/g, ''))) return 'an image';
  }
  return attachments.some(({ fallback = '' }) => fallback.trim() === '') ? 'no fallback' : undefined;
}

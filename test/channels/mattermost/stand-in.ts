/** An incoming webhook of Mattermost (developers.mattermost.com: "Incoming webhooks"). */
import {
  badCharacter,
  type ChatAnswer,
  type ChatRequest,
  firstWrong,
  INLINE_CODE,
  openMarkdown,
  outOfFences,
  outOfShape,
  type Shape,
  type Verdict,
  wrongRequest,
} from '../../support/chat-stand-in.ts';

/** Of a post, in code points; a longer text becomes several posts. */
const MAX_CHARACTERS = 16_383;
const OWN_MENTION = /^(?:@[a-z0-9._-]+(?: |$))+/;

const MESSAGE: Shape = {
  text: 'scalar',
  attachments: { fallback: 'scalar', color: 'scalar', text: 'scalar' },
};

/** The answer to the eleventh message within a second (server/channels/app/ratelimit.go). */
export const LIMITED: ChatAnswer = {
  status: 429,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'x-ratelimit-limit': '100',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '9',
    'retry-after': '1',
  },
  body: 'limit exceeded',
};

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
    const refused =
      wrongRequest(request) ??
      outOfShape(message, MESSAGE)[0] ??
      badCharacter(request.body) ??
      wrongMessage(message);
    if (refused !== undefined) return refusal('web.incoming_webhook.parse.app_error', refused);
    return { answer: { status: 200, body: 'ok', headers: { 'content-type': 'text/plain' } } };
  };
}

function wrongMessage({ text = '', attachments = [] }: Message): string | undefined {
  // Its first words mention; plain text stands behind.
  const words = text.replace(OWN_MENTION, '');
  const shown = [words, ...attachments.map((each) => each.text)];
  const raw = attachments.map(({ fallback = '' }) => fallback);
  const marked = shown.map((one) => outOfFences(one, 'atLine').replaceAll(INLINE_CODE, ''));
  const drawn = [...marked, ...raw];
  return (
    firstWrong(
      [text.trim() === '' && attachments.length === 0, 'an empty message'],
      [raw.some((fallback) => fallback.trim() === ''), 'no fallback'],
      [shown.some((one) => Array.from(one).length > MAX_CHARACTERS), 'it is longer than a post'],
      [drawn.some((one) => /(?<!\w)@(?:channel|all|here)\b/i.test(one)), 'a mention'],
      [
        [...shown, ...raw].some((one) => /<(?:!\w|@\w|[a-z0-9]{26}>|https?:|[^<>\s]*\|)/i.test(one)),
        'a sequence of Slack',
      ],
      [drawn.some((one) => /(?<![\w\\])@\w/.test(one)), 'a mention of a person'],
      [marked.some((one) => /(?<!\\)!\[/.test(one)), 'an image'],
      [drawn.some((one) => /(?<![\w\\]):[a-z0-9_+-]+:/.test(one)), 'an emoji'],
      [marked.some((one) => /(?<![\w\\])[~#][a-z]/i.test(one)), 'a link to a channel or a tag'],
    ) ?? shown.map((one) => openMarkdown(one, 'atLine')).find(Boolean)
  );
}

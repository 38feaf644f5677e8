/** A webhook of Discord (discord.com/developers/docs: webhook, message, embed limits, rate limits). */
import {
  badCharacter,
  type ChatAnswer,
  type ChatRequest,
  firstWrong,
  openMarkdown,
  outOfShape,
  type Shape,
  type Verdict,
  wrongRequest,
} from '../../support/chat-stand-in.ts';

const EMBED: Shape = {
  title: 'scalar',
  url: 'scalar',
  description: 'scalar',
  color: 'scalar',
  fields: { name: 'scalar', value: 'scalar', inline: 'scalar' },
  footer: { text: 'scalar' },
  author: { name: 'scalar' },
};
const MESSAGE: Shape = {
  content: 'scalar',
  embeds: EMBED,
  allowed_mentions: { parse: 'anything', roles: 'anything', users: 'anything' },
};

/** The webhook of a forum, whose messages need a thread. */
export const FORUM = '2222222222222222222';

/** The answer to the sixth message within two seconds ("Rate limits": "Exceeding a rate limit"). */
export const LIMITED: ChatAnswer = {
  status: 429,
  headers: {
    'retry-after': '2',
    'x-ratelimit-limit': '5',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset-after': '1.250',
    'x-ratelimit-bucket': 'abcd1234',
    'x-ratelimit-scope': 'user',
  },
  body: '{"message":"You are being rate limited.","retry_after":1.25,"global":false}',
};

interface Embed {
  readonly title?: string;
  readonly url?: string;
  readonly description?: string;
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
  readonly footer?: { readonly text: string };
  readonly author?: { readonly name: string };
}

interface Allowed {
  readonly parse: readonly string[];
  readonly roles?: readonly string[];
  readonly users?: readonly string[];
}

interface Message {
  readonly content?: string;
  readonly embeds?: readonly Embed[];
  readonly allowed_mentions?: Allowed;
}

const refusal = (status: number, code: number, refused: string): Verdict => ({
  answer: { status, body: JSON.stringify({ code, message: refused }) },
  refused,
});

export function judgeDiscord(request: ChatRequest): Verdict {
  const [, webhook] = /^\/api\/webhooks\/(\d{17,20})\/[\w-]+$/.exec(request.path) ?? [];
  if (webhook === undefined) return refusal(404, 10015, 'Unknown Webhook');
  if (request.method === 'GET') return { answer: { status: 200, body: '{"id":"1","name":"ops"}' } };
  const wrong = wrongRequest(request);
  if (wrong !== undefined) return refusal(400, 40333, wrong);
  const thread = request.query.get('thread_id');
  if (webhook === FORUM && thread === null) return refusal(400, 220001, 'a forum needs a thread');
  if (request.query.get('wait') !== 'true') return refusal(400, 0, 'wait is missing');
  if (thread !== null && !/^\d{17,20}$/.test(thread)) return refusal(400, 50035, `the thread ${thread}`);
  return judgeMessage(request.body);
}

function judgeMessage(body: string): Verdict {
  const message = JSON.parse(body) as Message;
  if (message.content === undefined && message.embeds === undefined)
    return refusal(400, 50006, 'Cannot send an empty message');
  const refused =
    outOfShape(message, MESSAGE)[0] ?? badCharacter(body) ?? wrongMessage(message) ?? wrongEmbeds(message);
  if (refused !== undefined) return refusal(400, 50035, refused);
  return { answer: { status: 200, body: '{"id":"1098765432109876543","channel_id":"987654321098765432"}' } };
}

function wrongMessage({ content = '', embeds = [], allowed_mentions: allowed }: Message): string | undefined {
  if (allowed === undefined) return 'allowed_mentions is missing';
  if (sizeOf(content) > 2000) return 'content is too long';
  if (sizeOf(content) + embeds.length === 0) return 'an empty message';
  const called = calledBy(allowed);
  // Its first line mentions; plain text stands below.
  const [first = '', ...rest] = content.split('\n');
  const mentions = first.split(' ').map((one) => one.replace(/^@(?:everyone|here)$/, 'everyone'));
  const isOwn = called.length > 0;
  if (isOwn && mentions.sort().join() !== called.sort().join())
    return `more is allowed to mention than ${first}: ${called.join()}`;
  return openMarkdown(isOwn ? rest.join('\n') : content, 'anywhere');
}

function calledBy({ parse, roles = [], users = [] }: Allowed): string[] {
  return [...parse, ...roles.map((id) => `<@&${id}>`), ...users.map((id) => `<@${id}>`)];
}

function wrongEmbeds({ embeds = [] }: Message): string | undefined {
  const size = embeds.flatMap(textsOf).reduce((sum, text) => sum + sizeOf(text), 0);
  return (
    firstWrong([embeds.length > 10, 'too many embeds'], [size > 6000, 'the embeds are too long']) ??
    embeds.map(wrongEmbed).find(Boolean)
  );
}

function wrongEmbed(embed: Embed): string | undefined {
  const { title = '', url, description = '', fields = [], footer, author } = embed;
  const ofFields = fields.flatMap(({ name, value }) => [name, value]);
  return (
    firstWrong(
      [sizeOf(title) > 256, 'the title is too long'],
      [sizeOf(description) > 4096, 'the description is too long'],
      [sizeOf(footer?.text ?? '') > 2048, 'the footer is too long'],
      [sizeOf(author?.name ?? '') > 256, 'the author is too long'],
      [fields.length > 25, 'too many fields'],
      [url !== undefined && !/^https?:\/\/./.test(url), `the address ${url}`],
      [url !== undefined && url.length > 2048, 'the address is too long'],
      [ofFields.some((text) => text.trim() === ''), 'an empty field'],
      [fields.some(({ name, value }) => sizeOf(name) > 256 || sizeOf(value) > 1024), 'a field is too long'],
    ) ??
    textsOf(embed)
      .map((text) => openMarkdown(text, 'anywhere'))
      .find(Boolean)
  );
}

function textsOf({ title = '', description = '', fields = [], footer, author }: Embed): readonly string[] {
  const ofFields = fields.flatMap(({ name, value }) => [name, value]);
  return [title, description, footer?.text ?? '', author?.name ?? '', ...ofFields];
}

function sizeOf(text: string): number {
  return Array.from(text.trim()).length;
}

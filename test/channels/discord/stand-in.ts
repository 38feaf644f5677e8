/** A webhook of Discord (discord.com/developers/docs: webhook, message, embed limits, rate limits). */
import { type ChatRequest, unknownMembers, type Verdict, wrongRequest } from '../../support/chat-stand-in.ts';

const MEMBERS = [
  ...[
    'content',
    'embeds',
    'allowed_mentions',
    'parse',
    'roles',
    'users',
    'title',
    'url',
    'description',
    'color',
  ],
  ...['fields', 'name', 'value', 'inline', 'footer', 'text'],
];

interface Embed {
  readonly title?: string;
  readonly url?: string;
  readonly description?: string;
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
  readonly footer?: { readonly text: string };
}

interface Message {
  readonly content?: string;
  readonly embeds?: readonly Embed[];
  readonly allowed_mentions?: { readonly parse: readonly string[]; readonly roles?: readonly string[] };
}

const refusal = (status: number, code: number, refused: string): Verdict => ({
  answer: { status, body: JSON.stringify({ code, message: refused }) },
  refused,
});

export function judgeDiscord(request: ChatRequest): Verdict {
  if (!/^\/api\/webhooks\/\d+\/[\w-]+$/.test(request.path)) return refusal(404, 10015, 'Unknown Webhook');
  if (request.method === 'GET') return { answer: { status: 200, body: '{"id":"1","name":"ops"}' } };
  if (request.query.get('wait') !== 'true') return refusal(400, 0, 'wait is missing');
  const wrong = wrongRequest(request);
  if (wrong !== undefined) return refusal(400, 40333, wrong);
  const message = JSON.parse(request.body) as Message;
  const refused = unknownMembers(message, MEMBERS)[0] ?? wrongMessage(message);
  if (refused !== undefined) return refusal(400, 50035, refused);
  return { answer: { status: 200, body: '{"id":"1098765432109876543","channel_id":"987654321098765432"}' } };
}

function wrongMessage({ content = '', embeds = [], allowed_mentions: allowed }: Message): string | undefined {
  if (allowed === undefined) return 'allowed_mentions is missing';
  if (content.trim() === '' && embeds.length === 0) return 'an empty message';
  if (sizeOf(content) > 2000) return 'content is too long';
  if (/[^\\]@everyone|^@everyone/.test(content) && !allowed.parse.includes('everyone') && embeds.length > 0)
    return 'a mention that is not allowed';
  return embeds.length > 10 ? 'too many embeds' : embeds.map(wrongEmbed).find(Boolean);
}

function wrongEmbed({ title = '', url, description = '', fields = [], footer }: Embed): string | undefined {
  const texts = [
    title,
    description,
    footer?.text ?? '',
    ...fields.flatMap(({ name, value }) => [name, value]),
  ];
  if (sizeOf(title) > 256) return 'the title is too long';
  if (sizeOf(description) > 4096) return 'the description is too long';
  if (sizeOf(footer?.text ?? '') > 2048) return 'the footer is too long';
  if (fields.length > 25) return 'too many fields';
  if (url !== undefined && !/^https?:\/\//.test(url)) return `the address ${url}`;
  for (const { name, value } of fields) {
    if (name.trim() === '' || value.trim() === '') return 'an empty field';
    if (sizeOf(name) > 256 || sizeOf(value) > 1024) return 'a field is too long';
  }
  const wrong = texts.find((text) => !text.isWellFormed());
  if (wrong !== undefined) return 'half a character';
  return texts.reduce((sum, text) => sum + sizeOf(text), 0) > 6000 ? 'the embed is too long' : undefined;
}

function sizeOf(text: string): number {
  return Array.from(text).length;
}

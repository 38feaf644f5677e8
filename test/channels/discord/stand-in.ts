/** A webhook of Discord (discord.com/developers/docs: webhook, message, embed limits, rate limits). */
import {
  type ChatRequest,
  firstWrong,
  namesIn,
  unknownMembers,
  type Verdict,
  wrongRequest,
} from '../../support/chat-stand-in.ts';

const MEMBERS = namesIn(`
  content embeds allowed_mentions parse roles users title url description color fields name value
  inline footer text`);

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
  const ofFields = fields.flatMap(({ name, value }) => [name, value]);
  const texts = [title, description, footer?.text ?? '', ...ofFields];
  return firstWrong(
    [sizeOf(title) > 256, 'the title is too long'],
    [sizeOf(description) > 4096, 'the description is too long'],
    [sizeOf(footer?.text ?? '') > 2048, 'the footer is too long'],
    [fields.length > 25, 'too many fields'],
    [url !== undefined && !/^https?:\/\//.test(url), `the address ${url}`],
    [ofFields.some((text) => text.trim() === ''), 'an empty field'],
    [fields.some(({ name, value }) => sizeOf(name) > 256 || sizeOf(value) > 1024), 'a field is too long'],
    [texts.some((text) => !text.isWellFormed()), 'half a character'],
    [texts.reduce((sum, text) => sum + sizeOf(text), 0) > 6000, 'the embed is too long'],
  );
}

function sizeOf(text: string): number {
  return Array.from(text).length;
}

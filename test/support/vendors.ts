/** What the vendors document of a message: one row of limits for each, and the judge that takes what is within them. */
import { judgeCall } from './slack-judge.ts';
import { type ChatAnswer, type Judge, wrongRequest } from './chat-stand-in.ts';

export interface Limits {
  /** Of the URL of a message. */
  readonly path: RegExp;
  /** The parameters that the URL needs. */
  readonly query?: readonly string[];
  readonly header?: readonly [name: string, value: string];
  /** Of the body, if it is not JSON. */
  readonly type?: 'application/x-www-form-urlencoded';
  readonly mostBytes?: number;
  /** The most characters of a text, or items of a list, by the keys that lead to it. */
  readonly most?: Readonly<Record<string, number>>;
  /** The members that may be blank or hold nothing. */
  readonly blank?: RegExp;
  readonly texts?: readonly Texts[];
  /** What else is wrong. */
  readonly wrong?: (message: Readonly<Record<string, unknown>>) => string | undefined;
  readonly taken: ChatAnswer;
  /** The answer to a GET. */
  readonly asked?: ChatAnswer;
}

/** Where texts stand, what of them is the channel's own, and by what it is replaced; and what then would act, or is left open by a cut. */
type Texts = readonly [at: RegExp, own: readonly Own[], acts: RegExp];
type Own = readonly [written: RegExp, shown: string];

/** A block of code ends at the first three backticks wherever they stand, or at a line of as many as it begins with. */
const FENCE: Own = [/(?<!\\)```[\s\S]*?```/g, ''];
const FENCE_OF_LINES: Own = [/^(`{3,})\n[\s\S]*?\n\1`*$/gm, ''];
/** Also links that show their address, which only Discord is sent. */
const CODE: Own = [/(?<!\\)`[^`\\\n]+`|<https?:\/\/[^\s<>]+>/g, ''];
const MARKDOWN: readonly Own[] = [
  [/\\[^\p{L}\p{N}\s]/gu, ''],
  [/\[[^[\]]*\]\(https?:[^()\s]+\)/g, ''],
  [/\*\*([^*]+)\*\*/g, '$1'],
];
const LEFT_OPEN = /[`[\]\\]|\*\*|<[@#/:!]|<(?:t|id):/;

/** Whom the tests of the channels call; foreign text that says the same stands in no such place. */
const DISCORD_CALL: Own = [/^<@&123456789> @everyone(?:\n|$)/, ''];
const GOOGLE_CALL: Own = [/^<users\/all> <users\/1234567890>\n?/, ''];
const LINEWORKS_CALL: Own = [/^<m userId="ops@example"> <m userId="all">\n/, ''];
const MATTERMOST_CALL: Own = [/^@channel @jane(?: |$)/, ''];
const TEAMS_CALL: Own = [/^(?:<at>[^<>]*<\/at> ?)+$/, ''];

/** Whom it calls, then a card, or in its place plain text. */
const CHATWORK: Own = [
  /^(?:(?:\[To:\d+\]|\[toall\])+\n)?(?:\[info\]\[title\][^[\]\n]*\S[^[\]\n]*\[\/title\][^[\]]*(?:\[code\][^[\]]*\S[^[\]]*\[\/code\])?[^[\]]*\[\/info\]|[^[\]]*)$/,
  '',
];

const IN_MATTERMOST = /<(?:!\w|@\w|[a-z0-9]{26}>|https?:|[^<>\s]*\|)/i;
const OUTSIDE_CODE = /(?<!\w)@(?:channel|all|here)\b|(?<![\w\\])(?:@\w|:[a-z0-9_+-]+:)/i;

/** Of the HTML that cards of Google Chat support: one in another at most. */
const TAG: Own = [/<(b|font|a)(?: color="#\w{6}"| href="https?:\/\/[^"<>]*")?>([^<>]*)<\/\1>/g, '$2'];

const WORKSPACE = { tokens: ['xoxb-hook'], channels: [{ id: 'C0000001' }] };

export const VENDORS = {
  // developer.chatwork.com: 65,535 of a unit that it does not name; so many characters fit whatever it is.
  chatwork: {
    path: /^\/v2\/rooms\/\d+\/messages$/,
    type: 'application/x-www-form-urlencoded',
    most: { body: 20_000 },
    texts: [[/body/, [CHATWORK], /[^]/]],
    taken: { status: 200, body: '{"message_id":"1234"}' },
    asked: { status: 200, body: '{"account_id":1}' },
  },
  // discord.com/developers/docs: webhook, message, embed limits
  discord: {
    path: /^\/api\/webhooks\/\d{17,20}\/[\w-]+$/,
    query: ['wait'],
    most: {
      content: 2000,
      embeds: 10,
      'embeds.title': 256,
      'embeds.url': 2048,
      'embeds.description': 4096,
      'allowed_mentions.roles': 100,
      'allowed_mentions.users': 100,
    },
    blank: /^allowed_mentions/,
    texts: [[/^(?:content|embeds)/, [DISCORD_CALL, FENCE, CODE, ...MARKDOWN], LEFT_OPEN]],
    wrong: ({ content, allowed_mentions: allowed }) =>
      firstWrong(
        [allowed === undefined, 'whom it may mention is left open'],
        [/\[[^\]]/.test(JSON.stringify(allowed)) && !DISCORD_CALL[0].test(String(content)), 'it may mention'],
      ),
    taken: { status: 200, body: '{"id":"1098765432109876543","channel_id":"987654321098765432"}' },
    asked: { status: 200, body: '{"id":"1","name":"ops"}' },
  },
  // developers.google.com/workspace/chat: messages, cards, limits
  google_chat: {
    path: /^\/v1\/spaces\/\w+\/messages$/,
    query: ['key', 'token', 'requestId'],
    mostBytes: 32_000,
    most: { text: 3800, 'thread.threadKey': 4000, cardsV2: 1, 'cardsV2.card.sections.widgets': 100 },
    texts: [
      [/^text$/, [GOOGLE_CALL], /[<>*_~`]/],
      [/buttons\.text$/, [], /[<>]/],
      // Chat shows no line end of a paragraph.
      [/Paragraph\.text$/, [[/<br>/g, ''], TAG, TAG], /[<>\n]|&(?!(?:amp|lt|gt|quot|#39);)|^\s*$/],
    ],
    taken: { status: 200, body: '{"name":"spaces/AAAA/messages/BBBB.CCCC"}' },
  },
  // developers.worksmobile.com: the API of a bot
  lineworks: {
    path: /^\/v1\.0\/bots\/1234567\/(?:channels\/[0-9a-f-]{36}|users\/[^/]+)\/messages$/,
    most: { 'content.text': 2000 },
    texts: [[/text$/, [LINEWORKS_CALL], /<\s*\/?\s*m\b/i]],
    taken: { status: 201 },
  },
  // developers.worksmobile.com: the Incoming Webhook app
  lineworks_hook: {
    path: /^\/message\/[0-9a-f-]{36}$/,
    most: { title: 100, 'body.text': 1000, 'button.label': 20 },
    texts: [[/./, [], /<\s*\/?\s*m/i]],
    taken: { status: 200 },
  },
  // developers.mattermost.com: incoming webhooks; a longer text becomes several posts.
  mattermost: {
    path: /^\/sub\/hooks\/[a-z0-9]{26}$/,
    most: { text: 16_383, 'attachments.text': 16_383 },
    texts: [
      [/./, [MATTERMOST_CALL], IN_MATTERMOST],
      [/fallback$/, [], OUTSIDE_CODE],
      [/text$/, [MATTERMOST_CALL, FENCE_OF_LINES, CODE], OUTSIDE_CODE],
      [/text$/, [FENCE_OF_LINES, CODE], /(?<!\\)!\[|(?<![\w\\])[~#][a-z]/i],
      [/text$/, [FENCE_OF_LINES, CODE, [/\\(?=[\p{L}\p{N}$])/gu, ''], ...MARKDOWN], LEFT_OPEN],
    ],
    taken: { status: 200, body: 'ok', headers: { 'content-type': 'text/plain' } },
    asked: { status: 200, body: 'Mattermost' },
  },
  rocket_chat: {
    path: /^\/hooks\/\w+\/\w+$/,
    most: { text: 20_000, 'attachments.text': 20_000 },
    blank: /text$/,
    taken: { status: 200, body: '{"success":true}' },
    asked: { status: 200 },
  },
  // docs.slack.dev: the limits of chat.postMessage, answers of plain words
  slack_webhook: {
    path: /^\/services\/T\w+\/B\w+\/\w+$/,
    blank: /^blocks/,
    wrong: (message) => {
      const args = { ...message, channel: 'C0000001' };
      const result = judgeCall(WORKSPACE, { method: 'chat.postMessage', token: 'xoxb-hook', args });
      return result.ok ? undefined : result.error;
    },
    taken: { status: 200, body: 'ok', headers: { 'content-type': 'text/plain' } },
    asked: { status: 404, body: 'no_service' },
  },
  // learn.microsoft.com: "Format cards in Teams"; Teams takes 28 KB, to which the workflow adds some.
  teams: {
    path: /^\/powerautomate\/.*\/invoke$/,
    query: ['sig'],
    mostBytes: 24_000,
    most: { attachments: 1, 'attachments.content.actions': 6 },
    blank: /inlines\.text$/,
    texts: [
      // Markdown acts in a block of text, which holds mentions alone.
      [/body\.text$/, [TEAMS_CALL], /[^]/],
      // Clients put a date in place of a function.
      [/inlines\.text$/, [], /\n|\{\{(?:DATE|TIME)\(/],
    ],
    taken: { status: 202 },
  },
} satisfies Record<string, Limits>;

export function judgeBy(limits: Limits): Judge {
  const { path, query = [], header: [name = '', value] = [], type, mostBytes = Infinity } = limits;
  return (request) => {
    if (request.headers[name] !== value) return { answer: { status: 401 }, refused: `the header ${name}` };
    if (request.method === 'GET') return { answer: limits.asked ?? { status: 404 } };
    const refused =
      wrongRequest(request, type) ??
      firstWrong(
        [!path.test(request.path), `the path ${request.path}`],
        [query.some((key) => !request.query.get(key)), `the query ${request.query.toString()}`],
        [Buffer.byteLength(request.body) > mostBytes, `it is longer than ${mostBytes} bytes`],
      ) ??
      wrongMessage(request.body, limits);
    return refused === undefined ? { answer: limits.taken } : { answer: { status: 400 }, refused };
  };
}

function wrongMessage(body: string, limits: Limits): string | undefined {
  const parsed: unknown =
    limits.type === undefined ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
  const message = parsed as Readonly<Record<string, unknown>>;
  if (Object.keys(message).length === 0) return 'an empty message';
  return limits.wrong?.(message) ?? wrongMember('', message, limits);
}

function wrongMember(path: string, value: unknown, limits: Limits): string | undefined {
  const most = limits.most?.[path] ?? Infinity;
  if (typeof value === 'string') return wrongText(path, value, most, limits);
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  const below = (key: string) => (isList ? path : `${path}.${key}`.replace(/^\./, ''));
  const wrong = Object.entries(value).map(([key, member]) => wrongMember(below(key), member, limits));
  return (
    firstWrong(
      [isList && value.length === 0 && !limits.blank?.test(path), `nothing in ${path}`],
      [isList && value.length > most, `too much in ${path}`],
    ) ?? wrong.find(Boolean)
  );
}

/** What no client draws. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/;

function wrongText(
  path: string,
  text: string,
  most: number,
  { blank, texts = [] }: Limits,
): string | undefined {
  const acting = texts.find(([at, own, acts]) => {
    const foreign = own.reduce((left, [written, shown]) => left.replace(written, shown), text);
    return at.test(path) && acts.test(foreign);
  });
  return firstWrong(
    [text.trim() === '' && !blank?.test(path), `nothing in ${path}`],
    [Array.from(text).length > most, `${path} is too long`],
    [!text.isWellFormed() || CONTROL.test(text), `half a character or a control in ${path}`],
    [path.endsWith('.url') && !/^https?:\/\/[^/\s]+\S*$/.test(text), `the address ${text}`],
    [acting !== undefined, `${String(acting?.[2])}: ${text} acts in ${path}`],
  );
}

/** What is wrong first. */
function firstWrong(...faults: readonly (readonly [isWrong: boolean, what: string])[]): string | undefined {
  return faults.find(([isWrong]) => isWrong)?.[1];
}

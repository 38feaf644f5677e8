/** What the vendors document of a message: one row of limits for each, and the judge that takes what is within them. */
import { judgeCall } from '../../src/stand-ins/slack-stand-in.ts';
import { type ChatAnswer, firstWrong, type Judge, wrongRequest } from './chat-stand-in.ts';
import { CODE, openMarkdown, outOfFences, wrongHtml } from './markup.ts';

export interface Limits {
  /** Of the URL of a message. */
  readonly path: RegExp;
  /** The parameters that the URL needs. */
  readonly query?: readonly string[];
  readonly header?: readonly [name: string, value: string];
  /** Of the body, if it is not JSON. */
  readonly type?: 'application/x-www-form-urlencoded';
  readonly mostBytes?: number;
  /** Each member by the keys that lead to it, with the most characters of its text or items of its list; `any`: whatever it is. */
  readonly members: Readonly<Record<string, number>> | 'any';
  /** The members that may be blank or hold nothing. */
  readonly blank?: RegExp;
  /** What of a text acts, or what a cut has left open. */
  readonly acts?: (text: string, path: string) => string | boolean;
  /** What else is wrong. */
  readonly wrong?: (message: Readonly<Record<string, unknown>>) => string | undefined;
  readonly taken: ChatAnswer;
  /** The answer to a GET. */
  readonly asked?: ChatAnswer;
}

const ANY = Infinity;
const form = 'application/x-www-form-urlencoded';

/** Whom the tests of the channels call; foreign text that says the same stands in no such place. */
const CALLS = {
  discord: /^<@&123456789> @everyone(?:\n|$)/,
  google_chat: /^<users\/all> <users\/1234567890>\n?/,
  lineworks: /^<m userId="ops@example"> <m userId="all">\n/,
  mattermost: /^@channel @jane(?: |$)/,
};

/** Whom it calls, then a card, or in its place plain text. */
const CHATWORK =
  /^(?:(?:\[To:\d+\]|\[toall\])+\n)?(?:\[info\]\[title\][^[\]\n]*\S[^[\]\n]*\[\/title\][^[\]]*(?:\[code\][^[\]]*\S[^[\]]*\[\/code\])?[^[\]]*\[\/info\]|[^[\]]*)$/;

const IN_ANY_TEXT_OF_MATTERMOST = /<(?:!\w|@\w|[a-z0-9]{26}>|https?:|[^<>\s]*\|)/i;
const OUTSIDE_CODE_OF_MATTERMOST = /(?<!\w)@(?:channel|all|here)\b|(?<![\w\\])(?:@\w|:[a-z0-9_+-]+:)/i;
const IN_MARKDOWN_OF_MATTERMOST = /(?<!\\)!\[|(?<![\w\\])[~#][a-z]/i;

function actsOnMattermost(text: string, path: string): string | boolean {
  const words = text.replace(CALLS.mattermost, '');
  const isRaw = path === 'attachments.fallback';
  const drawn = isRaw ? words : outOfFences(words, 'atLine').replaceAll(CODE, '');
  if (IN_ANY_TEXT_OF_MATTERMOST.test(words) || OUTSIDE_CODE_OF_MATTERMOST.test(drawn)) return true;
  return !isRaw && (IN_MARKDOWN_OF_MATTERMOST.test(drawn) || openMarkdown(words, 'atLine'));
}

/** Markdown acts in a block of text, which holds mentions alone; clients put a date in place of a function. */
const actsOnTeams = (text: string, path: string) =>
  path.endsWith('body.text') ? !/^(?:<at>[^<>]*<\/at> ?)+$/.test(text) : /\n|\{\{(?:DATE|TIME)\(/.test(text);

function actsOnGoogleChat(text: string, path: string): string | boolean {
  if (path === 'fallbackText') return false;
  if (path.endsWith('textParagraph.text')) return wrongHtml(text);
  if (path === 'text') return /[<>*_~`]/.test(text.replace(CALLS.google_chat, ''));
  return path.endsWith('buttons.text') && /[<>]/.test(text);
}

const TEAMS = 'attachments.content';
const RUN = ['type', 'text', 'weight', 'size', 'isSubtle', 'fontType', 'selectAction.type']
  .concat('selectAction.title', 'selectAction.url')
  .map((key) => `inlines.${key}`);
const ELEMENT = ['type', 'style', 'bleed', 'spacing', 'text', 'wrap', 'inlines', ...RUN];

const wrongForSlack = (message: object): string | undefined => {
  const unknown = Object.keys(message).find(
    (key) => !['text', 'blocks', 'unfurl_links', 'unfurl_media'].includes(key),
  );
  const workspace = { tokens: ['xoxb-hook'], channels: [{ id: 'C0000001' }] };
  const args = { ...message, channel: 'C0000001' };
  const result = judgeCall(workspace, { method: 'chat.postMessage', token: 'xoxb-hook', args });
  return unknown ?? (result.ok ? undefined : result.error);
};

export const VENDORS = {
  // developer.chatwork.com: 65,535 of a unit that it does not name; so many characters fit whatever it is.
  chatwork: {
    path: /^\/v2\/rooms\/\d+\/messages$/,
    type: form,
    members: { body: 20_000 },
    acts: (text) => !CHATWORK.test(text),
    taken: { status: 200, body: '{"message_id":"1234"}' },
    asked: { status: 200, body: '{"account_id":1}' },
  },
  // discord.com/developers/docs: webhook, message, embed limits
  discord: {
    path: /^\/api\/webhooks\/\d{17,20}\/[\w-]+$/,
    query: ['wait'],
    members: {
      content: 2000,
      embeds: 10,
      'embeds.title': 256,
      'embeds.url': 2048,
      'embeds.description': 4096,
      'embeds.color': ANY,
      'allowed_mentions.parse': 100,
      'allowed_mentions.roles': 100,
      'allowed_mentions.users': 100,
    },
    blank: /^allowed_mentions/,
    acts: (text, path) =>
      !path.startsWith('allowed') && openMarkdown(text.replace(CALLS.discord, ''), 'anywhere'),
    wrong: ({ content, allowed_mentions: allowed }) =>
      firstWrong(
        [allowed === undefined, 'whom it may mention is left open'],
        [/\[[^\]]/.test(JSON.stringify(allowed)) && !CALLS.discord.test(String(content)), 'it may mention'],
      ),
    taken: { status: 200, body: '{"id":"1098765432109876543","channel_id":"987654321098765432"}' },
    asked: { status: 200, body: '{"id":"1","name":"ops"}' },
  },
  // developers.google.com/workspace/chat: messages, cards, limits
  google_chat: {
    path: /^\/v1\/spaces\/\w+\/messages$/,
    query: ['key', 'token'],
    mostBytes: 32_000,
    members: {
      text: 3800,
      fallbackText: ANY,
      'thread.threadKey': 4000,
      cardsV2: 1,
      'cardsV2.cardId': ANY,
      'cardsV2.card.header.title': ANY,
      'cardsV2.card.sections.widgets': 100,
      'cardsV2.card.sections.widgets.textParagraph.text': ANY,
      'cardsV2.card.sections.widgets.buttonList.buttons.text': ANY,
      'cardsV2.card.sections.widgets.buttonList.buttons.onClick.openLink.url': ANY,
    },
    acts: actsOnGoogleChat,
    taken: {
      status: 200,
      body: '{"name":"spaces/AAAA/messages/BBBB.CCCC","thread":{"name":"spaces/AAAA/threads/DDDD"}}',
    },
  },
  // developers.worksmobile.com: the API of a bot
  lineworks: {
    path: /^\/v1\.0\/bots\/1234567\/(?:channels\/[0-9a-f-]{36}|users\/[^/]+)\/messages$/,
    members: { 'content.type': ANY, 'content.text': 2000 },
    acts: (text) => /<\s*\/?\s*m\b/i.test(text.replace(CALLS.lineworks, '')),
    taken: { status: 201 },
  },
  // developers.worksmobile.com: the Incoming Webhook app
  lineworks_hook: {
    path: /^\/message\/[0-9a-f-]{36}$/,
    members: { title: 100, 'body.text': 1000, 'button.label': 20, 'button.url': ANY },
    acts: (text) => /<\s*\/?\s*m/i.test(text),
    taken: { status: 200 },
  },
  // developers.mattermost.com: incoming webhooks; a longer text becomes several posts.
  mattermost: {
    path: /^\/sub\/hooks\/[a-z0-9]{26}$/,
    members: {
      text: 16_383,
      attachments: ANY,
      'attachments.fallback': ANY,
      'attachments.color': ANY,
      'attachments.text': 16_383,
    },
    acts: (text, path) => path !== 'attachments.color' && actsOnMattermost(text, path),
    taken: { status: 200, body: 'ok', headers: { 'content-type': 'text/plain' } },
    asked: { status: 200, body: 'Mattermost' },
  },
  rocket_chat: {
    path: /^\/hooks\/\w+\/\w+$/,
    members: { text: 20_000, 'attachments.title': ANY, 'attachments.text': 20_000, 'attachments.color': ANY },
    blank: /text$/,
    taken: { status: 200, body: '{"success":true}' },
    asked: { status: 200 },
  },
  // docs.slack.dev: the limits of chat.postMessage, answers of plain words
  slack_webhook: {
    path: /^\/services\/T\w+\/B\w+\/\w+$/,
    members: 'any',
    wrong: wrongForSlack,
    taken: { status: 200, body: 'ok', headers: { 'content-type': 'text/plain' } },
    asked: { status: 404, body: 'no_service' },
  },
  // learn.microsoft.com: "Format cards in Teams"; Teams takes 28 KB, to which the workflow adds some.
  teams: {
    path: /^\/powerautomate\/.*\/invoke$/,
    query: ['sig'],
    mostBytes: 24_000,
    members: Object.fromEntries([
      ...[...ELEMENT, ...ELEMENT.map((key) => `items.${key}`)].map((key) => [`${TEAMS}.body.${key}`, ANY]),
      ...['type', 'contentType', 'attachments.contentUrl'].map((key) => [key, ANY]),
      ...['$schema', 'type', 'version', 'fallbackText', 'actions.type', 'actions.title', 'actions.url']
        .concat('msteams.width', 'msteams.entities.type', 'msteams.entities.text')
        .concat('msteams.entities.mentioned.id', 'msteams.entities.mentioned.name')
        .map((key) => [`${TEAMS}.${key}`, ANY]),
      ['attachments', 1],
      ['attachments.contentType', ANY],
      [`${TEAMS}.actions`, 6],
    ]) as Record<string, number>,
    blank: /inlines\.text$/,
    acts: (text, path) => /\.(?:body|inlines)\.text$/.test(path) && actsOnTeams(text, path),
    taken: { status: 202 },
  },
} satisfies Record<string, Limits>;

export function judgeBy(limits: Limits): Judge {
  const {
    path,
    query = [],
    header: [name, value] = [],
    type,
    mostBytes = ANY,
    asked = { status: 404 },
  } = limits;
  return (request) => {
    const isKnown = name === undefined || request.headers[name] === value;
    if (!isKnown) return { answer: { status: 401 }, refused: `the header ${name}` };
    if (request.method === 'GET') return { answer: asked };
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
  const message = (
    limits.type === undefined ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
  ) as Readonly<Record<string, unknown>>;
  if (Object.keys(message).length === 0) return 'an empty message';
  return limits.wrong?.(message) ?? (limits.members === 'any' ? undefined : wrongMember('', message, limits));
}

/** What no client draws. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/;

function wrongMember(path: string, value: unknown, limits: Limits): string | undefined {
  const most = (limits.members as Readonly<Record<string, number>>)[path];
  const mayBeBlank = limits.blank?.test(path) === true;
  if (Array.isArray(value))
    return (
      firstWrong(
        [value.length === 0 && !mayBeBlank, `nothing in ${path}`],
        [value.length > (most ?? ANY), `too much in ${path}`],
      ) ?? value.map((item) => wrongMember(path, item, limits)).find(Boolean)
    );
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, member]) => wrongMember(path === '' ? key : `${path}.${key}`, member, limits))
      .find(Boolean);
  if (most === undefined) return `it does not know ${path}`;
  return typeof value === 'string' ? wrongText(path, value, most, limits) : undefined;
}

function wrongText(path: string, text: string, most: number, { blank, acts }: Limits): string | undefined {
  const acting = acts?.(text, path) ?? false;
  return firstWrong(
    [text.trim() === '' && blank?.test(path) !== true, `nothing in ${path}`],
    [Array.from(text).length > most, `${path} is too long`],
    [!text.isWellFormed() || CONTROL.test(text), `half a character or a control in ${path}`],
    [path.endsWith('.url') && !/^https?:\/\/[^/\s]+\S*$/.test(text), `the address ${text}`],
    [acting !== false, `${String(acting)}: ${text} acts in ${path}`],
  );
}

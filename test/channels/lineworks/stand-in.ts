/** LINE WORKS: the login, the API of a bot and the Incoming Webhook app (developers.worksmobile.com). */
import { createVerify, type KeyObject } from 'node:crypto';
import {
  badCharacter,
  type ChatAnswer,
  type ChatRequest,
  firstWrong,
  outOfShape,
  type Shape,
  type Verdict,
  wrongRequest,
} from '../../support/chat-stand-in.ts';

const MAX_CHARACTERS = 2000;
const MOST_MENTIONS = 50;
const MEMBERS = new Set(['ops@example', 'all']);

const TEXT: Shape = { content: { type: 'scalar', text: 'scalar' } };
const HOOK: Shape = { title: 'scalar', body: { text: 'scalar' }, button: { label: 'scalar', url: 'scalar' } };

/** The answer to the message after the last one of a minute (developers.worksmobile.com: "Rate limits"). */
export const LIMITED: ChatAnswer = {
  status: 429,
  headers: { 'ratelimit-limit': '240', 'ratelimit-remaining': '0', 'ratelimit-reset': '20' },
  body: '{"code":"TOO_MANY_REQUESTS","description":"API rate limit exceeded"}',
};

const refusal = (status: number, body: object, refused = JSON.stringify(body)): Verdict => ({
  answer: { status, body: JSON.stringify(body) },
  refused,
});

export interface App {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly account: string;
  readonly publicKey: KeyObject;
  readonly botId: string;
  /** Seconds for which a token is valid; left out: a day. */
  readonly tokenSeconds?: number;
}

/** @param tokens issued so far; one that is taken out of it has expired */
export function judgeLineworks(app: App, tokens: Set<string>): (request: ChatRequest) => Verdict {
  return (request) => {
    if (request.path === '/oauth2/v2.0/token') return judgeLogin(app, tokens, request);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!tokens.has(token)) return refusal(401, { code: 'UNAUTHORIZED' });
    if (request.path.includes('/channels/00000000-')) return refusal(403, { code: 'ACCESS_DENIED' });
    const isMessage = new RegExp(
      `^/v1\\.0/bots/${app.botId}/(?:channels/[0-9a-f-]{36}|users/[^/]+)/messages$`,
    );
    if (!isMessage.test(request.path)) return refusal(404, { code: 'NOT_FOUND' }, request.path);
    const message = JSON.parse(request.body) as { content: { type: string; text: string } };
    const refused =
      wrongRequest(request) ??
      outOfShape(message, TEXT)[0] ??
      badCharacter(request.body) ??
      wrongText(message.content);
    return refused === undefined
      ? { answer: { status: 201 } }
      : refusal(400, { code: 'INVALID_PARAMETER' }, refused);
  };
}

function wrongText({ type, text }: { type: string; text: string }): string | undefined {
  const mentioned = [...text.matchAll(/<\s*\/?\s*m\b(?:[^>]*userId="([^"]*)")?/gi)].map(([, id = '']) => id);
  return firstWrong(
    [type !== 'text' || text.trim() === '', 'no text'],
    [text.length > MAX_CHARACTERS, 'it is longer than 2,000 characters'],
    [mentioned.length > MOST_MENTIONS, 'too many mentions'],
    [!mentioned.every((id) => MEMBERS.has(id)), 'Mentioned user does not exist in the channel'],
  );
}

function judgeLogin(app: App, tokens: Set<string>, request: ChatRequest): Verdict {
  const form = new URLSearchParams(request.body);
  const wrong = wrongRequest(request, 'application/x-www-form-urlencoded');
  if (wrong !== undefined || form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
    return refusal(400, { error: 'invalid_request' }, wrong ?? 'the grant_type');
  if (form.get('client_id') !== app.clientId || form.get('client_secret') !== app.clientSecret)
    return refusal(401, { error: 'invalid_client' });
  if (form.get('scope') !== 'bot') return refusal(400, { error: 'invalid_scope' });
  if (!isGranted(form.get('assertion') ?? '', app)) return refusal(400, { error: 'invalid_grant' });
  const token = `access-token-${tokens.size}-0123456789`;
  tokens.add(token);
  const { tokenSeconds = 86_400 } = app;
  const body = JSON.stringify({
    access_token: token,
    token_type: 'Bearer',
    expires_in: String(tokenSeconds),
    scope: 'bot',
  });
  return { answer: { status: 200, body }, isMessage: false };
}

function isGranted(assertion: string, { publicKey, clientId, account }: App): boolean {
  const [head = '', claims = '', signature = ''] = assertion.split('.');
  const part = (text: string) =>
    JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
  const { iss, sub, iat, exp } = part(claims);
  const isSigned = createVerify('RSA-SHA256')
    .update(`${head}.${claims}`)
    .verify(publicKey, signature, 'base64url');
  const now = Date.now() / 1000;
  const isInTime = Number(iat) <= now && Number(exp) > now && Number(exp) - Number(iat) <= 3600;
  return isSigned && isInTime && part(head)['alg'] === 'RS256' && iss === clientId && sub === account;
}

export function judgeLineworksHook(request: ChatRequest): Verdict {
  if (request.method === 'GET') return { answer: { status: 404 } };
  if (!/^\/message\/[0-9a-f-]{36}$/.test(request.path)) return refusal(404, {}, request.path);
  const message = JSON.parse(request.body) as {
    title: string;
    body: { text: string };
    button?: { label: string; url: string };
  };
  const refused =
    wrongRequest(request) ?? outOfShape(message, HOOK)[0] ?? badCharacter(request.body) ?? wrongHook(message);
  return refused === undefined ? { answer: { status: 200 } } : refusal(400, {}, refused);
}

function wrongHook({
  title,
  body: { text },
  button,
}: {
  title: string;
  body: { text: string };
  button?: { label: string; url: string };
}): string | undefined {
  const texts = [title, text, ...(button === undefined ? [] : [button.label])];
  return firstWrong(
    [title.length > 100, 'the title is too long'],
    [text.length > 1000, 'the text is too long'],
    [texts.some((one) => one.trim() === ''), 'an empty text'],
    [texts.some((one) => /<\s*\/?\s*m/i.test(one)), 'a mention'],
    [button !== undefined && button.label.length > 20, 'the label is too long'],
    [button !== undefined && !/^https?:\/\/./.test(button.url), `the address ${button?.url}`],
  );
}

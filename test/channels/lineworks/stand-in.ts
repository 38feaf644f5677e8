/** LINE WORKS: the login, the API of a bot and the Incoming Webhook app (developers.worksmobile.com). */
import { createVerify, type KeyObject } from 'node:crypto';
import type { ChatRequest, Verdict } from '../../support/chat-stand-in.ts';
import { wrongRequest } from '../../support/chat-stand-in.ts';

const MAX_CHARACTERS = 2000;
const MEMBERS = new Set(['ops@example', 'all']);

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
    const { content } = JSON.parse(request.body) as { content: { type: string; text: string } };
    const refused = wrongRequest(request) ?? wrongText(content);
    return refused === undefined
      ? { answer: { status: 201 } }
      : refusal(400, { code: 'INVALID_PARAMETER' }, refused);
  };
}

function wrongText({ type, text }: { type: string; text: string }): string | undefined {
  if (type !== 'text' || text.trim() === '') return 'no text';
  if (text.length > MAX_CHARACTERS) return 'it is longer than 2,000 characters';
  if (!text.isWellFormed()) return 'half a character';
  const mentioned = [...text.matchAll(/<\s*m\b(?:[^>]*userId="([^"]*)")?/gi)].map(([, id = '']) => id);
  return mentioned.every((id) => MEMBERS.has(id))
    ? undefined
    : 'Mentioned user does not exist in the channel';
}

function judgeLogin(app: App, tokens: Set<string>, request: ChatRequest): Verdict {
  const form = new URLSearchParams(request.body);
  if (form.get('client_id') !== app.clientId || form.get('client_secret') !== app.clientSecret)
    return refusal(401, { error: 'invalid_client' });
  if (form.get('scope') !== 'bot') return refusal(400, { error: 'invalid_scope' });
  if (!isGranted(form.get('assertion') ?? '', app)) return refusal(400, { error: 'invalid_grant' });
  const token = `access-token-${tokens.size}-0123456789`;
  tokens.add(token);
  const body = JSON.stringify({ access_token: token, expires_in: '86400' });
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
  const isShort = Number(exp) - Number(iat) <= 3600 && Number(exp) > Date.now() / 1000;
  return isSigned && isShort && part(head)['alg'] === 'RS256' && iss === clientId && sub === account;
}

export function judgeLineworksHook(request: ChatRequest): Verdict {
  if (request.method === 'GET') return { answer: { status: 404 } };
  const { title, body, button, ...rest } = JSON.parse(request.body) as {
    title: string;
    body: { text: string };
    button?: { label: string; url: string };
  };
  const isWrong =
    Object.keys(rest).length > 0 ||
    title.length > 100 ||
    body.text.length > 1000 ||
    [title, body.text].some(
      (text) => text.trim() === '' || !text.isWellFormed() || /<\s*\/?\s*m/i.test(text),
    ) ||
    (button !== undefined && (button.label.length > 20 || !/^https?:/.test(button.url)));
  const refused = wrongRequest(request) ?? (isWrong ? request.body.slice(0, 200) : undefined);
  return refused === undefined ? { answer: { status: 200 } } : refusal(400, {}, refused);
}

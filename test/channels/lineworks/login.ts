/** LINE WORKS' login of an app (developers.worksmobile.com: "Service Account"), before the API of its bot. */
import { createVerify, type KeyObject } from 'node:crypto';
import { type ChatRequest, type Judge, type Verdict, wrongRequest } from '../../support/chat-stand-in.ts';
import { judgeBy, type Limits, type Own } from '../../support/vendors.ts';

export interface App {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly account: string;
  readonly publicKey: KeyObject;
}

const refusal = (status: number, body: object, refused = JSON.stringify(body)): Verdict => ({
  answer: { status, body: JSON.stringify(body) },
  refused,
});

const LINEWORKS_CALL: Own = [/^<m userId="ops@example"> <m userId="all">\n/, ''];

/** developers.worksmobile.com: the API of a bot */
const LIMITS: Limits = {
  path: /^\/v1\.0\/bots\/1234567\/(?:channels\/[0-9a-f-]{36}|users\/[^/]+)\/messages$/,
  most: { 'content.text': 2000 },
  texts: [[/text$/, [LINEWORKS_CALL], /<\s*\/?\s*m\b/i]],
  taken: { status: 201 },
};

/** @param tokens issued so far; one that is taken out of it has expired */
export function judgeLineworks(app: App, tokens: Set<string>): Judge {
  const judge = judgeBy(LIMITS);
  return (request) => {
    if (request.path === '/oauth2/v2.0/token') return judgeLogin(app, tokens, request);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    return tokens.has(token) ? judge(request) : refusal(401, { code: 'UNAUTHORIZED' });
  };
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
  const body = JSON.stringify({ access_token: token, expires_in: '86400', scope: 'bot' });
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

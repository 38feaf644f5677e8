/** Chatwork's API (developer.chatwork.com: endpoints, notation): strict about the form, the token and the tags. */
import { type ChatRequest, firstWrong, type Verdict, wrongRequest } from '../../support/chat-stand-in.ts';

/** Chatwork takes 65,535 of a unit that it does not name; so many characters fit whatever it is. */
const MOST_CHARACTERS = 20_000;

const FIVE_MINUTES = 300;

/** On every answer. `reset`: Unix seconds. */
export const rateHeaders = (remaining: number, inSeconds = FIVE_MINUTES) => ({
  'x-ratelimit-limit': '300',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + inSeconds),
});

const answer = (status: number, body: object) => ({
  status,
  headers: rateHeaders(290),
  body: JSON.stringify(body),
});

const refusal = (status: number, error: string): Verdict => ({
  answer: answer(status, { errors: [error] }),
  refused: error,
});

export function judgeChatwork(token: string): (request: ChatRequest) => Verdict {
  return (request) => {
    const { method, path, query, headers, body } = request;
    if (headers['x-chatworktoken'] !== token || query.size > 0) return refusal(401, 'Invalid API token');
    if (method === 'GET') return { answer: answer(path === '/v2/me' ? 200 : 404, { account_id: 1 }) };
    if (!/^\/v2\/rooms\/\d+\/messages$/.test(path)) return refusal(404, 'Invalid endpoint');
    if (path === '/v2/rooms/404/messages')
      return refusal(404, "You don't have permission to send messages to this room");
    const form = new URLSearchParams(body);
    const refused =
      wrongRequest(request, 'application/x-www-form-urlencoded') ??
      wrongBody(form.get('body') ?? '') ??
      firstWrong([form.size !== 1, `the fields ${[...form.keys()].join()}`]);
    return refused === undefined ? { answer: answer(200, { message_id: '1234' }) } : refusal(400, refused);
  };
}

/** Whom it calls, then a card, or in its place plain text. */
const OWN =
  /^(?:(?:\[To:\d+\]|\[toall\])+\n)?(?:\[info\]\[title\][^[\]\n]*\S[^[\]\n]*\[\/title\][^[\]]*(?:\[code\][^[\]]*\S[^[\]]*\[\/code\])?[^[\]]*\[\/info\]|[^[\]]*)$/;

function wrongBody(body: string): string | undefined {
  return firstWrong(
    [body.trim() === '', 'it is empty'],
    [body.length > MOST_CHARACTERS || Buffer.byteLength(body) > 65_535, 'it is too long'],
    [!body.isWellFormed(), 'half a character'],
    [/[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/.test(body), 'a control'],
    [!OWN.test(body), 'tags that are not closed, or not ours'],
  );
}

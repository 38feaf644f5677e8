/** Chatwork's API (developer.chatwork.com: endpoints, notation): strict about the form, the token and the tags. */
import type { ChatRequest, Verdict } from '../../support/chat-stand-in.ts';

const MAX_BYTES = 65_535;

const refusal = (status: number, error: string): Verdict => ({
  answer: { status, body: JSON.stringify({ errors: [error] }) },
  refused: error,
});

export function judgeChatwork(token: string): (request: ChatRequest) => Verdict {
  return ({ method, path, query, headers, body }) => {
    if (headers['x-chatworktoken'] !== token || query.size > 0) return refusal(401, 'Invalid API token');
    if (method === 'GET')
      return { answer: { status: path === '/v2/me' ? 200 : 404, body: '{"account_id":1}' } };
    if (!/^\/v2\/rooms\/\d+\/messages$/.test(path)) return refusal(404, 'Invalid endpoint');
    if (path === '/v2/rooms/404/messages')
      return refusal(404, "You don't have permission to send messages to this room");
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') return refusal(400, 'not a form');
    const form = new URLSearchParams(body);
    const refused = wrongBody(form.get('body') ?? '') ?? [...form.keys()].find((key) => key !== 'body');
    if (refused !== undefined) return refusal(400, refused);
    return { answer: { status: 200, body: '{"message_id":"1234"}' } };
  };
}

function wrongBody(body: string): string | undefined {
  if (body.trim() === '') return 'it is empty';
  if (Buffer.byteLength(body) > MAX_BYTES) return 'it is too long';
  if (!body.isWellFormed()) return 'half a character';
  const own =
    /^(?:(?:\[To:\d+\]|\[toall\])+\n)?(?:\[info\]\[title\][^[\]]*\[\/title\][^[\]]*(?:\[code\][^[\]]*\[\/code\])?[^[\]]*\[\/info\]|[^[\]]*)$/;
  return own.test(body) ? undefined : 'tags that are not closed, or not ours';
}

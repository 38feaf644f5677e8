/** An incoming webhook of Slack: the limits of chat.postMessage, answers of plain words. */
import { judgeCall } from '../../../src/stand-ins/slack-stand-in.ts';
import { type ChatRequest, unknownMembers, type Verdict, wrongRequest } from '../../support/chat-stand-in.ts';

const WORKSPACE = { tokens: ['xoxb-hook'], channels: [{ id: 'C0000001' }] };

export function judgeSlackWebhook(request: ChatRequest): Verdict {
  if (request.method === 'GET') return { answer: { status: 404, body: 'no_service' } };
  if (!/^\/services\/T\w+\/B\w+\/\w+$/.test(request.path))
    return { answer: { status: 404, body: 'no_service' }, refused: 'no_service' };
  const wrong = wrongRequest(request);
  if (wrong !== undefined) return { answer: { status: 400, body: 'invalid_payload' }, refused: wrong };
  const message = JSON.parse(request.body) as Record<string, unknown>;
  const unknown = unknownMembers(
    Object.keys(message).map((key) => ({ [key]: 0 })),
    ['text', 'blocks', 'unfurl_links', 'unfurl_media'],
  );
  const args = { ...message, channel: 'C0000001' };
  const result = judgeCall(WORKSPACE, { method: 'chat.postMessage', token: 'xoxb-hook', args });
  const refused = unknown[0] ?? (result.ok ? undefined : result.error);
  if (refused === undefined)
    return { answer: { status: 200, body: 'ok', headers: { 'content-type': 'text/plain' } } };
  return { answer: { status: 400, body: refused === 'no_text' ? 'no_text' : 'invalid_payload' }, refused };
}

/** A receiver of Standard Webhooks: takes what another implementation of the specification verifies. */
import { Webhook } from 'standardwebhooks';
import { isJsonObject } from '../../../src/text/json-object.ts';
import { type ChatRequest, type Verdict, wrongRequest } from '../../support/chat-stand-in.ts';

const MAX_BYTES = 256 * 1024;

export function judgeWebhook(secret: string): (request: ChatRequest) => Verdict {
  const bodies = new Map<string, string>();
  return (request) => {
    if (request.method === 'GET') return { answer: { status: 404 } };
    const refused = wrongRequest(request) ?? wrongDelivery(request, secret, bodies);
    return {
      answer: { status: refused === undefined ? 204 : 400 },
      ...(refused !== undefined && { refused }),
    };
  };
}

function wrongDelivery(
  { headers, body }: ChatRequest,
  secret: string,
  bodies: Map<string, string>,
): string | undefined {
  const id = String(headers['webhook-id']);
  if (!/^[\w-]+$/.test(id)) return `the id ${id}`;
  if ((bodies.get(id) ?? body) !== body) return 'the same id with another body';
  bodies.set(id, body);
  if (Buffer.byteLength(body) > MAX_BYTES) return 'it is longer than 256 KiB';
  const { type, timestamp, data, ...others } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  if (Object.keys(others).length > 0) return `unknown members: ${Object.keys(others).join()}`;
  if (!/^[a-zA-Z0-9_]+(\.[a-zA-Z0-9_]+)*$/.test(String(type))) return `the type ${String(type)}`;
  if (Number.isNaN(Date.parse(String(timestamp))) || !isJsonObject(data)) return 'no timestamp or no data';
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** The local Slack, which fails on demand. */
import type { ServerResponse } from 'node:http';
import type { ReceivedCall } from '../../src/stand-ins/slack-stand-in.ts';
import { answerJson, startSlackStandIn as startStandIn } from '../../src/stand-ins/slack-stand-in.ts';
import { judgeCall, type SlackWorkspace } from './slack-judge.ts';

export type SlackStandIn = Awaited<ReturnType<typeof startSlackStandIn>>;

export const CHANNELS: SlackWorkspace['channels'] = [
  { id: 'C0OPS0001', name: '#ops' },
  { id: 'C0LOG0001', name: '#log' },
  { id: 'C0OLD0001', name: '#old', isArchived: true },
];

interface FaultyOptions extends SlackWorkspace {
  /** Asked for each call for which `faults` holds nothing. */
  readonly faultOf?: ((call: ReceivedCall) => SlackFault | undefined) | undefined;
}

/** `faults` of the next calls, first in, first out. */
export async function startSlackStandIn({ faultOf, ...workspace }: FaultyOptions) {
  const faults: SlackFault[] = [];
  const slack = await startStandIn({
    judge: (call, messages) => judgeCall(workspace, call, messages),
    answer: async (response, call, right) => {
      const fault = faults.shift() ?? faultOf?.(call);
      if (isInterruption(fault)) return interrupt(response, fault);
      if (fault?.kind === 'delay') await fault.until();
      const answer = right();
      if (fault?.kind === 'reset_after_accepting') return resetConnection(response);
      if (fault?.kind === 'answer_late') await fault.until();
      return answerJson(response, answer);
    },
  });
  return { ...slack, faults };
}

export type SlackFault =
  | { readonly kind: 'error'; readonly error: string }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  | { readonly kind: 'hang' }
  /** The headers and the beginning of the body, then silence. */
  | { readonly kind: 'stall' }
  /** The headers and the beginning of the body, then a closed connection. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'reset' }
  /** The message is accepted, the answer is lost. */
  | { readonly kind: 'reset_after_accepting' }
  /** The right answer, once the promise of `until`, called then, has resolved. */
  | { readonly kind: 'delay'; readonly until: () => Promise<unknown> }
  /** The message is accepted at once; the answer comes as with `delay`, or never. */
  | { readonly kind: 'answer_late'; readonly until: () => Promise<unknown> };

/** Faults before or instead of the right answer; the server itself applies the others. */
type Interruption = Exclude<SlackFault, { kind: 'delay' | 'answer_late' | 'reset_after_accepting' }>;

function isInterruption(fault: SlackFault | undefined): fault is Interruption {
  return fault !== undefined && !['delay', 'answer_late', 'reset_after_accepting'].includes(fault.kind);
}

function interrupt(response: ServerResponse, fault: Interruption): void {
  if (fault.kind === 'error') return answerJson(response, { ok: false, error: fault.error });
  if (fault.kind === 'status') return void response.writeHead(fault.status, fault.headers).end(fault.body);
  if (fault.kind === 'reset') return resetConnection(response);
  if (fault.kind === 'hang') return;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"ok":', () => fault.kind === 'cut' && response.destroy());
}

function resetConnection(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

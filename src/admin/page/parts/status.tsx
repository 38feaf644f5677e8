/** States, each as a symbol, a word and a colour. */
import type { StatusCode } from '../../../callback/callback.ts';
import { statusNameOf } from '../../../callback/callback.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../../ledger/hold.ts';
import type { CallbackResult, DeliveryRecord, DeliveryState } from '../../../ledger/ledger.ts';
import type { Reader } from '../reader.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { useReader, useWords } from '../use-reader.ts';

/** What a state means for whoever waits for it. */
export type Tone = 'good' | 'bad' | 'wait' | 'busy' | 'idle';

const SYMBOLS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', wait: '◔', busy: '▶', idle: '–' };

interface StatusProps {
  readonly tone: Tone;
  readonly word: string;
}

export function Status({ tone, word }: StatusProps) {
  return (
    <span class={`status ${tone}`}>
      <span class="mark" aria-hidden="true">
        {SYMBOLS[tone]}
      </span>
      <span>{word}</span>
    </span>
  );
}

export const RUN_TONES = { succeeded: 'good', error: 'bad', executing: 'busy' } as const satisfies Readonly<
  Record<string, Tone>
>;

export const STATE_TONES: Readonly<Record<DeliveryState, Tone>> = {
  delivered: 'good',
  pending: 'wait',
  dead: 'bad',
  held: 'idle',
};

/** Why a delivery has ended without being made. */
const ENDED = [SUPERSEDED, NO_LONGER_ROUTED, DISMISSED] as const;

/** An outbox has taken it: nobody was told. */
function isPrinted({ state, receipt }: Pick<DeliveryRecord, 'state' | 'receipt'>): boolean {
  return state === 'delivered' && receipt?.['told'] === 'nobody';
}

export function toneOf(delivery: Pick<DeliveryRecord, 'state' | 'receipt'>): Tone {
  return isPrinted(delivery) ? 'idle' : STATE_TONES[delivery.state];
}

/** What a delivery's state is called: of one that is held for good, by why it is. */
export function stateWord(
  { state, hold, receipt }: Pick<DeliveryRecord, 'state' | 'hold' | 'receipt'>,
  { language }: Pick<Reader, 'language'>,
): string {
  const words = PAGE_WORDS[language];
  if (isPrinted({ state, receipt })) return words.printed;
  const ended = state === 'held' ? ENDED.find((code) => code === hold?.code) : undefined;
  return ended === undefined ? words.state[state] : words.ended[ended];
}

const RESULT_TONES: Readonly<Record<CallbackResult, Tone>> = {
  delivered: 'good',
  duplicate: 'good',
  no_route: 'idle',
  superseded: 'idle',
  held: 'idle',
  accepted: 'wait',
  taken_over: 'wait',
  gave_up: 'bad',
  failed: 'bad',
  timed_out: 'bad',
  unavailable: 'bad',
};

export function RunStatus({ status }: { readonly status: StatusCode }) {
  const reader = useReader();
  const name = statusNameOf({ status });
  return <Status tone={RUN_TONES[name]} word={PAGE_WORDS[reader.language].status[name]} />;
}

export function DeliveryStatus({ state }: { readonly state: DeliveryState }) {
  const reader = useReader();
  return <Status tone={STATE_TONES[state]} word={PAGE_WORDS[reader.language].state[state]} />;
}

/** What was answered; undefined: nobody has been answered. */
export function ResultStatus({ result }: { readonly result: CallbackResult | undefined }) {
  const words = useWords(PAGE_WORDS).result;
  return result === undefined ? (
    <Status tone="idle" word={words.none} />
  ) : (
    <Status tone={RESULT_TONES[result]} word={words[result]} />
  );
}

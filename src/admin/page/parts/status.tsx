/** Shows states, each as a symbol, a word and a colour. */
import { type StatusCode, statusNameOf } from '../../../callback/callback.ts';
import type { ArchivedCallback } from '../../../ledger/archive/archive.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../../ledger/ledger.ts';
import type { DeliveryRecord, DeliveryState } from '../../../ledger/ledger.ts';
import { deliveredKind, isPrinted } from '../../../story/standing.ts';
import { type Reader, useReader } from '../reader.ts';
import { Foreign } from './text.tsx';

export type StatusTone = 'good' | 'bad' | 'wait' | 'busy' | 'idle';

const SYMBOLS: Readonly<Record<StatusTone, string>> = {
  good: '✓',
  bad: '✕',
  wait: '◔',
  busy: '▶',
  idle: '–',
};

interface StatusProps {
  readonly tone: StatusTone;
  readonly word: string;
}

export function Status({ tone, word }: StatusProps) {
  return (
    <span class={`status ${tone}`}>
      <span class="mark" aria-hidden="true">
        {SYMBOLS[tone]}
      </span>
      <Foreign text={word} />
    </span>
  );
}

export const RUN_TONES = { succeeded: 'good', error: 'bad', executing: 'busy' } as const;

const STATE_TONES: Readonly<Record<DeliveryState, StatusTone>> = {
  delivered: 'good',
  pending: 'wait',
  dead: 'bad',
  held: 'idle',
};

/** Reasons why a held delivery will not be sent; some are rules. */
const ENDED = [SUPERSEDED, NO_LONGER_ROUTED, DISMISSED] as const;
const LET_GO_BY = ['on', 'when', 'after_failures', 'repeat'];

type DeliveryShown = Pick<DeliveryRecord, 'state' | 'reason' | 'receipt'>;

export function toneOf(delivery: Pick<DeliveryShown, 'state' | 'receipt'>): StatusTone {
  return isPrinted(delivery) ? 'idle' : STATE_TONES[delivery.state];
}

/** The word for a delivery's state; for a delivery held for good, the word for its reason. */
export function stateWord(delivery: DeliveryShown, { t }: Pick<Reader, 't'>): string {
  const { state, reason } = delivery;
  if (state === 'delivered') return t(`state.${deliveredKind(delivery)}`);
  const ended = state === 'held' ? ENDED.find((each) => each === reason) : undefined;
  if (ended !== undefined) return t(`ended.${ended}`);
  const rule = state === 'held' ? LET_GO_BY.find((each) => each === reason) : undefined;
  return rule === undefined ? t(`state.${state}`) : t('ended by rule', { rule });
}

export function DeliveryStatus({ delivery }: { readonly delivery: DeliveryShown }) {
  return <Status tone={toneOf(delivery)} word={stateWord(delivery, useReader())} />;
}

export function RunStatus({ status }: { readonly status: StatusCode }) {
  const name = statusNameOf({ status });
  return <Status tone={RUN_TONES[name]} word={useReader().t(`status.${name}`)} />;
}

/** The run's status; for a notice of Botbell's own, its kind. */
export function KindStatus({
  callback: { kind, status },
}: {
  readonly callback: Pick<ArchivedCallback, 'kind' | 'status'>;
}) {
  const { t } = useReader();
  if (kind === 'callback') return <RunStatus status={status} />;
  return <Status tone={kind === 'missed' || kind === 'overdue' ? 'wait' : 'idle'} word={t(`kind.${kind}`)} />;
}

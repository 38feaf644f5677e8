/** Shows states, each as a symbol, a word and a colour. */
import { type StatusCode, statusNameOf } from '../../../callback/callback.ts';
import type { ArchivedCallback } from '../../../ledger/archive/archive.ts';
import type { Standing, Tone } from '../../../story/standing.ts';
import { type Reader, useReader } from '../reader.ts';
import { Foreign } from './text.tsx';

const SYMBOLS: Readonly<Record<Tone, string>> = {
  good: '✓',
  bad: '✕',
  wait: '◔',
  busy: '▶',
  idle: '–',
};

export function Status({ tone, word }: { readonly tone: Tone; readonly word: string }) {
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

/** Rules that let a delivery go for good. */
const LET_GO_BY: ReadonlySet<string> = new Set(['on', 'when', 'after_failures', 'repeat']);

/** The word for a delivery's standing; for one that a rule let go, the rule. */
export function standingWord({ kind, rule }: Standing, { t }: Pick<Reader, 't'>): string {
  return kind === 'held' && LET_GO_BY.has(rule) ? t('ended by rule', { rule }) : t(`standing.${kind}`);
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

/** `botbell take-up`: says who is on incidents, or that nobody is any more. */
import { refusedOutcome, statusOf } from '../../people/outcomes.ts';
import { withLedger } from '../with-ledger.ts';
import { actorHere, type CommandContext, inWords } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadLedgerConfig } from '../load-config.ts';

/** @returns 0: all incidents were taken up, or given back; 1: some are over, or unknown */
export async function run(
  context: CommandContext,
  ids: readonly number[],
  { by = '', because = '', quiet = false, giveBack = false }: OptionsOf<'take-up'>,
) {
  const config = await loadLedgerConfig(context);
  return withLedger({ config }, async ({ people }) => {
    const acting = giveBack
      ? people.giveBack(ids, actorHere())
      : people.takeUp(ids, { by, because, quiet }, actorHere());
    const outcome = await acting.catch((error: unknown) => {
      // Of one of several, a refusal does not say which.
      if (ids.length === 1 || statusOf(refusedOutcome(error)) === 400) throw error;
    });
    if (outcome) context.result(inWords(context, outcome));
    const done = outcome?.json?.['ids'] as readonly number[] | undefined;
    const left = ids.filter((id) => done?.includes(id) !== true);
    if (left.length > 0) context.message(context.say('take-up.left alone', { ids: left.join(', ') }));
    return left.length > 0 ? 1 : 0;
  });
}

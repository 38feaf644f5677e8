/** `botbell take-up`: says who is on incidents, or that nobody is any more. */
import { withLedger } from '../with-ledger.ts';
import { actorHere, type CommandContext, inWords } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadLedgerConfig } from '../load-config.ts';

/** @returns 0: all incidents were taken up, or given back; 1: some are over, or unknown */
export async function run(
  context: CommandContext,
  ids: readonly number[],
  { by = '', because = '', quiet = false, giveBack = false }: OptionsOf<'take-up'>,
): Promise<number> {
  const config = await loadLedgerConfig(context);
  return withLedger({ config }, async ({ people }) => {
    const outcome = giveBack
      ? await people.giveBack(ids, actorHere())
      : await people.takeUp(ids, { by, because, quiet }, actorHere());
    context.result(inWords(context, outcome));
    const done = outcome.json?.['ids'] as readonly number[] | undefined;
    const left = ids.filter((id) => done?.includes(id) !== true);
    if (left.length > 0) context.message(context.say('take-up.left alone', { ids: left.join(', ') }));
    return left.length > 0 ? 1 : 0;
  });
}

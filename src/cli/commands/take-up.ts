/** `botbell take-up`: says who is on incidents, or that nobody is any more. */
import { beside } from '../beside.ts';
import { actorHere, type CommandContext, inWords } from '../context.ts';
import { loadLedgerConfig } from '../load-config.ts';

interface Options {
  readonly by?: string;
  readonly because?: string;
  readonly quiet?: boolean;
  readonly giveBack?: boolean;
}

export async function run(
  context: CommandContext,
  ids: readonly number[],
  { by = '', because = '', quiet = false, giveBack = false }: Options,
): Promise<number> {
  const config = await loadLedgerConfig(context);
  return beside({ config }, async ({ people }) => {
    const outcome = giveBack
      ? await people.giveBack(ids, actorHere())
      : await people.takeUp(ids, { by, because, quiet }, actorHere());
    context.result(inWords(context, outcome));
    return 0;
  });
}

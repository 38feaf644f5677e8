/** `botbell take-up`: says who is on incidents, or that nobody is any more. */
import { wholeNumberIn } from '../../people/filters.ts';
import { beside } from '../beside.ts';
import { actorHere, type CommandContext, inWords, WrongUsage } from '../context.ts';
import { loadLedgerConfig } from '../load-config.ts';

interface Options {
  readonly by?: string;
  readonly because?: string;
  readonly quiet?: boolean;
  readonly giveBack?: boolean;
}

export async function run(
  context: CommandContext,
  given: readonly string[],
  { by = '', because = '', quiet = false, giveBack = false }: Options,
): Promise<number> {
  const ids = given.map((text) => wholeNumberIn(text));
  const known = ids.filter((id) => id !== undefined);
  if (known.length < ids.length) throw new WrongUsage(context.say('usage.incident'));
  const config = await loadLedgerConfig(context);
  return beside({ config }, async ({ people }) => {
    const outcome = giveBack
      ? await people.giveBack(known, actorHere())
      : await people.takeUp(known, { by, because, quiet }, actorHere());
    context.result(inWords(context, outcome));
    return 0;
  });
}

/** `botbell route`: which routes a callback matches, whom it reaches, and why not the others. */
import { createRouter, type RouteExplanation } from '../route/router.ts';
import { shortLine } from '../text/cut.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { type CommandContext, styled } from './context.ts';
import { loadProject } from './load-config.ts';
import { readCallback } from './read-callback.ts';
import { statusNameOf } from '../callback/callback.ts';

const LONGEST_ID = 200;

export async function routeCommand(context: CommandContext, file: string): Promise<number> {
  const { config } = await loadProject(context);
  const { callback } = await readCallback(context, file, config);
  const router = createRouter(config.routes, config.defaultRoute);
  const status = statusNameOf(callback);
  context.result(`bot_id ${JSON.stringify(shortLine(callback.bot_id, LONGEST_ID))}, ${status}`);
  for (const explanation of router.explainAll(callback)) context.result(lineOf(context, explanation));
  const { destinations } = router.route(callback);
  context.result(destinations.length === 0 ? 'reaches nobody' : `reaches ${destinations.length}:`);
  for (const { destination, templateSet, route } of destinations) {
    const set = templateSet === undefined ? '' : `, template set ${templateSet}`;
    context.result(`  ${styled(context, 'bold', destination.key)} (${route}${set})`);
  }
  return 0;
}

function lineOf(context: CommandContext, { route, matched, because }: RouteExplanation): string {
  const mark = matched ? styled(context, 'green', '✓') : styled(context, 'dim', '·');
  return `  ${mark} ${route}: ${visibleOnOneLine(because)}`;
}

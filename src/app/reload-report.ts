/** What the service says of each reload, in its log and metrics. */
import type { ReloadResult } from '../admin/services.ts';
import type { Problem } from '../config/config.ts';
import { formatProblem } from '../config/problems.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';

const MOST_PROBLEMS = 50;

/** @param cause who asked for it, or what changed */
export function reportReload(logger: Logger, metrics: Metrics, result: ReloadResult, cause: string): void {
  metrics.configReloaded(result.isLoaded);
  if (!result.isLoaded) {
    const line = { cause, problems: linesOf(result.problems) };
    logger.error(line, 'the config was refused: the one before stays in force');
    return;
  }
  const { hasChanged, configHash: hash, unchanged, warnings } = result;
  metrics.configInForce(hash);
  const line = { cause, hash, warnings: warnings.length === 0 ? undefined : linesOf(warnings) };
  logger.info(line, hasChanged ? 'the config was loaded again' : 'the config has not changed');
  if (unchanged.length > 0) logger.warn({ unchanged }, 'left as it is until Botbell is restarted');
}

function linesOf(problems: readonly Problem[]): readonly string[] {
  const lines = problems.slice(0, MOST_PROBLEMS).map(formatProblem);
  const left = problems.length - lines.length;
  return left === 0 ? lines : [...lines, `and ${left} more`];
}

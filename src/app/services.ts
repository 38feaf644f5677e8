/** What the listeners need of the process. */
import type { Reloading } from '../admin/services.ts';
import type { ChannelType } from '../channels/channel.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Traffic } from '../receive/loads.ts';
import type { Pipeline, PipelineParts } from './pipeline.ts';

export interface Services extends PipelineParts {
  readonly logger: Logger;
  readonly pipeline: Pipeline;
  readonly metrics: Metrics;
  readonly traffic: Traffic;
  readonly reloading: Reloading;
  readonly version: string;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
}

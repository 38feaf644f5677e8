/** `botbell schema`: the JSON Schema of the config file. */
import { channelTypes } from '../channels/registry.ts';
import { configJsonSchema } from '../config/json-schema.ts';
import type { CommandContext } from './context.ts';

export function run(context: CommandContext): number {
  context.result(JSON.stringify(configJsonSchema(channelTypes), null, 2));
  return 0;
}

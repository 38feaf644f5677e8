/** `botbell schema`: the JSON Schema of the config file. */
import { channelTypes } from '../../channels/registry.ts';
import { configJsonSchema } from '../../config/schema/json-schema.ts';
import { type CommandContext, printJson } from '../context.ts';

export function run(context: CommandContext) {
  printJson(context, configJsonSchema(channelTypes));
  return 0;
}

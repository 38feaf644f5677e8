/** The failures of calls to Slack. */
import { WebAPIPlatformError, WebAPIRequestError } from '@slack/web-api';
import { failureOfAnswer } from '../answers.ts';
import { DeliveryFailure } from '../failure.ts';
import { networkErrorOf, networkFailureOf } from '../network-error.ts';
import { SLACK } from './answers.ts';

/** The failure for any error of a call to Slack, without the error itself, which may hold the token or the message. */
export function slackFailureOf(error: unknown): DeliveryFailure {
  const cause = error instanceof WebAPIRequestError ? error.original : error;
  if (cause instanceof DeliveryFailure) return cause;
  if (cause instanceof WebAPIPlatformError) return failureIn(cause.data);
  return networkFailureOf(SLACK.title, networkErrorOf(cause));
}

function failureIn(answer: object): DeliveryFailure {
  return failureOfAnswer({ status: 200, headers: {}, body: JSON.stringify(answer) }, SLACK);
}

/** As if Slack had refused a message for it. */
export function lacksScope(needed: string): DeliveryFailure {
  return failureIn({ error: 'missing_scope', needed });
}
